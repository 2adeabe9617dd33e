public import FlowCore

// Every navigation is added here, so that has to be cheap: some hundreds of instructions. An entry is encoded at once; texts
// that it shares with the entry before are left out.
//
// An entry is its length, flags, the serial and the time as differences to those of the entry before, and then, each if its
// flag is set: the cause (as difference to the serial), the flow, the definition, the step, the sender, the contributors, the
// arguments. Missing texts are those of the entry before; before the first entry all texts are empty and all numbers 0.
// Numbers and texts are encoded as by ``RecordWriter``.

/// Navigations that are not written yet, in the order of their serials.
public struct HistoryBatch: Sendable {
    /// How many there are.
    public private(set) var count = 0
    /// How many bytes they take.
    public private(set) var byteCount = 0
    /// The serial of the first one.
    public private(set) var first: UInt64 = 0
    /// The serial of the last one.
    public private(set) var last: UInt64 = 0
    /// The latest time.
    private(set) var time: UInt64 = 0
    /// What makes times of the caller's clock those since 1970.
    private var timeOffset: UInt64 = 0

    /// The entries, with room for more.
    private var room: [UInt8] = []
    private var previous = EntryTexts()
    private var sender = Client.daemon
    private var senderName = ""
    private var previousTime: UInt64 = 0

    /// How many bytes are in the tree's file until this batch is written (``pending``), and the serial of the first entry
    /// after them.
    private var pendingBytes = 0
    private var pendingFirst: UInt64 = 0

    /// An empty batch.
    public init() {}

    /// Whether it is empty.
    public var isEmpty: Bool { count == 0 }

    /// How much room ``removeAll()`` keeps.
    private static let mostRoomKept = 1 << 18

    /// Removes all navigations, and keeps some of the room.
    public mutating func removeAll() {
        var room: [UInt8] = []
        swap(&room, &self.room)
        self = HistoryBatch()
        // The room of large arguments is freed.
        if room.count <= Self.mostRoomKept { self.room = room }
    }

    /// The encoded entries.
    func withEntries<Result, Failure>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try room.withUnsafeBufferPointer { room throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: room[..<byteCount]))
        }
    }

    /// Adds a navigation.
    ///
    /// - Parameters:
    ///   - time: when it occurred, in µs of some clock.
    ///   - offset: what makes that the time since 1970; asked for once for a batch.
    /// - Returns: how many navigations there are now, and how many bytes they take.
    @discardableResult
    public mutating func append(
        _ navigation: Navigation, at time: UInt64, offset: () -> UInt64 = { 0 }
    ) -> (count: Int, bytes: Int) {
        if count == 0 { timeOffset = offset() }
        let time = time &+ timeOffset
        // The size is computed first, so that writing need not check the room. What has to be encoded for that is encoded once.
        var flags: EntryFlags = []
        var size = EntryOutput.fixedBytes
        if navigation.cause != 0 { flags.insert(.cause) }
        var arguments: [UInt8]?
        if !navigation.arguments.isEmpty {
            flags.insert(.arguments)
            if let count = EntryOutput.byteCount(of: navigation.arguments) {
                size += count
            } else {
                let encoded = Self.encoded { $0.append(navigation.arguments) }
                size += encoded.count
                arguments = encoded
            }
        }
        var contributors: [UInt8]?
        if !navigation.contributions.isEmpty {
            flags.insert(.contributors)
            if let count = EntryOutput.byteCount(of: navigation.contributions) {
                size += count
            } else {
                let encoded = Self.encoded { $0.append(navigation.contributions) }
                size += encoded.count
                contributors = encoded
            }
        }
        if navigation.flow != previous.flow {
            flags.insert(.flow)
            previous.flow = navigation.flow
            size += navigation.flow.utf8.count
        }
        if navigation.definition != previous.definition {
            flags.insert(.definition)
            previous.definition = navigation.definition
            size += navigation.definition.utf8.count
        }
        if navigation.step != previous.step {
            flags.insert(.step)
            previous.step = navigation.step
            size += navigation.step.utf8.count
        }
        if navigation.client != sender {
            flags.insert(.sender)
            sender = navigation.client
            senderName = sender.name
            size += senderName.utf8.count
        }
        if room.count - byteCount < size { grow(by: size) }
        if pendingBytes == byteCount { pendingFirst = navigation.serial }

        let serialStep = navigation.serial &- last
        let timeStep = Int64(bitPattern: time &- previousTime)
        room.withUnsafeMutableBufferPointer { room in
            var output = EntryOutput(room, at: byteCount)
            output.begin(flags)
            output.append(serialStep)
            // A clock may be set back: the sign is the lowest bit.
            output.append(UInt64(bitPattern: timeStep << 1 ^ timeStep >> 63))
            if flags.contains(.cause) { output.append(navigation.serial &- navigation.cause) }
            if flags.contains(.flow) { output.append(navigation.flow) }
            if flags.contains(.definition) { output.append(navigation.definition) }
            if flags.contains(.step) { output.append(navigation.step) }
            if flags.contains(.sender) { output.append(senderName) }
            if flags.contains(.contributors) {
                if let contributors { output.append(contributors) } else { output.append(navigation.contributions) }
            }
            if flags.contains(.arguments) {
                if let arguments { output.append(arguments) } else { output.append(navigation.arguments) }
            }
            byteCount = output.end()
        }
        if count == 0 { first = navigation.serial }
        count += 1
        last = navigation.serial
        previousTime = time
        self.time = max(self.time, time)
        return (count, byteCount)
    }

    private static func encoded(_ write: (inout RecordWriter) -> Void) -> [UInt8] {
        var writer = RecordWriter()
        write(&writer)
        return writer.bytes
    }

    // MARK: Pending entries

    /// The entries since ``markPending()``; nil if there are none.
    public var pending: PendingEntries? {
        guard pendingBytes < byteCount else { return nil }
        var body: [UInt8] = []
        body.reserveCapacity(1 + byteCount - pendingBytes)
        body.append(pendingBytes == 0 ? 1 : 0)
        body += room[pendingBytes..<byteCount]
        return PendingEntries(first: pendingFirst, body: body)
    }

    /// How many bytes are in no file yet.
    public var newBytes: Int { byteCount - pendingBytes }

    /// Notes that all entries are in the tree's file.
    public mutating func markPending() { pendingBytes = byteCount }

    /// Notes that no entry is in the tree's file.
    public mutating func markNew() { (pendingBytes, pendingFirst) = (0, first) }

    /// A batch from a file, to which nothing can be added.
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        self.init()
        try bytes.withUnsafeBufferPointer { bytes throws(RecordFailure) in
            var reader = EntryReader(below: nil)
            reader.begin(bytes)
            while try reader.next() {
                if count == 0 { first = reader.serial }
                count += 1
                last = reader.serial
                time = max(time, reader.time)
            }
        }
        room = bytes
        byteCount = bytes.count
        markPending()
    }

    private mutating func grow(by size: Int) {
        room += repeatElement(0, count: max(4_096, size, room.count))
    }
}

/// The texts that an entry may share with the one before.
struct EntryTexts: Sendable {
    var flow = ""
    var definition = ""
    var step = ""
}

/// The parts of an entry; the values are part of the format.
struct EntryFlags: OptionSet, Sendable {
    let rawValue: UInt8

    static let flow = EntryFlags(rawValue: 1)
    static let definition = EntryFlags(rawValue: 2)
    static let step = EntryFlags(rawValue: 4)
    static let sender = EntryFlags(rawValue: 8)
    static let cause = EntryFlags(rawValue: 16)
    static let arguments = EntryFlags(rawValue: 64)
    static let contributors = EntryFlags(rawValue: 128)
    static let all: EntryFlags = [.flow, .definition, .step, .sender, .cause, .arguments, .contributors]
}
