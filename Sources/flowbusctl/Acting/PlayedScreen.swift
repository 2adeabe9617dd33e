import FlowCore
import FlowFile
import FlowWire

/// A screen that a program of a play shows, and the actions that are still to come.
final class PlayedScreen {
    let act: ActFile.Screen
    let path: String
    let name: String
    let instance: UInt64
    var arguments: Arguments
    private unowned let program: PlayedProgram
    private var actions: ArraySlice<ActFile.Action> = []
    private var wait: PlayedWait?
    private var call: PlayedCall?
    private var isStopped = false

    init(
        _ program: PlayedProgram, _ act: ActFile.Screen, path: String, name: String, instance: UInt64,
        arguments: Arguments
    ) {
        self.program = program
        self.act = act
        self.path = path
        self.name = name
        self.instance = instance
        self.arguments = arguments
    }

    /// A screen that the program has claimed.
    convenience init(_ program: PlayedProgram, _ state: PresentableState) {
        self.init(
            program, ActFile.Screen(), path: state.path, name: state.name, instance: state.instance,
            arguments: state.arguments)
    }

    /// Does these actions, one after the other, in place of those that are still to come.
    func run(_ actions: [ActFile.Action]) {
        wait = nil
        self.actions = actions[...]
        // A call that is under way comes to its end first.
        if call == nil { next() }
    }

    /// Begins nothing more. The outcome of a call that is under way is reported all the same: it can be what removed the screen.
    func stop() {
        isStopped = true
        wait = nil
        actions = []
    }

    /// The first of these actions, as far as the answer to `Present` can say what they do: the names and values there.
    func said(first actions: [ActFile.Action]) -> [(name: String, value: Value, action: String, did: String)] {
        var said: [(name: String, value: Value, action: String, did: String)] = []
        for action in actions {
            guard action.after == nil else { return said }
            switch action.verb {
            case .show(let isVisible):
                let (name, did) = isVisible ? ("show", "visible") : ("hide", "hidden")
                said.append(("visible", .bool(isVisible), name, did))
            case .title(let given):
                let title = title(given)
                // One that can't be taken is refused as a call of its own.
                guard title.utf8.count <= Limits.titleLength else { return said }
                said.append(("title", .string(title), "title", "titled '\(Names.line(title))'"))
            // Before it freezes, it answers the calls that follow from being shown.
            case .freeze: return []
            default: return said
            }
            let name = said[said.count - 1].name
            if said.dropLast().contains(where: { $0.name == name }) { return said.dropLast() }
        }
        return said
    }

    /// Reports an action that went with an answer.
    func report(_ action: String, _ did: String) {
        var report = PlayReport(.action, did: did)
        (report.name, report.path, report.instance) = (action, path, instance)
        program.report(report)
    }

    /// Runs a closure if the screen is presented now.
    func isPresented(_ then: @escaping () -> Void) {
        let name: [Value] = [.string("\(BusNames.Interface.presentable)"), .string("Presented")]
        _ = request(BusNames.Interface.properties, "Get", name) { outcome in
            if case .success(let values) = outcome, values.first?.truth == true { then() }
        }
    }

    private func next() {
        guard let action = actions.popFirst() else { return }
        // Each action in a turn of its own: one that ends the connection is not inside a call of it then.
        wait = program.play.wait(for: action.after, of: self) {
            // Until the action is over, it keeps the screen.
            self.wait = nil
            self.program.unlessFrozen { self.perform(action.verb) }
        }
    }

    private func perform(_ verb: ActFile.Verb) {
        guard !isStopped else { return }
        let presentable = BusNames.Interface.presentable
        switch verb {
        case .show(let isVisible):
            make(
                isVisible ? "show" : "hide", presentable, "SetVisible", [.bool(isVisible)],
                isVisible ? "visible" : "hidden")
        case .emit(let step, let givens): emit(step, givens)
        case .finish(let givens):
            let values = values(givens, program.play.definitions?.screen(name)?.result)
            make("finish", presentable, "Finish", [values], "finished", arguments: values, isLast: true)
        case .dismiss: make("dismiss", presentable, "Dismiss", [], "dismissed", isLast: true)
        case .release: make("release", presentable, "Release", [], "released", isLast: true)
        case .back: back()
        case .save(let givens):
            let values = values(givens, nil)
            make("save", presentable, "SaveState", [values], "saved", arguments: values)
        case .title(let given):
            let title = title(given)
            make("title", presentable, "SetTitle", [.string(title)], "titled '\(Names.line(title))'")
        case .touch: make("touch", presentable, "Touch", [], "touched")
        case .crash(let restart): program.crash(restart)
        case .freeze(let time):
            program.freeze(time)
            program.unlessFrozen { self.next() }
        }
    }

    private func title(_ given: ActFile.Given) -> String {
        let value = given.value(as: nil, from: arguments)
        return value?.text ?? value?.commandLineText ?? ""
    }

    private func values(_ givens: [ActFile.Given], _ parameters: [Parameter]?) -> Value {
        .dictionary(program.resolved(givens, parameters, from: arguments))
    }

    private func emit(_ step: String, _ givens: [ActFile.Given]) {
        let values = values(givens, program.play.definitions?.step(step)?.parameters)
        let options = Value.dictionary([("token", .string(Self.token())), ("instance", .uint64(instance))])
        var report = PlayReport(.action, did: "")
        (report.name, report.about, report.arguments) = ("emit", step, values)
        call = request(BusNames.Interface.stepper, "EmitStepWithOptions", [.string(step), values, options]) {
            [self] in concluded(report, $0, $0.map { StepOutcome($0).text })
        }
    }

    private func back() {
        var report = PlayReport(.action, did: "")
        report.name = "back"
        let options = Value.dictionary([("token", .string(Self.token()))])
        call = request(BusNames.Interface.stepper, "BackWithOptions", [options]) { [self] in
            concluded(report, $0, $0.map { StepOutcome($0).text })
        }
    }

    /// The name of a call, by which it can be repeated.
    static func token() -> String { "flowbusctl-act-\(String(UInt64.random(in: .min ... .max), radix: 36))" }

    /// Makes a call about the screen, and reports it.
    private func make(
        _ name: String, _ interface: StaticString, _ member: String, _ values: [Value], _ did: String,
        arguments: Value = .dictionary([]), isLast: Bool = false
    ) {
        var report = PlayReport(.action, did: "")
        (report.name, report.arguments) = (name, arguments)
        call = request(interface, member, values) { [self] outcome in
            concluded(report, outcome, outcome.map { _ in did }, isLast: isLast)
        }
    }

    private func request(
        _ interface: StaticString, _ member: String, _ arguments: [Value],
        _ done: @escaping (PlayedCall.Outcome) -> Void
    ) -> PlayedCall? {
        guard let bus = program.bus else { return nil }
        return program.play.call(on: bus, InstancePath.path(of: instance), interface, member, arguments, done: done)
    }

    private func concluded(
        _ report: PlayReport, _ outcome: PlayedCall.Outcome, _ did: Result<String, PlayedCall.Refusal>,
        isLast: Bool = false
    ) {
        call = nil
        var done = PlayReport(.action, did: (try? did.get()) ?? "refused:")
        (done.name, done.about, done.arguments) = (report.name, report.about, report.arguments)
        (done.path, done.instance) = (path, instance)
        var isGone = isLast
        if case .failure(let error) = outcome {
            done.error = error
            isGone = error.isOfGoneObject
        }
        program.report(done)
        if isGone { program.forget(self) } else { next() }
    }
}
