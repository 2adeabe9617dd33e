import FlowCore
import FlowFile
import FlowWire
import Platform
import SdBus

/// Plays the programs of an act file in one event loop, each on a connection of its own: the whole of `flowbusctl act`.
///
/// A connection of this class follows the service: its restarts, its definitions, its navigations, and the screens that nobody
/// presents. Calls of the programs are asynchronous, so that a service that hangs stops nothing here.
final class Play {
    let loop: EventLoop
    let output: Output
    let options: Options
    /// The tables of the interfaces that all objects have.
    let interfaces = PlayedInterfaces.all
    /// What the service has declared, by the latest answer; nil before the first.
    private(set) var definitions: Definitions?
    private let file: ActFile
    private let client: ServiceClient
    private let bus: Bus
    private var programs: [PlayedProgram] = []
    private var matches: [MessageReceiver] = []
    private var calls: [Int: PlayedCall] = [:]
    /// The unique name of the service; empty while nobody owns its name.
    private var serviceOwner = ""
    /// How often the owner of the service's name has changed.
    private var generation = 0
    private var returns: [() -> Void] = []
    private var stepWaits: [Int: (step: String, done: () -> Void)] = [:]
    private var presentedWaits: [Int: (path: String, done: () -> Void)] = [:]
    private var lastNumber = 0
    private var warned: Set<Diagnostic> = []
    private var isOver = false
    private var failure: Failure?

    init(_ file: ActFile, _ context: Context) throws(Failure) {
        self.file = file
        output = context.output
        options = context.options
        do throws(SdError) {
            try UnixSignal.block([.interrupt, .terminate])
            loop = try EventLoop()
        } catch {
            throw Failure(.inputOutput, "can't make an event loop: \(error)")
        }
        client = try context.connect()
        bus = try client.bus
    }

    /// Plays until SIGINT, SIGTERM, or the end of the bus.
    func run() throws(Failure) {
        do throws(SdError) {
            for signal in [UnixSignal.interrupt, .terminate] {
                try loop.onSignal(signal) { [unowned self] in isOver = true }
            }
            try bus.attach(to: loop)
            try bus.onDisconnect { [unowned self] in busIsLost() }
            try follow()
        } catch {
            throw Failure(.inputOutput, "can't follow the service: \(error)")
        }
        for program in file.programs {
            let played = PlayedProgram(program, self)
            if try played.start() { programs.append(played) }
        }
        guard !programs.isEmpty else {
            throw Failure(.unavailable, "there is nothing to play: other programs own all of these bus names")
        }
        if let owner = try? bus.uniqueName(ofOwnerOf: "\(BusNames.service)") { serviceChanged(to: owner) }
        do throws(SdError) {
            while !isOver { try loop.runOnce(timeout: nil) }
            if failure == nil { try giveNamesBack() }
        } catch {
            fail(Failure(.inputOutput, "the event loop failed: \(error)"))
        }
        for program in programs { program.end() }
        if let failure { throw failure }
    }

    /// Gives the names back first, and then serves the calls that have arrived, so that none is lost.
    private func giveNamesBack() throws(SdError) {
        for program in programs { program.releaseName() }
        // A client that never stops calling does not keep this program.
        var turns = 1000
        while turns > 0, try loop.runOnce(timeout: 0) { turns -= 1 }
    }

    /// Ends the play with an error; the first one counts.
    func fail(_ failure: Failure) {
        if self.failure == nil { self.failure = failure }
        isOver = true
    }

    func busIsLost() { fail(Failure(.unavailable, "the connection to \(options.busName) is lost")) }

    func report(_ report: PlayReport) {
        do throws(Failure) { try output.line(report) } catch { fail(error) }
    }

    // MARK: The service

    private func follow() throws(SdError) {
        let signals = "type='signal',sender='\(BusNames.service)',"
        let rules = [
            "type='signal',sender='\(BusNames.bus)',interface='\(BusNames.bus)',member='NameOwnerChanged',"
                + "path='\(BusNames.busPath)',arg0='\(BusNames.service)'",
            signals
                + "interface='\(BusNames.Interface.objectManager)',member='InterfacesAdded',path='\(BusNames.root)'",
            signals
                + "interface='\(BusNames.Interface.flow)',member='NavigationOccurred',path_namespace='\(BusNames.tree)'",
            signals + "interface='\(BusNames.Interface.properties)',path_namespace='\(BusNames.tree)'",
            signals
                + "interface='\(BusNames.Interface.coordinator)',member='DefinitionsChanged',path='\(BusNames.root)'",
        ]
        for rule in rules {
            matches.append(
                try bus.match(
                    rule,
                    refused: { [unowned self] reason in
                        guard bus.isOpen else { return busIsLost() }
                        fail(Failure(.refused, "the bus refuses to send signals: \(Names.line(reason))"))
                    },
                    handler: { [unowned self] in take($0) }))
        }
    }

    private func take(_ message: MessageReader) {
        guard let signal = try? Incoming(message) else { return }
        if let owner = signal.newOwner { return serviceChanged(to: owner) }
        // Any client can send a signal to this connection.
        guard signal.sender == serviceOwner else { return }
        switch signal.member {
        case "InterfacesAdded" where signal.values.count == 2:
            added(signal.values[0].text ?? "", signal.values[1])
        case "NavigationOccurred" where signal.values.count > 3:
            let step = signal.values[3].text ?? ""
            for wait in stepWaits.filter({ $1.step == step }).sorted(by: { $0.key < $1.key }) {
                stepWaits[wait.key] = nil
                wait.value.done()
            }
        case "PropertiesChanged" where signal.values.count > 1 && signal.values[1]["Presented"]?.truth == true:
            for wait in presentedWaits.filter({ $1.path == signal.path }).sorted(by: { $0.key < $1.key }) {
                presentedWaits[wait.key] = nil
                wait.value.done()
            }
        case "DefinitionsChanged": readDefinitions()
        default: break
        }
    }

    private func serviceChanged(to owner: String) {
        generation += 1
        serviceOwner = owner
        report(PlayReport(.service, did: owner.isEmpty ? "is gone; waiting for its restart" : "is there"))
        guard !owner.isEmpty else { return }
        readDefinitions()
        readTree()
        let waiting = returns
        returns = []
        for repeatCall in waiting { repeatCall() }
    }

    /// Runs a closure once the service can be called again, after a call failed that was made in a generation.
    func whenServiceReturns(since generation: Int, _ handler: @escaping () -> Void) {
        // The news of its return can be older than the failure, as they come over different connections.
        if generation < self.generation, !serviceOwner.isEmpty { handler() } else { returns.append(handler) }
    }

    /// Calls the service on a connection; ``PlayedCall``.
    ///
    /// - Returns: the call.
    @discardableResult
    func call(
        on bus: Bus, _ path: String, _ interface: StaticString, _ member: String, _ arguments: [Value],
        done: @escaping (PlayedCall.Outcome) -> Void
    ) -> PlayedCall {
        let number = nextNumber()
        let call = PlayedCall(self, bus, path, interface, member, arguments) { [unowned self] outcome in
            calls[number] = nil
            done(outcome)
        }
        calls[number] = call
        call.send(generation)
        return call
    }

    /// Ends the calls on a connection without an outcome.
    func cancelCalls(on bus: Bus) {
        for (number, call) in calls where call.bus === bus {
            call.cancel()
            calls[number] = nil
        }
    }

    /// How often the owner of the service's name has changed by now.
    var currentGeneration: Int { generation }

    private func readDefinitions() {
        call(on: bus, ServiceClient.root, BusNames.Interface.coordinator, "GetDefinitions", []) {
            [unowned self] outcome in
            guard case .success(let values) = outcome, let text = values.first?.text,
                let definitions = try? DefinitionFiles.definitions(in: text)
            else { return }
            self.definitions = definitions
            warn(file.warnings(for: definitions))
        }
    }

    /// Prints warnings, each once.
    func warn(_ diagnostics: [Diagnostic]) {
        do throws(Failure) {
            try output.report(diagnostics.filter { warned.insert($0).inserted })
        } catch {
            fail(error)
        }
    }

    /// Reads the tree, and claims the screens in it that nobody presents. What the tree no longer has is gone.
    func readTree() {
        let before = programs.map { ($0, Set($0.screens.keys)) }
        call(on: bus, ServiceClient.root, BusNames.Interface.objectManager, "GetManagedObjects", []) {
            [unowned self] outcome in
            guard case .success(let values) = outcome, let objects = values.first?.entries else { return }
            let live = Set(
                objects.compactMap { PresentableState(path: $0.name, interfaces: $0.value)?.instance })
            for (program, screens) in before {
                screens.subtracting(live).filter { $0 > 0 }.sorted().forEach(program.forget)
            }
            for object in objects { added(object.name, object.value) }
        }
    }

    private func added(_ path: String, _ interfaces: Value) {
        guard let state = PresentableState(path: path, interfaces: interfaces), !state.isFlow, state.presenter.isEmpty,
            state.owner.isEmpty
        else { return }
        let players = programs.filter { $0.act.plays(screen: state.name) }
        (players.first { $0.act.screens[state.name] != nil } ?? players.first)?.claim(state)
    }

    // MARK: Waiting

    /// Makes a timer that is not armed yet; nil, with the play at its end, if there are no resources for one.
    func timer(_ handler: @escaping () -> Void) -> Timer? {
        do throws(SdError) {
            return try loop.timer(handler)
        } catch {
            fail(Failure(.inputOutput, "can't make a timer: \(error)"))
            return nil
        }
    }

    /// Runs a closure after a moment; without one, in the next turn of the loop.
    func wait(
        for moment: ActFile.Moment?, of screen: PlayedScreen? = nil, _ done: @escaping () -> Void
    ) -> PlayedWait {
        let number = nextNumber()
        let wait = PlayedWait { [weak self] in
            self?.stepWaits[number] = nil
            self?.presentedWaits[number] = nil
        }
        switch (moment, screen) {
        case (.step(let step), _): stepWaits[number] = (step, done)
        case (.presented, let screen?):
            presentedWaits[number] = (screen.path, done)
            // It may be presented already. By the time of the answer, the signal may have ended the wait.
            screen.isPresented { [unowned self] in
                guard let waiting = presentedWaits.removeValue(forKey: number) else { return }
                waiting.done()
            }
        case (.time(let time), _): wait.timer = armed(MonotonicClock.now + time, done)
        case (nil, _), (.presented, nil): wait.timer = armed(0, done)
        }
        return wait
    }

    private func armed(_ time: UInt64, _ done: @escaping () -> Void) -> Timer? {
        guard let timer = timer(done) else { return nil }
        do throws(SdError) { try timer.arm(at: time) } catch {
            fail(Failure(.inputOutput, "can't set a timer: \(error)"))
        }
        return timer
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// Something that is waited for. It ends with its last reference.
final class PlayedWait {
    fileprivate var timer: Timer?
    private let cancel: () -> Void

    fileprivate init(_ cancel: @escaping () -> Void) { self.cancel = cancel }

    deinit { cancel() }
}
