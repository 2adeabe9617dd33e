import FlowCore

// Steppers, as a definition file has them.

extension DefinitionText {
    mutating func write(_ stepper: StepperDefinition) {
        text += "\n[[steppers]]\n"
        writeLine("flow", Self.string(definitions[stepper.flow].name))
        if stepper.bus != .served { writeLine("bus", Self.string(stepper.bus.rawValue)) }
        writeLine("name", Self.string(stepper.name))
        switch stepper.object {
        case .any: break
        case .path(let path): writeLine("path", Self.string(path))
        case .answer(let call): writeLine("path", Self.call(call, of: stepper.name))
        }
        writeLine("interface", Self.string(stepper.interface))
        writeLine(stepper.isProperty ? "property" : "signal", Self.string(stepper.member))
        writeLine("step", Self.string(definitions[stepper.step].name))
        if !stepper.bindings.isEmpty {
            var entries: [(String, String)] = []
            for binding in stepper.bindings { entries.append((binding.name, source(of: binding, stepper.step))) }
            writeLine("arguments", Self.table(entries))
        }
        if case .property(_, let absent?) = stepper.source { writeLine("absent", values(absent, of: stepper.step)) }
        if stepper.startsService { writeLine("start", "true") }
    }

    private mutating func source(of binding: StepperDefinition.Binding, _ step: StepID) -> String {
        switch binding.source {
        case .literal(let value): self.value(value, of: step)
        case .value: Self.string("$value")
        case .argument(let index): Self.string("$\(index)")
        }
    }

    private static func call(_ call: StepperDefinition.PathCall, of service: String) -> String {
        var keys = [("call", string(call.member))]
        if !call.arguments.isEmpty {
            keys.append(("signature", string(call.arguments.map(\.signature).joined())))
            keys.append(("arguments", list(call.arguments.map(literal))))
        }
        if call.object != Resolver.path(of: service) { keys.append(("object", string(call.object))) }
        if call.interface != service + ".Manager" { keys.append(("of", string(call.interface))) }
        return table(keys)
    }
}
