import Glibc
import Testing

@testable import FlowCore

/// The stored records of a coordinator, as a shell stores them.
struct Archive {
    private(set) var bodies: [RecordKey: [UInt8]] = [:]

    /// All stored records.
    var records: [Record] { bodies.map { Record($0.key, $0.value) } }

    /// Stores the changed records. Returns the keys of missing changes, and of promises that were not kept.
    ///
    /// - Parameter isCompared: whether to compare all records, which takes time, or only the promised ones.
    mutating func update(from coordinator: inout Coordinator, comparing isCompared: Bool = true) -> [String] {
        var complaints: [String] = []
        let (isUrgent, isAny) = (coordinator.pendingWork.hasUrgentRecords, coordinator.pendingWork.hasRecords)
        let taken = coordinator.takeRecords()
        keep(taken)
        let lazy: Set<RecordKey.Kind> = [.activity]
        // Dropped tokens and asks can be removed later.
        let dropped: Set<RecordKey.Kind> = [.token, .ask]
        let urgent = taken.filter { !lazy.contains($0.key.kind) && !(dropped.contains($0.key.kind) && $0.body == nil) }
        if !isUrgent, !urgent.isEmpty { complaints.append("not urgent: \(urgent.map(\.key))") }
        if !isAny, !taken.isEmpty { complaints.append("not promised: \(taken.map(\.key))") }
        if Set(taken.map(\.key)).count != taken.count { complaints.append("taken twice: \(taken.map(\.key))") }
        if coordinator.pendingWork.hasRecords { complaints.append("there are more") }
        guard isCompared else { return complaints }
        var expected: [RecordKey: [UInt8]] = [:]
        for record in coordinator.allRecords { expected[record.key] = record.body }
        for (key, body) in expected where !body.hasSameBytes(as: bodies[key]) {
            complaints.append(bodies[key] == nil ? "missing: \(key)" : "out of date: \(key)")
        }
        for key in bodies.keys where expected[key] == nil { complaints.append("left over: \(key)") }
        return complaints
    }

    /// Records as a shell finds them in a file; none if it would refuse them.
    func found(_ records: [Record]) -> [Record] {
        (try? Record.checked(records.sorted { $0.key < $1.key })) ?? []
    }

    mutating func keep(_ records: [Record]) {
        for record in records { bodies[record.key] = record.body }
    }
}

extension [UInt8] {
    /// The same as `==`, which takes seconds for megabytes in tests: they are not optimized, and it calls a function for each byte.
    fileprivate func hasSameBytes(as other: [UInt8]?) -> Bool {
        guard let other, other.count == count else { return false }
        return withUnsafeBytes { bytes in
            other.withUnsafeBytes { others in
                guard let one = bytes.baseAddress, let two = others.baseAddress else { return true }
                return memcmp(one, two, bytes.count) == 0
            }
        }
    }
}
