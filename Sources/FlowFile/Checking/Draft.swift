import FlowCore

/// An argument as a file declares it. One whose type is wrong has been reported; it stays, without a type, so that
/// nothing that refers to it is reported as well.
struct DraftParameter {
    let name: String
    let type: ValueType?
    let isOptional: Bool
}

/// A step, screen or flow that takes arguments.
struct Declared {
    /// How it is called in messages: `step 'paid'`.
    let subject: String
    let spot: Spot
    var parameters: [DraftParameter] = []

    subscript(name: String) -> DraftParameter? { parameters.first { $0.name == name } }

    /// For the definitions; all types are known where there were no errors.
    var admitted: [Parameter] {
        parameters.sorted { Text.precedes($0.name, $1.name) }.compactMap { parameter in
            parameter.type.map { Parameter(parameter.name, $0, isOptional: parameter.isOptional) }
        }
    }
}

/// A screen as a file declares it, each key with its place.
struct DraftScreen {
    let declared: Declared
    let keys: Section

    /// Whether somebody is asked to show it.
    var hasPresenter: Bool { keys["presenter"] != nil || keys["application"] != nil }
}

/// A flow as the files define it, each key with its place.
struct DraftFlow {
    var declared: Declared
    /// Its keys but `on`, from all files.
    var keys: Section
    /// By the step's name.
    var rules: [String: Item] = [:]
    /// The names of the steps that its navigator takes, whether they are declared or not.
    var navigatorSteps: Set<String> = []

    /// Whether a step leads anywhere.
    func takes(_ step: String) -> Bool { rules[step] != nil || navigatorSteps.contains(step) }

    /// All of those.
    var stepsTaken: [String] { Array(rules.keys) + navigatorSteps }
}

/// What all files declare, before any name is looked up.
///
/// The first of two passes: it knows no cross references, so it can be made of any set of files, in any order.
struct Draft {
    static let flowKeys = [
        "initial", "children", "arguments", "unique", "whenHidden", "announce", "onBack", "idle", "emitters", "guard",
        "navigator", "restore", "on",
    ]
    static let screenKeys = ["arguments", "presenter", "application", "whenOwnerGone"]
    static let rootKeys = ["version", "steps", "private", "screens", "autostart", "flows"]

    let findings: Findings
    private(set) var steps: [String: Declared] = [:]
    private(set) var screens: [String: DraftScreen] = [:]
    private(set) var flows: [String: DraftFlow] = [:]
    private(set) var privateSteps: [Item] = []
    private(set) var autostart: [Item] = []
    /// Whether everything that was declared is here: if not, a name that is missing says nothing.
    private(set) var isComplete: Bool

    init(_ findings: Findings, isComplete: Bool) {
        self.findings = findings
        self.isComplete = isComplete
        for (index, source) in findings.sources.enumerated() {
            read(Section(source.root, Spot(source: index, path: [])))
        }
        for name in flows.keys.sorted(by: Text.precedes) {
            let steps = Self.navigatorSteps(flows[name]?.keys["navigator"])
            flows[name]?.navigatorSteps = steps
            guard let item = flows[name]?.keys["arguments"], let declared = flows[name]?.declared else { continue }
            let parameters = parameters(item, of: declared.subject)
            flows[name]?.declared.parameters = parameters
        }
    }

    private mutating func read(_ root: Section) {
        guard checkVersion(root) else {
            isComplete = false
            return
        }
        root.checkKeys(findings, of: "a definition file", Self.rootKeys)
        for (name, item) in root["steps"]?.section(findings)?.entries ?? [] { readStep(name, item) }
        for (name, item) in root["screens"]?.section(findings)?.entries ?? [] { readScreen(name, item) }
        for (name, item) in root["flows"]?.section(findings)?.entries ?? [] { readFlow(name, item) }
        if let section = root["private"]?.section(findings) {
            section.checkKeys(findings, of: "the table 'private'", ["steps"])
            privateSteps += section["steps"]?.list(findings, "a list of names of steps") ?? []
        }
        autostart += root["autostart"]?.list(findings, "a list of tables: [[autostart]]") ?? []
    }

    /// Whether the file is of this format.
    private func checkVersion(_ root: Section) -> Bool {
        guard let version = root["version"] else {
            findings.error(root.spot, "the file does not say its version; 'version = 1' has to stand before any table")
            return true
        }
        guard version.value != .integer(1) else { return true }
        if case .integer(let number) = version.value {
            findings.error(version.spot, "version '\(number)' of the format is not known; it has to be 1")
            return false
        }
        findings.error(version.spot, "this is \(version.value.kind); it has to be the integer 1")
        return true
    }

    private mutating func readStep(_ name: String, _ item: Item) {
        if !Names.isStepName(name) {
            findings.error(
                item.spot, "\(Text.quoted(name)) can't be the name of a step: \(Names.stepNameRule)")
        }
        if let first = steps[name] { return declaredTwice(first, item.spot) }
        var declared = Declared(subject: "step '\(name)'", spot: item.spot)
        declared.parameters = parameters(item, of: declared.subject)
        steps[name] = declared
    }

    private mutating func readScreen(_ name: String, _ item: Item) {
        checkPresentableName(name, "a screen", item.spot, findings)
        if let first = screens[name] { return declaredTwice(first.declared, item.spot) }
        var declared = Declared(subject: "screen '\(name)'", spot: item.spot)
        let section = item.section(findings)
        if let section {
            section.checkKeys(findings, of: "a screen", Self.screenKeys)
            if let arguments = section["arguments"] {
                declared.parameters = parameters(arguments, of: declared.subject)
            }
        }
        screens[name] = DraftScreen(declared: declared, keys: section ?? Section([], item.spot))
    }

    private mutating func readFlow(_ name: String, _ item: Item) {
        let subject = "flow '\(name)'"
        var flow =
            flows[name]
            ?? DraftFlow(declared: Declared(subject: subject, spot: item.spot), keys: Section([], item.spot))
        if flows[name] == nil { checkPresentableName(name, "a flow", item.spot, findings) }
        if let section = item.section(findings) {
            section.checkKeys(findings, of: "a flow", Self.flowKeys)
            for (key, item) in section.entries where key != "on" {
                if let first = flow.keys[key] {
                    let other = findings.position(of: first.spot)
                    findings.error(item.spot, "the key '\(key)' of \(subject) is given twice: here and in \(other)")
                } else {
                    flow.keys.add(key, item)
                }
            }
            for (step, item) in section["on"]?.section(findings, "a table of rules")?.entries ?? [] {
                if let first = flow.rules[step] {
                    let other = findings.position(of: first.spot)
                    findings.error(item.spot, "\(subject) has two rules for the step '\(step)': here and in \(other)")
                } else {
                    flow.rules[step] = item
                }
            }
        }
        flows[name] = flow
    }

    private static func navigatorSteps(_ navigator: Item?) -> Set<String> {
        guard case .list(let steps)? = navigator?["steps"]?.value else { return [] }
        return Set(steps.compactMap { if case .string(let name) = $0 { name } else { nil } })
    }

    private func declaredTwice(_ first: Declared, _ spot: Spot) {
        findings.error(
            spot, "the \(first.subject) is declared twice: here and in \(findings.position(of: first.spot))")
    }

    private func parameters(_ item: Item, of subject: String) -> [DraftParameter] {
        guard let section = item.section(findings, "a table of arguments and their types") else { return [] }
        let count = section.entries.count
        if count > Limits.argumentCount {
            findings.error(
                item.spot,
                "\(subject) declares \(count) arguments; at most \(Limits.argumentCount) are allowed")
        }
        return section.entries.map { name, item in
            if !Names.isPresentableName(name) {
                findings.error(
                    item.spot,
                    "\(Text.quoted(name)) can't be the name of an argument: \(Names.presentableNameRule)")
            }
            return parameter(name, item)
        }
    }

    private func parameter(_ name: String, _ item: Item) -> DraftParameter {
        if case .table = item.value {
            let hint = "a name with dots has to be in quotes"
            findings.error(item.spot, "this is a table; it has to be the name of a type; \(hint)")
            return DraftParameter(name: name, type: nil, isOptional: false)
        }
        guard let text = item.string(findings, "the name of a type") else {
            return DraftParameter(name: name, type: nil, isOptional: false)
        }
        let isOptional = text.hasSuffix("?")
        let word = isOptional ? String(text.dropLast()) : text
        // A signature on the bus has at most 255 bytes.
        let type = word.utf8.count <= 255 ? ValueType(name: word) : nil
        if type == nil {
            let words = ValueType.words.map(\.name)
            findings.error(
                item.spot,
                "\(Text.quoted(text)) is no type; it has to be one of \(Text.list(words, "or")), or a complete D-Bus "
                    + "signature without file descriptors, not nested deeper than \(Limits.argumentNesting)"
                    + findings.suggestion(for: word, among: words))
        }
        return DraftParameter(name: name, type: type, isOptional: isOptional)
    }
}

/// Reports what can't be the name of a screen or flow, or an id.
func checkPresentableName(_ name: String, _ what: String, _ spot: Spot, _ findings: Findings) {
    if name == "root" {
        findings.error(spot, "'root' can't be the name of \(what): in 'pop' it stands for the oldest child")
    } else if !Names.isPresentableName(name) {
        findings.error(spot, "\(Text.quoted(name)) can't be the name of \(what): \(Names.presentableNameRule)")
    }
}
