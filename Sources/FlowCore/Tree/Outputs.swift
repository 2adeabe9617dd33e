/// How large an output is, in the pixels in which the compositor measures windows.
public struct OutputSize: Hashable, Sendable {
    /// The name of the output.
    public let output: String
    /// Its width.
    public let width: UInt32
    /// Its height.
    public let height: UInt32

    /// What a side can be: what no window can be is a mistake.
    public static let sides: ClosedRange<UInt32> = 1...65_535

    /// Creates a size.
    public init(_ output: String, width: UInt32, height: UInt32) {
        (self.output, self.width, self.height) = (output, width, height)
    }
}

/// Which outputs there are, as the bus name that the files name has said last (S-53).
///
/// The list outlives its sender, and a restart. After one, the time begins anew for what was missing before.
struct Outputs: Sendable {
    /// The latest list, in its order.
    private(set) var names: [String] = []
    /// Those that were there, or that roots stand on, and are not in the list: they count as there until this time. The oldest come first.
    private(set) var missing: [(name: String, due: Instant)] = []
    /// Those that the setter has told. They are not stored: it tells them again to a flowbusd that was started.
    private var sizes: [OutputSize] = []
    /// When an alarm is set; nil if none is.
    private var alarm: Instant?
    private(set) var book = RecordBook<Int>(.outputs)

    /// Those that count as there: in the order of the list, and then those that are missing.
    var present: [String] { names + missing.map(\.name) }

    func isPresent(_ name: String) -> Bool { names.contains(name) || missing.contains { $0.name == name } }

    /// The size of the output on which windows of a root with this output are; nil if that is not known. Those of a root without one are
    /// on the first output.
    func size(for output: String) -> OutputSize? {
        let name = output.isEmpty ? names.first : output
        return sizes.first { $0.output == name }
    }

    /// Sets the list.
    ///
    /// - Parameters:
    ///   - list: the outputs.
    ///   - newSizes: those that are known.
    ///   - stoodOn: outputs that are missed beside those of the list before.
    ///   - now: the time.
    mutating func set(_ list: [String], _ newSizes: [OutputSize] = [], missing stoodOn: [String], at now: Instant) {
        sizes = newSizes + sizes.filter { !list.contains($0.output) }
        let former = (names, missing.map(\.name))
        let due = now.advanced(by: Limits.outputWait)
        missing.removeAll { list.contains($0.name) }
        for name in names + stoodOn where !list.contains(name) && !missing.contains(where: { $0.name == name }) {
            missing.append((name, due))
        }
        names = list
        if former != (names, missing.map(\.name)) { book.touch(0) }
    }

    /// Takes those that are gone: missing for long enough, or more than there may be.
    mutating func takeGone(at now: Instant) -> [String] {
        let surplus = max(0, names.count + missing.count - Limits.outputs)
        let gone = missing.enumerated().filter { $0.offset < surplus || $0.element.due <= now }.map(\.element.name)
        if gone.isEmpty { return [] }
        missing.removeAll { gone.contains($0.name) }
        sizes.removeAll { gone.contains($0.output) }
        book.touch(0)
        return gone
    }

    /// The time for which an alarm has to be set; nil if one is, or nothing is missing.
    mutating func takeAlarm() -> Instant? {
        guard alarm == nil, let next = missing.map(\.due).min() else { return nil }
        alarm = next
        return next
    }

    /// The alarm has come.
    mutating func endAlarm() { alarm = nil }

    // MARK: Records

    /// Takes the record if it has changed, or in any case.
    mutating func takeRecords(all: Bool = false) -> [Record] {
        let record = OutputsRecord(names: names, missing: missing.map(\.name))
        return book.take(all: all ? [0] : []) { _ in
            record.names.isEmpty ? Record(RecordKey(.outputs, 0), nil) : Record(.outputs, 0, record)
        }
    }

    /// Restores the list.
    mutating func restore(_ record: OutputsRecord, at now: Instant) {
        names = record.names
        missing = record.missing.map { ($0, now.advanced(by: Limits.outputWait)) }
        book.restore(0)
    }
}

/// The record of the outputs.
struct OutputsRecord: RecordBody, Equatable, Sendable {
    var names: [String] = []
    var missing: [String] = []

    static var unread: OutputsRecord { OutputsRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&names)
        try coder.code(&missing)
        let all = names + missing
        try coder.check(
            all.count <= Limits.outputs && Set(all).count == all.count && all.allSatisfy { Names.isOutput($0) },
            "its outputs can't be those of a list")
    }
}
