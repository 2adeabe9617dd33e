import FlowCore

// Records in the line of `Event.restored`, written and read: the kind and the number of each, and its contents in
// hexadecimal digits. Only the core interprets these bytes.

extension TraceFields {
    static let record = TraceField<Record>({ $0.add($1) }) { scanner throws(Failure) in try scanner.record() }
}

extension TraceLine {
    fileprivate mutating func add(_ record: Record) {
        add(record.key.kind.word)
        add(record.key.number)
        switch record.body {
        case nil: add("gone")
        case []?: add("-")
        case let body?: add(Self.hexadecimal(body))
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (place, byte) in bytes.enumerated() {
                text[2 * place] = digits[Int(byte >> 4)]
                text[2 * place + 1] = digits[Int(byte & 0xf)]
            }
            return 2 * bytes.count
        }
    }
}

extension TraceScanner {
    fileprivate mutating func record() throws(Failure) -> Record {
        let word = try word()
        guard let kind = RecordKey.Kind.allCases.first(where: { $0.word == word }) else {
            let words = RecordKey.Kind.allCases.map { "'\($0.word)'" }.joined(separator: ", ")
            throw Failure("'\(word)' is no kind of a record; it has to be one of \(words)")
        }
        let number = try number(UInt64.self)
        guard number < 1 << 56 else {
            throw Failure("'\(number)' is no number of a record; it has to be less than 2 to the power of 56")
        }
        return Record(RecordKey(kind, number), try body(of: "\(word) \(number)"))
    }

    private mutating func body(of record: String) throws(Failure) -> [UInt8]? {
        let word = try word()
        if word == "gone" { return nil }
        if word == "-" { return [] }
        let digits = word.unicodeScalars.map { Character($0).hexDigitValue ?? -1 }
        guard digits.count.isMultiple(of: 2), !digits.contains(-1) else {
            // The text can be long.
            throw Failure(
                "the bytes of '\(record)' are no pairs of hexadecimal digits; without any they are '-' or 'gone'")
        }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension RecordKey.Kind {
    /// The name of the kind in a trace.
    fileprivate var word: String {
        switch self {
        case .counters: "counters"
        case .node: "node"
        case .activity: "activity"
        case .step: "step"
        case .list: "list"
        case .origin: "origin"
        case .token: "token"
        case .registration: "registration"
        case .nameOwner: "name-owner"
        case .progress: "progress"
        case .stepper: "stepper"
        case .savedState: "saved-state"
        case .ask: "ask"
        case .context: "context"
        case .outputs: "outputs"
        }
    }
}
