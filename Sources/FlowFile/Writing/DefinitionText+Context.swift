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

extension DefinitionText {
    /// What people read (S-58).
    static func texts(_ texts: Texts) -> [TomlText.Pair] {
        [("title", texts.title), ("description", texts.description)].compactMap { key, text in
            guard let versions = text?.versions else { return nil }
            if let only = versions.first, only.language.isEmpty { return (key, .string(only.text)) }
            return (key, .table(versions.map { ($0.language, .string($0.text)) }))
        }
    }
}
