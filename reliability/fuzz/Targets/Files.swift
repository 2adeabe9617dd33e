import Glibc
import Input

@testable import FlowCore
@testable import Store

/// Records: a kind, a number in a byte, a length in two bytes, and the body, over and over. They are refused, or restored; then the
/// machine works, and its own records restore it as it is.
func playRecords(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    var records: [Record] = []
    var rest = bytes.dropFirst()
    while rest.count >= 4, records.count < 256 {
        let head = Array(rest.prefix(4))
        rest = rest.dropFirst(4)
        let length = min(Int(head[2]) << 8 | Int(head[3]), rest.count)
        let kinds = RecordKey.Kind.allCases
        records.append(
            Record(RecordKey(kinds[Int(head[0]) % kinds.count], UInt64(head[1])), Array(rest.prefix(length))))
        rest = rest.dropFirst(length)
    }
    var keys: Set<RecordKey> = []
    records = records.filter { keys.insert($0.key).inserted }.sorted { $0.key < $1.key }
    let definitions = examples[Int(first & 3)]
    let checked: [Record]
    do throws(RecordFailure) {
        checked = try Record.checked(records)
    } catch {
        expect(!error.message.isEmpty, "there is no message")
        // Whoever restores them all the same, comes to no harm.
        if first & 4 != 0 { live(restored(records, definitions, isSameBus: first & 8 == 0)) }
        return
    }
    var coordinator = restored(checked, definitions, isSameBus: first & 8 == 0)
    var again = restored(ownRecords(of: &coordinator), definitions, isSameBus: true)
    expect(again.paths == coordinator.paths, "restored again, the tree is \(again.paths), not \(coordinator.paths)")
    ownRecords(of: &again)
    live(again)
    live(coordinator)
}

/// The records that a machine has made, which have to be those of a whole tree.
@discardableResult
func ownRecords(of coordinator: inout Coordinator) -> [Record] {
    let records = coordinator.takeAllRecords().sorted { $0.key < $1.key }
    do throws(RecordFailure) { try Record.check(records) } catch {
        fatalError("own records are refused: \(error.message)")
    }
    return records
}

private func restored(_ records: [Record], _ definitions: Definitions, isSameBus: Bool) -> Coordinator {
    var coordinator = Coordinator(definitions: definitions, basePath: "")
    _ = coordinator.handle(.restored(records, onSameBus: isSameBus), at: Instant(microseconds: 1))
    finish(&coordinator)
    return coordinator
}

private func finish(_ coordinator: inout Coordinator) {
    var turns = 0
    while coordinator.pendingWork.hasMore, turns < 1_000 {
        _ = coordinator.handle(.continued, at: Instant(microseconds: 1))
        turns += 1
    }
}

/// Takes some steps, lets time pass, reads definitions, and removes all.
private func live(_ given: consuming Coordinator) {
    var coordinator = given
    let client = Client(":1.2")
    _ = coordinator.handle(.nameOwnerChanged("com.vendor.App", owner: client), at: Instant(microseconds: 2))
    for path in coordinator.paths.prefix(6) {
        for step in coordinator.definitions.steps.indices.prefix(4) {
            guard let node = coordinator.node(at: path) else { break }
            let number = RequestID(100 + UInt64(step))
            _ = coordinator.handle(
                .stepEmitted(number, on: node, step: StepID(step), arguments: [], by: client, options: nil),
                at: Instant(microseconds: 3))
        }
    }
    _ = coordinator.handle(.definitionsRead(coordinator.definitions), at: Instant(microseconds: 4))
    _ = coordinator.handle(.timerFired, at: Instant(microseconds: 100_000_000))
    for path in coordinator.paths.reversed() {
        guard let node = coordinator.node(at: path) else { continue }
        _ = coordinator.handle(
            .presentableDismissed(RequestID(200), node, by: client), at: Instant(microseconds: 100_000_001))
    }
    _ = coordinator.takeAllRecords()
}

/// Files of a store: the first byte says which one is damaged, or which rows are read. Opening reports damage, or all that is in
/// the file can be used.
func playStore(_ bytes: [UInt8]) {
    guard let kind = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    switch kind % 6 {
    case 0: useFile([(".db", rest)])
    case 1: useFile([(".db", patched(goodFile[".db"] ?? [], rest))])
    case 2: useFile([(".db", goodFile[".db"] ?? []), (".db-commit", rest)])
    case 3: useFile([(".db", goodFile[".db"] ?? []), (".db-commit", patched(goodFile[".db-commit"] ?? [], rest))])
    case 4: readEntries(rest)
    default: _ = try? HistoryBatch.batches(of: rows(rest))
    }
}

/// Bytes at places: two bytes for the place, one for the byte.
private func patched(_ bytes: [UInt8], _ patches: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var rest = patches[...]
    while rest.count >= 3, !bytes.isEmpty {
        let place = (Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])) % bytes.count
        bytes[place] = rest[rest.startIndex + 2]
        rest = rest.dropFirst(3)
    }
    return bytes
}

private func rows(_ bytes: [UInt8]) -> [[UInt8]] {
    var rows: [[UInt8]] = []
    var rest = bytes[...]
    while let length = rest.first {
        rows.append(Array(rest.dropFirst().prefix(Int(length))))
        rest = rest.dropFirst(Int(length) + 1)
    }
    return rows
}

private func readEntries(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
        for path in [nil, "/main"] {
            var reader = EntryReader(below: path)
            reader.begin(bytes)
            while (try? reader.next()) == true {
                guard reader.isBelow, let entry = try? reader.entry() else { continue }
                expect(entry.byteCount >= 0, "an entry has a negative size")
            }
        }
    }
}

/// A folder in memory, if there is one.
private let folder: String = {
    var template = Array(
        ((getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/flowbus-fuzz-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: errno \(errno)") }
    atexit { removeFiles(andFolder: true) }
    return String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
}()

private func removeFiles(andFolder: Bool = false) {
    for name in ["", "-commit", "-wal", "-shm", "-journal"] { unlink(folder + "/tree.db" + name) }
    if andFolder { rmdir(folder) }
}

private func navigations() -> HistoryBatch {
    var batch = HistoryBatch()
    for number in 1...5 as ClosedRange<UInt64> {
        batch.append(
            Navigation(
                flow: "/main", definition: "main", serial: number, cause: 0, client: Client(":1.1"), step: "go",
                arguments: [Argument("n", .uint64(number))], contributions: [], isDeepLink: false,
                adaptedFrom: nil), at: number)
    }
    return batch
}

/// Navigations as a row has them.
let sampleEntries: [UInt8] = navigations().withEntries { Array($0) }

/// A file with records and navigations, and its commit file.
let goodFile: [String: [UInt8]] = {
    removeFiles()
    do throws(StoreFailure) {
        let store = try StoreFile(folder + "/tree.db")
        let batch = navigations()
        try store.write((0..<5).map { Record(RecordKey(.node, $0), [UInt8](repeating: 7, count: 40)) }, history: batch)
    } catch {
        fatalError("\(error)")
    }
    let files = [".db", ".db-commit"].reduce(into: [:]) { $0[$1] = content(of: folder + "/tree" + $1) }
    removeFiles()
    return files
}()

private func useFile(_ files: [(name: String, bytes: [UInt8])]) {
    removeFiles()
    for file in files { write(file.bytes, to: folder + "/tree" + file.name) }
    defer { removeFiles() }
    do throws(StoreFailure) {
        let store = try StoreFile(folder + "/tree.db")
        let records = try store.records()
        _ = try? Record.checked(records)
        _ = try store.takePending()
        _ = try store.entries(after: 0, limit: .max, bytes: .max, below: "/main")
        _ = try store.entries(after: 2, limit: 3, bytes: 1 << 16, below: nil)
        var aging: StoreFile.Aging?
        _ = try store.prune(keeping: 2, aging: &aging)
        try store.write([Record(RecordKey(.node, 3), [1]), Record(RecordKey(.node, 4), nil)])
        let written = try store.records()
        expect(written.contains { $0.key == RecordKey(.node, 3) && $0.body == [1] }, "what was written is not there")
        try store.write([Record(RecordKey(.node, 1), [1])], all: true)
        let all = try store.records()
        expect(all.map(\.key) == [RecordKey(.node, 1)], "other records were left: \(all.map(\.key))")
    } catch {
        expect(error.kind == .unreadable, "damage was taken for something else: \(error)")
        expect(error.description.contains("'"), "the failure names nothing: \(error)")
    }
}
