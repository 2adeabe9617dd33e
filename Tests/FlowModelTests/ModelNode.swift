import FlowCore

/// A presentable of the model. After its removal it still knows its parent and its nearest surviving ancestor, where
/// lost steps are reported.
final class ModelNode {
    let instance: UInt64
    let name: String
    let id: String
    let path: String
    let isFlow: Bool
    let parent: ModelNode?
    var style: String
    let whenHidden: WhenHidden?
    var layer: String?
    /// The client that it counts for.
    var client: Client
    var onDismissed: StepTemplate?
    var onResult: OnResult?
    /// The place of a flow's definition.
    var definition: Int
    var arguments: Arguments
    var isVisible: Bool
    /// The output of a root.
    var output = ""
    /// Where a root goes back to when its output is there again, and its place then (S-53).
    var away: (output: String, order: UInt64)?
    /// What Back on a root would do, as reported last.
    var reportedBack = BackPreview.unhandled
    var isLive = true
    /// Its instance, or the number of its latest raise: siblings stand in this order (S-1).
    var order: UInt64
    /// The nearest ancestor that outlived it, once it is gone.
    var successor: ModelNode?
    var children: [ModelNode] = []
    /// With tabs: the selected children, the latest last.
    var selections: [ModelNode] = []
    /// The initial step of a screen that was not presented yet (S-16).
    var initialStep: ModelStep?
    /// Deferred steps (S-15).
    var deferred: [ModelStep] = []
    /// The origin of the step that has its turn (S-16).
    var turn: Int?
    /// Whether a flow's initial step has ended, and the child flows that it contributed (S-26).
    var initialHasEnded = false
    var awaited: [ModelNode] = []
    var isReady = false
    var last: (serial: UInt64, step: String, arguments: Arguments)?
    /// The time of the latest activity (S-34).
    var idleSince: UInt64 = 0
    var idleRests = false
    /// The next of its idle steps.
    var idleStage = 0
    /// Its other timers (S-55), and whether it was presented when that was last looked at.
    var timers: [ModelTimer] = []
    var wasPresented = false
    /// Whether a screen below it kept it awake when that was last looked at, and whether that has ended since.
    var wasAwake = false
    var dozes = false
    /// The origin that created it.
    let birth: Int
    /// Whether it had a child, or a step of its birth was not navigated; and what emptied it (S-36).
    var mayBeEmpty = false
    var emptiedBy: Model.Emptying?
    /// How often it was empty in a row, and whether it is about to take its initial step again (S-48).
    var emptiness: Model.Emptiness?
    var beginning: Model.Beginning?
    /// Whether it says that there is nothing to show.
    var isWaiting = false
    /// The values that a root got from steppers last (S-42).
    var got: [(key: Model.StepperKey, value: StepperValue)] = []
    /// The values of a flow's context, and whether a signal has to report them.
    var context = ModelContext([])
    var contextIsNew = false
    /// The reported properties.
    var reported = ReportedState()

    /// The step for its answer, and the arguments of the step that contributed it (S-45).
    struct OnResult {
        var template: StepTemplate
        let asked: Arguments
    }

    struct ReportedState {
        var isVisible = false
        var isPresented = false
        var isInSight = false
        var isReady = false
        var current: ModelNode?
        var arguments: Arguments = []
        var output = ""
        var style = ""
        var isWaiting = false
        var context: Arguments = []
    }

    init(
        _ name: String, id: String, instance: UInt64, below parent: ModelNode?, base: String, definition: Int?,
        arguments: Arguments, client: Client, style: String = "", whenHidden: WhenHidden? = nil,
        layer: String? = nil, onDismissed: StepTemplate? = nil, birth: Int
    ) {
        self.birth = birth
        self.name = name
        self.id = id
        self.instance = instance
        self.parent = parent
        self.path = (parent?.path ?? base) + "/" + id
        self.isFlow = definition != nil
        self.definition = definition ?? 0
        self.arguments = arguments
        self.client = client
        self.style = style
        self.whenHidden = whenHidden
        self.layer = layer
        self.onDismissed = onDismissed
        isVisible = isFlow
        order = instance
    }

    /// The flow that takes steps emitted on it (S-4).
    var flow: ModelNode { isFlow ? self : parent ?? self }

    /// Its depth, with its root counted.
    var depth: Int { (parent?.depth ?? 0) + 1 }

    /// The path at which its steps are reported: itself, then the nearest survivor at its removal, and so on (S-12).
    var teller: ModelNode { successor?.teller ?? self }

    /// It and all below it, parents first and in order.
    func visit(_ body: (ModelNode) -> Void) {
        body(self)
        for child in children { child.visit(body) }
    }
}

/// A step of the model that waits.
struct ModelStep {
    /// The recipient of its outcome.
    enum Purpose {
        /// The caller.
        case asked
        /// None: a failure is reported (S-12).
        case reported
        /// As `reported`; and its flow becomes ready with it (S-26).
        case initial
        /// As `reported`; and its flow's timer rests with it (S-34).
        case idle
    }

    var step: StepID
    var arguments: Arguments
    let flow: ModelNode
    let origin: Int
    let cause: UInt64
    let client: Client
    let purpose: Purpose
    var isDeepLink = false
    /// The token of its call; empty without one.
    var token = ""
    /// Whether it is input of a person (S-56).
    var isInput = true
    /// Whether it begins a cascade, or continues one after a wait.
    var isHead = false
    /// When it was queued, against the others of its origin.
    var order = 0
}
