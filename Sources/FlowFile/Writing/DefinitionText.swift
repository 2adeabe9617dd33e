public import FlowCore

/// Writes definitions as a definition file: the opposite of ``DefinitionFiles``.
///
/// Reading the text gives the same definitions, sorted by name. Default values are left out.
struct DefinitionText {
    let definitions: Definitions
    private let hidesPrivateValues: Bool
    var text = ""
    /// Whether a value was left out.
    private var hasHidden = false

    init(_ definitions: Definitions, hidesPrivateValues: Bool) {
        self.definitions = definitions
        self.hidesPrivateValues = hidesPrivateValues
    }

    /// The whole file.
    mutating func write() -> String {
        writeDeclarations()
        for root in definitions.autostart { write(root) }
        for stepper in definitions.steppers { write(stepper) }
        for flow in definitions.flows { write(flow) }
        let note =
            hasHidden
            ? "# The values of private steps' arguments are left out: each is \"\", 0, false or empty here.\n" : ""
        return note + "version = 1\n" + text
    }

    // MARK: Declarations

    private mutating func writeDeclarations() {
        writeHeader("steps", if: !definitions.steps.isEmpty)
        for step in definitions.steps { writeLine(step.name, types(step.parameters)) }
        let secret = definitions.steps.filter(\.isPrivate).map { Self.string($0.name) }
        writeHeader("private", if: !secret.isEmpty)
        if !secret.isEmpty { writeLine("steps", Self.list(secret)) }
        writeHeader("screens", if: !definitions.screens.isEmpty)
        for screen in definitions.screens { writeLine(screen.name, declaration(of: screen)) }
    }

    private func types(_ parameters: [Parameter]) -> String {
        Self.table(parameters.map { ($0.name, Self.string($0.type.description + ($0.isOptional ? "?" : ""))) })
    }

    private func declaration(of screen: ScreenDeclaration) -> String {
        var keys: [(String, String)] = []
        if !screen.parameters.isEmpty { keys.append(("arguments", types(screen.parameters))) }
        if let result = screen.result { keys.append(("result", types(result))) }
        switch screen.presenter {
        case .service(let service)?:
            let start = screen.startsEarly ? [("start", Self.string("early"))] : []
            keys.append(("presenter", Self.service(service, timeout: Limits.presenterTimeout, start)))
        case .application(let service, let call)?:
            keys.append(
                (
                    "application",
                    Self.service(service, timeout: Limits.presenterTimeout, hasPath: false, Self.keys(of: call))
                ))
        case nil: break
        }
        if screen.whenOwnerGone != .dismiss {
            keys.append(("whenOwnerGone", Self.string(screen.whenOwnerGone.rawValue)))
        }
        if screen.keepsAwake { keys.append(("keepsAwake", "true")) }
        if let budget = screen.budget { keys.append(("budget", Self.span(budget))) }
        if !screen.isPresentedOnReturn { keys.append(("presentOnReturn", "false")) }
        if let watchdog = screen.watchdog { keys.append(("watchdog", Self.span(watchdog))) }
        if screen.isStateOnDisk { keys.append(("stateOnDisk", "true")) }
        if let time = screen.evictAfter { keys.append(("evictAfter", Self.span(time))) }
        return Self.table(keys)
    }

    private static func keys(of call: ApplicationCall) -> [(String, String)] {
        func operand(_ operand: ApplicationCall.Operand) -> String {
            switch operand {
            case .literal(let value): literal(value)
            case .argument(let name): string("$" + name)
            }
        }
        var keys: [(String, String)] = []
        switch call.method {
        case .activate: break
        case .open(let uri): keys.append(("open", operand(uri)))
        case .action(let action, let parameter):
            keys.append(("action", string(action)))
            if let parameter { keys.append(("parameter", operand(parameter))) }
        }
        if let action = call.closingAction { keys.append(("close", string(action))) }
        return keys
    }

    private mutating func write(_ root: Autostart) {
        text += "\n[[autostart]]\n"
        writeLine("flow", Self.string(definitions[root.flow].name))
        if let id = root.id { writeLine("id", Self.string(id)) }
        if !root.arguments.isEmpty { writeLine("arguments", values(root.arguments, of: nil)) }
        if let step = root.step { writeLine("step", Self.string(definitions[step].name)) }
        if !root.stepArguments.isEmpty {
            writeLine("stepArguments", values(root.stepArguments, of: root.step ?? definitions[root.flow].initial))
        }
        if !root.output.isEmpty { writeLine("output", Self.string(root.output)) }
    }

    mutating func values(_ arguments: Arguments, of step: StepID?) -> String {
        Self.table(arguments.map { ($0.name, value($0.value, of: step)) })
    }

    // MARK: Flows

    private mutating func write(_ flow: FlowDefinition) {
        text += "\n"
        if flow.navigator?.service.name.hasPrefix(":") ?? false {
            text += "# A client registered it. Its unique name counts in no file: it has another one the next time.\n"
        }
        text += "[flows.\(Self.key(flow.name))]\n"
        if let initial = flow.initial { writeLine("initial", Self.string(definitions[initial].name)) }
        if flow.children != .free { writeLine("children", Self.string(flow.children.rawValue)) }
        if !flow.layers.isEmpty { writeLine("layers", Self.list(flow.layers.map(Self.layer))) }
        if !flow.parameters.isEmpty { writeLine("arguments", types(flow.parameters)) }
        if let result = flow.result { writeLine("result", types(result)) }
        if flow.isUnique { writeLine("unique", "true") }
        if flow.whenHidden != .ignore { writeLine("whenHidden", Self.string(flow.whenHidden.rawValue)) }
        if flow.announces { writeLine("announce", "true") }
        if !flow.isRestored { writeLine("restore", "false") }
        if let whenEmpty = flow.whenEmpty { writeLine("whenEmpty", Self.string(whenEmpty.rawValue)) }
        if let onBack = flow.onBack { writeLine("onBack", Self.string(definitions[onBack].name)) }
        let stages = flow.idle.map { idle in
            Self.table([("after", Self.span(idle.after)), ("step", Self.string(definitions[idle.step].name))])
        }
        if let first = stages.first { writeLine("idle", stages.count == 1 ? first : Self.list(stages)) }
        let emitters = flow.emitters + (flow.ownersMayEmit ? ["owner"] : [])
        if !emitters.isEmpty { writeLine("emitters", Self.list(emitters.map(Self.string))) }
        if let `guard` = flow.guard {
            let more = `guard`.steps.map { [("steps", names($0))] } ?? []
            writeLine("guard", Self.service(`guard`.service, timeout: Limits.guardTimeout, more))
        }
        if let navigator = flow.navigator {
            let more = [("steps", names(navigator.steps))]
            writeLine("navigator", Self.service(navigator.service, timeout: Limits.guardTimeout, more))
        } else if !flow.rules.isEmpty {
            text += "[flows.\(Self.key(flow.name)).on]\n"
            for rule in flow.rules { writeLine(definitions[rule.step].name, alternatives(of: rule)) }
        }
    }

    private func names(_ steps: Set<StepID>) -> String {
        Self.list(steps.sorted { $0.index < $1.index }.map { Self.string(definitions[$0].name) })
    }

    private mutating func alternatives(of rule: Rule) -> String {
        if rule.alternatives.count == 1, let only = rule.alternatives.first, only.when.isEmpty, only.unless.isEmpty {
            let tables = contributors(only)
            return tables.count == 1 ? tables[0] : Self.lines(tables)
        }
        var tables: [String] = []
        for alternative in rule.alternatives { tables.append(self.alternative(alternative, of: rule.step)) }
        return Self.lines(tables)
    }

    private mutating func alternative(_ alternative: Alternative, of step: StepID) -> String {
        var keys: [(String, String)] = []
        if !alternative.when.isEmpty { keys.append(("when", conditions(alternative.when, of: step))) }
        if !alternative.unless.isEmpty { keys.append(("unless", conditions(alternative.unless, of: step))) }
        keys.append(("do", Self.list(contributors(alternative))))
        return Self.table(keys)
    }

    private mutating func conditions(_ conditions: [Condition], of step: StepID) -> String {
        Self.table(
            conditions.map { condition in
                switch condition {
                case .argument(let name, let value): (name, self.value(value, of: step))
                case .alive(let name): ("alive", Self.string(name))
                }
            })
    }

    /// A table for each; an empty one if there is none.
    private mutating func contributors(_ alternative: Alternative) -> [String] {
        if alternative.contributors.isEmpty { return [Self.table([("none", "true")])] }
        return alternative.contributors.map { contributor in
            switch contributor {
            case .child(let template): return child(template)
            case .pop(.to(let name)): return Self.table([("pop", Self.string(name))])
            case .pop(.root): return Self.table([("pop", Self.string("root"))])
            case .show(let name): return Self.table([("show", Self.string(name))])
            case .hide(let name): return Self.table([("hide", Self.string(name))])
            case .dismiss(let name): return Self.table([("dismiss", Self.string(name))])
            case .evict: return Self.table([("evict", "true")])
            case .current(let template): return Self.table(step(template, "current"))
            case .parent(let template): return Self.table(step(template, "parent"))
            case .end(let template?): return Self.table(step(template, "end"))
            case .end(nil): return Self.table([("end", "true")])
            case .answer(let source):
                return Self.table([("end", "true")] + arguments(source, "result", of: nil, isPrivate: true))
            }
        }
    }

    private mutating func step(_ template: StepTemplate, _ key: String) -> [(String, String)] {
        [(key, Self.string(definitions[template.step].name))]
            + arguments(template.arguments, "arguments", of: template.step)
    }

    private mutating func child(_ template: ChildTemplate) -> String {
        var keys: [(String, String)]
        let initial: StepID?
        switch template.presentable {
        case .screen(let screen):
            keys = [("screen", Self.string(definitions[screen].name))]
            initial = template.step
        case .flow(let flow):
            keys = [("flow", Self.string(definitions[flow].name))]
            initial = template.step ?? definitions[flow].initial
        }
        if let id = template.id { keys.append(("id", Self.string(id))) }
        keys += arguments(template.arguments, "arguments", of: nil)
        if let step = template.step { keys.append(("step", Self.string(definitions[step].name))) }
        keys += arguments(template.stepArguments, "stepArguments", of: initial)
        if !template.style.isEmpty { keys.append(("style", Self.string(template.style))) }
        if let whenHidden = template.whenHidden { keys.append(("whenHidden", Self.string(whenHidden.rawValue))) }
        if template.reuses {
            keys.append(("reuse", template.raises ? Self.string(NamedContributor.Option.raise) : "true"))
        }
        if template.clears { keys.append(("clear", "true")) }
        if let layer = template.layer { keys.append(("layer", Self.string(layer))) }
        if let onDismissed = template.onDismissed {
            keys.append(("onDismissed", Self.table(step(onDismissed, "step"))))
        }
        if let onResult = template.onResult { keys.append(("onResult", Self.table(step(onResult, "step")))) }
        return Self.table(keys)
    }

    /// The key and its table; nothing where arguments are inherited.
    private mutating func arguments(
        _ source: ArgumentSource, _ key: String, of step: StepID?, isPrivate: Bool = false
    ) -> [(String, String)] {
        guard case .given(let bindings) = source else { return [] }
        let entries = bindings.map { binding in
            switch binding.source {
            case .literal(let value): (binding.name, self.value(value, of: step, isPrivate: isPrivate))
            case .step(let name): (binding.name, Self.string("$" + name))
            case .flow(let name): (binding.name, Self.string("$flow." + name))
            case .result(let name): (binding.name, Self.string("$result." + name))
            case .asked(let name): (binding.name, Self.string("$asked." + name))
            case .childName: (binding.name, Self.string("$name"))
            case .reason: (binding.name, Self.string("$reason"))
            case .error: (binding.name, Self.string("$error"))
            case .message: (binding.name, Self.string("$message"))
            }
        }
        return [(key, Self.table(entries))]
    }

    // MARK: Values

    /// An argument's value; nothing but its type, if the argument or the step that has it is private.
    mutating func value(_ value: Value, of step: StepID?, isPrivate: Bool = false) -> String {
        guard hidesPrivateValues, isPrivate || step.map({ definitions[$0].isPrivate }) == true else {
            return Self.literal(value)
        }
        hasHidden = true
        return Self.literal(value.blank)
    }

    /// The value of an argument. A `$` at its beginning would refer to something.
    static func literal(_ value: Value) -> String {
        if case .string(let text) = value, text.hasPrefix("$") { return string("$" + text) }
        return toml(value)
    }

    static func toml(_ value: Value) -> String {
        switch value.shape {
        case .fixed(let type, let bits): type.text(bits: bits)
        case .stringLike(_, let text): string(text)
        case .variant(let value): toml(value)
        case .bytes(let bytes): list(bytes.map { "\($0)" })
        case .array(let element, let values) where element.hasPrefix("{"):
            table(
                values.compactMap { entry in
                    if case .entry(let key, let value) = entry { (self.text(of: key), toml(value)) } else { nil }
                })
        case .array(_, let values), .structure(let values): list(values.map(toml))
        // It stands in an array alone.
        case .entry: ""
        }
    }

    /// A key of a dictionary, which is a text in TOML whatever its type is.
    private static func text(of key: Value) -> String {
        if case .stringLike(_, let text) = key.shape { text } else { toml(key) }
    }

    private static func service(
        _ service: Service, timeout usual: UInt64, hasPath: Bool = true, _ more: [(String, String)] = []
    ) -> String {
        var keys = [("name", string(service.name))]
        if hasPath, service.path != Resolver.path(of: service.name) { keys.append(("path", string(service.path))) }
        if service.timeout != usual { keys.append(("timeout", span(service.timeout))) }
        keys += more
        return keys.count == 1 ? keys[0].1 : table(keys)
    }

    /// A time span in the largest unit that it is a multiple of.
    private static func span(_ microseconds: UInt64) -> String {
        let units: [(String, UInt64)] = [("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1_000)]
        let (unit, size) = units.first { microseconds.isMultiple(of: $0.1) } ?? ("us", 1)
        return string("\(microseconds / size)\(unit)")
    }

    private static func layer(_ layer: Layer) -> String {
        layer.covers ? string(layer.name) : table([("name", string(layer.name)), ("covers", "false")])
    }

    // MARK: TOML

    private mutating func writeHeader(_ name: String, if isThere: Bool) {
        if isThere { text += "\n[\(name)]\n" }
    }

    mutating func writeLine(_ key: String, _ value: String) { text += "\(Self.key(key)) = \(value)\n" }

    private static func key(_ name: String) -> String {
        !name.isEmpty && name.utf8.allSatisfy(TomlParser.isBareKey) ? name : string(name)
    }

    static func table(_ entries: [(String, String)]) -> String {
        entries.isEmpty ? "{}" : "{ " + entries.map { "\(key($0.0)) = \($0.1)" }.joined(separator: ", ") + " }"
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ", ") + "]" }

    /// A list with a line for each of its elements.
    private static func lines(_ values: [String]) -> String {
        "[\n" + values.map { "    \($0),\n" }.joined() + "]"
    }

    static func string(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Value {
    /// The blank value of the same type.
    fileprivate var blank: Value {
        switch shape {
        case .fixed(let type, _): Value(type, bits: 0)
        case .stringLike(let type, _): Value(type, type == .objectPath ? "/" : "")
        case .variant(let value): .variant(value.blank)
        case .bytes: .bytes([])
        case .array(let element, _): .array(element: element, [])
        case .structure(let members): .structure(members.map(\.blank))
        case .entry(let key, let value): .entry(key: key.blank, value: value.blank)
        }
    }
}

extension Definitions {
    /// The definitions as the text of one definition file, which ``DefinitionFiles/definitions(in:)`` reads.
    ///
    /// - Parameters:
    ///   - hidesPrivateValues: whether the values of private steps' arguments are left out (S-10): instead of each stands
    ///     a blank value of its type.
    ///   - limit: how many bytes it may have.
    /// - Throws: ``FlowError/Code/limitExceeded`` for a longer text.
    public func fileText(
        hidesPrivateValues: Bool, limit: Int = Limits.definitionBytes
    ) throws(FlowError) -> String {
        var writer = DefinitionText(self, hidesPrivateValues: hidesPrivateValues)
        let text = writer.write()
        guard text.utf8.count <= limit else {
            throw FlowError(
                .limitExceeded,
                "the definitions take \(text.utf8.count) bytes as a text; at most \(limit) fit into an answer")
        }
        return text
    }
}
