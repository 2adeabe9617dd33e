import FlowCore

/// Screens, and what is done with them.
extension ActReader {
    static let screenKeys = ["after", "fail", "hang", "do", "onReturn", "onUpdate", "onEvict"]
    static let verbs = [
        "show", "emit", "finish", "dismiss", "release", "back", "save", "title", "touch", "crash", "freeze",
    ]
    private static let applicationVerbs = ["crash", "freeze"]

    /// What a table is about.
    enum Subject {
        /// A screen whose presenter is called.
        case presented(String)
        /// A screen without a presenter, which the program claims.
        case claimed(String)
        /// A program that knows nothing of flowbus.
        case application

        var screen: String? {
            switch self {
            case .presented(let name), .claimed(let name): name
            case .application: nil
            }
        }

        fileprivate var keys: [String] {
            switch self {
            case .presented: ActReader.screenKeys
            case .claimed: ["do"]
            case .application: ["after", "fail", "hang", "do"]
            }
        }

        fileprivate var noun: String {
            switch self {
            case .presented: "a screen"
            case .claimed: "a screen without a presenter"
            case .application: "the table 'application'"
            }
        }
    }

    func screen(_ table: Section, _ subject: Subject) -> ActFile.Screen? {
        table.checkKeys(diagnostics, of: subject.noun, subject.keys)
        var screen = ActFile.Screen()
        screen.after = moment(table["after"], ofScreen: false)
        let isHanging = flag(table["hang"])
        if isHanging { screen.answer = .none }
        if let item = table["fail"] {
            if isHanging {
                diagnostics.error(item.location, "'fail' and 'hang' are given; a call has one of these ends at most")
            }
            if let refusal = refusal(item) { screen.answer = .failure(refusal) }
        }
        if screen.answer != .success, let item = table["do"] {
            diagnostics.error(
                item.location,
                "'do' is not possible beside '\(isHanging ? "hang" : "fail")': who does not answer the call does not get the "
                    + "screen; leave one of them out")
        }
        if isHanging, let item = table["after"] {
            diagnostics.error(
                item.location, "'after' is not possible beside 'hang': there is no answer that could wait")
        }
        if subject.screen == nil { screen.actions = [] }
        if let item = table["do"] { screen.actions = actions(item, subject) }
        if let item = table["onReturn"] { screen.onReturn = actions(item, subject) }
        if let item = table["onUpdate"] { screen.onUpdate = actions(item, subject) }
        if let item = table["onEvict"] { screen.onEvict = actions(item, subject) }
        return screen
    }

    private func actions(_ item: Item, _ subject: Subject) -> [ActFile.Action] {
        // One action needs no list.
        if let table = item.table { return action(table, subject).map { [$0] } ?? [] }
        let items = item.list(diagnostics, "a list of actions, such as [{ show = true }]") ?? []
        return items.compactMap { item in
            item.section(diagnostics, "an action, such as { show = true }").flatMap { action($0, subject) }
        }
    }

    private func action(_ table: Section, _ subject: Subject) -> ActFile.Action? {
        let verbs = subject.screen == nil ? Self.applicationVerbs : Self.verbs
        table.checkKeys(diagnostics, of: "an action", ["after"] + verbs + ["arguments", "restart"])
        let after = moment(table["after"], ofScreen: subject.screen != nil)
        guard let key = only(of: verbs, table, "an action has exactly one of them"), let item = table[key] else {
            return nil
        }
        for (extra, owner) in [("arguments", "emit"), ("restart", "crash")] where key != owner {
            if let item = table[extra] {
                diagnostics.error(item.location, "'\(extra)' belongs to '\(owner)', and this action has '\(key)'")
            }
        }
        guard let verb = verb(key, item, table, subject) else { return nil }
        var action = ActFile.Action(verb)
        action.after = after
        return action
    }

    private func verb(_ key: String, _ item: Item, _ table: Section, _ subject: Subject) -> ActFile.Verb? {
        switch key {
        case "show": return item.bool(diagnostics).map(ActFile.Verb.show)
        case "emit":
            let givens = givens(table["arguments"])
            guard let step = step(item) else { return nil }
            mention(.emission(step, givens), item.location)
            return .emit(step, givens)
        case "finish":
            let givens = givens(item)
            if let screen = subject.screen { mention(.result(of: screen, givens), item.location) }
            return .finish(givens)
        case "save": return .save(givens(item))
        case "title":
            guard item.string(diagnostics, "a title") != nil else { return nil }
            return given("title", item).map(ActFile.Verb.title)
        case "crash": return flag(item) ? restart(table["restart"]).map(ActFile.Verb.crash) : nil
        case "freeze":
            if case .bool = item.value { return flag(item) ? .freeze(nil) : nil }
            guard item.string(diagnostics, "true, or a time span such as '5s'") != nil else { return nil }
            return time(item).map { .freeze($0) }
        default:
            guard flag(item) else { return nil }
            switch key {
            case "dismiss": return .dismiss
            case "release": return .release
            case "back": return .back
            default: return .touch
            }
        }
    }

    private func restart(_ item: Item?) -> ActFile.Restart? {
        guard let item else { return .atOnce }
        if case .bool(let isTrue) = item.value { return isTrue ? .atOnce : .never }
        guard item.string(diagnostics, "true, false, or a time span such as '5s'") != nil else { return nil }
        return time(item).map(ActFile.Restart.after)
    }
}
