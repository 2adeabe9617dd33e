import FlowCore

/// Reads a line of a trace, word by word.
struct TraceScanner {
    /// An error in a line.
    struct Failure: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    private var rest: Substring
    /// How many variants there are around the value that is read.
    private var depth = 0
    /// The definitions that a reload gets; nil: the coordinator's.
    let definitions: Definitions?

    init(_ line: Substring, reading definitions: Definitions? = nil) {
        rest = line
        self.definitions = definitions
    }

    var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

    /// Reads the next word, which can be quoted.
    mutating func word() throws(Failure) -> String {
        rest = rest.drop { $0 == " " }
        guard let first = rest.unicodeScalars.first else { throw Failure("the line ends where a word is missing") }
        if first == "\"" { return try quoted() }
        let word = rest.prefix { $0 != " " }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    /// Reads the next word if it is the expected one. Returns whether it is.
    mutating func skip(_ expected: String) throws(Failure) -> Bool {
        var ahead = self
        guard !isAtEnd, try ahead.word() == expected else { return false }
        self = ahead
        return true
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Failure) -> Number {
        let word = try word()
        guard let number = Number(word) else { throw Failure("'\(word)' is no number that fits here") }
        return number
    }

    /// Reads a time, small enough to add time spans to it.
    mutating func time() throws(Failure) -> Instant {
        let time = try number(UInt64.self)
        guard time <= UInt64.max / 2 else { throw Failure("'\(time)' is no time that a clock can show") }
        return Instant(microseconds: time)
    }

    /// Reads the count of the items that follow, each at least one word.
    mutating func count() throws(Failure) -> Int {
        let count = try number(Int.self)
        guard (0...rest.utf8.count).contains(count) else {
            throw Failure("'\(count)' things can't follow in this line")
        }
        return count
    }

    mutating func bool() throws(Failure) -> Bool {
        let word = try word()
        guard let bool = Bool(word) else { throw Failure("'\(word)' is neither true nor false") }
        return bool
    }

    /// Reads a case of an enumeration.
    mutating func oneOf<Words: CaseIterable & RawRepresentable<String>>(_: Words.Type = Words.self) throws(Failure)
        -> Words
    {
        let word = try word()
        guard let one = Words(rawValue: word) else {
            let words = Words.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw Failure("'\(word)' is none of \(words)")
        }
        return one
    }

    mutating func arguments() throws(Failure) -> Arguments {
        var arguments: Arguments = []
        for _ in 0..<(try count()) {
            let name = try word()
            arguments.append(Argument(name, try variant()))
        }
        return arguments
    }

    /// Reads a signature and a value of that type.
    mutating func variant() throws(Failure) -> Value {
        let signature = try word()
        guard ValueType(signature: signature) != nil else { throw Failure("'\(signature)' is no type of a value") }
        // As deep as in a message; D-Bus specification, "Valid Signatures".
        guard depth < 64 else { throw Failure("there are more than 64 variants in one another") }
        depth += 1
        defer { depth -= 1 }
        return try value(signature)
    }

    private mutating func value(_ signature: String) throws(Failure) -> Value {
        if signature.utf8.count == 1, let letter = signature.utf8.first {
            if let type = Value.StringLikeType(rawValue: letter) { return Value(type, try word()) }
            if let type = Value.FixedType(rawValue: letter) { return try fixed(type) }
        }
        switch signature.first {
        case "v": return .variant(try variant())
        case "a":
            let element = String(signature.dropFirst())
            if element == "y" {
                var bytes: [UInt8] = []
                for _ in 0..<(try count()) { bytes.append(try number()) }
                return .bytes(bytes)
            }
            var elements: [Value] = []
            for _ in 0..<(try count()) { elements.append(try value(element)) }
            return .array(element: element, elements)
        case "(": return .structure(try values(signature))
        case "{":
            let parts = try values(signature)
            guard parts.count == 2 else { throw Failure("'\(signature)' is no type of a value") }
            return .entry(key: parts[0], value: parts[1])
        default: throw Failure("'\(signature)' is no type of a value")
        }
    }

    private mutating func fixed(_ type: Value.FixedType) throws(Failure) -> Value {
        switch type {
        case .bool: return .bool(try bool())
        case .double:
            let word = try word()
            guard let number = Double(word) else { throw Failure("'\(word)' is no number") }
            return .double(number)
        case .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64:
            let word = try word()
            guard let number = Int128(word), let value = type.value(of: number) else {
                throw Failure("'\(word)' is no number that fits here")
            }
            return value
        }
    }

    /// Reads the values between the brackets of a type.
    private mutating func values(_ signature: String) throws(Failure) -> [Value] {
        guard let types = ValueType.completeTypes(in: signature.dropFirst().dropLast()) else {
            throw Failure("'\(signature)' is no type of a value")
        }
        var values: [Value] = []
        for type in types { values.append(try value(type)) }
        return values
    }

    private mutating func quoted() throws(Failure) -> String {
        _ = rest.unicodeScalars.popFirst()
        var text = ""
        while let character = rest.unicodeScalars.popFirst() {
            switch character {
            case "\"": return text
            case "\\": text.unicodeScalars.append(try escaped())
            default: text.unicodeScalars.append(character)
            }
        }
        throw Failure("a quote is not closed")
    }

    private mutating func escaped() throws(Failure) -> Unicode.Scalar {
        guard let next = rest.unicodeScalars.popFirst() else { throw Failure("the line ends behind '\\'") }
        if next != "{" { return next }
        var digits = ""
        while let digit = rest.unicodeScalars.popFirst(), digit != "}" { digits.unicodeScalars.append(digit) }
        guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else {
            throw Failure("'\(digits)' is no number of a character")
        }
        return scalar
    }
}
