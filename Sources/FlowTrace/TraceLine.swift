import FlowCore

/// Writes a line of a trace: words separated by spaces. Texts from outside are quoted; values are written as busctl(1)
/// reads them: a signature, then the value.
struct TraceLine {
    private(set) var text: String

    init(_ text: String = "") { self.text = text }

    mutating func add(_ word: some CustomStringConvertible) {
        if !text.isEmpty { text += " " }
        text += word.description
    }

    mutating func add(quoted string: String) { add(Self.quoted(string)) }

    mutating func add(_ arguments: Arguments) {
        add(arguments.count)
        for argument in arguments {
            add(quoted: argument.name)
            add(variant: argument.value)
        }
    }

    mutating func add(_ service: Service) {
        add(quoted: service.name)
        add(quoted: service.path)
        add(service.timeout)
    }

    /// Adds a value with its signature before it.
    mutating func add(variant value: Value) {
        add(value.signature)
        add(value)
    }

    private mutating func add(_ value: Value) {
        switch value.shape {
        case .fixed(let type, let bits): add(type.text(bits: bits))
        case .stringLike(_, let text): add(quoted: text)
        case .variant(let value): add(variant: value)
        case .bytes(let bytes):
            add("\(bytes.count)")
            for byte in bytes { add("\(byte)") }
        case .array(_, let elements):
            add("\(elements.count)")
            for element in elements { add(element) }
        case .structure(let members):
            for member in members { add(member) }
        case .entry(let key, let value):
            add(key)
            add(value)
        }
    }

    private static func quoted(_ string: String) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.properties.generalCategory == .control:
                quoted += "\\{" + String(scalar.value, radix: 16) + "}"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
