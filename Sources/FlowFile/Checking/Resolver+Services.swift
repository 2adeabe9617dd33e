import FlowCore

/// Objects of other processes: presenters, guards and navigators.
extension Resolver {
    /// Returns the declaration of a screen.
    func screenDeclaration(_ name: String, of draft: DraftScreen) -> ScreenDeclaration {
        // Most screens have nothing else.
        if draft.keys.count == (draft.keys.has("arguments") ? 1 : 0) {
            return ScreenDeclaration(name, parameters: draft.declared.admitted)
        }
        let service = draft.keys["presenter"].flatMap { self.presenter($0) }
        let startsEarly = draft.keys["presenter"].map { self.startsEarly($0) }
        let program = draft.keys["program"].flatMap { self.program(ofScreen: $0) }
        let application = draft.keys["application"].flatMap { self.application($0, of: draft.declared) }
        let given = draft.givenPresenters
        if given.count > 1 {
            diagnostics.error(
                draft.keys.location.key(given[1]), "\(Text.list(given)) are given; a screen has at most one of them")
        }
        let run = self.run(draft)
        let presenter = service ?? application ?? program ?? (run.isEmpty ? nil : Self.runPresenter)
        let whenOwnerGone: WhenOwnerGone? = draft.keys["whenOwnerGone"]?.word(diagnostics)
        if whenOwnerGone == .present, !draft.hasPresenter {
            diagnostics.error(
                draft.keys.location.key("whenOwnerGone"),
                "'present' is not possible without 'presenter' or 'application': there is nobody to ask again; give one "
                    + "of them, or write 'dismiss' or 'keep'")
        }
        let isPresentedOnReturn = draft.keys["presentOnReturn"]?.bool(diagnostics)
        if isPresentedOnReturn != nil {
            checkPresenter(for: "presentOnReturn", of: draft, "nobody is called when the screen returns")
        }
        let evictAfter = draft.keys["evictAfter"].flatMap { span($0) }
        checkPresenter(for: "evictAfter", of: draft, "nobody could show the screen again")
        let keepsAwake = draft.keys["keepsAwake"]?.bool(diagnostics)
        let budget = draft.keys["budget"].flatMap { timeSpan($0, in: TimeSpan.ofCallers) }
        if let item = draft.keys["budget"], !draft.hasPresenter {
            diagnostics.warning(
                item.location, "a screen without 'presenter' or 'application' is not timed: nobody is asked to show it")
        }
        let watchdog = draft.keys["watchdog"].flatMap { self.watchdog($0) }
        checkPresenter(for: "watchdog", of: draft, "only the object of a presenter can be asked")
        let patience = draft.keys["patience"].flatMap { $0.text == "0s" ? 0 : span($0) }
        if let item = draft.keys["patience"], !draft.hasPresenter {
            diagnostics.error(
                item.location,
                "'patience' is not possible without 'presenter' or 'application': there is nobody to wait for; give one of them, or "
                    + "leave it out")
        }
        let context = draft.keys["context"].map { contextNames($0, of: draft) }
        let isStateOnDisk = draft.keys["stateOnDisk"]?.bool(diagnostics)
        return ScreenDeclaration(
            name, parameters: draft.declared.admitted, key: draft.declared.key, presenter: presenter, run: run,
            startsEarly: startsEarly == true || self.startsEarly(programNamed: presenter?.service.name),
            whenOwnerGone: whenOwnerGone ?? .dismiss,
            isPresentedOnReturn: isPresentedOnReturn ?? true, keepsAwake: keepsAwake ?? false, budget: budget,
            isStateOnDisk: isStateOnDisk ?? false, evictAfter: evictAfter, watchdog: watchdog?.interval,
            endsHungProcess: watchdog?.kills ?? false, patience: patience, result: draft.result?.admitted,
            isResultPublic: draft.result?.isPublic == true, context: context ?? [],
            texts: texts({ draft.keys[$0] }, of: draft.declared))
    }

    /// An interval, or a table with one.
    private func watchdog(_ item: Item) -> (interval: UInt64?, kills: Bool)? {
        guard case .table = item.value, let table = item.section(diagnostics) else {
            return (timeSpan(item, in: TimeSpan.ofCallers), false)
        }
        let isClean = table.checkKeys(diagnostics, of: "the table 'watchdog'", ["every", "kill"])
        if isClean, table["every"] == nil {
            diagnostics.error(table.location, "'watchdog' has to say how often its owner is asked: every = \"10s\"")
        }
        return (
            table["every"].flatMap { timeSpan($0, in: TimeSpan.ofCallers) }, table["kill"]?.bool(diagnostics) ?? false
        )
    }

    /// Reports a key that means nothing without a presenter.
    private func checkPresenter(for key: String, of screen: DraftScreen, _ why: String) {
        guard let item = screen.keys[key], !screen.keys.has("presenter"), !screen.keys.has("program") else { return }
        diagnostics.error(
            item.location,
            "'\(key)' is not possible without 'presenter': \(why); give a presenter, or leave it out")
    }

    /// Returns a guard.
    func `guard`(_ item: Item) -> Guard? {
        let what = "a bus name, or a table: { name = \"com.vendor.App\", steps = [\"NAME\"] }"
        guard let table = serviceTable(item, "guard", what, ["name", "path", "timeout", "steps"]) else { return nil }
        let service = service(table, timeout: Limits.guardTimeout)
        let steps = table["steps"].flatMap { self.steps($0, ifEmpty: "leave 'steps' out where it is asked about all") }
        return service.map { Guard($0, steps: steps) }
    }

    /// Returns a navigator.
    func navigator(_ item: Item) -> Navigator? {
        let what = "a table: { name = \"com.vendor.App\", steps = [\"NAME\"] }"
        if case .string = item.value {
            diagnostics.error(item.location, "this is a string; it has to be \(what)")
            return nil
        }
        let keys = ["name", "path", "timeout", "steps"]
        guard let table = serviceTable(item, "navigator", what, keys, takesSteps: true) else { return nil }
        let service = service(table, timeout: Limits.guardTimeout)
        let steps = table["steps"].flatMap { self.steps($0, ifEmpty: "it has to name those that the navigator takes") }
        guard let service, let steps else { return nil }
        return Navigator(service, steps: steps)
    }

    /// Reports a flow with both a navigator and rules: the choice between them would be ambiguous.
    func checkNoRulesBesideNavigator(_ flow: DraftFlow) {
        guard let navigator = flow.keys["navigator"], let rule = diagnostics.first(flow.rules.values.map(\.location))
        else {
            return
        }
        diagnostics.error(
            rule,
            "\(flow.declared.subject) has a rule here and a navigator in \(diagnostics.position(of: navigator.location)), which "
                + "decides where steps lead; it can't have both")
    }

    private func presenter(_ item: Item) -> Presenter? {
        let what = "a bus name, or a table: { name = \"com.vendor.App\" }"
        guard let table = serviceTable(item, "presenter", what, ["name", "path", "timeout", "start"]) else {
            return nil
        }
        return service(table, timeout: Limits.presenterTimeout).map(Presenter.service)
    }

    /// When the program of a presenter is started, if not by its first call (S-44).
    private enum Start: String, CaseIterable {
        case early
    }

    private func startsEarly(_ presenter: Item) -> Bool {
        guard let item = presenter["start"], let start: Start = item.word(diagnostics) else { return false }
        if case .string(let name)? = presenter["name"]?.value, isOfService, name.hasPrefix(":") {
            diagnostics.error(
                item.location,
                "'start' is not possible with the unique name '\(name)': the bus can start only the program of a well-known "
                    + "name; leave it out")
        }
        return start == .early
    }

    /// Returns the table of a service; a name alone stands for the table with that name. Nil if it is neither.
    func serviceTable(
        _ item: Item, _ key: String, _ what: String, _ keys: [String], takesSteps: Bool = false
    ) -> Section? {
        if case .string = item.value {
            // Errors of the name are reported at the key itself then.
            var table = Section(empty: item.location)
            table.add("name", item)
            return table
        }
        guard let table = item.section(diagnostics, what) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "the table '\(key)'", keys)
        if isClean, table["name"] == nil {
            diagnostics.error(table.location, "'\(key)' has to give its bus name: name = \"com.vendor.App\"")
        }
        if isClean, takesSteps, table["steps"] == nil {
            diagnostics.error(table.location, "'\(key)' has to list the steps that it takes: steps = [\"NAME\"]")
        }
        return table
    }

    /// Returns the object of a table, with defaults for missing keys; nil if it is invalid.
    func service(_ table: Section, timeout usual: UInt64) -> Service? {
        let name = table["name"].flatMap { busName($0) }
        let path = table["path"].map { objectPath($0) } ?? name.map(Self.path)
        let timeout = table["timeout"].map { timeSpan($0, in: TimeSpan.ofCallers) } ?? usual
        guard let name, let path, let timeout else { return nil }
        guard path != BusName.reservedPath else {
            diagnostics.error(
                (table["path"] ?? table["name"])?.location ?? table.location,
                "the path '\(path)' is reserved for libraries, and the bus disconnects a client that calls it; give that of an "
                    + "object with 'path'")
            return nil
        }
        return Service(name, path: path, timeout: timeout)
    }

    /// The default path of the object of a program with this name, as `org.freedesktop.Application` prescribes.
    static func path(of name: String) -> String {
        "/" + name.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 }
    }

    /// Reads a well-known name, and reports an invalid one. A client that registers a flow may be known by its unique name.
    func busName(_ item: Item) -> String? {
        guard let name = item.string(diagnostics, "a bus name") else { return nil }
        if isOfService, name.hasPrefix(":") { return name }
        if let problem = BusName.problem(of: name) {
            diagnostics.error(item.location, problem)
            return nil
        }
        return name
    }

    func objectPath(_ item: Item) -> String? {
        guard let path = item.string(diagnostics, "an object path, such as '/com/vendor/App'") else { return nil }
        guard Names.isObjectPath(path), path.utf8.count <= Limits.pathLength else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(path)) is no object path: it has to begin with '/', then parts of letters, digits and '_' "
                    + "with '/' between them, at most \(Limits.pathLength) bytes in all, such as '/com/vendor/App'")
            return nil
        }
        return path
    }

    /// Source: GIO, `g_action_name_is_valid`.
    func action(_ item: Item) -> String? {
        guard let action = item.string(diagnostics, "the name of an action") else { return nil }
        let isValid = action.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ".") || (TomlParser.isBareKey(byte) && byte != UInt8(ascii: "_"))
        }
        guard isValid, !action.isEmpty else {
            diagnostics.error(
                item.location,
                "\(Text.quoted(action)) can't be the name of an action: letters, digits, '-' and '.', at least one of "
                    + "them")
            return nil
        }
        return action
    }

    private func steps(_ item: Item, ifEmpty help: String) -> Set<StepID>? {
        guard let items = item.list(diagnostics, "a list of names of steps") else { return nil }
        // A client may register a flow that takes no steps.
        if items.isEmpty, !isOfService { diagnostics.error(item.location, "the list is empty; \(help)") }
        return Set(items.compactMap { step($0)?.id })
    }
}
