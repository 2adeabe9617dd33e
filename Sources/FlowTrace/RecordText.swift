import FlowCore

// Records in the line of `Event.restored`, written and read: the kind and the number of each, and its contents in
// hexadecimal digits. Only the core interprets these bytes.

extension TraceLine {
    mutating func add(_ records: [Record], onSameBus: Bool) {
        add(onSameBus ? "same-bus" : "other-bus")
        add(records.count)
        for record in records {
            add(record.key.kind.word)
            add(record.key.number)
            switch record.body {
            case nil: add("gone")
            case []?: add("-")
            case let body?: add(Self.hexadecimal(body))
            }
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
    /// Reads records, and whether the bus is the one that they were persisted for.
    mutating func restored() throws(Failure) -> Event {
        let bus = try word()
        guard bus == "same-bus" || bus == "other-bus" else {
            throw Failure("'\(bus)' is neither 'same-bus' nor 'other-bus'")
        }
        var records: [Record] = []
        for _ in 0..<(try count()) { records.append(try record()) }
        return .restored(records, onSameBus: bus == "same-bus")
    }

    private mutating func record() throws(Failure) -> Record {
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
        // The text can be long, so messages contain its position only.
        let digits = word.unicodeScalars
        guard digits.count.isMultiple(of: 2) else {
            throw Failure("'\(record)' has \(digits.count) hexadecimal digits; it has to be two for each byte")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(ofDigit: digit) else {
                throw Failure(
                    "'\(record)' has '\(digit)' among its hexadecimal digits; it has to be 0 to 9 and a to f, or all "
                        + "of it '-' or 'gone'")
            }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }

    private static func value(ofDigit digit: Unicode.Scalar) -> UInt8? {
        switch digit {
        case "0"..."9": UInt8(truncatingIfNeeded: digit.value - 0x30)
        case "a"..."f": UInt8(truncatingIfNeeded: digit.value - 0x61 + 10)
        default: nil
        }
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
        }
    }
}
