import FlowCore
internal import Glibc

/// The programs of the device.
extension Resolver {
    static let programKeys = ["command", "start", "memory", "watchdog", "hardening"]

    /// Returns the programs, sorted by name.
    func programs() -> [ProgramDeclaration] { draft.programs.entries.compactMap { program($0.name, $0.value) } }

    private func program(_ name: String, _ item: Item) -> ProgramDeclaration? {
        let hasName = checkName(name, item.location)
        guard let table = item.section(diagnostics) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "a program", Self.programKeys)
        if isClean, table["command"] == nil {
            diagnostics.error(
                table.location, "a program has to have 'command', such as command = [\"/usr/libexec/vendor/app\"]")
        }
        let command = table["command"].flatMap { self.command($0) }
        let start = table["start"].map { self.start($0, name) } ?? (Self.hasBusName(name) ? .demand : .session)
        let memory = table["memory"].map { self.memory($0) } ?? .some(nil)
        let watchdog = table["watchdog"].map { timeSpan($0, in: TimeSpan.ofCallers) } ?? .some(nil)
        let hardening = table["hardening"].map { self.hardening($0) } ?? .some([])
        guard hasName, let command, let start, let memory, let watchdog, let hardening else { return nil }
        // Its name alone is relative to its folder.
        let file = diagnostics.sources[item.location.source].file.split(separator: "/").last.map(String.init) ?? ""
        return ProgramDeclaration(
            name: name, path: command.path, arguments: command.arguments, start: start, memory: memory,
            watchdog: watchdog, restrictions: hardening, file: absolutePath(file, item.location))
    }

    private static func hasBusName(_ name: String) -> Bool { ProgramDeclaration.isBusName(name) }

    private func checkName(_ name: String, _ location: Location) -> Bool {
        let problem: String?
        if name == "org.flowbus.Navigation1" {
            problem = "'\(name)' is the bus name of flowbusd, which has a unit of its own"
        } else if Self.hasBusName(name) {
            problem = BusName.problem(of: name)
        } else {
            problem =
                !name.isEmpty && name.utf8.allSatisfy(TomlParser.isBareKey) && name.utf8.count <= 64
                ? nil
                : "\(Text.quoted(name)) can't be the name of a program: it is a bus name, such as 'com.vendor.App', or, for a program "
                    + "that owns none, letters, digits, '_' and '-', at most 64 bytes"
        }
        if let problem { diagnostics.error(location, problem) }
        return problem == nil
    }

    // MARK: Keys

    private func command(_ item: Item) -> (path: String, arguments: [ProgramDeclaration.Word])? {
        let what = "a list of words: [\"/usr/libexec/vendor/app\", \"--option\"]"
        guard let items = item.list(diagnostics, what) else { return nil }
        let words = items.compactMap { commandWord($0) }
        guard words.count == items.count else { return nil }
        guard let first = items.first, let program = first.text, program.contains("/"), case .text(let path) = words[0]
        else {
            let given = items.first?.text.map { "\(Text.quoted($0)) is no path" } ?? "the list is empty"
            diagnostics.error(
                items.first?.location ?? item.location,
                "\(given); the first word has to be the path of the program, such as '/usr/libexec/vendor/app', or with '/' in it, "
                    + "from the folder of this file on, './app'")
            return nil
        }
        return (absolutePath(path, item.location), Array(words.dropFirst()))
    }

    private func commandWord(_ item: Item) -> ProgramDeclaration.Word? {
        guard let text = item.string(diagnostics, "a word of a command line") else { return nil }
        // A line of a unit or a service file is no place for them.
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            diagnostics.error(item.location, "\(Text.quoted(text)) has a control character, such as a line end, in it")
            return nil
        }
        guard text.hasPrefix("$") else { return .text(text) }
        if text.hasPrefix("$$") { return .text(String(text.dropFirst())) }
        let name = String(text.dropFirst())
        guard Names.isPresentableName(name) else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(text)) stands for no variable of the environment, whose name is letters, digits and '_'; for the text itself "
                    + "write \(Text.quoted("$" + text))")
            return nil
        }
        return .variable(name)
    }

    /// A relative path begins at the folder of the file, so that a folder can be moved with all that is in it.
    func absolutePath(_ path: String, _ location: Location) -> String {
        var parts: [Substring] = []
        if !path.hasPrefix("/") {
            let folder = DefinitionFolders.folder(of: diagnostics.sources[location.source].file)
            let real = realpath(folder, nil)
            defer { free(real) }
            parts = (real.map { String(cString: $0) } ?? folder).split(separator: "/")
        }
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    private func start(_ item: Item, _ name: String) -> ProgramDeclaration.Start? {
        let start: ProgramDeclaration.Start? = item.word(diagnostics)
        if let start, start != .session, !Self.hasBusName(name) {
            diagnostics.error(
                item.location,
                "'\(start.rawValue)' is not possible for '\(name)', which is no bus name, so that nobody can call the program; write "
                    + "'session', or give it its bus name, such as [programs.\"com.vendor.App\"]")
            return nil
        }
        return start
    }

    private func memory(_ item: Item) -> String?? {
        guard let text = item.string(diagnostics, "an amount of memory, such as '300M'") else { return nil }
        guard text.wholeMatch(of: /[1-9][0-9]{0,8}[KMGT]/) != nil else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(text)) is no amount of memory; it has to be a whole number, and K, M, G or T, such as '300M'"
            )
            return nil
        }
        return .some(text)
    }

    private func hardening(_ item: Item) -> [ProgramDeclaration.Restriction]?? {
        let words = ProgramDeclaration.Restriction.allCases.map(\.rawValue)
        if let text = item.text {
            if text == "none" { return .some(nil) }
            diagnostics.error(
                item.location,
                "\(Text.quoted(text)) is not allowed here; it has to be 'none', or a list of some of \(Text.list(words))"
            )
            return nil
        }
        guard let items = item.list(diagnostics, "'none', or a list of some of \(Text.list(words))") else { return nil }
        let chosen = items.compactMap { item -> ProgramDeclaration.Restriction? in item.word(diagnostics) }
        guard chosen.count == items.count else { return nil }
        return .some(ProgramDeclaration.Restriction.allCases.filter(chosen.contains))
    }

    // MARK: Screens

    /// The program of a screen: the presenter at the usual path of its name.
    func program(ofScreen item: Item) -> Presenter? {
        guard let name = item.string(diagnostics, "the name of a program of [programs]") else { return nil }
        guard Self.hasBusName(name) else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(name)) is no bus name, so the program can't be called to show a screen; declare it by its bus name"
            )
            return nil
        }
        if draft.isComplete, draft.programs.place(of: name) == nil {
            diagnostics.error(
                item.location,
                "no file declares a program \(Text.quoted(name))"
                    + diagnostics.suggestion(for: name, among: SimilarNames(draft.programs.names)))
            return nil
        }
        var table = Section(empty: item.location)
        table.add("name", item)
        return service(table, timeout: Limits.presenterTimeout).map(Presenter.service)
    }

    /// Whether the program with a bus name is declared to start early.
    func startsEarly(programNamed name: String?) -> Bool {
        name.flatMap { draft.programs[$0] }?["start"]?.text == ProgramDeclaration.Start.early.rawValue
    }

    // MARK: Warnings

    /// Warns about programs that can't run as they are declared.
    func warnOfDeclaredPrograms(_ programs: [ProgramDeclaration], _ files: ServiceFiles) {
        for program in programs {
            guard let item = draft.programs[program.name] else { continue }
            if access(program.path, X_OK) != 0 {
                diagnostics.warning(
                    item.table?.location.key("command") ?? item.location,
                    "there is no program '\(program.path)' on this machine")
            }
            if let other = files.others[program.name] {
                diagnostics.warning(
                    item.location,
                    "the service file '\(other)' has the name '\(program.name)', too; the bus starts what [programs] says"
                )
            }
        }
    }

    /// Warns about programs that are to start early, and show no screen: flowbusd starts only those of screens.
    func warnOfEarlyPrograms(_ definitions: Definitions) {
        for (name, item) in draft.programs.entries where startsEarly(programNamed: name) {
            guard let start = item["start"], !definitions.earlyPresenters.contains(name) else { continue }
            diagnostics.warning(
                start.location,
                "no screen names the program '\(name)', so it does not start early; 'session' starts it with the session"
            )
        }
    }
}
