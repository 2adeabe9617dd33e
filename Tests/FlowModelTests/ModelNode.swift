import FlowCore

/// A presentable of the model. It knows its parent when it is gone, and who outlived it: what is lost is told there.
final class ModelNode {
    let instance: UInt64
    let name: String
    let id: String
    let path: String
    let isFlow: Bool
    let parent: ModelNode?
    let style: String
    let whenHidden: WhenHidden?
    /// For whom it is there.
    var client: Client
    var onDismissed: StepTemplate?
    /// The place of a flow's definition.
    var definition: Int
    var arguments: Arguments
    var isVisible: Bool
    var isLive = true
    /// The nearest ancestor that outlived it, once it is gone.
    var successor: ModelNode?
    var children: [ModelNode] = []
    /// With tabs: who was selected, the latest last.
    var selections: [ModelNode] = []
    /// The initial step of a screen that was not presented yet (S-16).
    var held: ModelStep?
    /// Steps that came while it was not presented (S-15).
    var kept: [ModelStep] = []
    /// Whether a flow's initial step has ended, and the child flows that it contributed (S-26).
    var initialHasEnded = false
    var awaited: [ModelNode] = []
    var isReady = false
    var last: (serial: UInt64, step: String, arguments: Arguments)?
    /// Since when nothing from outside reached the flow (S-34).
    var idleSince: UInt64 = 0
    var idleRests = false
    /// What was told of it.
    var told = Told()

    struct Told {
        var isVisible = false
        var isPresented = false
        var isReady = false
        var current: ModelNode?
        var arguments: Arguments = []
    }

    init(
        _ name: String, id: String, instance: UInt64, below parent: ModelNode?, base: String, definition: Int?,
        arguments: Arguments, client: Client, style: String = "", whenHidden: WhenHidden? = nil,
        onDismissed: StepTemplate? = nil
    ) {
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
        self.onDismissed = onDismissed
        isVisible = isFlow
    }

    /// The flow that takes what is emitted on it (S-4).
    var flow: ModelNode { isFlow ? self : parent ?? self }

    /// How many there are on the way from its root, both counted.
    var depth: Int { (parent?.depth ?? 0) + 1 }

    /// Where it is told what its steps come to: itself, then who was the nearest when it went; where nobody was left then,
    /// that is the end of it (S-12).
    var teller: ModelNode { successor?.teller ?? self }

    /// It and all below it, parents first and in order.
    func visit(_ body: (ModelNode) -> Void) {
        body(self)
        for child in children { child.visit(body) }
    }
}

/// A step of the model that waits.
struct ModelStep {
    /// Who wants to know how it ended.
    enum Purpose {
        /// The caller.
        case asked
        /// Nobody: a failure is told (S-12).
        case told
        /// As told; and its flow is ready with it (S-26).
        case initial
        /// As told; and its flow's timer rests with it (S-34).
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
    /// When it was queued, against the others of its origin.
    var order = 0
}
