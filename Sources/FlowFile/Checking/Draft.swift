import FlowCore

/// A declared argument. If its type is invalid, which has been reported, the argument stays without a type, so that
/// references to it are not reported as well.
struct DraftParameter {
    let name: String
    let type: ValueType?
    let isOptional: Bool
}

/// A step, screen or flow that takes arguments.
final class Declared {
    private let kind: String
    private let name: String
    let location: Location
    fileprivate(set) var parameters: [DraftParameter] = []
    /// Whether a result says that its values are public.
    fileprivate(set) var isPublic = false
    /// The names of the arguments of its key, sorted (S-51).
    fileprivate(set) var key: [String] = []
    /// The texts of a step, by their keys.
    fileprivate(set) var texts: [String: Item] = [:]
    /// Whether a step is input of a person (S-56).
    fileprivate(set) var isInput = true

    /// Its name in messages: `step 'paid'`.
    var subject: String { "\(kind) '\(name)'" }

    init(_ kind: String, _ name: String, _ location: Location) {
        self.kind = kind
        self.name = name
        self.location = location
    }

    /// Its result.
    func result(_ location: Location) -> Declared { Declared("the result of \(kind)", name, location) }

    subscript(name: String) -> DraftParameter? { parameters.first { $0.name == name } }

    /// The parameters for the definitions; all types are known if there were no errors.
    var admitted: [Parameter] {
        parameters.sorted { Text.precedes($0.name, $1.name) }.compactMap { parameter in
            parameter.type.map { Parameter(parameter.name, $0, isOptional: parameter.isOptional) }
        }
    }
}

/// A declared screen, with the location of each key.
final class DraftScreen {
    let declared: Declared
    /// What it answers; nil if it can't.
    let result: Declared?
    let keys: Section

    init(_ declared: Declared, result: Declared?, keys: Section) {
        self.declared = declared
        self.result = result
        self.keys = keys
    }

    /// Whether it has a presenter.
    var hasPresenter: Bool { givenPresenters.isEmpty == false }

    /// The keys by which it names its presenter.
    var givenPresenters: [String] { ["presenter", "application", "program", "run"].filter(keys.has) }
}

/// A defined flow, with the location of each key.
final class DraftFlow {
    let declared: Declared
    /// What it answers; nil if it can't.
    fileprivate(set) var result: Declared?
    /// Its keys except `on`, from all files.
    fileprivate(set) var keys: Section
    /// The rules by step name.
    fileprivate(set) var rules = NamedList<Item>()
    /// The names of its navigator's steps, declared or not.
    fileprivate(set) var navigatorSteps: Set<String> = []

    init(_ declared: Declared) {
        self.declared = declared
        keys = Section(empty: declared.location)
    }

    /// Returns whether the flow takes a step.
    func takes(_ step: String) -> Bool { rules.place(of: step) != nil || navigatorSteps.contains(step) }

    /// The names of all steps that the flow takes, for suggestions.
    private(set) lazy var stepsTaken = SimilarNames((Array(rules.names) + navigatorSteps).sorted(by: Text.precedes))
}

/// The declarations of all files, before any name is resolved.
///
/// This is the first of two passes. It resolves no cross references, so it can be made from any set of files in any
/// order.
struct Draft {
    static let flowKeys = [
        "on", "initial", "children", "layers", "covers", "arguments", "key", "result", "unique", "whenHidden",
        "announce", "onBack", "idle", "emitters", "guard", "navigator", "restore", "whenEmpty", "context", "title",
        "description", "timers",
    ]
    static let screenKeys = [
        "arguments", "key", "result", "presenter", "application", "program", "run", "exit", "whenOwnerGone",
        "presentOnReturn", "keepsAwake", "budget", "stateOnDisk", "evictAfter", "watchdog", "patience", "context",
        "title", "description",
    ]
    /// The keys of what people read.
    static let textKeys = ["title", "description"]
    static let rootKeys = [
        "version", "steps", "private", "screens", "programs", "autostart", "steppers", "context", "outputs", "flows",
    ]

    let diagnostics: Diagnostics
    /// The steps, screens and flows, sorted by name.
    private(set) var steps = NamedList<Declared>()
    private(set) var screens = NamedList<DraftScreen>()
    private(set) var flows = NamedList<DraftFlow>()
    private(set) var privateSteps: [Item] = []
    private(set) var autostart: [Item] = []
    private(set) var steppers: [Item] = []
    /// The values of the context that no flow has, sorted by name.
    private(set) var context = NamedList<Item>()
    /// The programs of the device, sorted by name.
    private(set) var programs = NamedList<Item>()
    /// Who sets the outputs.
    private(set) var outputSetter: Item?
    /// Whether all declarations could be read; otherwise an unknown name is no error.
    private(set) var isComplete: Bool

    init(_ diagnostics: Diagnostics, isComplete: Bool) {
        self.diagnostics = diagnostics
        self.isComplete = isComplete
        steps.reserve(count(of: "steps"))
        screens.reserve(count(of: "screens"))
        flows.reserve(count(of: "flows"))
        for (index, source) in diagnostics.sources.enumerated() {
            read(Section(source.toml, Location(source: index, node: 0)))
        }
        context.sort()
        programs.sort()
        steps.sort()
        screens.sort()
        flows.sort()
        for flow in flows.values {
            flow.navigatorSteps = Self.navigatorSteps(flow.keys["navigator"])
            flow.result = flow.keys["result"].map { result($0, of: flow.declared) }
            if let item = flow.keys["arguments"] { flow.declared.parameters = parameters(item, of: flow.declared) }
            if let item = flow.keys["key"] { flow.declared.key = key(item, of: flow.declared) }
        }
    }

    private func count(of table: String) -> Int {
        diagnostics.sources.reduce(0) { count, source in
            count + (source.toml.child(of: 0, table).map { source.toml.nodes[$0].count } ?? 0)
        }
    }

    private mutating func read(_ root: Section) {
        guard root.hasKnownVersion(diagnostics) else {
            isComplete = false
            return
        }
        root.checkKeys(diagnostics, of: "a definition file", Self.rootKeys)
        for (name, item) in root["steps"]?.section(diagnostics)?.entries ?? [] { readStep(name, item) }
        for (name, item) in root["screens"]?.section(diagnostics)?.entries ?? [] { readScreen(name, item) }
        for (name, item) in root["flows"]?.section(diagnostics)?.entries ?? [] { readFlow(name, item) }
        for (name, item) in root["context"]?.section(diagnostics)?.entries ?? [] {
            guard let first = context.insert(name, item) else { continue }
            diagnostics.error(
                item.location,
                "the value '\(name)' of the context is declared twice: here and in "
                    + diagnostics.position(of: first.location))
        }
        for (name, item) in root["programs"]?.section(diagnostics)?.entries ?? [] {
            guard let first = programs.insert(name, item) else { continue }
            diagnostics.error(
                item.location,
                "the program '\(name)' is declared twice: here and in \(diagnostics.position(of: first.location))")
        }
        if let section = root["private"]?.section(diagnostics) {
            section.checkKeys(diagnostics, of: "the table 'private'", ["steps"])
            privateSteps += section["steps"]?.list(diagnostics, "a list of names of steps") ?? []
        }
        if let section = root["outputs"]?.section(diagnostics) { readOutputs(section) }
        autostart += root["autostart"]?.list(diagnostics, "a list of tables: [[autostart]]") ?? []
        steppers += root["steppers"]?.list(diagnostics, "a list of tables: [[steppers]]") ?? []
    }

    private mutating func readOutputs(_ section: Section) {
        let isClean = section.checkKeys(diagnostics, of: "the table 'outputs'", ["setter"])
        guard let setter = section["setter"] else {
            if isClean {
                diagnostics.error(section.location, "'outputs' has to name who sets them: setter = \"BUS NAME\"")
            }
            return
        }
        if let first = outputSetter {
            diagnostics.error(
                setter.location,
                "the setter of the outputs is given twice: here and in \(diagnostics.position(of: first.location))")
        } else {
            outputSetter = setter
        }
    }

    private mutating func readStep(_ name: String, _ item: Item) {
        if !Names.isStepName(name) {
            diagnostics.error(
                item.location, "\(Text.quoted(name)) can't be the name of a step: \(Names.stepNameRule)")
        }
        let declared = Declared("step", name, item.location)
        if let first = steps.insert(name, declared) { return declaredTwice(first, item.location) }
        for key in Self.textKeys { declared.texts[key] = item[key].flatMap { isText($0) ? $0 : nil } }
        var options = Set(declared.texts.keys)
        // A type would declare an argument of that name.
        if case .bool(let isInput)? = item["input"]?.value {
            declared.isInput = isInput
            options.insert("input")
        }
        declared.parameters = parameters(item, of: declared, except: options)
    }

    /// Whether what stands beside the arguments of a step is a text, and not the type of an argument of that name.
    private func isText(_ item: Item) -> Bool {
        guard let text = item.text else { return item.table != nil }
        let word = text.hasSuffix("?") ? String(text.dropLast()) : text
        if word.utf8.count <= 255, ValueType(name: word) != nil { return false }
        let likely = diagnostics.suggestion(for: word, among: ValueType.words.map(\.name))
        if !likely.isEmpty, word.allSatisfy({ $0.isLowercase || $0.isNumber }) {
            diagnostics.warning(
                item.location, "\(Text.quoted(text)) is no type, so it is taken for a text of the step\(likely)")
        }
        return true
    }

    private mutating func readScreen(_ name: String, _ item: Item) {
        checkPresentableName(name, "a screen", item.location, diagnostics)
        if let first = screens[name] { return declaredTwice(first.declared, item.location) }
        let declared = Declared("screen", name, item.location)
        var result: Declared?
        let section = item.section(diagnostics)
        if let section {
            section.checkKeys(diagnostics, of: "a screen", Self.screenKeys)
            if let arguments = section["arguments"] {
                declared.parameters = parameters(arguments, of: declared)
            }
            if let key = section["key"] { declared.key = self.key(key, of: declared) }
            result = section["result"].map { self.result($0, of: declared) }
        }
        _ = screens.insert(
            name, DraftScreen(declared, result: result, keys: section ?? Section(empty: item.location)))
    }

    private mutating func readFlow(_ name: String, _ item: Item) {
        let new = DraftFlow(Declared("flow", name, item.location))
        let flow = flows.insert(name, new) ?? new
        if flow === new { checkPresentableName(name, "a flow", item.location, diagnostics) }
        if let section = item.section(diagnostics) {
            let subject = { flow.declared.subject }
            section.checkKeys(diagnostics, of: "a flow", Self.flowKeys)
            for (key, item) in section.entries where key != "on" {
                if let first = flow.keys[key] {
                    let other = diagnostics.position(of: first.location)
                    diagnostics.error(
                        item.location, "the key '\(key)' of \(subject()) is given twice: here and in \(other)")
                } else {
                    flow.keys.add(key, item)
                }
            }
            for (step, item) in section["on"]?.section(diagnostics, "a table of rules")?.entries ?? [] {
                if let first = flow.rules.insert(step, item) {
                    let other = diagnostics.position(of: first.location)
                    diagnostics.error(
                        item.location, "\(subject()) has two rules for the step '\(step)': here and in \(other)")
                }
            }
        }
    }

    private static func navigatorSteps(_ navigator: Item?) -> Set<String> {
        Set(navigator?["steps"]?.items?.compactMap(\.text) ?? [])
    }

    private func declaredTwice(_ first: Declared, _ location: Location) {
        diagnostics.error(
            location, "the \(first.subject) is declared twice: here and in \(diagnostics.position(of: first.location))")
    }

    /// A result. `public = true` beside its values is no type, so a value of that name is one with a type.
    private func result(_ item: Item, of declared: Declared) -> Declared {
        let result = declared.result(item.location)
        let isPublic = item["public"].flatMap { if case .bool(let isPublic) = $0.value { isPublic } else { nil } }
        result.parameters = parameters(item, of: result, except: isPublic == nil ? [] : ["public"])
        result.isPublic = isPublic == true
        return result
    }

    /// The names of the arguments of a key; none if something is wrong with them.
    private func key(_ item: Item, of declared: Declared) -> [String] {
        let what = "a list of names of arguments: key = [\"NAME\"]"
        guard let items = item.list(diagnostics, what) else { return [] }
        let names = items.compactMap { $0.string(diagnostics, "the name of an argument") }
        guard names.count == items.count else { return [] }
        let arguments = declared.parameters.prefix(Limits.argumentCount).map(\.name).sorted(by: Text.precedes)
        guard let problem = KeyRule.problem(with: names, of: declared.subject, arguments) else {
            return names.sorted(by: Text.precedes)
        }
        diagnostics.error(problem.place.map { items[$0].location } ?? item.location, problem.text)
        return []
    }

    private func parameters(
        _ item: Item, of declared: Declared, except options: Set<String> = []
    ) -> [DraftParameter] {
        guard let section = item.section(diagnostics, "a table of arguments and their types") else { return [] }
        let count = section.count - options.count
        if count == 0 { return [] }
        if count > Limits.argumentCount {
            diagnostics.error(
                item.location,
                "\(declared.subject) declares \(count) arguments; at most \(Limits.argumentCount) are allowed")
        }
        return section.entries.filter { !options.contains($0.0) }.map { name, item in
            if !Names.isPresentableName(name) {
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(name)) can't be the name of an argument: \(Names.presentableNameRule)")
            }
            return parameter(name, item)
        }
    }

    /// A declared argument, or a value of the context.
    func parameter(_ name: String, _ item: Item) -> DraftParameter {
        if item.table != nil {
            let hint =
                item.table?["type"]?.text.map { "the type stands alone: \(name) = \"\(Text.singleLine($0))\"" }
                ?? "a name with dots has to be in quotes"
            diagnostics.error(item.location, "this is a table; it has to be the name of a type; \(hint)")
            return DraftParameter(name: name, type: nil, isOptional: false)
        }
        guard let text = item.string(diagnostics, "the name of a type") else {
            return DraftParameter(name: name, type: nil, isOptional: false)
        }
        let isOptional = text.hasSuffix("?")
        let word = isOptional ? String(text.dropLast()) : text
        // A D-Bus signature has at most 255 bytes.
        let type = word.utf8.count <= 255 ? ValueType(name: word) : nil
        if type == nil {
            let words = ValueType.words.map(\.name)
            diagnostics.error(
                item.location,
                "\(Text.quoted(text)) is no type; it has to be one of \(Text.list(words, "or")), or a complete D-Bus "
                    + "signature without file descriptors, not nested deeper than \(Limits.argumentNesting)"
                    + diagnostics.suggestion(for: word, among: words))
        }
        return DraftParameter(name: name, type: type, isOptional: isOptional)
    }
}

/// Reports an invalid name of a screen or flow, or an invalid id.
func checkPresentableName(_ name: String, _ what: String, _ location: Location, _ diagnostics: Diagnostics) {
    if name == "root" {
        diagnostics.error(location, "'root' can't be the name of \(what): in 'pop' it stands for the oldest child")
    } else if !Names.isPresentableName(name) {
        diagnostics.error(location, "\(Text.quoted(name)) can't be the name of \(what): \(Names.presentableNameRule)")
    }
}
