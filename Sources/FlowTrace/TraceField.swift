import FlowCore

/// The text of a value in a line: described once, and both written and read by that description.
///
/// ``TraceFields`` has the fields of all values, down from those of events.
struct TraceField<Value>: Sendable {
    typealias Failure = TraceScanner.Failure

    let write: @Sendable (Value, inout TraceLine, borrowing Coordinator) -> Void
    let read: @Sendable (inout TraceScanner, borrowing Coordinator) throws(Failure) -> Value

    /// A field made of other fields.
    init<each Part>(
        _ parts: repeat TraceField<each Part>, make: @escaping @Sendable (repeat each Part) -> Value,
        take: @escaping @Sendable (Value) -> (repeat each Part)
    ) {
        write = { value, line, coordinator in repeat (each parts).write(each take(value), &line, coordinator) }
        read = { scanner, coordinator throws(Failure) in make(repeat try (each parts).read(&scanner, coordinator)) }
    }

    /// An enumeration: the word of a case, then its values. The name is for messages.
    init(_ name: String, _ cases: [TraceCase<Value>]) {
        write = { value, line, coordinator in
            for one in cases where one.write(value, &line, coordinator) { return }
            // Without a word, the next value would be read as this one.
            line.add("undescribed")
        }
        read = { scanner, coordinator throws(Failure) in
            let word = try scanner.word()
            guard let one = cases.first(where: { $0.word == word }) else { throw Failure("'\(word)' is no \(name)") }
            return try one.read(&scanner, coordinator)
        }
    }

    /// A value that depends on the coordinator.
    init(
        write: @escaping @Sendable (Value, inout TraceLine, borrowing Coordinator) -> Void,
        read: @escaping @Sendable (inout TraceScanner, borrowing Coordinator) throws(Failure) -> Value
    ) {
        self.write = write
        self.read = read
    }

    /// A field whose text does not depend on the coordinator.
    init(
        _ write: @escaping @Sendable (inout TraceLine, Value) -> Void,
        _ read: @escaping @Sendable (inout TraceScanner) throws(Failure) -> Value
    ) {
        self.write = { value, line, _ in write(&line, value) }
        self.read = { scanner, _ throws(Failure) in try read(&scanner) }
    }

    // MARK: - Fields of fields

    /// The field of another type, which is converted to and from this one.
    func mapped<Other>(
        _ make: @escaping @Sendable (Value) -> Other, _ take: @escaping @Sendable (Other) -> Value
    ) -> TraceField<Other> {
        TraceField<Other>(self, make: make, take: take)
    }

    /// The number of values, then each of them. It takes at least a word.
    var list: TraceField<[Value]> {
        TraceField<[Value]> { values, line, coordinator in
            line.add(values.count)
            for value in values { write(value, &line, coordinator) }
        } read: { scanner, coordinator throws(Failure) in
            var values: [Value] = []
            for _ in 0..<(try scanner.count()) { values.append(try read(&scanner, coordinator)) }
            return values
        }
    }

    /// An optional value; `isThere` says whether one follows.
    private func optional(
        _ before: String? = nil, otherwise: String? = nil,
        _ isThere: @escaping @Sendable (inout TraceScanner) throws(Failure) -> Bool
    ) -> TraceField<Value?> {
        TraceField<Value?> { value, line, coordinator in
            if let word = value == nil ? otherwise : before { line.add(word) }
            if let value { write(value, &line, coordinator) }
        } read: { scanner, coordinator throws(Failure) in
            try isThere(&scanner) ? try read(&scanner, coordinator) : nil
        }
    }

    /// An optional value; a word before it if it is there.
    func option(_ word: String) -> TraceField<Value?> {
        optional(word) { scanner throws(Failure) in try scanner.skip(word) }
    }

    /// An optional value; `-` if there is none.
    var orDash: TraceField<Value?> {
        optional(otherwise: "-") { scanner throws(Failure) in try !scanner.skip("-") }
    }

    /// An optional value at the end of the line.
    var unlessAtEnd: TraceField<Value?> { optional { scanner in !scanner.isAtEnd } }
}

/// The text of one case of an enumeration: its word, then its values.
struct TraceCase<Whole>: Sendable {
    let word: String
    /// Returns whether the value is of this case.
    let write: @Sendable (Whole, inout TraceLine, borrowing Coordinator) -> Bool
    let read: @Sendable (inout TraceScanner, borrowing Coordinator) throws(TraceScanner.Failure) -> Whole

    init<each Part>(
        _ word: String, _ make: @escaping @Sendable (repeat each Part) -> Whole,
        _ parts: repeat TraceField<each Part>, take: @escaping @Sendable (Whole) -> (repeat each Part)?
    ) {
        self.word = word
        write = { whole, line, coordinator in
            guard let values = take(whole) else { return false }
            line.add(word)
            repeat (each parts).write(each values, &line, coordinator)
            return true
        }
        read = { scanner, coordinator throws(TraceScanner.Failure) in
            make(repeat try (each parts).read(&scanner, coordinator))
        }
    }

    /// A case without values.
    init(_ word: String, _ whole: Whole) where Whole: Equatable & Sendable {
        self.init(word, { whole }) { $0 == whole ? () : nil }
    }
}
