/// A presentable in the tree, now or once: the instance is never used again (S-1, S-25).
public struct NodeID: Hashable, Sendable {
    /// Where the forest keeps it.
    let slot: NodeSlot
    /// Which of those that the place held.
    public let instance: UInt64
}

/// A live presentable: a flow or a screen (S-1).
struct Node: Equatable, Sendable {
    /// Its place.
    var slot: NodeSlot
    /// Its number, never used again; 0 marks a place that is free.
    var instance: UInt64
    /// The name of the screen or flow.
    var name: String
    /// The last part of its path, unlike its siblings'.
    var id: String
    /// Its whole object path.
    var path: String
    /// The parent's place; nil: it is a root.
    var parent: NodeSlot?
    /// The place of its root, which may be itself.
    var root: NodeSlot
    /// Nodes from its root to itself, both counted.
    var depth: Int
    /// How it is to be shown; empty where nothing is said.
    var style: String
    /// Its own arguments, private ones included.
    var arguments: Arguments
    /// Whether who shows it says that it is shown (S-14).
    var isVisible: Bool
    /// Whether it is visible, not covered, and in a presented parent (S-14). Follows from the rest of the tree.
    var isPresented = false
    /// Whether nothing covers it and its parent is presented, so that it is presented once it is visible (S-14).
    var isInSight = false
    /// What its contributor said; nil: as its definition says (S-15).
    var whenHidden: WhenHidden?
    /// Who shows it, and answers for it (S-29); nil: nobody.
    var owner: Client?
    /// What only screens with a presenter have.
    var presenting: Presenting?
    /// Who made it, for the limits.
    var client: Client
    /// Whether that client is gone.
    var isLeft = false
    /// Whether it and all below it may go to make room, by the latest search; and whether nothing of that is presented.
    var isEvictable = false
    var isUnseen = false
    /// Its initial step, while it waits to be presented (S-16).
    var initialStep: DeferredStep?
    /// Steps from outside that were emitted on it while it was not presented, and are kept until it is (S-15).
    var deferredSteps: [DeferredStep] = []
    /// The step that its parent gets when it is dismissed by other hands (S-23).
    var onDismissed: StepTemplate?
    /// What only flows have; nil: it is a screen.
    var flow: FlowState?
    /// What has changed and was not told yet.
    var changes: Changes
    /// Whether its record is out of date, and whether it has one.
    var isUnsaved = false
    var isSaved = false
    /// The same of a flow's record of what happened last.
    var isActivityUnsaved = false
    var isActivitySaved = false

    /// The client that made it, as signals name it.
    var sender: Client { client == .former ? .daemon : client }

    /// The path of its parent, whether that is live or not.
    var parentPath: String { String(path.dropLast(id.utf8.count + 1)) }

    /// How far a screen is with its presenter (S-31).
    struct Presenting: Equatable, Sendable {
        /// From `due` to `asked` when it comes in sight, from there to `shown` when the presenter answers that call; back to
        /// `due` when it gets new arguments, or its owner is gone. From `due` by `held` where too many calls are under way.
        enum State: Equatable, Sendable {
            /// The presenter is to be called when the screen would be presented.
            case due
            /// It is to be called when it has answered one of the calls that are under way.
            case held
            /// It was called, and did not answer the latest call.
            case asked
            /// It answered.
            case shown
        }

        let presenter: Presenter
        var state = State.due
        /// The calls that it did not answer, in order: before the latest there may be some with older arguments.
        var underWay: [QuestionID] = []
        /// Whether the presenter was called before.
        var isAgain = false
        /// The origin and serial of the navigation that contributed the screen: a failure counts there (S-11).
        var origin: UInt64 = 0
        var serial: UInt64 = 0
        /// When it was presented again because its owner was gone (S-30).
        var revivals: [Instant] = []
    }

    /// What only flows have.
    struct FlowState: Equatable, Sendable {
        /// Its definition; changes its number, never its name, when definitions are read again.
        var definition: FlowID
        /// Who covers whom among the children, as its definition says.
        var covering: Children
        /// The children's places, in creation order.
        var children: [NodeSlot] = []
        /// The child that covers the others (S-14). By instance: its place may be another's by the next time it is
        /// compared.
        var current: NodeID?
        /// With tabs: the children that were selected, the latest last.
        var selected: [NodeSlot] = []
        /// Whether its initial step, and what that contributed, has come to an end (S-26).
        var readiness: Readiness
        /// Whether the parent's readiness waits for this flow's.
        var isAwaitedByParent = false
        /// The latest navigation.
        var last: LastNavigation?
        /// Ids that its children have.
        var ids = SiblingIDs()
        /// The steps from outside that it is to take and that wait: those that are kept for it and its screens, and those
        /// that wait for its guard or navigator (S-33).
        var waiting = WaitingCount()
        /// What it asked its guard or navigator; it takes no step until that is answered (S-6).
        var question: QuestionID?
        /// When a step from outside reached it last, or anything below it; nil where nobody asks (S-34).
        var reached: Instant?
        /// Whether its idle step was navigated since then, so that it waits to be reached again.
        var isResting = false

        /// Whether it is ready (S-26).
        var isReady: Bool { readiness == .ready }

        /// Puts another latest navigation in place; gives the one that was there.
        mutating func exchangeLast(_ next: LastNavigation) -> LastNavigation? {
            defer { last = next }
            return last
        }
    }

    /// How many steps wait, in all and for each client.
    struct WaitingCount: Equatable, Sendable {
        private(set) var count = 0
        private var clients: [Client: Int] = [:]

        subscript(client: Client) -> Int { clients[client] ?? 0 }

        mutating func count(_ change: Int, for client: Client) {
            count += change
            let own = self[client] + change
            clients[client] = own == 0 ? nil : own
        }
    }

    /// How far a flow is from being ready (S-26). From `awaitingStep` to `awaitingChildren` or `ready`, from
    /// `awaitingChildren` to `ready`; never back.
    enum Readiness: Equatable, Sendable {
        /// The initial step has not ended.
        case awaitingStep
        /// The initial step has ended; so many of the child flows that it contributed are neither ready nor gone.
        case awaitingChildren(Int)
        case ready
    }

    /// Properties that changed.
    struct Changes: OptionSet, Sendable {
        let rawValue: UInt8
        static let visible = Changes(rawValue: 1)
        static let presented = Changes(rawValue: 2)
        static let ready = Changes(rawValue: 4)
        static let current = Changes(rawValue: 8)
        /// It is new: `InterfacesAdded` tells it whole.
        static let born = Changes(rawValue: 16)
        static let arguments = Changes(rawValue: 32)
        static let owner = Changes(rawValue: 64)
        /// Those that follow from others, and so are not in its record.
        static let derived: Changes = [.presented, .current]
    }
}

/// A flow's latest navigation (`GetLastNavigation`).
public struct LastNavigation: Equatable, Sendable {
    /// Its serial.
    public let serial: UInt64
    /// The step's name.
    public let step: String
    /// The step's arguments, without private ones.
    public let arguments: Arguments
    /// For whom the arguments are held, for the limits.
    let client: Client
    /// How many bytes they count for.
    let byteCount: Int
}

/// A step that waits until its presentable is presented: an initial one, or one that is kept.
struct DeferredStep: Equatable, Sendable {
    var step: StepID
    var arguments: Arguments
    /// The origin, cause and client of the navigation that contributed it, or of its emission: a wait changes none of
    /// them (S-6, S-16).
    var origin: UInt64
    var cause: UInt64
    var client: Client
    /// Names its record.
    var number: UInt64 = 0
}
