import CDisk
@testable import FlowCore
@testable import Worlds
@testable import flowbusd

// What is in the file of the tree, as the world knows it from what is written, and what the next flowbusd finds there.

extension World {
    /// A write killed the process.
    func killedByWrite() {
        counts.killsByWrite += 1
        let isTree = String(cString: lastPath).hasPrefix("/sim/run/")
        if hasBegun, isTree, let known = expected { expected = snapshot().map { known + [$0] } }
        _ = die()
    }

    private var lastPath: UnsafePointer<CChar> {
        withUnsafePointer(to: &sim_disk_last) { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
    }

    /// A commit was made, and its number was noted, or could not be. The same number is noted at other times, too.
    func marked(_ path: String, _ commit: Commit, isWritten: Bool) {
        guard path.hasPrefix("/sim/run/"), sim_disk_is_frozen == 0, commit != latestCommit else { return }
        latestCommit = commit
        guard hasBegun else { return }
        // A file that is begun in the midst of a life, because none could be when flowbusd started, or because the former one was
        // moved aside, has the numbers 0 and 1 before anything is written to it: whoever is killed then, or by the write of all
        // records that comes next, leaves it without records. What was done until then was not durable, as flowbusd reported
        // (D-7).
        let isEmpty = commit.number <= 1
        if isWritten, !isEmpty {
            counts.commits += 1
            markedSerial = daemon?.coordinator.serial ?? 0
        }
        guard plan != .none || isEnding else {
            expected = nil
            return
        }
        // Without its number, the next flowbusd may find this commit or the one before.
        let before = isWritten ? [] : expected
        let written = isEmpty ? Snapshot() : snapshot()
        expected = written.flatMap { taken in before.map { $0 + [taken] } }
        guard isWritten else { return }
        if daemon?.fileDefinitions == definitions { isAsBefore = true }
        guard plan == .atNextCommit else { return }
        if isToDamage {
            // After an orderly end all is in the file itself, and nothing in its log.
            plan = .turns(below(20), chance(3) ? .killed : .stopped)
        } else if chance(2) {
            plan = .write
            sim_disk_fault.kill_after = number(1...30)
        } else {
            let endings: [Ending] =
                [.killed, .killed, .stopped, .disconnected] + (profile.crashesMachine ? [.machineDown] : [])
            plan = .turns(below(20), element(endings) ?? .killed)
        }
    }

    /// All that flowbusd has to go on with.
    private func snapshot() -> Snapshot? {
        guard let daemon else { return nil }
        return Snapshot(
            records: daemon.coordinator.allRecords.filter { $0.key.kind != .counters },
            owners: daemon.coordinator.machine.nameOwners.owners, isWhole: !daemon.coordinator.pendingWork.hasMore)
    }

    /// A file is moved aside: it was damaged, by the world or by flowbusd (D-6).
    func movedAside(_ path: String) {
        let mayBeDamaged = profile.damages || profile.crashesMachine && !path.hasPrefix("/sim/run/")
        // Who is killed in the midst of the first page has told nobody of anything.
        let isBegun = path.hasSuffix(".db") && sim_disk_size(path) >= 512
        if !mayBeDamaged, isBegun { fail("'\(path)' is moved aside, and nobody has damaged it (D-6, D-7)") }
    }

    /// After each event, the records that have changed since the last one, with those of before, are all that there are (D-1).
    func compareArchive(_ coordinator: borrowing Coordinator) {
        guard profile.comparesRecords else { return }
        var copy = coordinator.copy()
        guard var all = archive else {
            archive = Archive()
            archive?.keep(coordinator.allRecords)
            untaken = copy.takeRecords()
            return
        }
        // Tokens and asks that are over can be forgotten, and the removal taken, between two events.
        let known = Set(coordinator.allRecords.map(\.key))
        let mayBeGone: Set<RecordKey.Kind> = [.token, .ask]
        all.keep(all.bodies.keys.filter { mayBeGone.contains($0.kind) && !known.contains($0) }.map { Record($0, nil) })
        let wrong = all.update(from: &copy)
        copy = coordinator.copy()
        untaken = copy.takeRecords()
        counts.comparedRecords += 1
        if !wrong.isEmpty { fail("records are not those of the tree: \(wrong.joined(separator: ", ")) (D-1)") }
    }

    /// Before an event: whether flowbusd has taken the records that there were after the last one.
    func noteTakenRecords(_ coordinator: borrowing Coordinator) {
        guard profile.comparesRecords, !untaken.isEmpty else { return }
        var copy = coordinator.copy()
        let records = copy.takeRecords()
        if !untaken.allSatisfy(records.contains) { archive?.keep(untaken) }
    }

    func compareFound(_ found: [Record]) {
        defer { expected = nil }
        guard let expected, profile.restore != .never, profile.folders.runtime != nil else { return }
        counts.comparedFiles += 1
        if expected.contains(where: { $0.records == found }) { return }
        // Damage is found, and never used.
        if wasDamaged, found.isEmpty { return }
        if wasDamaged, mayBeOld { return }
        fail(
            "the file has \(found.count) records, which are none of the \(expected.count) sets that were written: "
                + Self.difference(found, expected.last?.records ?? []))
    }

    /// A restart forgets no record and makes none. A screen that is presented at once is not evicted any more (S-44), and a flow whose
    /// pause was over by then has taken its initial step again (S-48).
    func compareRestored(_ found: [Record], _ coordinator: borrowing Coordinator, _ effects: [Effect]) {
        let lasting: Set<RecordKey.Kind> = [
            .node, .activity, .step, .list, .progress, .stepper, .savedState, .context, .outputs,
        ]
        var presented: Set<RecordKey> = []
        for case .present(let presentation) in effects { presented.insert(RecordKey(.node, presentation.instance)) }
        // Their presenters were called or their steps taken; now they wait for a pause (S-47, S-48).
        for case .reportDelay(let path, _, _, _) in effects {
            if let node = coordinator.node(at: path) { presented.insert(RecordKey(.node, node.instance)) }
        }
        func isComparable(_ record: Record) -> Bool {
            lasting.contains(record.key.kind) && !presented.contains(record.key)
        }
        let before = found.filter(isComparable)
        let after = coordinator.allRecords.filter(isComparable)
        counts.comparedTrees += 1
        if before != after { fail("restored is another tree: " + Self.difference(after, before)) }
    }

    private static func difference(_ one: [Record], _ other: [Record]) -> String {
        let ones = Dictionary(one.map { ($0.key, $0.body ?? []) }) { $1 }
        let others = Dictionary(other.map { ($0.key, $0.body ?? []) }) { $1 }
        func text(_ key: RecordKey) -> String { "\(key.kind) \(key.number)" }
        let added = ones.keys.filter { others[$0] == nil }.sorted()
        let removed = others.keys.filter { ones[$0] == nil }.sorted()
        let changed = ones.keys.filter { others[$0] != nil && others[$0] != ones[$0] }.sorted()
        let texts = changed.map { "\(text($0)) \(ones[$0] ?? []) for \(others[$0] ?? [])" }
        return "added \(added.map(text)), missing \(removed.map(text)), changed \(texts)"
    }
}
