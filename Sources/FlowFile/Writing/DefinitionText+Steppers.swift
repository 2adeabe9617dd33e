import FlowCore

// Steppers, as a definition file has them.

extension DefinitionText {
    mutating func write(_ stepper: StepperDefinition) {
        begin(["steppers"], isElement: true)
        write("flow", .string(definitions[stepper.flow].name))
        if stepper.bus != .served { write("bus", .string(stepper.bus.rawValue)) }
        write("name", .string(stepper.name))
        switch stepper.object {
        case .any: break
        case .path(let path): write("path", .string(path))
        case .answer(let call): write("path", Self.call(call, of: stepper.name))
        }
        write("interface", .string(stepper.interface))
        write(stepper.isProperty ? "property" : "signal", .string(stepper.member))
        write("step", .string(definitions[stepper.step].name))
        if !stepper.bindings.isEmpty {
            var entries: [TomlText.Pair] = []
            for binding in stepper.bindings { entries.append((binding.name, source(of: binding, stepper.step))) }
            write("arguments", .table(entries))
        }
        if case .property(_, let absent?) = stepper.source { write("absent", values(absent, of: stepper.step)) }
        if stepper.startsService { write("start", .bool(true)) }
    }

    private mutating func source(of binding: StepperDefinition.Binding, _ step: StepID) -> WrittenToml {
        switch binding.source {
        case .literal(let value): self.value(value, of: step)
        case .value: .string("$value")
        case .argument(let index): .string("$\(index)")
        }
    }

    private static func call(_ call: StepperDefinition.PathCall, of service: String) -> WrittenToml {
        var keys: [TomlText.Pair] = [("call", .string(call.member))]
        if !call.arguments.isEmpty {
            keys.append(("signature", .string(call.arguments.map(\.signature).joined())))
            keys.append(("arguments", .list(call.arguments.map(literal))))
        }
        if call.object != Resolver.path(of: service) { keys.append(("object", .string(call.object))) }
        if call.interface != service + ".Manager" { keys.append(("of", .string(call.interface))) }
        return .table(keys)
    }
}
