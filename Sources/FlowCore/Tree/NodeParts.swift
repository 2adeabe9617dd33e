// The parts of nodes.

/// Identifies a presentable, live or not: the instance is never used again (S-1, S-25).
public struct NodeID: Hashable, Sendable {
    /// The instance of the node, because a slot is used again.
    public let instance: UInt64
    /// Its place in the forest.
    let slot: NodeSlot

    init(slot: NodeSlot, instance: UInt64) { (self.slot, self.instance) = (slot, instance) }
}

extension Node {
    /// Its place among its siblings, which stand in the order in which they were made or last raised (S-1).
    var order: UInt64 { max(instance, raised) }
    /// Whether steps wait until it is presented.
    var hasWaitingSteps: Bool { initialStep != nil || !deferredSteps.isEmpty }

    /// What failed, if it waits for its presenter (S-47) or, being an empty flow, for its beginning (S-48); empty if it does not.
    var waiting: String { flow?.kept.nothingToShow ?? presenting?.kept.fault?.text ?? "" }

    /// Its title: that which its owner gave it (S-44), else that of its definition.
    var shownTitle: String { kept.title.isEmpty ? declaredTitle : kept.title }

    /// The client that created it, for signals.
    var sender: Client { client == .former ? .daemon : client }

    /// The path of its parent, live or not.
    var parentPath: String { String(path.dropLast(id.utf8.count + 1)) }

    /// What follows from a change.
    struct Changes: OptionSet, Sendable {
        let rawValue: UInt32

        /// The new value of a property has to be reported.
        static func reports(_ property: NodeProperty) -> Changes { Changes(rawValue: 1 << UInt32(property.rawValue)) }
        /// The node is new: `InterfacesAdded` reports all properties.
        static let born = Changes(rawValue: 1 << 24)
        /// All of the above.
        static let reported = Changes(rawValue: 0x1ff_ffff)
        /// The record, the activity record, or the record of the saved state is dirty.
        static let record = Changes(rawValue: 1 << 25)
        static let activity = Changes(rawValue: 1 << 26)
        static let savedState = Changes(rawValue: 1 << 28)
        /// The record of the flow's context is dirty.
        static let context = Changes(rawValue: 1 << 29)
        /// The search for presentables to reclaim could have another result, if the node's client is gone.
        static let reclaimIfLeft = Changes(rawValue: 1 << 27)

        /// The properties whose new values have to be reported, in order.
        var properties: Properties { Properties(rest: rawValue & 0xff_ffff) }

        struct Properties: Sequence, IteratorProtocol {
            fileprivate var rest: UInt32

            var underestimatedCount: Int { rest.nonzeroBitCount }

            mutating func next() -> NodeProperty? {
                if rest == 0 { return nil }
                defer { rest &= rest - 1 }
                return NodeProperty(rawValue: UInt8(rest.trailingZeroBitCount))
            }
        }
    }

    /// The numbers of waiting steps: in all, and for each client.
    struct WaitingCount: Equatable, Sendable {
        private(set) var count = 0
        /// Those of services with steppers (S-42).
        private(set) var ofServices = 0
        private var clients: [Client: Int] = [:]

        subscript(client: Client) -> Int { clients[client] ?? 0 }

        mutating func count(_ change: Int, for client: Client) {
            count += change
            if client.isService { ofServices += change }
            let sum = self[client] + change
            clients[client] = sum == 0 ? nil : sum
        }
    }

    /// Whether a flow is ready (S-26). From `awaitingStep` to `awaitingChildren` or `ready`, from `awaitingChildren` to
    /// `ready`; never back.
    enum Readiness: Equatable, Sendable {
        /// The initial step has not ended.
        case awaitingStep
        /// The initial step has ended; this many of the child flows that it contributed are neither ready nor gone.
        case awaitingChildren(Int)
        case ready
    }
}

/// A flow's latest navigation (`GetLastNavigation`).
public struct LastNavigation: Equatable, Sendable {
    /// Its serial.
    public internal(set) var serial: UInt64
    /// The step's name.
    public internal(set) var step: String
    /// The step's arguments, without private ones.
    public internal(set) var arguments: Arguments
    /// The client for which the arguments count.
    var client: Client

    /// The usage of the arguments.
    var usage: Accounting.Usage { Accounting.Usage(bytes: arguments.byteCount) }
}

/// A step that waits until its presentable is presented: an initial step, or a deferred one.
struct DeferredStep: Equatable, Sendable {
    var step: StepID
    var arguments: Arguments
    /// The origin, cause and client of the navigation that contributed it, or of its emission. Waiting does not change them
    /// (S-6, S-16).
    var origin: UInt64
    var cause: UInt64
    var client: Client
    /// The token of the call that emitted it, for `CancelStep`; empty if it has none.
    var token = ""
    /// The number of its record.
    var number: UInt64 = 0
}
