import FlowCore

/// Converts TOML values to D-Bus values.
enum Literal {
    /// The error for a value of the wrong type; its text continues a sentence about the value.
    struct InvalidValue: Error, Equatable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// Returns a value as its declared type.
    static func value(_ toml: Toml, as type: ValueType) throws(InvalidValue) -> Value {
        // An argument of type `v` keeps its own type, without a variant around it, as on the bus.
        if type.signature == "v" { return try natural(toml, depth: 0) }
        return try value(toml, type.signature, depth: 0)
    }

    private static func value(_ toml: Toml, _ signature: String, depth: Int) throws(InvalidValue) -> Value {
        switch signature.utf8.first {
        case UInt8(ascii: "a"): return try array(toml, String(signature.dropFirst()), depth: depth + 1)
        case UInt8(ascii: "("): return try structure(toml, signature, depth: depth + 1)
        case UInt8(ascii: "v"): return .variant(try natural(toml, depth: depth + 1))
        default: return try basic(toml, signature)
        }
    }

    private static func basic(_ toml: Toml, _ signature: String) throws(InvalidValue) -> Value {
        switch (toml, signature) {
        case (.string(let text), "s"): return .string(try validated(text))
        case (.string(let text), "o"):
            guard Names.isObjectPath(text) else {
                throw InvalidValue("\(Text.quoted(text)) is no object path, such as '/a/b'")
            }
            return .objectPath(text)
        case (.string(let text), "g"):
            guard text.utf8.count <= 255, ValueType.completeTypes(in: text) != nil else {
                throw InvalidValue("\(Text.quoted(text)) is no D-Bus signature")
            }
            return .signature(text)
        case (.bool(let bool), "b"): return .bool(bool)
        case (.double(let number), "d"): return .double(number)
        case (.integer(let number), "d"):
            guard let double = Double(exactly: number) else {
                throw InvalidValue("'\(number)' has no exact value of the type double")
            }
            return .double(double)
        case (.integer(let number), _):
            guard let type = ValueType(signature: signature), type.isInteger else { break }
            guard let value = type.admit(.int64(Int64(number))) else {
                throw InvalidValue("'\(number)' is out of the range of the type \(type.description)")
            }
            return value
        default: break
        }
        let type = ValueType(signature: signature)?.description ?? signature
        throw InvalidValue("it is \(toml.kind) and has to be of type \(type)")
    }

    private static func array(_ toml: Toml, _ element: String, depth: Int) throws(InvalidValue) -> Value {
        try checkDepth(depth)
        if element.hasPrefix("{") {
            guard case .table(let pairs) = toml else {
                throw InvalidValue("it is \(toml.kind) and has to be a table, of type a\(element)")
            }
            let types = ValueType.completeTypes(in: element.dropFirst().dropLast()) ?? []
            guard types.count == 2 else { throw InvalidValue("its type a\(element) is not known") }
            var entries: [Value] = []
            for pair in pairs.sorted(by: { Text.precedes($0.key, $1.key) }) {
                entries.append(
                    .entry(key: try key(pair.key, types[0]), value: try value(pair.value, types[1], depth: depth + 1)))
            }
            return .array(element: element, entries)
        }
        guard case .list(let list) = toml else {
            throw InvalidValue("it is \(toml.kind) and has to be a list, of type a\(element)")
        }
        var values: [Value] = []
        for toml in list { values.append(try value(toml, element, depth: depth)) }
        if element == "y" {
            return .bytes(values.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
        }
        return .array(element: element, values)
    }

    private static func structure(_ toml: Toml, _ signature: String, depth: Int) throws(InvalidValue) -> Value {
        try checkDepth(depth)
        let types = ValueType.completeTypes(in: signature.dropFirst().dropLast()) ?? []
        guard case .list(let list) = toml, list.count == types.count else {
            let what = if case .list(let list) = toml { "a list of \(list.count)" } else { toml.kind }
            throw InvalidValue("it is \(what) and has to be a list of \(types.count), of type \(signature)")
        }
        var members: [Value] = []
        for (toml, type) in zip(list, types) { members.append(try value(toml, type, depth: depth)) }
        return .structure(members)
    }

    /// Returns the key of a dictionary. TOML's keys are strings; those of D-Bus have any basic type.
    private static func key(_ text: String, _ signature: String) throws(InvalidValue) -> Value {
        let toml: Toml? =
            switch signature {
            case "s", "o", "g": .string(text)
            case "b": Bool(text).map(Toml.bool)
            case "d": Double(text).map(Toml.double)
            default: Int(text).map(Toml.integer)
            }
        guard let toml else {
            let type = ValueType(signature: signature)?.description ?? signature
            throw InvalidValue("its key \(Text.quoted(text)) has to be of type \(type)")
        }
        return try basic(toml, signature)
    }

    /// Returns the value with its TOML type: `s b x d`, a list of one type as an array of it, another list as `av`, a
    /// table as `a{sv}`.
    private static func natural(_ toml: Toml, depth: Int) throws(InvalidValue) -> Value {
        try checkDepth(depth)
        switch toml {
        case .string(let text): return .string(try validated(text))
        case .integer(let number): return .int64(Int64(number))
        case .double(let number): return .double(number)
        case .bool(let bool): return .bool(bool)
        case .date: throw InvalidValue("it is a date or time; D-Bus has no type for that, write a string")
        case .list(let list):
            var values: [Value] = []
            for toml in list { values.append(try natural(toml, depth: depth + 1)) }
            if let element = values.first?.signature, values.allSatisfy({ $0.signature == element }) {
                return .array(element: element, values)
            }
            return .array(element: "v", values.map(Value.variant))
        case .table(let pairs):
            var entries: [Value] = []
            for pair in pairs.sorted(by: { Text.precedes($0.key, $1.key) }) {
                let value = Value.variant(try natural(pair.value, depth: depth + 1))
                entries.append(.entry(key: .string(try validated(pair.key)), value: value))
            }
            return .array(element: "{sv}", entries)
        }
    }

    private static func checkDepth(_ depth: Int) throws(InvalidValue) {
        guard depth <= Limits.argumentNesting else {
            throw InvalidValue("it is nested too deep; at most \(Limits.argumentNesting) levels are allowed")
        }
    }

    /// Returns the text if the bus accepts it: sd-bus refuses Unicode noncharacters.
    static func validated(_ text: String) throws(InvalidValue) -> String {
        let refused = text.unicodeScalars.first { scalar in
            scalar.value == 0 || (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
        }
        guard let refused else { return text }
        throw InvalidValue("the character U+\(String(refused.value, radix: 16, uppercase: true)) can't go over the bus")
    }
}
