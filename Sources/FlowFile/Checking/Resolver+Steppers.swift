import FlowCore

/// Properties and signals of other services that emit steps (S-42).
extension Resolver {
    static let stepperKeys = [
        "flow", "bus", "name", "path", "interface", "property", "signal", "step", "arguments", "absent", "start",
    ]

    /// Returns the steppers, in file order.
    func steppers() -> [StepperDefinition] {
        if draft.steppers.count > Limits.steppers, let item = draft.steppers.last {
            diagnostics.error(
                item.location, "there are \(draft.steppers.count) steppers; at most \(Limits.steppers) are allowed")
        }
        var known: [StepperDefinition: Location] = [:]
        return draft.steppers.compactMap { item in
            guard let stepper = stepper(item) else { return nil }
            if let other = known[stepper] {
                diagnostics.error(
                    item.location, "the stepper in \(diagnostics.position(of: other)) is the same; remove one of them")
            }
            known[stepper] = item.location
            return stepper
        }
    }

    private func stepper(_ item: Item) -> StepperDefinition? {
        guard let table = item.section(diagnostics) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "a stepper", Self.stepperKeys)
        if isClean { checkRequired(table) }
        let flow = table["flow"].flatMap { self.flow($0) }
        let bus = table["bus"].map { self.bus($0) } ?? .served
        let name = table["name"].flatMap { busName($0) }
        let object = object(table, name)
        let interface = table["interface"].flatMap { interfaceName($0) }
        let step = table["step"].flatMap { self.step($0) }
        let source = source(table, step?.declared)
        let bindings = bindings(table, step?.declared)
        let startsService = table["start"].map { $0.bool(diagnostics) } ?? false
        guard let flow, let bus, let name, let object, let interface, let step, let source, let bindings,
            let startsService
        else { return nil }
        return StepperDefinition(
            flow.id, bus: bus, name: name, object: object, interface: interface, source: source, step: step.id,
            bindings: bindings, startsService: startsService)
    }

    private func checkRequired(_ table: Section) {
        let examples = [
            "flow": "NAME", "name": "org.freedesktop.UPower", "interface": "org.freedesktop.UPower", "step": "NAME",
        ]
        for key in ["flow", "name", "interface", "step"] where table[key] == nil {
            diagnostics.error(
                table.location, "a stepper has to have '\(key)', such as \(key) = \"\(examples[key] ?? "NAME")\"")
        }
        switch (table["property"], table["signal"]) {
        case (nil, nil):
            diagnostics.error(table.location, "a stepper has to have 'property' or 'signal': the one that it emits for")
        case (_?, let signal?):
            diagnostics.error(
                signal.location, "'property' and 'signal' are given; a stepper has one of them, so write two steppers")
        case (_?, nil):
            if table["path"] == nil {
                diagnostics.error(
                    table.location, "a stepper for a property has to have 'path': the object that has the property")
            }
        case (nil, _?): break
        }
    }

    private func bus(_ item: Item) -> StepperDefinition.Bus? {
        let words = [StepperDefinition.Bus.system, .session]
        guard let text = item.string(diagnostics, Text.list(words.map(\.rawValue), "or")) else { return nil }
        if let bus = words.first(where: { $0.rawValue == text }) { return bus }
        diagnostics.error(
            item.location,
            "\(Text.quoted(text)) is no bus; it has to be \(Text.list(words.map(\.rawValue), "or")), or left out for the "
                + "bus that flowbusd serves" + diagnostics.suggestion(for: text, among: words.map(\.rawValue)))
        return nil
    }

    // MARK: The object

    private func object(_ table: Section, _ service: String?) -> StepperDefinition.Object? {
        guard let item = table["path"] else { return .any }
        guard item.table != nil else {
            let what = "an object path, such as '/com/vendor/App', or a table: { call = \"GetSession\" }"
            guard item.string(diagnostics, what) != nil else { return nil }
            return objectPath(item).map { .path($0) }
        }
        guard let call = item.section(diagnostics),
            call.checkKeys(
                diagnostics, of: "the table 'path'", ["call", "signature", "arguments", "object", "of"])
        else { return nil }
        guard let member = call["call"] else {
            diagnostics.error(
                call.location, "'path' has to name the method that answers the path: call = \"GetSession\"")
            return nil
        }
        let name = memberName(member, "a method")
        let arguments = callArguments(call)
        let path = call["object"].map { objectPath($0) } ?? service.map(Self.path)
        let interface = call["of"].map { interfaceName($0) } ?? service.map { $0 + ".Manager" }
        guard let name, let arguments, let path, let interface else { return nil }
        return .answer(
            StepperDefinition.PathCall(name, arguments: arguments, object: path, interface: interface))
    }

    /// Returns the arguments of a call, of the types of its signature; without it, of those that the values have in the file.
    private func callArguments(_ call: Section) -> [Value]? {
        guard let item = call["arguments"] else { return [] }
        guard let items = item.list(diagnostics, "a list of the method's arguments") else { return nil }
        var types: [ValueType]?
        if let item = call["signature"] {
            guard let text = item.string(diagnostics, "a D-Bus signature, such as 'su'") else { return nil }
            types = ValueType.completeTypes(in: text)?.compactMap(ValueType.init(signature:))
            guard let types, types.count == items.count else {
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(text)) is not the signature of the \(items.count) arguments; it has to have a complete "
                        + "D-Bus type for each")
                return nil
            }
        }
        guard let anyType = ValueType(signature: "v") else { return nil }
        let values = items.enumerated().map { place, item -> Value? in
            // An argument of type `v` has a variant around its value, unlike an argument of a step.
            let value = literal(item, types?[place] ?? anyType, "\(place + 1)")
            return types?[place] == anyType ? value.map(Value.variant) : value
        }
        return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
    }

    private func interfaceName(_ item: Item) -> String? {
        guard let name = item.string(diagnostics, "the name of an interface") else { return nil }
        if Names.isInterface(name) { return name }
        diagnostics.error(
            item.location,
            "\(Text.quoted(name)) can't be the name of an interface: two or more parts with dots between them, each of "
                + "letters, digits and '_', not beginning with a digit, at most 255 bytes in all")
        return nil
    }

    private func memberName(_ item: Item, _ what: String) -> String? {
        guard let name = item.string(diagnostics, "the name of \(what)") else { return nil }
        if name.utf8.count <= 255, Names.isMember(name.utf8[...]) { return name }
        diagnostics.error(
            item.location,
            "\(Text.quoted(name)) can't be the name of \(what): letters, digits and '_', not beginning with a digit, at "
                + "most 255 bytes")
        return nil
    }

    // MARK: The step

    private func source(_ table: Section, _ step: Declared?) -> StepperDefinition.Source? {
        if let item = table["property"] {
            let absent = table["absent"] == nil ? nil : fixedArguments("absent", table, for: step, of: .absence)
            return memberName(item, "a property").map { .property($0, absent: absent) }
        }
        if let item = table["absent"] {
            diagnostics.error(item.location, "'absent' belongs to a property, which a service can be without")
        }
        return table["signal"].flatMap { memberName($0, "a signal") }.map { .signal($0) }
    }

    private func bindings(_ table: Section, _ step: Declared?) -> [StepperDefinition.Binding]? {
        let section: Section
        if let item = table["arguments"] {
            guard let given = item.section(diagnostics, "a table of arguments") else { return nil }
            section = given
        } else {
            section = Section(empty: table.location.key("arguments"))
        }
        var bindings: [StepperDefinition.Binding] = []
        for (name, item) in section.entries {
            guard let parameter = parameter(name, of: step, item.location) else { continue }
            if case .string(let text) = item.value, text.hasPrefix("$"), !text.hasPrefix("$$") {
                guard let source = stepperReference(text, item.location, isProperty: table["property"] != nil) else {
                    continue
                }
                bindings.append(StepperDefinition.Binding(name, source))
            } else if let type = parameter.type, let value = literal(item, type, name) {
                warnOfReferences(inside: item) { table["property"] == nil ? UInt8($0) != nil : $0 == "value" }
                bindings.append(StepperDefinition.Binding(name, .literal(value)))
            }
        }
        if let step { checkMissing(step, section) }
        checkSize(
            bindings.compactMap { binding in
                if case .literal(let value) = binding.source { Binding(binding.name, .literal(value)) } else { nil }
            }, section.location)
        return bindings.sorted { Text.precedes($0.name, $1.name) }
    }

    /// Resolves `$value`, or `$0`, `$1`, ….
    private func stepperReference(
        _ text: String, _ location: Location, isProperty: Bool
    ) -> StepperDefinition.Binding.Source? {
        if isProperty {
            if text == "$value" { return .value }
        } else if let index = UInt8(text.dropFirst()), text == "$\(index)" {
            return .argument(Int(index))
        }
        let right =
            isProperty
            ? "it has to be '$value', the property's value"
            : "it has to be '$0', '$1' and so on, an argument of the signal"
        diagnostics.error(
            location,
            "\(Text.quoted(text)) stands for nothing here: \(right), or for the text itself \(Text.quoted("$" + text))")
        return nil
    }

    // MARK: Warnings

    /// Warns about steppers whose steps lead nowhere.
    func warnOfSteppers(_ definitions: Definitions) {
        for item in draft.steppers {
            guard case .string(let name)? = item["flow"]?.value, let flow = draft.flows[name] else { continue }
            warnOfNoRule(flow, "step", item["step"])
        }
    }
}
