import FlowCore

/// Screens that are command lines (S-59).
extension Resolver {
    /// The presenter that starts them, a program of flowbus (`flowbus-run`).
    static let runPresenter = Presenter.service(
        Service("org.flowbus.Run", path: "/org/flowbus/Run", timeout: Limits.presenterTimeout))

    /// How many words a command line may have.
    private static let wordLimit = 256

    /// What `exit` can say beside a step.
    enum Exit: String, CaseIterable {
        case closed, done, result, failed
    }

    /// Returns what the presenter is told of the command line of a screen: `command`, `exit` and `result`, as `Present` has them.
    /// Empty if the screen has none.
    func run(_ draft: DraftScreen) -> Arguments {
        guard let item = draft.keys["run"] else {
            if let exit = draft.keys["exit"] {
                diagnostics.error(exit.location, "'exit' belongs to 'run', which is not given")
            }
            return []
        }
        let command = command(item, of: draft.declared)
        var run = [Argument("command", .array(element: "s", command.map(Value.string)))]
        let exits = draft.keys["exit"].map { self.exits($0, of: draft) } ?? []
        if !exits.isEmpty { run.append(Argument("exit", .array(element: "{sv}", exits))) }
        if let result = draft.result {
            let types = result.admitted.map { parameter in
                Value.entry(key: .string(parameter.name), value: .string(parameter.type.signature))
            }
            run.append(Argument("result", .array(element: "{ss}", types)))
        }
        checkSize(run.map { Binding($0.name, .literal($0.value)) }, item.location)
        return run
    }

    /// The words as they stand, with `$NAME` for an argument and `$$` for `$` at the beginning.
    private func command(_ item: Item, of screen: Declared) -> [String] {
        let what = "a list of words: run = [\"PROGRAM\", \"$NAME\"]"
        guard let items = item.list(diagnostics, what) else { return [] }
        if items.isEmpty {
            diagnostics.error(item.location, "the list is empty; it has to begin with a program: run = [\"PROGRAM\"]")
        }
        if items.count > Self.wordLimit {
            diagnostics.error(
                item.location, "the command line has \(items.count) words; at most \(Self.wordLimit) are allowed")
            return []
        }
        return items.enumerated().compactMap { place, item in
            guard let text = item.string(diagnostics, "a word of a command line, in quotes") else { return nil }
            do throws(Literal.InvalidValue) {
                _ = try Literal.validated(text)
            } catch {
                diagnostics.error(item.location, error.text)
                return nil
            }
            if place == 0 { return program(text, item.location) }
            checkWord(text, item, of: screen)
            return text
        }
    }

    /// A name, which is looked for in `PATH`, or the whole path.
    private func program(_ text: String, _ location: Location) -> String? {
        if !text.contains("/"), text.contains(where: \.isWhitespace) {
            let words = text.split(whereSeparator: \.isWhitespace).map { "\"\($0)\"" }
            diagnostics.error(
                location,
                "\(Text.quoted(text)) can't be the program: no shell reads the line, so that each word stands by itself: "
                    + "[\(words.joined(separator: ", "))]")
            return nil
        }
        if text.isEmpty || text.hasPrefix("$") {
            diagnostics.error(
                location,
                "\(Text.quoted(text)) can't be the program: it has to be the name of one in PATH, such as 'evince', or a path, such as "
                    + "'/usr/bin/evince' or, from the folder of this file on, './evince'")
            return nil
        }
        return text.contains("/") ? absolutePath(text, location) : text
    }

    private func checkWord(_ text: String, _ item: Item, of screen: Declared) {
        guard text.hasPrefix("$"), !text.hasPrefix("$$") else {
            return warnOfReferences(inside: item) { screen[String($0)] != nil }
        }
        guard let argument = argument(text, item, of: screen) else { return }
        if let type = argument.type, type.signature.utf8.count != 1 || type.signature == "v" {
            diagnostics.error(
                item.location,
                "'\(text)' is of type \(type.description); in a command line it has to be of type string, bool or a number"
            )
        }
    }

    /// Entries of a dictionary: words, and tables of steps.
    private func exits(_ item: Item, of screen: DraftScreen) -> [Value] {
        let what = "a table of exit statuses: exit = { 0 = \"closed\", other = \"failed\" }"
        guard let table = item.section(diagnostics, what) else { return [] }
        var exits: [Value] = []
        for (status, item) in table.entries.sorted(by: { Text.precedes($0.key, $1.key) }) {
            if status != "other", UInt8(status).map(String.init) != status {
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(status)) is no exit status: it has to be a number from 0 to 255, or 'other'")
            }
            guard let value = exit(item, of: screen) else { continue }
            exits.append(.entry(key: .string(status), value: .variant(value)))
        }
        return exits
    }

    private func exit(_ item: Item, of screen: DraftScreen) -> Value? {
        guard let table = item.table else {
            guard let exit: Exit = item.word(diagnostics) else { return nil }
            if exit == .result, screen.result == nil {
                diagnostics.error(
                    item.location, "'result' is not possible: \(screen.declared.subject) declares no 'result'")
            }
            return .string(exit.rawValue)
        }
        let isClean = table.checkKeys(diagnostics, of: "an exit status", ["step", "arguments"])
        guard let named = table["step"] else {
            if isClean { diagnostics.error(table.location, "a table has to name a step: { step = \"NAME\" }") }
            return nil
        }
        guard let target = step(named), let name = named.text else { return nil }
        let items = table["arguments"]?.table?.entries ?? []
        guard items.allSatisfy({ isKnown($0.item, to: screen.declared) }) else { return nil }
        // As in `onDismissed`; there is no flow, as the screen can stand in several.
        let context = RuleContext(
            giver: screen.declared, flow: Declared("flow", "", item.location), isDismissal: true)
        guard let source = arguments("arguments", table, for: target.declared, context) else { return nil }
        var entries = [Value.entry(key: .string("step"), value: .variant(.string(name)))]
        let given = given(source, items, of: screen.declared, to: target.declared)
        if !given.isEmpty {
            entries.append(.entry(key: .string("arguments"), value: .variant(.array(element: "{sv}", given))))
        }
        return .array(element: "{sv}", entries)
    }

    /// Whether a value is none that refers to something else than an argument of the screen or `$message`; reports others.
    private func isKnown(_ item: Item, to screen: Declared) -> Bool {
        guard let text = item.text, text.hasPrefix("$"), !text.hasPrefix("$$") else { return true }
        let name = String(text.dropFirst())
        if name == "message" || screen[name] != nil { return true }
        let problem = Names.isPresentableName(name) ? "refers to nothing" : "is no reference"
        let names = screen.parameters.map(\.name).sorted(by: Text.precedes)
        diagnostics.error(
            item.location,
            "\(Text.quoted(text)) \(problem) (for the text itself write \(Text.quoted("$" + text))): it has to be '$message', or '$' and "
                + "the name of an argument of \(screen.subject)"
                + diagnostics.suggestion(for: name, among: names + ["message"]))
        return false
    }

    /// The arguments of a step: values, and texts with `$NAME`, `$message`, or `$$` for `$`.
    private func given(
        _ source: ArgumentSource, _ items: [(key: String, item: Item)], of screen: Declared, to target: Declared
    ) -> [Value] {
        func entry(_ name: String, _ value: Value) -> Value { .entry(key: .string(name), value: .variant(value)) }
        switch source {
        case .inherited:
            return target.admitted.filter { screen[$0.name] != nil }.map { entry($0.name, .string("$" + $0.name)) }
        case .given(let bindings):
            return bindings.map { binding in
                switch binding.source {
                case .literal(.string(let text)): entry(binding.name, .string((text.hasPrefix("$") ? "$" : "") + text))
                case .literal(let value): entry(binding.name, value)
                default: entry(binding.name, .string(items.first { $0.key == binding.name }?.item.text ?? ""))
                }
            }
        }
    }
}
