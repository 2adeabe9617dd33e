import FlowCore

/// Reads the entries of a batch that ``HistoryBatch`` wrote. It makes values only of those that are selected.
///
/// Any bytes are safe: damaged ones are an error.
struct EntryReader: NumberReading {
    private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private var place = 0
    /// Where the current entry ends.
    private var end = 0

    /// The serial of the entry.
    private(set) var serial: UInt64 = 0
    /// When it occurred, in µs since 1970.
    private(set) var time: UInt64 = 0
    private var cause: UInt64 = 0
    private var hasContributors = false
    private var hasArguments = false
    private var flow = SharedText()
    private var definition = SharedText()
    private var step = SharedText()
    private var sender = SharedText()
    /// The path of the selected flows; nil for all.
    private let path: [UInt8]?
    /// Whether the flow is at the selected path or below it; not compared again for the same flow.
    private(set) var isBelow = false

    /// A text that entries share: its place, and the text once it was used.
    private struct SharedText {
        var range = 0..<0
        var text: String?

        mutating func made(of bytes: UnsafeBufferPointer<UInt8>) throws(RecordFailure) -> String {
            if let text { return text }
            guard let made = String(validating: bytes[range], as: UTF8.self) else {
                throw RecordFailure("a text is not UTF-8")
            }
            text = made
            return made
        }
    }

    /// Selects the entries of flows at a path and below it; nil for all.
    init(below path: String?) { self.path = path.map { Array($0.utf8) } }

    /// Begins a batch, whose bytes have to stay in place.
    mutating func begin(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        place = 0
        end = 0
        serial = 0
        time = 0
        flow = SharedText()
        definition = SharedText()
        step = SharedText()
        sender = SharedText()
        isBelow = path == nil
    }

    /// Steps to the next entry.
    ///
    /// - Returns: whether there is one.
    mutating func next() throws(RecordFailure) -> Bool {
        place = end
        guard place < bytes.count else { return false }
        end = bytes.count
        let length = try count()
        end = place + length
        let flags = EntryFlags(rawValue: try byte())
        guard flags.isSubset(of: .all) else { throw RecordFailure("no entry has the flags \(flags.rawValue)") }
        serial &+= try number()
        let difference = try number()
        time &+= UInt64(bitPattern: Int64(bitPattern: difference >> 1) ^ -Int64(bitPattern: difference & 1))
        cause = flags.contains(.cause) ? serial &- (try number()) : 0
        if flags.contains(.flow) {
            flow = SharedText(range: try content())
            if let path { isBelow = Self.is(bytes[flow.range], atOrBelow: path) }
        }
        if flags.contains(.definition) { definition = SharedText(range: try content()) }
        if flags.contains(.step) { step = SharedText(range: try content()) }
        if flags.contains(.sender) { sender = SharedText(range: try content()) }
        hasContributors = flags.contains(.contributors)
        hasArguments = flags.contains(.arguments)
        return true
    }

    /// The entry; for one call.
    mutating func entry() throws(RecordFailure) -> HistoryEntry {
        var rest = RecordReader(Array(bytes[place..<end]))
        let contributors = hasContributors ? try rest.contributions() : []
        let arguments = hasArguments ? try rest.arguments() : []
        guard rest.isAtEnd else { throw RecordFailure("an entry is longer than what is in it") }
        return HistoryEntry(
            serial: serial, time: time, flow: try flow.made(of: bytes), definition: try definition.made(of: bytes),
            step: try step.made(of: bytes), arguments: arguments, cause: cause, sender: try sender.made(of: bytes),
            contributors: contributors)
    }

    private static func `is`(_ flow: Slice<UnsafeBufferPointer<UInt8>>, atOrBelow path: [UInt8]) -> Bool {
        guard flow.starts(with: path) else { return false }
        // Everything is below "/"; "/a/b/c" is below "/a/b", but "/a/bc" is not.
        return flow.count == path.count || path.last == UInt8(ascii: "/")
            || flow[flow.startIndex + path.count] == UInt8(ascii: "/")
    }

    mutating func byte() throws(RecordFailure) -> UInt8 {
        guard place < end else { throw RecordFailure("it ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func count() throws(RecordFailure) -> Int {
        let count = try number()
        guard count <= UInt64(end - place) else {
            throw RecordFailure("\(count) bytes do not fit into \(end - place)")
        }
        return Int(count)
    }

    private mutating func content() throws(RecordFailure) -> Range<Int> {
        let count = try count()
        defer { place += count }
        return place..<place + count
    }
}
