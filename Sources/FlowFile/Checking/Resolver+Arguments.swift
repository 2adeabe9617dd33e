import FlowCore

extension Resolver {
    /// The meaning of `$` in `onDismissed`, in addition to arguments.
    private static let dismissal: [String: Binding.Source] = [
        "name": .childName, "reason": .reason, "error": .error, "message": .message,
    ]
    /// The same in `onResult`.
    private static let answer: [String: Binding.Source] = ["name": .childName]
    /// Those of them that an argument of the child hides.
    private static let hideable: Set = ["error", "message"]

    /// What `$` means at this place, in addition to arguments.
    private static func words(in context: RuleContext) -> [String: Binding.Source] {
        context.answer != nil ? answer : context.isDismissal ? dismissal : [:]
    }

    /// Returns the arguments that a contributor gives to its target, or those that the target inherits (S-18).
    ///
    /// The target is nil if it could not be resolved; the table is checked as far as possible then.
    func arguments(_ key: String, _ table: Section, for target: Declared?, _ context: RuleContext) -> ArgumentSource? {
        let target = target.flatMap(checkable)
        guard let item = table[key] else {
            if let target { checkInherited(by: target, key, table, context) }
            return .inherited
        }
        guard let section = item.section(diagnostics, "a table of arguments") else { return nil }
        var bindings: [Binding] = []
        for (name, item) in section.entries {
            if let binding = binding(name, item, target, context) { bindings.append(binding) }
        }
        if let target { checkMissing(target, section) }
        checkSize(bindings, item.location)
        return .given(bindings.sorted { Text.precedes($0.name, $1.name) })
    }

    /// Where arguments have no references.
    enum FixedPlace: String {
        /// At a root.
        case root = "no step starts a root"
        /// At a stepper, while a property can't be read.
        case absence = "there is no value while the property can't be read"
    }

    /// Returns arguments without references.
    func fixedArguments(
        _ key: String, _ table: Section, for target: Declared?, of place: FixedPlace = .root
    ) -> Arguments {
        let target = target.flatMap(checkable)
        let section = table[key].flatMap { $0.section(diagnostics, "a table of arguments") }
        var arguments: Arguments = []
        for (name, item) in section?.entries ?? [] {
            let parameter = parameter(name, of: target, item.location)
            if case .string(let text) = item.value, text.hasPrefix("$"), !text.hasPrefix("$$") {
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(text)) refers to an argument, but \(place.rawValue); for the text itself write "
                        + "\(Text.quoted("$" + text))")
            } else if let type = parameter?.type, let value = literal(item, type, name) {
                arguments.append(Argument(name, value))
            }
        }
        if let target {
            if let section {
                checkMissing(target, section)
            } else if table[key] == nil {
                checkMissing(target, Section(empty: table.location.key(key)))
            }
        }
        checkSize(arguments.map { Binding($0.name, .literal($0.value)) }, table.location.key(key))
        return arguments.sorted { Text.precedes($0.name, $1.name) }
    }

    /// A target with more arguments than allowed was reported; comparing thousands of names would take long.
    private func checkable(_ target: Declared) -> Declared? {
        target.parameters.count <= Limits.argumentCount ? target : nil
    }

    /// Returns the conditions of `when` or `unless`; nil if one is invalid.
    func conditions(_ key: String, _ table: Section, _ context: RuleContext) -> [Condition]? {
        guard let item = table[key] else { return [] }
        guard let section = item.section(diagnostics, "a table of arguments and values") else { return nil }
        if section.count == 0 {
            diagnostics.error(
                item.location, "'\(key)' is empty; it has to name an argument of the step, or 'alive', or be left out")
            return nil
        }
        var conditions: [Condition] = []
        for (name, item) in section.entries.sorted(by: { Text.precedes($0.key, $1.key) }) {
            // It takes precedence over an argument of that name.
            if name == "alive" {
                if let name = keyedName(item, context) { conditions.append(.alive(name)) }
            } else if name.hasPrefix(Self.contextPrefix) {
                if let condition = contextCondition(name, item, key, context) { conditions.append(condition) }
            } else if name.hasPrefix("$flow.") {
                if let condition = flowCondition(name, item, key, context) { conditions.append(condition) }
            } else if let type = parameter(name, of: context.giver, item.location, besides: ["alive"])?.type {
                if let condition = comparison(name, .step(name), type, item, key, context) {
                    conditions.append(condition)
                }
            }
        }
        guard conditions.count == section.count else { return nil }
        return conditions
    }

    /// The beginning of references to values of the context.
    static let contextPrefix = "$context."

    private func contextCondition(
        _ reference: String, _ item: Item, _ key: String, _ context: RuleContext
    ) -> Condition? {
        let name = String(reference.dropFirst(Self.contextPrefix.count))
        guard let type = contextParameter(name, item.location)?.type else { return nil }
        return comparison(name, .context(name), type, item, key, context)
    }

    /// Returns the value of a condition.
    func compared(_ item: Item, _ type: ValueType, _ name: String, _ key: String) -> Value? {
        if case .string(let text) = item.value, text.hasPrefix("$"), !text.hasPrefix("$$") {
            diagnostics.error(
                item.location,
                "\(Text.quoted(text)) refers to an argument, but '\(key)' compares with a value that stands here, with "
                    + "'$flow.NAME' or with '$context.NAME'; for the text itself write \(Text.quoted("$" + text))")
            return nil
        }
        return literal(item, type, name)
    }

    func binding(_ name: String, _ item: Item, _ target: Declared?, _ context: RuleContext) -> Binding? {
        binding(name, item, of: parameter(name, of: target, item.location), context)
    }

    /// Returns what an argument gets, or a value of the context.
    func binding(_ name: String, _ item: Item, of parameter: DraftParameter?, _ context: RuleContext) -> Binding? {
        if case .string(let text) = item.value, text.hasPrefix("$"), !text.hasPrefix("$$") {
            guard let source = reference(text, item.location, to: parameter, context) else { return nil }
            return Binding(name, source)
        }
        guard let type = parameter?.type, let value = literal(item, type, name) else { return nil }
        warnOfReferences(inside: item) { isReference($0, context) }
        return Binding(name, .literal(value))
    }

    /// Whether a text that is this alone would be a reference.
    private func isReference(_ text: Substring, _ context: RuleContext) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 1 {
            return Self.words(in: context)[parts[0]] != nil || context.giver?[parts[0]] != nil
        }
        guard parts.count == 2 else { return false }
        switch parts[0] {
        case "flow": return context.flow[parts[1]] != nil || parts[1] == "output"
        case "context": return contextParameter(parts[1]) != nil
        case "result": return context.answer?.result?[parts[1]] != nil
        case "asked": return context.answer?.asked?[parts[1]] != nil
        default: return false
        }
    }

    /// Warns about `$NAME` within a longer text, which stays as it is.
    ///
    /// - Parameters:
    ///   - item: the text; anything else has no references.
    ///   - help: what to write instead of a name.
    ///   - isReference: whether `$` and this text, alone, would be one. It is a name, or two with a dot between them.
    func warnOfReferences(
        inside item: Item, help: ((Substring) -> String)? = nil, _ isReference: (Substring) -> Bool
    ) {
        guard case .string(let text) = item.value else { return }
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            // Two are one dollar sign.
            if rest.first == "$" {
                rest = rest.dropFirst()
                continue
            }
            let name = rest.prefix { $0 == "." || $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
            let dots = name.indices.filter { name[$0] == "." }
            let ends = [name.endIndex] + dots.reversed()
            guard let end = ends.first(where: { isReference(name[..<$0]) }) else { continue }
            let why =
                help.map { $0(name[..<end]) }
                ?? "a reference has to be the whole text; let the program that shows it put the text together"
            diagnostics.warning(
                item.location, "'$\(name[..<end])' stays as it is in \(Text.quoted(text)): \(why)")
            return
        }
    }

    /// Returns the declaration of a given argument.
    func parameter(
        _ name: String, of target: Declared?, _ location: Location, besides others: [String] = []
    ) -> DraftParameter? {
        guard let target else { return nil }
        if let parameter = target[name] { return parameter }
        let known = known(target, name, besides: others)
        diagnostics.error(location, "\(target.subject) has no argument \(Text.quoted(name))" + known)
        return nil
    }

    /// Resolves a reference with `$`.
    func reference(
        _ text: String, _ location: Location, to parameter: DraftParameter?, _ context: RuleContext
    ) -> Binding.Source? {
        if let answer = context.answer {
            for (prefix, owner, source) in [
                ("$result.", answer.result, Binding.Source.result), ("$asked.", answer.asked, Binding.Source.asked),
            ] where text.hasPrefix(prefix) {
                let isThere = prefix == "$asked." && context.isTested
                return value(text, prefix, of: owner, location, to: parameter, isThere: isThere).map(source)
            }
        }
        if text.hasPrefix(Self.contextPrefix) {
            let name = String(text.dropFirst(Self.contextPrefix.count))
            guard let source = contextParameter(name, location) else { return nil }
            if let parameter { checkFit(source, "'\(text)'", parameter, location) }
            return .context(name)
        }
        let isFlows = text.hasPrefix("$flow.")
        let name = String(text.dropFirst(isFlows ? "$flow.".count : 1))
        guard Names.isPresentableName(name) else {
            diagnostics.error(
                location,
                "\(Text.quoted(text)) is no reference; it has to be '$NAME', '$flow.NAME' or '$context.NAME', or for the text itself "
                    + "\(Text.quoted("$" + text))")
            return nil
        }
        let own = Self.words(in: context)
        let isHidden = Self.hideable.contains(name) && context.giver?[name] != nil
        if !isFlows, !isHidden, let source = own[name] {
            let given = DraftParameter(name: name, type: ValueType(name: "string"), isOptional: false)
            if let parameter { checkFit(given, "'\(text)'", parameter, location) }
            return source
        }
        if isFlows, name == "output", context.flow[name] == nil {
            let given = DraftParameter(name: name, type: ValueType(name: "string"), isOptional: false)
            if let parameter { checkFit(given, "'\(text)'", parameter, location) }
            return .output
        }
        guard draft.isComplete, let owner = isFlows ? context.flow : context.giver else { return nil }
        guard let source = owner[name] else {
            let others = isFlows ? [] : own.keys.sorted(by: Text.precedes)
            diagnostics.error(
                location,
                "'\(text)' refers to nothing (for the text itself write '$\(text)'): \(owner.subject) has no argument "
                    + "'\(name)'" + known(owner, name, besides: others))
            return nil
        }
        if let parameter {
            let isThere = context.isKey || !isFlows && context.isTested && context.answer == nil
            checkFit(source, "'\(text)'", parameter, location, isThere: isThere)
        }
        return isFlows ? .flow(name) : .step(name)
    }

    /// Returns the name of the value that a reference in `onResult` means.
    private func value(
        _ text: String, _ prefix: String, of owner: Declared?, _ location: Location, to parameter: DraftParameter?,
        isThere: Bool
    ) -> String? {
        guard draft.isComplete, let owner else { return nil }
        let name = String(text.dropFirst(prefix.count))
        guard let source = owner[name] else {
            diagnostics.error(
                location,
                "\(Text.quoted(text)) refers to nothing (for the text itself write \(Text.quoted("$" + text))): "
                    + "\(owner.subject) has no argument \(Text.quoted(name))" + known(owner, name))
            return nil
        }
        if let parameter { checkFit(source, "'\(text)'", parameter, location, isThere: isThere) }
        return name
    }

    /// Checks whether the value of one argument fits another. A condition can ensure that an optional one is present.
    private func checkFit(
        _ source: DraftParameter, _ what: @autoclosure () -> String, _ parameter: DraftParameter, _ location: Location,
        isThere: Bool = false
    ) {
        guard let wanted = parameter.type, let given = source.type else { return }
        if !wanted.canAdmit(given) {
            diagnostics.error(
                location,
                "\(what()) is of type \(given.description); the argument '\(parameter.name)' has to be of type "
                    + wanted.description)
        } else if source.isOptional && !parameter.isOptional && !isThere {
            diagnostics.error(
                location,
                "\(what()) may be left out (its type has a '?'), but the argument '\(parameter.name)' is required")
        }
    }

    private func checkInherited(by target: Declared, _ key: String, _ table: Section, _ context: RuleContext) {
        // Those of the result, in `onResult`.
        guard !target.parameters.isEmpty, let giver = context.answer == nil ? context.giver : context.answer?.result
        else { return }
        let isThere = context.isTested && context.answer == nil
        // The key could be added at the location of the table.
        let location = table.location.key(key)
        for parameter in target.parameters {
            if let source = giver[parameter.name] {
                checkFit(
                    source, "the argument '\(parameter.name)' that \(target.subject) gets from \(giver.subject)",
                    parameter, location, isThere: isThere)
            } else if !parameter.isOptional {
                diagnostics.error(
                    location,
                    "\(target.subject) needs the argument '\(parameter.name)', which \(giver.subject) does not have; "
                        + "give it with '\(key)'")
            }
        }
    }

    func checkMissing(_ target: Declared, _ section: Section) {
        let given = section.count < 8 ? nil : Set(section.keys)
        for parameter in target.parameters where !parameter.isOptional {
            if given?.contains(parameter.name) ?? section.has(parameter.name) { continue }
            let type = parameter.type.map { " of type \($0.description)" } ?? ""
            diagnostics.error(section.location, "\(target.subject) needs the argument '\(parameter.name)'\(type)")
        }
    }

    func literal(_ item: Item, _ type: ValueType, _ name: String) -> Value? {
        var toml = item.value
        // A leading '$' is special only here, so it is escaped only here.
        if case .string(let text) = toml, text.hasPrefix("$$") { toml = .string(String(text.dropFirst())) }
        do throws(Literal.InvalidValue) {
            return try Literal.value(toml, as: type)
        } catch {
            diagnostics.error(item.location, "the argument '\(name)' does not fit: \(error.text)")
            return nil
        }
    }

    func checkSize(_ bindings: [Binding], _ location: Location) {
        let fixed = bindings.compactMap { binding in
            if case .literal(let value) = binding.source { Argument(binding.name, value) } else { nil }
        }
        let bytes = fixed.byteCount
        guard bytes > Limits.argumentBytes else { return }
        diagnostics.error(location, "the arguments take \(bytes) bytes; at most \(Limits.argumentBytes) are allowed")
    }

    /// Returns the arguments of the target, and a suggestion. Keys beside the arguments are candidates, too.
    private func known(_ target: Declared, _ name: String, besides others: [String] = []) -> String {
        // More are an error, which has been reported.
        let names = target.parameters.prefix(Limits.argumentCount).map(\.name).sorted(by: Text.precedes)
        let takes = names.isEmpty ? "none" : Text.list(names)
        return ": it takes \(takes)" + diagnostics.suggestion(for: name, among: names + others)
    }
}
