// Each record describes its fields once, in the order of the format, for writing and for reading. An optimized build
// specializes every use of these protocols, so both are as fast as code written by hand.

/// Writes the fields of a record or reads them.
protocol RecordCoder {
    /// The error of a field that can't be read; writing has none.
    associatedtype Failure: Error

    /// Whether fields are read.
    static var reads: Bool { get }

    mutating func code(_ number: inout UInt64) throws(Failure)
    mutating func code(_ byte: inout UInt8) throws(Failure)
    mutating func code(_ flag: inout Bool) throws(Failure)
    mutating func code(_ text: inout String) throws(Failure)
    mutating func code(_ value: inout Value) throws(Failure)

    /// Writes or reads the length of a list, each element of which takes at least a byte.
    mutating func code(count: inout Int) throws(Failure)
    /// Refuses what was read unless a condition holds. Written values are correct.
    func check(_ isRight: Bool, _ message: @autoclosure () -> String) throws(Failure)
}

/// A part of a record.
protocol RecordPart {
    /// A value to read into.
    static var unread: Self { get }
    /// Writes or reads all fields, in their order.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure)
}

/// A whole record.
protocol RecordBody: RecordPart {
    /// The approximate number of bytes.
    var expectedByteCount: Int { get }
}

extension RecordBody {
    var expectedByteCount: Int { 0 }

    /// The record as bytes.
    func encoded() -> [UInt8] {
        var (writer, body) = (RecordWriter(reserving: expectedByteCount), self)
        body.code(with: &writer)
        return writer.bytes
    }

    /// Reads a record. Bytes that are not a record's give an error.
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        self = .unread
        try code(with: &reader)
        try reader.end()
    }
}

extension RecordWriter: RecordCoder {
    typealias Failure = Never

    static var reads: Bool { false }

    mutating func code(_ number: inout UInt64) { append(number) }
    mutating func code(_ byte: inout UInt8) { append(byte: byte) }
    mutating func code(_ flag: inout Bool) { append(flag) }
    mutating func code(_ text: inout String) { append(text) }
    mutating func code(_ value: inout Value) { append(value) }
    mutating func code(count: inout Int) { append(UInt64(count)) }
    func check(_ isRight: Bool, _ message: @autoclosure () -> String) {}
}

extension RecordReader: RecordCoder {
    typealias Failure = RecordFailure

    static var reads: Bool { true }

    mutating func code(_ number: inout UInt64) throws(RecordFailure) { number = try self.number() }
    mutating func code(_ byte: inout UInt8) throws(RecordFailure) { byte = try self.byte() }
    mutating func code(_ flag: inout Bool) throws(RecordFailure) { flag = try self.flag() }
    mutating func code(_ text: inout String) throws(RecordFailure) { text = try self.text() }
    mutating func code(_ value: inout Value) throws(RecordFailure) { value = try self.value() }
    mutating func code(count: inout Int) throws(RecordFailure) { count = try self.count() }
    func check(_ isRight: Bool, _ message: @autoclosure () -> String) throws(RecordFailure) {
        guard isRight else { throw RecordFailure(message()) }
    }
}

// MARK: - Parts

extension RecordCoder {
    mutating func code<Part: RecordPart>(_ part: inout Part) throws(Failure) { try part.code(with: &self) }

    /// A number with a maximum.
    mutating func code(_ number: inout Int, upTo most: Int) throws(Failure) {
        var wide = UInt64(number)
        try code(&wide)
        try check(wide <= UInt64(most), "\(wide) is more than \(most)")
        number = Int(wide)
    }

    /// A case of an enumeration, by its raw value, which is part of the format.
    mutating func code<Choice: RawRepresentable>(choice: inout Choice) throws(Failure)
    where Choice.RawValue: RecordPart {
        var raw = choice.rawValue
        try code(&raw)
        guard Self.reads else { return }
        let read = Choice(rawValue: raw)
        try check(read != nil, "there is no \(Choice.self) '\(raw)'")
        choice = read ?? choice
    }
}

extension UInt8: RecordPart {
    static var unread: UInt8 { 0 }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&self) }
}

extension UInt64: RecordPart {
    static var unread: UInt64 { 0 }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&self) }
}

extension String: RecordPart {
    static var unread: String { "" }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&self) }
}

extension Value: RecordPart {
    static var unread: Value { .bool(false) }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&self) }
}

extension Optional: RecordPart where Wrapped: RecordPart {
    static var unread: Wrapped? { nil }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var isThere = self != nil
        try coder.code(&isThere)
        guard isThere else {
            if Coder.reads { self = nil }
            return
        }
        var wrapped: Wrapped = self ?? .unread
        try coder.code(&wrapped)
        self = wrapped
    }
}

extension Array: RecordPart where Element: RecordPart {
    static var unread: [Element] { [] }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var count = count
        try coder.code(count: &count)
        // A count that is read may be wrong.
        if Coder.reads { reserveCapacity(Swift.min(count, 8)) }
        for place in 0..<count {
            // Not in place: a written value may be shared, and would be copied.
            var element: Element = Coder.reads ? .unread : self[place]
            try coder.code(&element)
            if Coder.reads { append(element) }
        }
    }
}

/// The entries are in the order of their keys.
extension Dictionary: RecordPart where Key: RecordPart & Comparable, Value: RecordPart {
    static var unread: [Key: Value] { [:] }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var count = count
        try coder.code(count: &count)
        let sorted = sorted { $0.key < $1.key }
        for place in 0..<count {
            var (key, value) = Coder.reads ? (.unread, .unread) : sorted[place]
            try coder.code(&key)
            try coder.code(&value)
            if Coder.reads { self[key] = value }
        }
    }
}

extension Argument: RecordPart {
    static var unread: Argument { Argument("", .unread) }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&name)
        try coder.code(&isPrivate)
        try coder.code(&value)
    }
}

extension Client: RecordPart {
    static var unread: Client { .daemon }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var name = name
        try coder.code(&name)
        self = Client(name)
    }
}

extension Instant: RecordPart {
    static var unread: Instant { Instant(microseconds: 0) }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var microseconds = microseconds
        try coder.code(&microseconds)
        self = Instant(microseconds: microseconds)
    }
}

extension FlowError: RecordPart {
    static var unread: FlowError { FlowError(.flowEnded, "") }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (code, message) = (code, message)
        try coder.code(choice: &code)
        try coder.code(&message)
        self = FlowError(code, message)
    }
}

// MARK: - Cases with values

/// An enumeration whose cases have values, while it is written or read: a byte for the case, then the values.
struct RecordCases<Whole: Equatable> {
    /// The value that is written or was read.
    fileprivate var whole: Whole
    /// The byte of the case that is read.
    fileprivate var tag: UInt8 = 0
    fileprivate var isFound = false
}

extension RecordCoder {
    /// Begins an enumeration. Each case follows with its byte, which is part of the format.
    mutating func cases<Whole>(of whole: Whole) throws(Failure) -> RecordCases<Whole> {
        var cases = RecordCases(whole: whole)
        if Self.reads { try code(&cases.tag) }
        return cases
    }

    /// A case without values.
    mutating func code<Whole>(_ cases: inout RecordCases<Whole>, _ tag: UInt8, _ whole: Whole) throws(Failure) {
        guard !cases.isFound, Self.reads ? cases.tag == tag : cases.whole == whole else { return }
        try found(&cases, tag)
        if Self.reads { cases.whole = whole }
    }

    /// A case with a value.
    mutating func code<Whole, Part: RecordPart>(
        _ cases: inout RecordCases<Whole>, _ tag: UInt8, _ make: (Part) -> Whole, _ take: (Whole) -> Part?
    ) throws(Failure) {
        guard !cases.isFound, var part = Self.reads ? cases.tag == tag ? Part.unread : nil : take(cases.whole) else {
            return
        }
        try found(&cases, tag)
        try code(&part)
        if Self.reads { cases.whole = make(part) }
    }

    /// A case with two values.
    mutating func code<Whole, One: RecordPart, Other: RecordPart>(
        _ cases: inout RecordCases<Whole>, _ tag: UInt8, _ make: (One, Other) -> Whole,
        _ take: (Whole) -> (One, Other)?
    ) throws(Failure) {
        let unread: (One, Other)? = cases.tag == tag ? (.unread, .unread) : nil
        guard !cases.isFound, var parts = Self.reads ? unread : take(cases.whole) else { return }
        try found(&cases, tag)
        try code(&parts.0)
        try code(&parts.1)
        if Self.reads { cases.whole = make(parts.0, parts.1) }
    }

    private mutating func found<Whole>(_ cases: inout RecordCases<Whole>, _ tag: UInt8) throws(Failure) {
        var tag = tag
        if !Self.reads { try code(&tag) }
        cases.isFound = true
    }

    /// Ends an enumeration.
    func end<Whole>(_ cases: RecordCases<Whole>) throws(Failure) -> Whole {
        try check(cases.isFound, "there is no \(Whole.self) \(cases.tag)")
        precondition(cases.isFound, "records have no \(cases.whole)")
        return cases.whole
    }
}
