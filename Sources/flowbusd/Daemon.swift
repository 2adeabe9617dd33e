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
    /// The state of one bus.
    struct Session {
        /// The bus's id.
        let busID: String
        /// Whether to ask another flowbusd to hand over the name; false on a bus that was found again.
        let replaces: Bool
        /// The state from a bus that was lost.
        let handover: HandoverState?
    }

    /// The phase of the daemon.
    struct State {
        /// Whether the forest is restored, so that clients can be answered.
        var isServing = false
        /// Whether the process ends, or looks for another bus.
        var isEnding = false
        /// Whether the connection is lost, so that nothing can be sent.
        var isLost = false
        /// The latest value of `Durable` that was sent.
        var reportedDurable = false
    }

    let bus: Bus
    let pump: MessagePump
    let loop: EventLoop
    let setup: Setup
    let session: Session
    var state = State()
    /// The declarations of the definition files, without those of registered flows.
    var fileDefinitions: Definitions
    var definitionsText = DefinitionsTextCache()
    var coordinator: Coordinator
    /// An empty list, whose memory serves the effects of the next event.
    private var spareEffects: [Effect] = []
    /// What the latest event left to do.
    private(set) var pendingWork = Coordinator.PendingWork.none

    /// Logs navigations: looked up once, as there are many.
    let logsNavigations: Bool
    /// Logs events that others can cause often.
    let limiter: LogLimiter
    let manager: ServiceManager
    /// Calls to other processes.
    let outbox: Outbox
    /// Owners that did not say in time that they are alive, until the bus has answered.
    var overdueChecks: [QuestionID: AwaitedAnswer] = [:]
    /// Clients whose processes hang, and are about to be ended.
    var endingProcesses: [Client: AwaitedAnswer] = [:]
    /// Programs that the bus was asked to start, by their names.
    var startingServices: [String: AwaitedAnswer] = [:]
    /// Calls that a later event answers.
    var unansweredCalls = UnansweredCalls()
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
    /// The steppers of other services.
    let steppers = StepperWatches()
    let persistence: Persistence
    let gate: CommitGate
    /// The handover to another flowbusd, while there is one.
    var nameHandover: NameHandover?
    /// Handovers that begin if this one is refused.
    var nextHandovers: [NameHandover] = []

    /// A daemon that serves this bus in this loop.
    init(
        bus: Bus, loop: EventLoop, setup: Setup, definitions: Definitions, replaces: Bool = false,
        handover: HandoverState? = nil
    ) throws(SdError) {
        (self.bus, self.loop, self.setup) = (bus, loop, setup)
        session = Session(busID: try bus.busID(), replaces: replaces, handover: handover)
        fileDefinitions = definitions
        coordinator = Coordinator(
            definitions: definitions, basePath: "\(BusNames.tree)", isRecorded: setup.folders.storeAnything)
        logsNavigations = setup.logger.logLevel <= .debug
        limiter = try LogLimiter(setup.logger, loop)
        manager = try ServiceManager(loop, setup.logger)
        pump = try MessagePump(bus, loop)
        outbox = try Outbox(bus, loop, capacity: setup.callsUnderWay)
        names = BusNameWatches(bus)
        slices = try SliceSchedule(pump.output, loop)
        gate = try CommitGate(loop, setup.logger)
        persistence = try Persistence(setup, busID: session.busID, loop)
        if handover != nil { setup.traceWriter?.begin() }
        connectParts()
    }

    /// Connects the parts to this daemon. They do not outlive it.
    private func connectParts() {
        pump.handleCall = { [unowned self] in handleCall($0) }
        pump.handleAnswer = { [unowned self] in outbox.take($0, answering: $1) }
        pump.output.isAwaited = { [unowned self] in outbox.awaits($0) }
        pump.beforeOthers = { [unowned self] in commit() }
        pump.output.failed = { [unowned self] error in connectionFailed(error) }
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
            // Changes are written together with the navigations that made them.
            commit()
            return coordinator.takeRecords()
        }
        persistence.allRecords = { [unowned self] in coordinator.takeAllRecords() }
        persistence.onTroubleChange = { [unowned self] in durabilityChanged() }
    }

    var logger: Logger { setup.logger }
    var isLost: Bool { state.isLost }
    /// Where messages leave.
    var output: MessageOutput { pump.output }

    /// Hands an event to the coordinator, and carries out the effects: at once, unless a change has to be written first, or
    /// other effects wait for that.
    ///
    /// - Parameter call: the call of the event; its request is the latest from ``nextRequest()``.
    func handle(_ event: consuming Event, answering call: MessageReader? = nil) {
        let now = Instant(microseconds: loop.now)
        var effects: [Effect] = []
        swap(&effects, &spareEffects)
        if let traceWriter = setup.traceWriter {
            effects = traceWriter.handle(event, at: now, by: &coordinator)
        } else {
            coordinator.handle(event, at: now, upTo: Limits.slice, into: &effects)
        }
        pendingWork = coordinator.pendingWork
        let work = pendingWork
        if work.hasMore { resumeSoon() }
        let request = unansweredCalls.latestRequest
        if gate.isEnabled, work.hasUrgentRecords || !gate.isEmpty {
            return holdBack(effects, answering: call, of: request, at: now)
        }
        perform(&effects, answering: call, of: request, at: now)
        spareEffects = effects
        if work.hasRecords, !persistence.isFlushDue { persistence.flushSoon() }
    }

    /// The number of a new request.
    func nextRequest() -> RequestID { unansweredCalls.nextRequest() }
}
