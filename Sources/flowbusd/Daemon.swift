import FlowCore
import FlowFile
import FlowWire
import Logging
import SdBus

/// The service on one bus. It wires the parts together: a call becomes an event, the coordinator handles it, and the effects
/// are carried out.
///
/// Everything runs on the thread that made it, inside the callbacks of the loop. Those get the daemon as their C context, so
/// it has to outlive the connection: `Flowbusd` holds it.
final class Daemon {
    /// What one bus has of its own.
    struct Session {
        /// The bus's id.
        let busID: String
        /// Whether another flowbusd is asked to hand over the name; not on a bus that was found again.
        let replaces: Bool
        /// The state from a bus that was lost.
        let handover: HandoverState?
    }

    /// How far the daemon has come.
    struct State {
        /// Whether it is restored, so that clients can know something.
        var isServing = false
        /// Whether the process is to end, or to look for another bus.
        var isEnding = false
        /// Whether the connection is lost, so that nothing can be sent.
        var isLost = false
        /// `Durable` as it was sent last.
        var reportedDurable = false
    }

    let bus: Bus
    let loop: EventLoop
    let setup: Setup
    let session: Session
    var state = State()
    /// The declarations of the definition files, without those of registered flows.
    var fileDefinitions: Definitions
    var definitionsText = DefinitionsTextCache()
    var coordinator: Coordinator

    /// Logs navigations: looked up once, as there are many.
    let logsNavigations: Bool
    /// Logs events that others can cause often.
    let limiter: LogLimiter
    let manager: ServiceManager
    /// Calls to other processes.
    let outbox: Outbox
    /// Calls that a later event answers.
    var pendingCalls = PendingCalls()
    var lookup = PresentableLookup()
    /// The owners of bus names.
    let names: BusNameWatches
    /// The clients whose end the coordinator waits for.
    var clients: PeerWatches?
    /// The coordinator's timer; nil until it asks for one.
    var timer: Timer?
    /// The messages and events that wait while an event is handled in slices.
    var backlog = Backlog()
    let slices: SliceSchedule
    let persistence: Persistence
    let gate: CommitGate
    /// The handover to another flowbusd, while there is one.
    var nameHandover: NameHandover?

    /// A daemon that serves this bus in this loop.
    init(
        bus: Bus, loop: EventLoop, setup: Setup, definitions: Definitions, replaces: Bool = false,
        handover: HandoverState? = nil
    ) throws(SdError) {
        (self.bus, self.loop, self.setup) = (bus, loop, setup)
        session = Session(busID: try bus.busID(), replaces: replaces, handover: handover)
        fileDefinitions = definitions
        coordinator = Coordinator(definitions: definitions, basePath: "\(BusNames.tree)")
        logsNavigations = setup.logger.logLevel <= .debug
        limiter = try LogLimiter(setup.logger, loop)
        manager = try ServiceManager(loop, setup.logger)
        outbox = try Outbox(bus, loop, capacity: setup.callsUnderWay)
        names = BusNameWatches(bus)
        slices = try SliceSchedule(bus, loop)
        gate = try CommitGate(bus, loop, setup.logger)
        persistence = try Persistence(setup, busID: session.busID, loop)
        if handover != nil { setup.recorder?.begin() }
        connectParts()
    }

    /// Has the parts call this daemon. They live no longer than it does.
    private func connectParts() {
        manager.status = { [unowned self] in status }
        outbox.sendFailed = { [unowned self] error in connectionFailed(error) }
        outbox.unexpectedSenderAnswered = { [unowned self] sender, called in
            limiter.log(
                .warning, "An answer is ignored", of: sender, "'\(sender)' sent it, but '\(called)' was called",
                metadata: [LogField.peer: "\(sender)"])
        }
        names.ownerChanged = { [unowned self] name, owner in nameOwnerChanged(name, to: owner) }
        slices.prepare = { [unowned self] in prepareSlice() }
        slices.next = { [unowned self] in resume() }
        slices.failed = { [unowned self] error in connectionFailed(error) }
        gate.commit = { [unowned self] in commit() }
        persistence.changedRecords = { [unowned self] in
            // What changed is written together with the navigations that changed it.
            commit()
            return coordinator.takeRecords()
        }
        persistence.allRecords = { [unowned self] in coordinator.takeAllRecords() }
        persistence.onTroubleChange = { [unowned self] in durabilityChanged() }
    }

    var logger: Logger { setup.logger }
    var isLost: Bool { state.isLost }

    /// Has the coordinator handle an event, and carries out the effects: at once, unless a change has to be written first, or
    /// other effects wait for that.
    ///
    /// - Parameter call: brought the event; its request is the latest that ``nextRequest()`` gave.
    func handle(_ event: Event, answering call: MessageReader? = nil) {
        let now = Instant(microseconds: loop.now)
        let effects =
            setup.recorder?.handle(event, at: now, by: &coordinator)
            ?? coordinator.handle(event, at: now, upTo: Limits.slice)
        if coordinator.hasMore { resumeSoon() }
        let request = pendingCalls.latestRequest
        if gate.isEnabled, coordinator.hasUrgentRecords || !gate.isEmpty {
            return hold(effects, answering: call, of: request, at: now)
        }
        perform(effects, answering: call, of: request, at: now)
        if !persistence.isFlushDue, coordinator.hasRecords { persistence.flushSoon() }
    }

    /// The number of a new request.
    func nextRequest() -> RequestID { pendingCalls.nextRequest() }
}
