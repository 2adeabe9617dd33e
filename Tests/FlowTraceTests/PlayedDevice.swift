import FlowCore

/// A device of which the tours of the recipes tell: a coordinator, and programs that do what they are asked at once.
///
/// Each bus name of the definitions is a program of its own. Nothing waits: time passes when a tour says so, and by 0.2 s with each of
/// its lines.
struct PlayedDevice: ~Copyable {
    private static let base = "/org/flowbus/Navigation1/tree"
    private static let beginning = Instant(microseconds: 1_000_000)
    /// Whoever types the commands.
    private static let person = Client(":1.0")

    /// A program that is not there, that takes its time, or that does not say any more that it is alive.
    private enum Mood { case away, slow, hung }

    let definitions: Definitions
    private var coordinator: Coordinator
    private var now = Self.beginning
    private var alarm: Instant?
    private(set) var isOn = false
    private var requests: UInt64 = 0
    private var connections = 0
    private var owners: [String: Client] = [:]
    private var moods: [String: Mood] = [:]
    /// The calls that slow programs have not answered.
    private var open: [Presentation] = []
    /// Properties, by the numbers of their steppers.
    private var properties: [Int: StepperValue] = [:]
    /// The outputs that there are, and who says so.
    private var outputs: (names: [String], setter: String)?
    /// The answers to the latest call, unless they are what everybody hopes for.
    private var answers: [UInt64: String] = [:]
    /// The values of the context that the programs of screens were told last.
    private var told: [String: Arguments] = [:]
    /// What was shown since the latest look, and who was ended.
    private var shown: [String] = []
    private var killed: [String] = []
    /// What guards do not let through.
    private var rejected: [(guard: String, step: String, arguments: Arguments)] = []

    init(_ definitions: Definitions) {
        self.definitions = definitions
        coordinator = Coordinator(definitions: definitions, basePath: Self.base)
    }

    // MARK: - What happens

    /// The device starts, with the tree that it had before (`--restore always`).
    mutating func start() {
        let records = coordinator.takeAllRecords()
        coordinator = Coordinator(definitions: definitions, basePath: Self.base)
        isOn = true
        for name in definitions.busNames where moods[name] != .away { connect(name) }
        if now > Self.beginning { handle(.restored(records, onSameBus: false)) }
        handle(.started)
        for (index, stepper) in definitions.steppers.enumerated() where stepper.isProperty {
            handle(.stepperChanged(StepperID(index), properties[index] ?? .absent))
        }
        if let outputs { plug(outputs.names, by: outputs.setter) }
        pass(200_000)
    }

    /// The device is switched off.
    mutating func stop() {
        isOn = false
        (owners, open, alarm) = ([:], [], nil)
    }

    /// Time passes.
    mutating func pass(_ microseconds: UInt64) {
        let end = now.microseconds + microseconds
        while let due = alarm, due.microseconds <= end {
            now = max(now, due)
            alarm = nil
            handle(.timerFired)
        }
        now = Instant(microseconds: end)
    }

    /// A program ends. The bus starts it again when it is called.
    mutating func crash(_ name: String) {
        guard let client = owners.removeValue(forKey: name) else { return }
        open.removeAll { $0.presenter.service.name == name }
        handle(.nameOwnerChanged(name, owner: nil))
        handle(.clientVanished(client))
    }

    /// A program ends, and can't be started.
    mutating func leave(_ name: String) {
        moods[name] = .away
        crash(name)
    }

    /// A program hangs.
    mutating func hang(_ name: String) { moods[name] = .hung }

    /// A program that was not there, or slow, does what it is asked.
    mutating func ready(_ name: String) {
        moods[name] = nil
        if isOn, owners[name] == nil { connect(name) }
        let calls = open.filter { $0.presenter.service.name == name }
        open.removeAll { $0.presenter.service.name == name }
        for call in calls {
            handle(.presenterReplied(call.id, .presented(by: client(name))))
            guard let node = coordinator.node(at: call.path) else { continue }
            requests += 1
            handle(.visibilityChanged(RequestID(requests), of: node, isVisible: true, by: client(name)))
        }
    }

    /// A program takes its time from now on.
    mutating func slow(_ name: String) { moods[name] = .slow }

    /// A guard does not let a step through that has these arguments.
    mutating func reject(_ guard: String, _ step: String, _ arguments: Arguments) {
        rejected.append((`guard`, step, arguments))
    }

    /// The property of a service has another value.
    mutating func change(_ stepper: Int, to value: Value) {
        properties[stepper] = .value(value)
        if isOn { handle(.stepperChanged(StepperID(stepper), .value(value))) }
    }

    /// A program says which outputs there are (S-53).
    mutating func plug(_ names: [String], by setter: String) {
        outputs = (names, setter)
        guard isOn else { return }
        requests += 1
        handle(.outputsSet(RequestID(requests), names, by: client(setter)))
    }

    /// A service sends a signal.
    mutating func signal(_ stepper: Int, _ values: [Value]) { handle(.stepperSignalled(StepperID(stepper), values)) }

    /// Somebody calls the service.
    ///
    /// - Returns: What the answer is; nil if it is what everybody hopes for.
    mutating func call(_ event: (RequestID) -> Event) -> String? {
        requests += 1
        answers = [:]
        handle(event(RequestID(requests)))
        return answers[requests]
    }

    /// The connection of a program, or of the person who types the commands.
    func client(_ name: String?) -> Client { name.map { owners[$0] ?? Client(":none") } ?? Self.person }

    /// What is live at a path; nil if nothing is.
    func node(_ path: String) -> NodeID? { coordinator.node(at: "\(Self.base)/\(path)") }

    /// The declaration of the screen at a path, for its result.
    func screen(at path: String) -> ScreenDeclaration? {
        guard let node = node(path), case .text(let name) = coordinator.value(of: .name, at: node) else { return nil }
        return definitions.screen(named: name).map { definitions[$0] }
    }

    // MARK: - What is to be seen

    /// The screens that nothing covers, the highest first, a line each. Before them stands what was seen in between, and is not any more.
    mutating func sight() throws -> [String] {
        let screens = try coordinator.stack(on: "").reversed()
        let gone = shown.filter { path in !screens.contains { $0.path == path } }
        let passing =
            killed.map { "(\($0) was ended)" } + gone.map { "(\($0.dropFirst(Self.base.count + 1)) for a moment)" }
        (shown, killed) = ([], [])
        return passing + (screens.isEmpty ? ["nothing"] : screens.map { line(of: $0) })
    }

    private func line(of screen: StackedScreen) -> String {
        var line = String(screen.path.dropFirst(Self.base.count + 1))
        if let node = coordinator.node(at: screen.path),
            case .arguments(let arguments) = coordinator.value(of: .arguments, at: node)
        {
            for argument in arguments + (told[screen.path] ?? []) { line += " \(argument.name)=\(argument.value)" }
        }
        if !screen.title.isEmpty { line += " \"\(screen.title)\"" }
        if !screen.output.isEmpty { line += " on \(screen.output)" }
        if !screen.waiting.isEmpty {
            line += " waits"
        } else if !screen.isVisible {
            line += " hidden"
        }
        return line
    }

    // MARK: - What programs do

    private mutating func handle(_ event: Event) {
        let effects = coordinator.handle(event, at: now)
        for effect in effects { if case .startTimer(let instant) = effect { alarm = instant } }
        for effect in effects { act(on: effect) }
    }

    private mutating func connect(_ name: String) {
        connections += 1
        let client = Client(":1.\(connections)")
        owners[name] = client
        handle(.nameOwnerChanged(name, owner: client))
    }

    private mutating func act(on effect: Effect) {
        switch effect {
        case .emitContextChanged(let news): told[news.path] = news.values
        case .present(let call):
            told[call.path] = call.context
            let name = call.presenter.service.name
            switch moods[name] {
            case .away:
                let fault = Fault("org.freedesktop.DBus.Error.ServiceUnknown", "there is no '\(name)'")
                handle(.presenterReplied(call.id, .failed(fault)))
            case .slow: open.append(call)
            case .hung, nil:
                if owners[name] == nil { connect(name) }
                let report = ScreenReport(isVisible: true)
                shown.append(call.path)
                handle(.presenterReplied(call.id, .presented(by: client(name), report)))
            }
        case .askGuard(let question):
            let isRejected = rejected.contains {
                $0.guard == question.service.name && $0.step == question.step
                    && $0.arguments.allSatisfy { it in
                        question.arguments.contains { $0.name == it.name && $0.value == it.value }
                    }
            }
            if isRejected {
                handle(.guardReplied(question.id, .rejected))
            } else if let step = definitions.step(named: question.step) {
                handle(.guardReplied(question.id, .step(step, question.arguments)))
            }
        case .askAlive(let check):
            let name = owners.first { $0.value == check.client }?.key ?? ""
            handle(.aliveReplied(check.id, moods[name] == .hung ? .silent : .alive))
        case .endProcess(let client, _):
            guard let name = owners.first(where: { $0.value == client })?.key else { return }
            moods[name] = nil
            killed.append(name)
            crash(name)
        case .reply(let request, .verdict(let verdict, _)) where verdict != .navigated:
            answers[request.number] = verdict.rawValue
        case .fail(let request, let error): answers[request.number] = error.code.rawValue
        case .startService(let name): if owners[name] == nil { connect(name) }
        default: break
        }
    }
}
