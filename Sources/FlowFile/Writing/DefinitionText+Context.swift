import FlowCore

extension DefinitionText {
    /// The declaration of a value of the context (S-57).
    mutating func contextValue(_ declared: ContextDeclaration, ofFlow isFlows: Bool) -> WrittenToml {
        var keys: [TomlText.Pair] = [
            ("type", .string(declared.type.description)),
            ("initial", value(declared.initial, of: nil, isPrivate: declared.isPrivate)),
        ]
        if !declared.setters.isEmpty { keys.append(("setters", .list(declared.setters.map(WrittenToml.string)))) }
        if declared.isForDisk { keys.append(("kept", .string("reboot"))) }
        if declared.isPrivate { keys.append(("private", .bool(true))) }
        if let changed = declared.changed {
            let step = WrittenToml.string(definitions[changed.step].name)
            let table = WrittenToml.table([("flow", .string(definitions[changed.flow].name)), ("step", step)])
            keys.append(("changed", isFlows ? step : table))
        }
        return .table(keys)
    }
}
