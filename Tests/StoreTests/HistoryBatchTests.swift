import BusTestSupport
import Testing

@testable import FlowCore
@testable import Store

/// The encoding of navigations.
@Suite struct HistoryBatchTests {
    private func bytes(_ batch: HistoryBatch) -> [UInt8] { batch.withEntries { Array($0) } }

    private func entries(_ bytes: [UInt8], below path: String? = nil) throws(RecordFailure) -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        try bytes.withUnsafeBufferPointer { bytes throws(RecordFailure) in
            var reader = EntryReader(below: path)
            reader.begin(bytes)
            while try reader.next() { entries.append(try reader.entry()) }
        }
        return entries
    }

    @Test func `The format of today never changes`() throws {
        var batch = HistoryBatch()
        var navigation = Navigation.sample(300, flow: "/m", step: "go")
        batch.append(navigation, at: 70)
        navigation.serial = 301
        navigation.cause = 300
        navigation.step = ""
        navigation.arguments = []
        navigation.contributions = [
            Contribution(kind: .clear, name: "", path: nil),
            Contribution(
                kind: .screen, name: "a", path: "/m/a", style: "modal", arguments: [Argument("n", .bool(true))]),
            Contribution(kind: .end, name: "b", path: nil),
        ]
        batch.append(navigation, at: 68)
        // Not one sum: older compilers take too long for it.
        func join(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined()) }
        func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
        let first = join([
            [40, 0b100_1111, 0xac, 0x02, 0x8c, 0x01], text("/m"), text("watched"), text("go"), text(":1.42"), [1],
            text("movie"), [0, UInt8(ascii: "i"), 0xac, 2],
        ])
        let second = join([
            [0, 0b1001_0100, 1, 3, 1, 0, 3], text("clear"), [0, 0, 0, 0], text("screen"), text("a"), text("/m/a"),
            text("modal"), [1], text("n"), [0, UInt8(ascii: "b"), 1], text("end"), text("b"), [0, 0, 0],
        ])
        var length = first
        length[0] = UInt8(first.count - 1)
        #expect(bytes(batch) == length + second.enumerated().map { $0 == 0 ? UInt8(second.count - 1) : $1 })
        #expect(batch.byteCount == first.count + second.count)
        let read = try entries(bytes(batch))
        #expect(read.map(\.contributors) == [[], navigation.contributions])
        #expect(read.map(\.time) == [70, 68])
        #expect(read.map(\.cause) == [0, 300])
    }

    @Test func `D-6: flags that no entry has are an error`() {
        #expect(throws: RecordFailure("no entry has the flags 32")) { try entries([3, 32, 1, 0]) }
    }

    @Test func `Entries of any length, times and serials of any size`() throws {
        var batch = HistoryBatch()
        var expected: [HistoryEntry] = []
        let times: [UInt64] = [0, .max, 1, .max - 1, 1 << 63, 5]
        for (number, count) in [0, 100, 110, 111, 112, 113, 114, 127, 128, 16_000, 16_383, 16_384, 70_000].enumerated()
        {
            var navigation = Navigation.sample(number == 12 ? 1 << 62 : UInt64(number + 1))
            navigation.arguments = [
                Argument("a", .string(String(repeating: "x", count: count)), isPrivate: number == 5)
            ]
            batch.append(navigation, at: times[number % times.count])
            expected.append(HistoryEntry(navigation, at: times[number % times.count]))
        }
        #expect(try entries(bytes(batch)) == expected)
    }

    @Test(arguments: 0..<30)
    func `Simple values look as RecordWriter has them`(seed: UInt64) throws {
        var seeded = SeededGenerator(seed)
        var arguments: Arguments = []
        while arguments.count < 12 {
            let argument = Argument("name\(arguments.count)", .random(&seeded), isPrivate: seeded.isRare(2))
            if EntryOutput.byteCount(of: [argument]) != nil { arguments.append(argument) }
        }
        let most = try #require(EntryOutput.byteCount(of: arguments))
        var writer = RecordWriter()
        writer.append(arguments)
        #expect(writer.bytes.count <= most)
        var navigation = Navigation.sample(1)
        navigation.arguments = arguments
        var batch = HistoryBatch()
        batch.append(navigation, at: 1)
        #expect(Array(bytes(batch).suffix(writer.bytes.count)) == writer.bytes)
    }

    @Test(arguments: 0..<300)
    func `D-6: invalid bytes are an error, and never crash`(seed: UInt64) throws {
        var seeded = SeededGenerator(seed)
        var batch = HistoryBatch()
        for serial in 1...6 as ClosedRange<UInt64> { batch.append(.random(serial, &seeded), at: serial) }
        let whole = bytes(batch)
        for _ in 0..<20 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &seeded) {
                bytes[Int.random(in: 0..<bytes.count, using: &seeded)] = UInt8.random(in: 0...255, using: &seeded)
            }
            if seeded.isRare(2) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &seeded)) }
            _ = try? entries(bytes)
            _ = try? entries(seeded.bytes(100), below: "/main")
        }
        // A truncated batch is never read as a whole one.
        for count in 1..<whole.count {
            let read = try? entries(Array(whole[..<count]))
            #expect(read == nil || read?.count ?? 6 < 6)
        }
    }

    @Test func `A flow is below a path only at a slash`() throws {
        var batch = HistoryBatch()
        let flows = ["/a/b", "/a/bc", "/a/b/c", "/a", "/a/b", "/b/a/b", ""]
        for (number, flow) in flows.enumerated() { batch.append(.sample(UInt64(number + 1), flow: flow), at: 1) }
        let written = bytes(batch)
        func serials(below path: String?) throws -> [UInt64] {
            var serials: [UInt64] = []
            try written.withUnsafeBufferPointer { bytes in
                var reader = EntryReader(below: path)
                reader.begin(bytes)
                while try reader.next() { if reader.isBelow { serials.append(reader.serial) } }
            }
            return serials
        }
        #expect(try serials(below: "/a/b") == [1, 3, 5])
        #expect(try serials(below: "/a") == [1, 2, 3, 4, 5])
        #expect(try serials(below: "/") == [1, 2, 3, 4, 5, 6])
        #expect(try serials(below: "/a/b/c/d") == [])
        #expect(try serials(below: nil) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test(arguments: 0..<200)
    func `An entry counts for at least what it takes in an answer`(seed: UInt64) {
        var seeded = SeededGenerator(seed)
        let entry = HistoryEntry(.random(1_000 + seed, &seeded), at: 1)
        var wire = WireSize()
        wire.add(entry)
        #expect(wire.bytes <= entry.byteCount)
        let arguments = entry.arguments.byteCount + entry.contributors.reduce(0) { $0 + $1.arguments.byteCount }
        #expect(wire.bytes + 400 + 80 * entry.contributors.count + arguments > entry.byteCount)
    }
}

/// The size of values in a D-Bus message; D-Bus specification, "Marshaling".
private struct WireSize {
    /// The size so far, from the worst position for padding.
    private(set) var bytes = 0

    private mutating func align(_ size: Int) { bytes = (bytes + size - 1) / size * size }

    private mutating func add(_ text: String, lengthBytes: Int = 4) {
        align(lengthBytes)
        bytes += lengthBytes + text.utf8.count + 1
    }

    private mutating func addArray(_ alignment: Int, _ elements: (inout WireSize) -> Void) {
        align(4)
        bytes += 4
        align(alignment)
        elements(&self)
    }

    private mutating func add(key: String, _ value: Value) {
        align(8)
        add(key)
        add(.variant(value))
    }

    mutating func add(_ entry: HistoryEntry) {
        bytes += 1
        align(8)
        add(.uint64(entry.serial))
        for text in [entry.flow, entry.definition, entry.step] { add(text) }
        addArray(8) { wire in for argument in entry.arguments { wire.add(key: argument.name, argument.value) } }
        addArray(8) { wire in
            wire.add(key: "time", .uint64(entry.time))
            wire.add(key: "cause", .uint64(entry.cause))
            wire.add(key: "sender", .string(entry.sender))
            wire.add(key: "contributors", .array(element: "(ssoa{sv})", entry.contributors.map(Self.value)))
        }
    }

    private static func value(_ contribution: Contribution) -> Value {
        func dictionary(_ entries: [(String, Value)]) -> Value {
            .array(element: "{sv}", entries.map { .entry(key: .string($0.0), value: .variant($0.1)) })
        }
        var options: [(String, Value)] = []
        if !contribution.style.isEmpty { options.append(("style", .string(contribution.style))) }
        if !contribution.arguments.isEmpty {
            options.append(("arguments", dictionary(contribution.arguments.map { ($0.name, $0.value) })))
        }
        return .structure([
            .string(contribution.kind.rawValue), .string(contribution.name), .objectPath(contribution.path ?? "/"),
            dictionary(options),
        ])
    }

    private mutating func add(_ value: Value) {
        switch value {
        case .byte: bytes += 1
        case .int16, .uint16:
            align(2)
            bytes += 2
        case .bool, .int32, .uint32:
            align(4)
            bytes += 4
        case .int64, .uint64, .double:
            align(8)
            bytes += 8
        case .string(let text), .objectPath(let text): add(text)
        case .signature(let text): add(text, lengthBytes: 1)
        case .variant(let value):
            add(value.signature, lengthBytes: 1)
            add(value)
        case .bytes(let content): addArray(1) { $0.bytes += content.count }
        case .array(let element, let elements):
            addArray("xtd({".contains(element.prefix(1)) ? 8 : 4) { wire in
                for element in elements { wire.add(element) }
            }
        case .structure(let members):
            align(8)
            for member in members { add(member) }
        case .object: break
        case .entry(let key, let value):
            align(8)
            add(key)
            add(value)
        }
    }
}
