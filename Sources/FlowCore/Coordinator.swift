/// The navigation state machine: it takes events, and returns effects (RxFlow's Coordinator).
///
/// This type is its interface: events, the driver's queries, records and the dry run (in `Queries`). The state, and
/// all that changes it, is a ``Machine``. `docs/architecture.md` shows its rooms.
///
/// It is deterministic: the same events give the same effects. It has no clock, does no I/O and never traps on an event.
public struct Coordinator: ~Copyable, Sendable {
    // Explain copies the machine. The coordinator itself must not be copied by mistake: it is large, and there is one.
    var machine: Machine

    /// Creates a coordinator without live flows.
    ///
    /// - Parameters:
    ///   - definitions: the contents of the definition files.
    ///   - basePath: the object path above all presentables; nil where there are no objects, and paths begin with the id of a root.
    ///   - quotas: the limits for clients.
    ///   - isRecorded: whether the driver takes the records that change. If not, ``PendingWork`` tells of none;
    ///     ``takeAllRecords()`` returns all in any case.
    public init(definitions: Definitions, basePath: String?, quotas: Quotas = .service, isRecorded: Bool = true) {
        machine = Machine(definitions, basePath: basePath, quotas, isRecorded: isRecorded)
    }

    /// Handles an event at a time, as far as possible without an answer of another process, and returns the effects in
    /// order.
    ///
    /// A call gets exactly one answer, or an effect of a later event answers it if other processes are asked (S-9). Only answers
    /// to asks follow it (S-45).
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time of the event.
    ///   - size: about how many effects and steps to handle. Beyond that, the work ends between two cascades; then
    ///     ``PendingWork/hasMore`` is true, and ``Event/continued`` continues it. Any other event finishes it first (S-7).
    public mutating func handle(_ event: Event, at now: Instant, upTo size: Int = .max) -> [Effect] {
        var effects: [Effect] = []
        handle(event, at: now, upTo: size, into: &effects)
        return effects
    }

    /// Does the same, and appends the effects to a list, whose memory can so be used for many events.
    public mutating func handle(
        _ event: Event, at now: Instant, upTo size: Int = .max, into effects: inout [Effect]
    ) {
        var turn = Turn(at: now, upTo: size, after: effects)
        effects = []
        machine.handle(event, &turn)
        swap(&effects, &turn.effects)
    }

    /// The definitions in force: those of the files, and those that clients registered.
    public var definitions: Definitions { _read { yield machine.definitions } }

    /// The serial of the latest navigation (S-10).
    public var serial: UInt64 { machine.serial }

    /// What is left to do after an event.
    public struct PendingWork: Sendable {
        /// Whether the latest event has work left, which ``Event/continued`` continues (S-7).
        public let hasMore: Bool
        /// Whether records changed that have to be written before the effects of the latest events are carried out (D-1).
        public let hasUrgentRecords: Bool
        /// Whether any records changed. Some may be written later, with the next urgent ones or by themselves (D-2).
        public let hasRecords: Bool

        /// Nothing.
        public static let none = PendingWork(hasMore: false, hasUrgentRecords: false, hasRecords: false)
    }

    /// What is left to do after the latest event.
    public var pendingWork: PendingWork { machine.pendingWork }

    /// Whether the coordinator still knows an emission with this token, decided or not.
    ///
    /// - Parameters:
    ///   - token: the token of the call.
    ///   - node: the presentable, if it is live.
    ///   - client: the caller.
    ///   - now: the time.
    public mutating func remembersEmission(
        _ token: String, on node: NodeID? = nil, by client: Client, at now: Instant
    ) -> Bool {
        machine.tokens.expire(at: now)
        machine.expireAsks(at: now)
        return machine.knownAsk(token, on: node, by: client) != nil
            || machine.tokens.outcome(of: Tokens.Key(client: client, kind: .emission, token: token)) != nil
    }

    /// Whether the coordinator still knows a Back with this token, decided or not.
    ///
    /// - Parameters:
    ///   - token: the token of the call.
    ///   - client: the caller.
    ///   - now: the time.
    public mutating func remembersBack(_ token: String, by client: Client, at now: Instant) -> Bool {
        machine.tokens.expire(at: now)
        return machine.tokens.outcome(of: Tokens.Key(client: client, kind: .back, token: token)) != nil
    }
}
