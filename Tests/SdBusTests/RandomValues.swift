import BusTestSupport
import SdBus

/// Random values of all types that a ``BodyWriter`` appends.
struct RandomValues {
    private static let fixed = ["y", "b", "n", "q", "i", "u", "x", "t", "d"]
    private static let basic = fixed + ["s", "o", "g"]

    var generator: SeededGenerator

    init(_ seed: UInt64) { generator = SeededGenerator(seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    // MARK: Types

    /// A complete type.
    mutating func type(_ depth: Int = 4) -> String {
        switch depth > 0 ? number(0...9) : 0 {
        case 0...4: one(of: Self.basic)
        case 5: "v"
        case 6: "a" + type(depth - 1)
        case 7: "a{" + one(of: Self.basic) + type(depth - 1) + "}"
        default: "(" + (0...number(0...3)).map { _ in type(depth - 1) }.joined() + ")"
        }
    }

    /// The complete types of a signature.
    static func types(of signature: String) -> [String] {
        var types: [String] = []
        var rest = Array(signature)[...]
        while !rest.isEmpty {
            let count = length(rest)
            types.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return types
    }

    private static func length(_ text: ArraySlice<Character>) -> Int {
        guard let first = text.first else { return 0 }
        if first == "a" { return 1 + length(text.dropFirst()) }
        guard first == "(" || first == "{" else { return 1 }
        var depth = 0
        for (count, letter) in text.enumerated() {
            if letter == "(" || letter == "{" { depth += 1 }
            if letter == ")" || letter == "}" { depth -= 1 }
            if depth == 0 { return count + 1 }
        }
        return text.count
    }

    // MARK: Values

    mutating func values(of signature: String, _ depth: Int = 4) -> [BusValue] {
        Self.types(of: signature).map { value(of: $0, depth) }
    }

    mutating func value(of type: String, _ depth: Int = 4) -> BusValue {
        let bits = generator.next()
        switch type {
        case "y": return .byte(UInt8(truncatingIfNeeded: bits))
        case "b": return .bool(bits & 1 == 1)
        case "n": return .int16(Int16(truncatingIfNeeded: bits))
        case "q": return .uint16(UInt16(truncatingIfNeeded: bits))
        case "i": return .int32(Int32(truncatingIfNeeded: bits))
        case "u": return .uint32(UInt32(truncatingIfNeeded: bits))
        case "x": return .int64(Int64(bitPattern: bits))
        case "t": return .uint64(bits)
        case "d": return .double(Double(bitPattern: bits))
        case "s": return .string(text())
        case "o": return .objectPath(path())
        case "g": return .signature((0..<number(0...4)).map { _ in self.type(2) }.joined())
        case "v": return .variant(value(of: self.type(depth - 1), depth - 1))
        default: break
        }
        let contents = String(type.dropFirst())
        if type.hasPrefix("a") {
            let count = depth <= 0 || chance(3) ? 0 : number(1...(contents == "y" ? 40 : 4))
            return .array(of: contents, (0..<count).map { _ in value(of: contents, depth - 1) })
        }
        let members = values(of: String(contents.dropLast()), depth - 1)
        return type.hasPrefix("{") ? .dictEntry(members[0], members[1]) : .structure(members)
    }

    mutating func text() -> String {
        switch number(0...9) {
        case 0: ""
        case 1: String(repeating: "long ", count: number(1...1000))
        case 2...4: String(String.UnicodeScalarView((0...number(0...20)).map { _ in scalar() }))
        default: String((0...number(0...30)).map { _ in one(of: Array("abcdefgh /.:-%")) })
        }
    }

    /// One that a text may have.
    private mutating func scalar() -> Unicode.Scalar {
        let known: [UInt32] = [1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0x10fffd]
        let value = chance(2) ? one(of: known) : UInt32(number(1...0x10ffff))
        guard value & 0xfffe != 0xfffe, !(0xfdd0...0xfdef).contains(value) else { return "x" }
        return Unicode.Scalar(value) ?? "y"
    }

    mutating func path() -> String {
        if chance(6) { return "/" }
        return (0...number(0...5)).map { _ in "/" + one(of: ["a", "_0", "Long_name_of_an_object", "x9"]) }.joined()
    }
}

extension BusValue {
    /// Appends the value; a descriptor is not written.
    func write(to body: some BodyWriter) throws(SdError) {
        switch self {
        case .byte(let value): try body.append(value)
        case .bool(let value): try body.append(value)
        case .int16(let value): try body.append(value)
        case .uint16(let value): try body.append(value)
        case .int32(let value): try body.append(value)
        case .uint32(let value): try body.append(value)
        case .int64(let value): try body.append(value)
        case .uint64(let value): try body.append(value)
        case .double(let value): try body.append(value)
        case .string(let value): try body.append(value)
        // A path that is known to be valid is written by another method.
        case .objectPath("/"): try body.appendObjectPath("/" as StaticString)
        case .objectPath(let value) where value.utf8.count.isMultiple(of: 2): try body.appendObjectPath(value)
        case .objectPath(let value): try body.append(UInt8(ascii: "o"), value)
        case .signature(let value): try body.appendSignature(value)
        case .fileDescriptor: break
        case .array("y", let bytes) where bytes.count.isMultiple(of: 2):
            try body.append(bytes.map { UInt8($0.number ?? 0) })
        case .array("s", []): try body.appendEmptyArray("s")
        case .array(let element, let values): try Self.write(values, in: .array, element, to: body)
        case .structure(let fields):
            try Self.write(fields, in: .structure, fields.map(\.type).joined(), to: body)
        case .dictEntry(let key, let value):
            try Self.write([key, value], in: .dictEntry, key.type + value.type, to: body)
        case .variant(let value) where value.type.utf8.count == 1:
            try body.openVariant(of: value.type.utf8.first ?? 0)
            try value.write(to: body)
            try body.closeContainer()
        case .variant(let value): try Self.write([value], in: .variant, value.type, to: body)
        }
    }

    private static func write(
        _ values: [BusValue], in container: Container, _ contents: String, to body: some BodyWriter
    ) throws(SdError) {
        try body.openContainer(container, contents)
        for value in values { try value.write(to: body) }
        try body.closeContainer()
    }
}
