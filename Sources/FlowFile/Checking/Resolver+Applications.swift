import FlowCore

/// Programs that know nothing of flowbus (S-40).
extension Resolver {
    /// Returns the program that shows a screen.
    func application(_ item: Item, of screen: Declared) -> Presenter? {
        let what = "a bus name, or a table: { name = \"com.vendor.App\", open = \"$uri\" }"
        let keys = ["name", "open", "action", "parameter", "close", "timeout"]
        guard let table = serviceTable(item, "application", what, keys) else { return nil }
        if let action = table["action"], table["open"] != nil {
            diagnostics.error(action.location, "'open' and 'action' are given; an application is called by one of them")
        }
        if let parameter = table["parameter"], table["action"] == nil {
            diagnostics.error(parameter.location, "'parameter' belongs to 'action', which is not given")
        }
        let service = service(table, timeout: Limits.presenterTimeout)
        let method = method(table, of: screen)
        let closing = table["close"].map { action($0) }
        guard let service, let method else { return nil }
        if let closing, closing == nil { return nil }
        return .application(service, ApplicationCall(method, closingAction: closing ?? nil))
    }

    private func method(_ table: Section, of screen: Declared) -> ApplicationCall.Method? {
        if let item = table["open"] {
            let types = ["s", "as"].compactMap(ValueType.init(signature:))
            return operand(item, of: screen, types, "a URI, or '$NAME', an argument of the screen").map { .open($0) }
        }
        guard let item = table["action"] else { return .activate }
        let parameter = table["parameter"].map { operand($0, of: screen, nil, "a value, or '$NAME'") }
        guard let action = action(item) else { return nil }
        if let parameter, parameter == nil { return nil }
        return .action(action, parameter: parameter ?? nil)
    }

    /// The argument that `$NAME` refers to; nil, and an error, if the screen has none of that name.
    func argument(_ text: String, _ item: Item, of screen: Declared) -> DraftParameter? {
        let name = String(text.dropFirst())
        if let argument = screen[name] { return argument }
        let names = screen.parameters.map(\.name).sorted(by: Text.precedes)
        diagnostics.error(
            item.location,
            "\(Text.quoted(text)) refers to nothing (for the text itself write \(Text.quoted("$" + text))): "
                + "\(screen.subject) has no argument \(Text.quoted(name))"
                + diagnostics.suggestion(for: name, among: names))
        return nil
    }

    /// - Parameter types: those that are possible; nil for all.
    private func operand(
        _ item: Item, of screen: Declared, _ types: [ValueType]?, _ what: String
    ) -> ApplicationCall.Operand? {
        if case .string(let text) = item.value, text.hasPrefix("$"), !text.hasPrefix("$$") {
            guard let argument = argument(text, item, of: screen) else { return nil }
            if let type = argument.type, let types, !types.contains(type) {
                diagnostics.error(
                    item.location,
                    "'\(text)' is of type \(type.description); it has to be of type "
                        + Text.list(types.map(\.description), "or"))
                return nil
            }
            return .argument(argument.name)
        }
        if types != nil, item.string(diagnostics, what) == nil { return nil }
        guard let any = ValueType(signature: "v"), let value = literal(item, any, "parameter") else { return nil }
        warnOfReferences(inside: item) { screen[String($0)] != nil }
        return .literal(value)
    }

    /// Warns about programs that the bus can't start: the screen fails at once, or nothing is started early. Where programs are declared,
    /// those that definitions name and nothing starts are forgotten ones.
    ///
    /// - Parameter names: the names that a bus of this machine can start a program for.
    func warnOfPrograms(startable names: Set<String>) {
        for screen in draft.screens.values {
            if let item = screen.keys["application"] {
                warn(
                    of: item["name"] ?? item, unlessIn: names,
                    "unless the program runs already, the screen fails at once (presentFailed)")
            }
            if let item = screen.keys["run"], case .service(let run) = Self.runPresenter, !names.contains(run.name) {
                diagnostics.warning(
                    item.location,
                    "no D-Bus service file of this machine has the name '\(run.name)': flowbus-run, which starts command lines, is "
                        + "not installed")
            }
            guard let item = screen.keys["presenter"] else { continue }
            if case .service(let run) = Self.runPresenter, (item["name"] ?? item).text == run.name {
                diagnostics.warning(
                    item.location,
                    "'\(run.name)' is flowbus-run, which shows command lines alone, and refuses this screen: write run = [\"PROGRAM\"] in place "
                        + "of 'presenter'")
                continue
            }
            if item["start"] != nil, let name = item["name"] {
                warn(of: name, unlessIn: names, "the bus can't start the program early")
            } else if draft.programs.count > 0 {
                warn(of: item["name"] ?? item, unlessIn: names, Self.undeclared)
            }
        }
        for flow in draft.flows.values where draft.programs.count > 0 {
            for key in ["guard", "navigator"] {
                if let item = flow.keys[key] { warn(of: item["name"] ?? item, unlessIn: names, Self.undeclared) }
            }
        }
    }

    private static let undeclared = "nothing starts the program; declare it in [programs]"

    private func warn(of name: Item, unlessIn names: Set<String>, _ consequence: String) {
        guard case .string(let text) = name.value, !names.contains(text) else { return }
        diagnostics.warning(
            name.location, "no D-Bus service file of this machine has the name '\(text)': \(consequence)")
    }
}
