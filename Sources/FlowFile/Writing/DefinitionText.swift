public import FlowCore

/// Writes definitions as a definition file: the opposite of ``DefinitionFiles``.
///
/// Reading the text gives the same definitions, sorted by name. Default values are left out.
struct DefinitionText {
    let definitions: Definitions
    private let hidesPrivateValues: Bool
    private var toml = TomlText()
    /// The pairs of the table that is written.
    private var pairs: [TomlText.Pair] = []
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
        end()
        return note + "version = 1\n" + toml.text
    }

    // MARK: Declarations

    private mutating func writeDeclarations() {
        if !definitions.steps.isEmpty { begin(["steps"]) }
        for step in definitions.steps {
            write(
                step.name,
                .table(
                    typePairs(step.parameters) + Self.texts(step.texts)
                        + (step.isInput ? [] : [("input", .bool(false))])))
        }
        let secret = definitions.steps.filter(\.isPrivate).map { WrittenToml.string($0.name) }
        if !secret.isEmpty {
            begin(["private"])
            write("steps", .list(secret))
        }
        if !definitions.screens.isEmpty { begin(["screens"]) }
        for screen in definitions.screens { write(screen.name, declaration(of: screen)) }
        if !definitions.context.isEmpty { begin(["context"]) }
        for value in definitions.context { write(value.name, contextValue(value, ofFlow: false)) }
        if let setter = definitions.outputSetter {
            begin(["outputs"])
            write("setter", .string(setter))
        }
    }

    private func types(_ parameters: [Parameter]) -> WrittenToml {
        .table(typePairs(parameters))
    }

    private func typePairs(_ parameters: [Parameter]) -> [TomlText.Pair] {
        parameters.map { ($0.name, .string($0.type.description + ($0.isOptional ? "?" : ""))) }
    }

    private func result(_ parameters: [Parameter], isPublic: Bool) -> WrittenToml {
        .table(typePairs(parameters) + (isPublic ? [("public", .bool(true))] : []))
    }

    private func declaration(of screen: ScreenDeclaration) -> WrittenToml {
        var keys: [TomlText.Pair] = []
        if !screen.parameters.isEmpty { keys.append(("arguments", types(screen.parameters))) }
        if !screen.key.isEmpty { keys.append(("key", .list(screen.key.map(WrittenToml.string)))) }
        if let result = screen.result {
            keys.append(("result", self.result(result, isPublic: screen.isResultPublic)))
        }
        switch screen.presenter {
        case .service? where !screen.run.isEmpty:
            for argument in screen.run where argument.name != "result" {
                keys.append((argument.name == "command" ? "run" : argument.name, Self.toml(argument.value)))
            }
        case .service(let service)?:
            let start: [TomlText.Pair] = screen.startsEarly ? [("start", .string("early"))] : []
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
            keys.append(("whenOwnerGone", .string(screen.whenOwnerGone.rawValue)))
        }
        if screen.keepsAwake { keys.append(("keepsAwake", .bool(true))) }
        if let budget = screen.budget { keys.append(("budget", Self.span(budget))) }
        if !screen.isPresentedOnReturn { keys.append(("presentOnReturn", .bool(false))) }
        if let watchdog = screen.watchdog {
            let every = Self.span(watchdog)
            let table = WrittenToml.table([("every", every), ("kill", .bool(true))])
            keys.append(("watchdog", screen.endsHungProcess ? table : every))
        }
        if let patience = screen.patience { keys.append(("patience", Self.span(patience))) }
        if screen.isStateOnDisk { keys.append(("stateOnDisk", .bool(true))) }
        if let time = screen.evictAfter { keys.append(("evictAfter", Self.span(time))) }
        keys += Self.texts(screen.texts)
        if !screen.context.isEmpty { keys.append(("context", .list(screen.context.map(WrittenToml.string)))) }
        return .table(keys)
    }

    private static func keys(of call: ApplicationCall) -> [TomlText.Pair] {
        func operand(_ operand: ApplicationCall.Operand) -> WrittenToml {
            switch operand {
            case .literal(let value): literal(value)
            case .argument(let name): .string("$" + name)
            }
        }
        var keys: [TomlText.Pair] = []
        switch call.method {
        case .activate: break
        case .open(let uri): keys.append(("open", operand(uri)))
        case .action(let action, let parameter):
            keys.append(("action", .string(action)))
            if let parameter { keys.append(("parameter", operand(parameter))) }
        }
        if let action = call.closingAction { keys.append(("close", .string(action))) }
        return keys
    }

    private mutating func write(_ root: Autostart) {
        begin(["autostart"], isElement: true)
        write("flow", .string(definitions[root.flow].name))
        if let id = root.id { write("id", .string(id)) }
        if !root.arguments.isEmpty { write("arguments", values(root.arguments, of: nil)) }
        if let step = root.step { write("step", .string(definitions[step].name)) }
        if !root.stepArguments.isEmpty {
            write("stepArguments", values(root.stepArguments, of: root.step ?? definitions[root.flow].initial))
        }
        if root.isPerOutput { write("per", .string("output")) }
        if !root.output.isEmpty { write("output", .string(root.output)) }
        if root.whenOutputGone != .keep { write("whenOutputGone", .string(root.whenOutputGone.rawValue)) }
    }

    mutating func values(_ arguments: Arguments, of step: StepID?) -> WrittenToml {
        .table(arguments.map { ($0.name, value($0.value, of: step)) })
    }

    // MARK: Flows

    private mutating func write(_ flow: FlowDefinition) {
        let isRegistered = flow.navigator?.service.name.hasPrefix(":") ?? false
        begin(
            ["flows", flow.name],
            comment: isRegistered
                ? "A client registered it. Its unique name counts in no file: it has another one the next time." : nil)
        if let initial = flow.initial { write("initial", .string(definitions[initial].name)) }
        if flow.children != .free { write("children", .string(flow.children.rawValue)) }
        if !flow.layers.isEmpty { write("layers", .list(flow.layers.map(Self.layer))) }
        if !flow.covers { write("covers", .bool(false)) }
        if !flow.parameters.isEmpty { write("arguments", types(flow.parameters)) }
        if !flow.key.isEmpty { write("key", .list(flow.key.map(WrittenToml.string))) }
        if let result = flow.result { write("result", self.result(result, isPublic: flow.isResultPublic)) }
        for (key, text) in Self.texts(flow.texts) { write(key, text) }
        if flow.isUnique { write("unique", .bool(true)) }
        if flow.whenHidden != .ignore { write("whenHidden", .string(flow.whenHidden.rawValue)) }
        if flow.announces { write("announce", .bool(true)) }
        if !flow.isRestored { write("restore", .bool(false)) }
        if let whenEmpty = flow.whenEmpty { write("whenEmpty", .string(whenEmpty.rawValue)) }
        if let onBack = flow.onBack { write("onBack", .string(definitions[onBack].name)) }
        let stages = flow.idle.map { timed($0, "after", usual: .allow) }
        if let first = stages.first { write("idle", stages.count == 1 ? first : .list(stages)) }
        let timers = flow.timers.map { timer in
            timed(
                timer.steps[0], timer.repeats ? "every" : "after", usual: .ignore,
                timer.since == .presented ? [("since", .string("presented"))] : [])
        }
        if !timers.isEmpty { write("timers", .list(timers)) }
        let emitters = flow.emitters + (flow.ownersMayEmit ? ["owner"] : [])
        if !emitters.isEmpty { write("emitters", .list(emitters.map(WrittenToml.string))) }
        if !flow.context.isEmpty {
            var values: [TomlText.Pair] = []
            for value in flow.context { values.append((value.name, contextValue(value, ofFlow: true))) }
            write("context", .table(values))
        }
        if let `guard` = flow.guard {
            let more: [TomlText.Pair] = `guard`.steps.map { [("steps", names($0))] } ?? []
            write("guard", Self.service(`guard`.service, timeout: Limits.guardTimeout, more))
        }
        if let navigator = flow.navigator {
            let more = [("steps", names(navigator.steps))]
            write("navigator", Self.service(navigator.service, timeout: Limits.guardTimeout, more))
        } else if !flow.rules.isEmpty {
            end()
            toml.begin(["flows", flow.name, "on"])
            for rule in flow.rules { write(definitions[rule.step].name, alternatives(of: rule, in: flow)) }
        }
    }

    /// The step of a timer.
    private func timed(
        _ timed: TimedStep, _ key: String, usual: WhenHidden, _ more: [TomlText.Pair] = []
    ) -> WrittenToml {
        .table(
            [(key, Self.span(timed.after))] + more + [("step", .string(definitions[timed.step].name))]
                + (timed.whenHidden == usual ? [] : [("whenHidden", .string(timed.whenHidden.rawValue))]))
    }

    private func names(_ steps: Set<StepID>) -> WrittenToml {
        .list(steps.sorted { $0.index < $1.index }.map { .string(definitions[$0].name) })
    }

    private mutating func alternatives(of rule: Rule, in flow: FlowDefinition) -> WrittenToml {
        if rule.alternatives.count == 1, let only = rule.alternatives.first, only.when.isEmpty, only.unless.isEmpty {
            let tables = contributors(only, of: rule.step, in: flow)
            return tables.count == 1 ? tables[0] : .list(tables)
        }
        var tables: [WrittenToml] = []
        for alternative in rule.alternatives {
            tables.append(self.alternative(alternative, of: rule.step, in: flow))
        }
        return .list(tables)
    }

    private mutating func alternative(
        _ alternative: Alternative, of step: StepID, in flow: FlowDefinition
    ) -> WrittenToml {
        var keys: [TomlText.Pair] = []
        if !alternative.when.isEmpty { keys.append(("when", conditions(alternative.when, of: step))) }
        if !alternative.unless.isEmpty { keys.append(("unless", conditions(alternative.unless, of: step))) }
        keys.append(("do", .list(contributors(alternative, of: step, in: flow))))
        return .table(keys)
    }

    private mutating func conditions(_ conditions: [Condition], of step: StepID) -> WrittenToml {
        .table(
            conditions.map { condition in
                switch condition {
                case .argument(let name, let value): (name, self.value(value, of: step))
                case .alive(let name): ("alive", self.name(name, of: step))
                case .context(let name, let value):
                    (
                        "$context." + name,
                        self.value(value, of: nil, isPrivate: definitions.isPrivateContext(name))
                    )
                case .same(.step(let name), let other): (name, source(other, of: step))
                case .same(let one, let other): (one.reference ?? "", source(other, of: step))
                }
            })
    }

    /// A table for each; an empty one if there is none.
    private mutating func contributors(
        _ alternative: Alternative, of rule: StepID, in flow: FlowDefinition
    ) -> [WrittenToml] {
        if alternative.contributors.isEmpty { return [.table([("none", .bool(true))])] }
        return alternative.contributors.map { contributor in
            switch contributor {
            case .child(let template): return child(template)
            case .pop(.to(let name)): return .table([("pop", self.name(name, of: rule))])
            case .pop(.root): return .table([("pop", .string("root"))])
            case .show(let name): return .table([("show", self.name(name, of: rule))])
            case .hide(let name): return .table([("hide", self.name(name, of: rule))])
            case .dismiss(let name): return .table([("dismiss", self.name(name, of: rule))])
            case .evict: return .table([("evict", .bool(true))])
            case .move(let output): return .table([("move", source(output, of: rule))])
            case .set(let bindings):
                let isPrivate = bindings.contains { definitions.isPrivateContext($0.name) }
                return .table(arguments(.given(bindings), "set", of: nil, isPrivate: isPrivate))
            case .current(let template): return .table(step(template, "current"))
            case .parent(let template): return .table(step(template, "parent"))
            case .end(let template?): return .table(step(template, "end"))
            case .end(nil): return .table([("end", .bool(true))])
            case .answer(let source):
                return .table(
                    [("end", .bool(true))] + arguments(source, "result", of: nil, isPrivate: !flow.isResultPublic))
            }
        }
    }

    /// A name, or a table with values of its key. Those of the rule of a private step are as private as those it is compared with.
    private mutating func name(_ name: KeyedName, of step: StepID) -> WrittenToml {
        guard let isFlow = name.isFlow else { return .string(name.name) }
        return .table([(isFlow ? "flow" : "screen", .string(name.name))] + entries(name.key, of: step))
    }

    private mutating func step(_ template: StepTemplate, _ key: String) -> [TomlText.Pair] {
        [(key, .string(definitions[template.step].name))]
            + arguments(template.arguments, "arguments", of: template.step)
    }

    private mutating func child(_ template: ChildTemplate) -> WrittenToml {
        var keys: [TomlText.Pair]
        let initial: StepID?
        switch template.presentable {
        case .screen(let screen):
            keys = [("screen", .string(definitions[screen].name))]
            initial = template.step
        case .flow(let flow):
            keys = [("flow", .string(definitions[flow].name))]
            initial = template.step ?? definitions[flow].initial
        }
        for option in NamedContributor.Option.allCases {
            let key = option.rawValue
            switch (option, template.given(option)) {
            case (.arguments, _): keys += arguments(template.arguments, key, of: nil)
            case (.step, _): if let step = template.step { keys.append((key, .string(definitions[step].name))) }
            case (.stepArguments, _): keys += arguments(template.stepArguments, key, of: initial)
            case (.onDismissed, _):
                if let step = template.onDismissed { keys.append((key, .table(self.step(step, "step")))) }
            case (.onResult, _): if let step = template.onResult { keys.append((key, .table(self.step(step, "step")))) }
            case (_, .text(let text)?): keys.append((key, .string(text)))
            case (_, .flag(let flag)?): keys.append((key, .bool(flag)))
            case (_, .arguments?), (_, .table?), (_, nil): break
            }
        }
        return .table(keys)
    }

    /// The key and its table; nothing where arguments are inherited.
    private mutating func arguments(
        _ source: ArgumentSource, _ key: String, of step: StepID?, isPrivate: Bool = false
    ) -> [TomlText.Pair] {
        guard case .given(let bindings) = source else { return [] }
        return [(key, .table(entries(bindings, of: step, isPrivate: isPrivate)))]
    }

    private mutating func entries(
        _ bindings: [Binding], of step: StepID?, isPrivate: Bool = false
    ) -> [TomlText.Pair] {
        bindings.map { ($0.name, source($0.source, of: step, isPrivate: isPrivate)) }
    }

    private mutating func source(
        _ source: Binding.Source, of step: StepID?, isPrivate: Bool = false
    ) -> WrittenToml {
        if case .literal(let value) = source { return self.value(value, of: step, isPrivate: isPrivate) }
        return .string(source.reference ?? "")
    }

    // MARK: Values

    /// An argument's value; nothing but its type, if the argument or the step that has it is private.
    mutating func value(_ value: Value, of step: StepID?, isPrivate: Bool = false) -> WrittenToml {
        guard hidesPrivateValues, isPrivate || step.map({ definitions[$0].isPrivate }) == true else {
            return Self.literal(value)
        }
        hasHidden = true
        return Self.literal(value.blank)
    }

    /// The value of an argument. A `$` at its beginning would refer to something.
    static func literal(_ value: Value) -> WrittenToml {
        if case .string(let text) = value, text.hasPrefix("$") { return .string("$" + text) }
        return toml(value)
    }

    static func toml(_ value: Value) -> WrittenToml {
        switch value.shape {
        case .fixed(let type, let bits): .plain(type.text(bits: bits))
        case .stringLike(_, let text): .string(text)
        case .variant(let value): toml(value)
        case .bytes(let bytes): .list(bytes.map { .plain("\($0)") })
        case .array(let element, let values) where element.hasPrefix("{"):
            .table(
                values.compactMap { entry in
                    if case .entry(let key, let value) = entry { (self.text(of: key), toml(value)) } else { nil }
                })
        case .array(_, let values), .structure(let values): .list(values.map(toml))
        // It stands in an array alone.
        case .entry: .plain("")
        }
    }

    /// A key of a dictionary, which is a text in TOML whatever its type is.
    private static func text(of key: Value) -> String {
        switch key.shape {
        case .fixed(let type, let bits): type.text(bits: bits)
        case .stringLike(_, let text): text
        // No key has another type.
        case .variant, .bytes, .array, .structure, .entry: ""
        }
    }

    private static func service(
        _ service: Service, timeout usual: UInt64, hasPath: Bool = true, _ more: [TomlText.Pair] = []
    ) -> WrittenToml {
        var keys: [TomlText.Pair] = [("name", .string(service.name))]
        if hasPath, service.path != Resolver.path(of: service.name) { keys.append(("path", .string(service.path))) }
        if service.timeout != usual { keys.append(("timeout", span(service.timeout))) }
        keys += more
        return keys.count == 1 ? keys[0].value : .table(keys)
    }

    /// A time span in the largest unit that it is a multiple of.
    private static func span(_ microseconds: UInt64) -> WrittenToml {
        if microseconds == 0 { return .string("0s") }
        let units: [(String, UInt64)] = [("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1_000)]
        let (unit, size) = units.first { microseconds.isMultiple(of: $0.1) } ?? ("us", 1)
        return .string("\(microseconds / size)\(unit)")
    }

    private static func span(_ span: Span) -> WrittenToml {
        switch span {
        case .fixed(let time): self.span(time)
        case .context(let name): .string("$context." + name)
        }
    }

    private static func layer(_ layer: Layer) -> WrittenToml {
        layer.covers ? .string(layer.name) : .table([("name", .string(layer.name)), ("covers", .bool(false))])
    }

    // MARK: TOML

    /// Begins a table, after an empty line.
    mutating func begin(_ path: [String], isElement: Bool = false, comment: String? = nil) {
        end()
        toml.addEmptyLine()
        if let comment { toml.add(comment: comment) }
        toml.begin(path, isElement: isElement)
    }

    /// Writes the pairs of the table that ends here.
    private mutating func end() {
        toml.add(pairs)
        pairs = []
    }

    mutating func write(_ key: String, _ value: WrittenToml) { pairs.append((key, value)) }
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
