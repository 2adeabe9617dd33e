import FlowCore
import FlowFile
import FlowWire
import Logging
import SdBus

/// The service: one connection, one loop, one tree. Decodes calls to events, has the core handle them, and carries out
/// the effects.
///
/// Everything runs on the thread that made it, inside the loop's callbacks. They get the daemon as their C context, which
/// is why it has to outlive the connection: `main` holds it.
final class Daemon {
    let bus: Bus
    let loop: EventLoop
    let logger: Logger
    let setup: Setup
    /// Whether another flowbusd is asked to hand over the name; not on a bus that is found again.
    let replaces: Bool
    /// Another flowbusd that takes over; nil: none does.
    var handOver: HandOver?
    /// What was taken along from a bus that was lost.
    let handover: HandoverState?
    /// The bus's id.
    let busID: String
    var coordinator: Coordinator
    let notifier = Notifier()
    /// Tells the service manager of new counts when there is time.
    var statusUpdate: DeferredTask?
    /// The bus names that the definitions have, as they are watched.
    var nameMatches: [String: Slot] = [:]
    /// The clients that the core wants to know the end of.
    var watches: PeerWatches?
    /// Calls to other processes.
    let outbox: Outbox
    /// Calls that are answered by a later event.
    var pendingCalls: [RequestID: PendingCall] = [:]
    /// Fires when the core asked for it; nil until it does.
    var timer: Timer?

    /// What the definition files declare, without what clients registered.
    var fileDefinitions: Definitions
    /// Keeps what outlives the process.
    let persistence: Persistence
    /// Whether effects wait until what changed is written: not where nothing can be.
    var delaysEffects = false
    /// What is held back, in order.
    var held: [PendingEffects] = []
    /// Sees to it that nothing overtakes what is held back.
    var messageFilter: Slot?
    /// Writes what changed when all messages at hand are handled.
    var commitTask: DeferredTask?
    /// Whether the connection is lost: nothing can be told any more.
    var isLost = false
    /// Whether the process is to end, or to look for another bus.
    var isEnding = false
    /// Keeps those lines of the log few that others can cause.
    let limiter: LogLimiter
    /// What clients know `Durable` to be.
    var reportedDurable = false
    /// Whether there can be clients that know anything.
    var isServing = false

    /// Writes down what happens; nil: nobody asked for that.
    private let recorder: Recorder?
    /// Whether navigations are logged: asked once, as there are many.
    let logsNavigations: Bool
    /// The presentable that sd-bus looked up last: the one that the handler which it calls next is for.
    private(set) var found: NodeID?
    /// What waits while an event goes on in slices.
    var backlog = Backlog()
    /// Asks the bus for the time of the next slice.
    var sliceTask: DeferredTask?
    /// What the bus is asked; nil: nothing.
    var sliceQuestion: MessageReceiver?
    var lastRequest: UInt64 = 0
    /// When the latest event was.
    private(set) var latestTime = Instant(microseconds: 0)

    /// A daemon that serves this bus in this loop.
    init(
        bus: Bus, loop: EventLoop, setup: Setup, definitions: Definitions, replaces: Bool = false,
        handover: HandoverState? = nil
    ) throws(SdError) {
        self.bus = bus
        self.loop = loop
        self.setup = setup
        self.replaces = replaces
        self.handover = handover
        (logger, recorder, fileDefinitions) = (setup.logger, setup.recorder, definitions)
        busID = try bus.busID()
        logsNavigations = logger.logLevel <= .debug
        limiter = try LogLimiter(logger, loop)
        outbox = try Outbox(bus, loop, capacity: setup.callsUnderWay)
        coordinator = Coordinator(definitions: definitions, basePath: "\(BusNames.tree)")
        let (folders, logger) = (setup.folders, setup.logger)
        persistence = try Persistence(
            tree: folders.treeFile(ofBus: busID).map { PersistedFile($0, "tree", logger: logger) },
            history: folders.historyFile.map { PersistedFile($0, "history", logger: logger) },
            retention: setup.retention, copiesTree: setup.restore == .always, loop: loop, logger: logger)
        if handover != nil { recorder?.begin() }
        outbox.sendFailed = { [unowned self] error in connectionFailed(error) }
        outbox.unexpectedSenderAnswered = { [unowned self] stranger, called in
            limiter.log(
                .warning, "An answer is not believed", of: stranger, "not '\(stranger)' was called, but '\(called)'",
                metadata: [LogField.peer: "\(stranger)"])
        }
    }

    /// Hands what happened to the core and carries out what that leads to: at once, unless a change has to be written first,
    /// or others wait for that.
    ///
    /// - Parameter call: brought the event, whose request is the latest that ``nextRequest()`` gave.
    func handle(_ event: Event, answering call: MessageReader? = nil) {
        let now = Instant(microseconds: loop.now)
        latestTime = now
        let effects =
            recorder?.handle(event, at: now, by: &coordinator)
            ?? coordinator.handle(event, at: now, upTo: Limits.slice)
        if coordinator.hasMore { resumeSoon() }
        let request = RequestID(lastRequest)
        if delaysEffects, coordinator.hasUrgentRecords || !held.isEmpty {
            return hold(effects, answering: call, of: request)
        }
        perform(effects, answering: call, of: request)
        if !persistence.isFlushDue, coordinator.hasRecords { persistence.flushSoon() }
    }

    func nextRequest() -> RequestID {
        lastRequest += 1
        return RequestID(lastRequest)
    }
}

// MARK: - Objects

extension Daemon {
    /// Serves all objects: the coordinator at the root, and the presentables, however many there are, without
    /// registering one.
    func addObjects() throws {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let (root, tree) = ("\(BusNames.root)", "\(BusNames.tree)")
        try bus.addObjectManager(path: root)
        let vtables = setup.vtables
        for (interface, vtable) in [
            (BusNames.Interface.coordinator, vtables.coordinator), (BusNames.Interface.history, vtables.history),
        ] {
            try bus.addObjectVtable(path: root, interface: interface, vtable: vtable, userdata: context)
        }
        try addPresentables(
            below: tree,
            steppers: { _, path, _, context, found, _ in
                let isLive = Daemon.find(path, context, found) { _, _ in true }
                return isLive == 0 ? Daemon.findRepeatable(context, found) : isLive
            },
            presentables: { _, path, _, context, found, _ in Daemon.find(path, context, found) { _, _ in true } },
            flows: { _, path, _, context, found, _ in Daemon.find(path, context, found) { $0.coordinator.isFlow($1) } })
        // The same once more, by their instances; listed nowhere.
        try addPresentables(
            below: "\(BusNames.instances)",
            steppers: { _, path, _, context, found, _ in
                let isLive = Daemon.findInstance(path, context, found) { _, _ in true }
                guard isLive == 0, let path, InstancePath.instance(at: path.bytes) != nil else { return isLive }
                return Daemon.findRepeatable(context, found)
            },
            presentables: { _, path, _, context, found, _ in Daemon.findInstance(path, context, found) { _, _ in true }
            },
            flows: { _, path, _, context, found, _ in
                Daemon.findInstance(path, context, found) { $0.coordinator.isFlow($1) }
            })
        try bus.addNodeEnumerator(
            path: tree, userdata: context,
            enumerator: { _, path, context, list, _ in
                guard let path, let daemon = Daemon.from(context) else { return 0 }
                return NodeList.fill(list, with: daemon.objects(at: path))
            })
    }

    private func addPresentables(
        below prefix: String, steppers: @escaping ObjectLookup, presentables: @escaping ObjectLookup,
        flows: @escaping ObjectLookup
    ) throws {
        let (vtables, context) = (setup.vtables, Unmanaged.passUnretained(self).toOpaque())
        for (interface, vtable, lookup) in [
            (BusNames.Interface.stepper, vtables.stepper, steppers),
            (BusNames.Interface.presentable, vtables.presentable, presentables),
            (BusNames.Interface.flow, vtables.flow, flows),
        ] {
            try bus.addFallbackVtable(
                prefix: prefix, interface: interface, vtable: vtable, userdata: context, lookup: lookup)
        }
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Daemon? {
        context.map { Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether a presentable is live at a path and plays a role; keeps it for the handler.
    private static func find(
        _ path: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
        _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ plays: (Daemon, NodeID) -> Bool
    ) -> Int32 {
        guard let path, let daemon = from(context) else { return 0 }
        daemon.found = daemon.coordinator.node(at: path.bytes)
        return daemon.tell(found, plays)
    }

    /// The same by its instance, which its path names.
    private static func findInstance(
        _ path: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
        _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ plays: (Daemon, NodeID) -> Bool
    ) -> Int32 {
        guard let path, let daemon = from(context) else { return 0 }
        daemon.found = InstancePath.instance(at: path.bytes).flatMap { daemon.coordinator.node(instance: $0) }
        return daemon.tell(found, plays)
    }

    /// Tells sd-bus of what was found.
    private func tell(
        _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ plays: (Daemon, NodeID) -> Bool
    ) -> Int32 {
        guard let found, plays(self, found) else {
            // What sd-bus answers then shall not overtake other answers.
            commit()
            return 0
        }
        context?.pointee = Unmanaged.passUnretained(self).toOpaque()
        return 1
    }

    /// The path of a call to a presentable, where that is not the one in the tree.
    func calledPath(_ call: MessageReader) -> String? {
        // It is below one of two; they differ in the letter behind what they share.
        let place = BusNames.root.utf8CodeUnitCount + 1
        guard UInt8(bitPattern: call.path[place]) == BusNames.instances.utf8Start[place] else { return nil }
        return String(cString: call.path)
    }

    /// Whether the call at hand can be one that was made before, and that took its own presentable away: by its token it
    /// gets the first outcome all the same.
    private static func findRepeatable(
        _ context: UnsafeMutableRawPointer?, _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
        guard let daemon = from(context), let call = daemon.bus.currentCall,
            "EmitStepWithOptions".isSpelled(call.member)
        else { return 0 }
        found?.pointee = context
        return 1
    }

    /// The objects to be listed at a path. GetManagedObjects wants all; Introspect wants the children of the one it asks
    /// for, or each leaf would cost all nodes.
    private func objects(at path: UnsafePointer<CChar>) -> [String] {
        if let call = bus.currentCall, "GetManagedObjects".isSpelled(call.member) { return coordinator.paths }
        if "\(BusNames.tree)".isSpelled(path) { return coordinator.childPaths(of: nil) }
        return coordinator.node(at: path.bytes).map { coordinator.childPaths(of: $0) } ?? []
    }
}

// MARK: - Calls

extension Daemon {
    /// Serves a call to the presentable that was looked up; gives sd-bus its result.
    static func serve(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: (Daemon, MessageReader, NodeID) throws -> Void
    ) -> Int32 {
        serveRoot(message, context) { daemon, call in
            // The lookup of this very call found it, or sd-bus would not have come here.
            guard let node = daemon.found else { throw SdError.noObject }
            try body(daemon, call, node)
        }
    }

    /// Serves a call to a presentable that may be gone; gives sd-bus its result.
    static func serveRepeatable(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: (Daemon, MessageReader, NodeID?) throws -> Void
    ) -> Int32 {
        serveRoot(message, context) { daemon, call in try body(daemon, call, daemon.found) }
    }

    /// Serves a call to the root object; gives sd-bus its result.
    static func serveRoot(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ body: (Daemon, MessageReader) throws -> Void
    ) -> Int32 {
        guard let message, let daemon = from(context) else { return 0 }
        let call = MessageReader(message)
        do {
            try body(daemon, call)
            return 1
        } catch {
            return daemon.refuse(call, because: error)
        }
    }

    /// Gives sd-bus a property of the presentable that was looked up.
    static func get(
        _ answer: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ append: (Daemon, MessageWriter, NodeID) throws -> Void
    ) -> Int32 {
        getConstant(answer) { body in
            guard let daemon = from(context), let node = daemon.found else {
                throw SdError.noObject
            }
            try append(daemon, body, node)
        }
    }

    /// Gives sd-bus a property that is the same for ever.
    static func getConstant(_ answer: OpaquePointer?, _ append: (MessageWriter) throws -> Void) -> Int32 {
        guard let answer else { return 0 }
        do {
            try append(MessageWriter(answer))
            return 0
        } catch {
            return errno(of: error)
        }
    }

    /// Answers a call at once. What can't be sent is the end of the connection, in ``serveRoot(_:_:_:)``.
    func reply(to call: MessageReader, _ write: (MessageWriter) throws -> Void) throws {
        commit()
        let message = try OutgoingMessage(replyTo: call)
        try write(message.body)
        try message.send()
    }

    /// Refuses a call with an error of the contract.
    func refuse(_ call: MessageReader, _ error: FlowError) throws {
        logger.debug("Refused a call: \(error.message)", metadata: [LogField.sender: "\(call.client.name)"])
        try OutgoingMessage(errorTo: call, name: error.code.busName, text: error.message).send()
    }

    /// Refuses a call; gives sd-bus its result. What is no refusal of ours is an errno, which is made an error of as sd-bus
    /// would do it: but that does not look whether its error could be sent.
    func refuse(_ call: MessageReader, because error: any Error) -> Int32 {
        commit()
        if let error = error as? SdError, error.isSendFailure {
            connectionFailed(error)
            return 1
        }
        var refusal = error as? FlowError
        if let error = error as? SdError, error.isBadMessage {
            refusal = FlowError(
                .invalidArguments, "a text of the call is not UTF-8, or has a noncharacter of Unicode, such as U+FFFE")
        }
        do {
            if let refusal {
                try refuse(call, refusal)
            } else {
                try OutgoingMessage(errorTo: call, errno: -Self.errno(of: error)).send()
            }
        } catch {
            connectionFailed(error)
        }
        return 1
    }

    private static func errno(of error: any Error) -> Int32 {
        guard let error = error as? SdError else { preconditionFailure("a handler threw \(error)") }
        return -error.code
    }

    /// The declared step that is next in the message.
    func readStep(_ call: MessageReader) throws -> StepID {
        let name = try call.readString()
        guard let step = coordinator.definitions.step(named: name.bytes) else {
            throw coordinator.definitions.unknownStep(String(cString: name))
        }
        return step
    }

    /// The declared step that is next in the message; nil for an empty text.
    func readOptionalStep(_ call: MessageReader) throws -> StepID? {
        let name = try call.readString()
        guard name.pointee != 0 else { return nil }
        guard let step = coordinator.definitions.step(named: name.bytes) else {
            throw coordinator.definitions.unknownStep(String(cString: name))
        }
        return step
    }
}

extension MessageReader {
    /// Who sent it.
    var client: Client { Client(String(cString: sender)) }
}
