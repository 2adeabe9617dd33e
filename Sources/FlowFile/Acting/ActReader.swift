import FlowCore

/// Reads an act file, and collects its errors.
final class ActReader {
    static let rootKeys = ["version", "screens", "programs"]
    static let programKeys = ["paths", "screens", "application", "guard", "navigator"]

    let diagnostics: Diagnostics
    private(set) var programs: [ActFile.Program] = []
    private(set) var mentions: [Mention] = []
    private let source: ParsedFile
    /// The bus name of the program that is being read, if it has one.
    private(set) var program: String?

    init(_ source: ParsedFile) {
        self.source = source
        diagnostics = Diagnostics([source])
    }

    func read() {
        let root = Section(source.toml, Location(source: 0, node: 0))
        guard root.hasKnownVersion(diagnostics) else { return }
        root.checkKeys(diagnostics, of: "an act file", Self.rootKeys)
        if let screens = root["screens"]?.section(diagnostics, "a table of screens") {
            // A presenter is called at its object; without one, Withdraw is called at "/".
            var nameless = ActFile.Program(name: nil, paths: ["/"])
            nameless.screens = self.screens(screens, ofPresenter: false)
            programs.append(nameless)
        }
        for (name, item) in root["programs"]?.section(diagnostics, "a table of programs")?.entries ?? [] {
            program = name
            if let problem = BusName.problem(of: name) { diagnostics.error(item.location, problem) }
            if let section = item.section(diagnostics) { programs.append(program(name, section)) }
        }
        if programs.isEmpty, !root.has("programs") {
            diagnostics.error(
                root.location,
                "the file plays nothing; it has to have a table such as [programs.\"com.vendor.App\"] or [screens.list]"
            )
        }
    }

    /// Notes a name that definitions have to declare.
    func mention(_ kind: Mention.Kind, _ location: Location) {
        mentions.append(Mention(kind: kind, program: program, location: location))
    }

    private func program(_ name: String, _ section: Section) -> ActFile.Program {
        section.checkKeys(diagnostics, of: "a program", Self.programKeys)
        var program = ActFile.Program(name: name, paths: [Resolver.path(of: name)])
        if let items = section["paths"]?.list(diagnostics, "a list of object paths") {
            program.paths = items.compactMap(path)
            if items.isEmpty {
                diagnostics.error(
                    section.location.key("paths"),
                    "the list is empty; leave 'paths' out for '\(Resolver.path(of: name))'")
            }
        }
        mention(.program(program.paths), section.location)
        if let screens = section["screens"]?.section(diagnostics, "a table of screens") {
            program.screens = self.screens(screens, ofPresenter: true)
        }
        if let item = section["application"] {
            program.application = turns(item) { screen($0, .application) }
        }
        for (step, item) in section["guard"]?.section(diagnostics, "a table of steps")?.entries ?? [] {
            checkStepName(step, item.location)
            mention(.guarded(step), item.location)
            program.adaptations[step] = turns(item, adaptation)
        }
        for (step, item) in section["navigator"]?.section(diagnostics, "a table of steps")?.entries ?? [] {
            checkStepName(step, item.location)
            mention(.navigated(step), item.location)
            program.navigations[step] = navigation(item)
        }
        return program
    }

    private func path(_ item: Item) -> String? {
        guard let path = item.string(diagnostics, "an object path, such as '/com/vendor/App'") else { return nil }
        guard Names.isObjectPath(path), path != BusName.reservedPath, path.utf8.count <= Limits.pathLength else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(path)) can't be the path of an object: it has to begin with '/', then parts of letters, digits "
                    + "and '_' with '/' between them, such as '/com/vendor/App'")
            return nil
        }
        return path
    }

    private func screens(_ section: Section, ofPresenter: Bool) -> [String: ActFile.Turns<ActFile.Screen>] {
        var screens: [String: ActFile.Turns<ActFile.Screen>] = [:]
        for (name, item) in section.entries {
            checkPresentableName(name, "a screen", item.location, diagnostics)
            mention(.screen(name), item.location)
            screens[name] = turns(item) { screen($0, ofPresenter ? .presented(name) : .claimed(name)) }
        }
        return screens
    }

    // MARK: What all have

    /// Reads a table, or a list of tables, one for each call.
    func turns<Value: Sendable>(_ item: Item, _ read: (Section) -> Value?) -> ActFile.Turns<Value> {
        if let items = item.items {
            if items.isEmpty {
                diagnostics.error(item.location, "the list is empty; it has to have a table for each call")
            }
            return ActFile.Turns(items.compactMap { $0.section(diagnostics).flatMap(read) })
        }
        let section = item.section(diagnostics, "a table, or a list of tables, one for each call")
        return ActFile.Turns(section.flatMap(read).map { [$0] } ?? [])
    }

    func checkStepName(_ name: String, _ location: Location) {
        if !Names.isStepName(name) {
            diagnostics.error(location, "\(Text.quoted(name)) can't be the name of a step: \(Names.stepNameRule)")
        }
    }

    /// Returns the name of a step.
    func step(_ item: Item) -> String? {
        guard let name = item.string(diagnostics, "the name of a step") else { return nil }
        checkStepName(name, item.location)
        return name
    }

    /// Reads a key that can only be true. Returns whether it is given.
    func flag(_ item: Item?) -> Bool {
        guard let item else { return false }
        guard let isTrue = item.bool(diagnostics) else { return true }
        if !isTrue { diagnostics.error(item.location, "this is false; it has to be true, or be left out") }
        return true
    }

    func time(_ item: Item) -> UInt64? {
        guard let text = item.string(diagnostics, "a time span, such as '500ms'") else { return nil }
        do throws(TimeSpan.Invalid) {
            return try TimeSpan.microseconds(text)
        } catch {
            diagnostics.error(item.location, error.text)
            return nil
        }
    }

    /// Reads the key `after`: what something waits for.
    func moment(_ item: Item?, ofScreen: Bool) -> ActFile.Moment? {
        guard let item else { return nil }
        let keys = ofScreen ? ["step", "presented"] : ["step"]
        let form =
            "a time span, such as '500ms', or { step = \"NAME\" }" + (ofScreen ? ", or { presented = true }" : "")
        guard let table = item.table else {
            guard item.string(diagnostics, form) != nil else { return nil }
            return time(item).map(ActFile.Moment.time)
        }
        table.checkKeys(diagnostics, of: "the table 'after'", keys)
        guard let key = only(of: keys, table, "it has to be \(form)") else { return nil }
        if key == "presented" { return flag(table["presented"]) ? .presented : nil }
        guard let item = table["step"], let step = step(item) else { return nil }
        mention(.step(step), item.location)
        return .step(step)
    }

    /// Returns the one key of several that a table has to have; reports a table with none or more of them.
    func only(of keys: [String], _ table: Section, _ rule: @autoclosure () -> String) -> String? {
        let given = keys.filter(table.has)
        if given.count == 1 { return given[0] }
        let what =
            given.isEmpty ? "the table has none of the keys \(Text.list(keys, "or"))" : "\(Text.list(given)) are given"
        // An unknown key was reported.
        if !given.isEmpty || table.count == 0
            || table.keys.allSatisfy({ ["after", "arguments", "restart"].contains($0) })
        {
            diagnostics.error(table.location, "\(what); \(rule())")
        }
        return nil
    }

    /// Reads the key `fail`.
    func refusal(_ item: Item) -> ActFile.Refusal? {
        if let text = item.text {
            return valid(text, item).map { ActFile.Refusal(error: ActFile.usualError, text: $0) }
        }
        guard
            let table = item.section(
                diagnostics, "the text of the error, or a table: { error = \"NAME\", text = \"TEXT\" }")
        else { return nil }
        table.checkKeys(diagnostics, of: "the table 'fail'", ["error", "text"])
        let text = table["text"].flatMap { item in
            item.string(diagnostics, "the text of the error").flatMap { valid($0, item) }
        }
        guard let item = table["error"] else { return ActFile.Refusal(error: ActFile.usualError, text: text ?? "") }
        guard let error = item.string(diagnostics, "the name of a D-Bus error") else { return nil }
        guard Self.isErrorName(error) else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(error)) can't be the name of a D-Bus error: two or more parts with dots between them, each of "
                    + "letters, digits and '_', not beginning with a digit, such as 'com.vendor.Error.NoCard'")
            return nil
        }
        return ActFile.Refusal(error: error, text: text ?? "")
    }

    /// Source: D-Bus specification, "Error names".
    private static func isErrorName(_ text: String) -> Bool {
        let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && elements.count >= 2
            && elements.allSatisfy { element in
                guard let first = element.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
                    return false
                }
                return element.allSatisfy { TomlParser.isBareKey($0) && $0 != UInt8(ascii: "-") }
            }
    }

    /// Returns a text that can go over the bus.
    func valid(_ text: String, _ item: Item) -> String? {
        do throws(Literal.InvalidValue) {
            return try Literal.validated(text)
        } catch {
            diagnostics.error(item.location, error.text)
            return nil
        }
    }

    /// Reads a table of arguments.
    func givens(_ item: Item?) -> [ActFile.Given] {
        guard let section = item?.section(diagnostics, "a table of arguments and values") else { return [] }
        return section.entries.compactMap { name, item in
            if !Names.isPresentableName(name) {
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(name)) can't be the name of an argument: \(Names.presentableNameRule)")
            }
            return given(name, item)
        }
    }

    /// Returns a value, or a reference to an argument.
    func given(_ name: String, _ item: Item) -> ActFile.Given? {
        var toml = item.value
        if case .string(let text) = toml, text.hasPrefix("$") {
            let reference = String(text.dropFirst())
            if !reference.hasPrefix("$") {
                if Names.isPresentableName(reference) {
                    return ActFile.Given(name: name, source: .reference(reference))
                }
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(text)) is no reference; it has to be '$NAME', or for the text itself "
                        + Text.quoted("$" + text))
                return nil
            }
            toml = .string(reference)
        }
        guard natural(toml, item) != nil else { return nil }
        return ActFile.Given(name: name, source: .literal(toml))
    }

    /// Returns a value with the type that it has in the file.
    func natural(_ toml: Toml, _ item: Item) -> Value? {
        guard let any = ValueType(signature: "v") else { return nil }
        do throws(Literal.InvalidValue) {
            return try Literal.value(toml, as: any)
        } catch {
            diagnostics.error(item.location, "the value does not fit: \(error.text)")
            return nil
        }
    }
}
