// What nodes are made of.

/// A presentable in the tree, now or once: the instance is never used again (S-1, S-25).
public struct NodeID: Hashable, Sendable {
    /// Where the forest keeps it.
    let slot: NodeSlot
    /// Which of those that the slot held.
    public let instance: UInt64
}

extension Node {
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
        var state = State.due { didSet { if state != oldValue { follows.insert(.record) } } }
        /// The calls that it did not answer, in order: before the latest there may be some with older arguments.
        var underWay: [QuestionID] = []
        /// Whether the presenter was called before.
        var isAgain = false { didSet { if isAgain != oldValue { follows.insert(.record) } } }
        /// The origin and serial of the navigation that contributed the screen: a failure counts there (S-11).
        var origin: UInt64 = 0 { didSet { if origin != oldValue { follows.insert(.record) } } }
        var serial: UInt64 = 0 { didSet { if serial != oldValue { follows.insert(.record) } } }
        /// When it was presented again because its owner was gone (S-30).
        var revivals: [Instant] = [] { didSet { follows.insert(.record) } }
        /// What follows from the change at hand; ``NodeTable`` sees to that.
        var follows: Changes = []

        init(_ presenter: Presenter) { self.presenter = presenter }

        mutating func takeFollows(into all: inout Changes) {
            all.formUnion(follows)
            follows = []
        }
    }

    /// What follows from a change.
    struct Changes: OptionSet, Sendable {
        let rawValue: UInt32

        /// The bus hears of the new value of a property.
        static func reports(_ property: NodeProperty) -> Changes { Changes(rawValue: 1 << UInt32(property.rawValue)) }
        /// It is new: `InterfacesAdded` has all of its properties.
        static let born = Changes(rawValue: 1 << 24)
        /// All of those above.
        static let reported = Changes(rawValue: 0x1ff_ffff)
        /// Its record is out of date, or that of its activity.
        static let record = Changes(rawValue: 1 << 25)
        static let activity = Changes(rawValue: 1 << 26)
        /// The search for what may go would find something else, if the client that made it is gone.
        static let roomIfLeft = Changes(rawValue: 1 << 27)

        /// The properties whose new values the bus hears, in their order.
        var properties: [NodeProperty] {
            var properties: [NodeProperty] = []
            var rest = rawValue & 0xff_ffff
            while rest != 0 {
                if let property = NodeProperty(rawValue: UInt8(rest.trailingZeroBitCount)) {
                    properties.append(property)
                }
                rest &= rest - 1
            }
            return properties
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
