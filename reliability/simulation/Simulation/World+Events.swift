import CDisk
import CSdBus
import Glibc
import FlowCore
import FlowWire
import SdBus

@testable import Worlds
@testable import flowbusd

// What happens next.

extension World {
    /// Has the next thing happen.
    func next() {
        guard let item = schedule.takeNext() else { return }
        switch item {
        case .atBus(let peer, let message, let life): arrived(message, from: peer, life: life)
        case .toPeer(let peer, let message):
            counts.messages += 1
            take(message, peer)
            sd_bus_message_unref(message)
        case .answer(let peer, let message, let call):
            counts.messages += 1
            takeAnswer(MessageReader(message), to: call, peer)
            sd_bus_message_unref(message)
        case .act(let peer):
            guard !peer.isGone, !isQuiet else { return }
            counts.acts += 1
            act(peer)
            schedule.add(.act(peer), at: sim_now + number(0...2 * profile.pause))
        case .leave(let peer): replace(peer)
        case .resync:
            isMirrorSynced = false
            askForObjects()
        case .compare:
            checkOwners()
            checkTitles()
            askForObjects()
            schedule.add(.compare, at: sim_now + (isQuiet ? 10_000_000 : profile.compareEvery))
        case .fault:
            if !isQuiet { cause() }
            schedule.add(.fault, at: sim_now + (isQuiet ? 10_000_000 : number(0...2 * profile.faultEvery)))
        }
    }

    private func askForObjects() {
        call(watcher, "\(BusNames.root)", BusNames.Interface.objectManager, "GetManagedObjects", "", .objects)
        if isQuiet || chance(8) {
            let after = changing.first.map { $0.serial - 1 } ?? 0
            call(watcher, "\(BusNames.root)", BusNames.Interface.history, "GetHistory", "tua{sv}", .history) { body in
                body.uint64(after)
                body.uint32(0)
                body.items([])
            }
        }
    }

    // MARK: What goes wrong

    private func cause() {
        counts.acts += 1
        switch below(12) {
        case 0...3:
            if plan == .none, !profile.isUndisturbed { plan = .atNextCommit }
        case 4:
            if profile.failsDisk {
                let isFailing = sim_disk_fault.failure != 0 || sim_disk_fault.rare != 0
                sim_disk_fault.failure = isFailing ? 0 : element([28, 5, 30]) ?? 28
                if isFailing {
                    sim_disk_fault.rare = 0
                } else if chance(2) {
                    sim_disk_fault.failure = 0
                    sim_disk_fault.rare = UInt32(1 + below(300))
                }
                counts.diskFailures += 1
                (hasDiskTrouble, hasLostHistory) = (true, true)
            }
        case 5: reload()
        case 6...7:
            own(element(busNames) ?? "", chance(3) ? nil : program)
        case 8...9:
            if let peer = program { schedule.add(.leave(peer), at: peer.nextToBus(sim_now)) }
        case 10: sim_disk_sync()
        default:
            guard profile.damages, plan == .none else { return }
            damage()
        }
    }

    /// A program, but not the watcher.
    var program: Peer? {
        let peer = element(peers)
        return peer === watcher ? nil : peer
    }

    /// The files are damaged while nobody has them open: flowbusd ends for that.
    private func damage() {
        plan = .atNextCommit
        isToDamage = true
    }

    func damageFiles() {
        counts.damages += 1
        (isToDamage, wasDamaged, hasLostHistory) = (false, true, true)
        let suffix = element([".db", ".db-wal", ".db-commit"]) ?? ""
        // What is not known to be newer, may be older: a commit file that is damaged, or gone.
        mayBeOld = suffix == ".db-commit"
        switch below(4) {
        case 0: _ = sim_disk_remove(suffix)
        case 1: _ = sim_disk_cut(suffix)
        case 2 where suffix == ".db" && damageRecord(): break
        default: _ = sim_disk_damage(suffix)
        }
    }

    /// Changes a bit of a record in the file of the tree, which leaves the file as SQLite would have it. Returns whether it was
    /// found there, and not in the log.
    private func damageRecord() -> Bool {
        let bodies = (expected?.last?.records ?? []).compactMap(\.body).filter { $0.count >= 8 }
        guard let body = element(bodies) else { return false }
        return sim_disk_damage_bytes("/sim/run/", ".db", body, body.count) != 0
    }

    /// The files of definitions have changed, and SIGHUP comes: as ``Daemon/reload(by:)``, without reading them.
    private func reload() {
        guard let daemon, daemon.state.isServing, profile.changesDefinitions, !profile.isModelled else { return }
        let read = RandomDefinitions.make(using: &random, withGap: chance(2), withOthers: true).definitions
        definitions = read
        isAsBefore = false
        daemon.whenFree { [unowned daemon] in
            daemon.watchBusNames(of: read)
            daemon.handle(.definitionsRead(read))
            daemon.fileDefinitions = read
            daemon.watchBusNames()
            daemon.watchSteppers()
            daemon.commit()
            do { try daemon.sendDefinitionsChanged() } catch { daemon.connectionFailed(error) }
        }
    }

    // MARK: What programs get

    private func take(_ message: OpaquePointer, _ peer: Peer) {
        let reader = MessageReader(message)
        if sim_message_type(message) == 4 {
            if peer === watcher { watch(reader) }
            return
        }
        guard !peer.isGone else { return }
        takeQuestion(reader, sim_message_number(message), peer)
    }

    /// flowbusd has written a signal: what it reports cannot be undone any more.
    func watchSent(_ signal: MessageReader) {
        if strcmp(signal.member, "NavigationOccurred") == 0 { watchNavigation(signal) }
        guard strcmp(signal.member, "InterfacesAdded") == 0 else { return }
        do {
            addedPresentable(at: String(cString: try signal.readObjectPath()))
            try signal.rewind()
        } catch {
            fail("InterfacesAdded can't be read: \(error)")
        }
    }

    private func watch(_ signal: MessageReader) {
        guard isMirrorSynced else { return }
        if let wrong = mirror.take(signal) { fail(wrong) }
    }

    private func watchNavigation(_ signal: MessageReader) {
        do {
            let (serial, cause) = (try signal.readUInt64(), try signal.readUInt64())
            counts.navigations += 1
            if serial <= lastSerial, !mayRepeatSerials {
                fail("the navigation \(serial) comes after \(lastSerial) (S-10)")
            }
            lastSerial = max(lastSerial, serial)
            let sender = String(cString: try signal.readString())
            let step = String(cString: try signal.readString())
            var number: Int64?
            _ = try signal.enterContainer(.array, "{sv}")
            while try signal.enterContainer(.dictEntry, "sv") {
                let name = String(cString: try signal.readString())
                if name == "n", try signal.enterVariant(of: UInt8(ascii: "x")) {
                    number = try signal.readInt64()
                    try signal.exitContainer()
                } else {
                    try signal.skip("v")
                }
                try signal.exitContainer()
            }
            try signal.exitContainer()
            if cause == 0, let number, let wrong = tokens.navigated(number, by: sender, step, serial: serial),
                keepsSteps
            {
                fail(wrong)
            }
            var hasChanged = false
            _ = try signal.enterContainer(.array, "(ssoa{sv})")
            while try signal.enterContainer(.structure, "ssoa{sv}") {
                let kind = String(cString: try signal.readString())
                let isChild = kind == "screen" || kind == "flow"
                _ = try signal.readString()
                let path = String(cString: try signal.readObjectPath())
                // What came and went within one event leaves nothing to write.
                hasChanged = hasChanged || isChild && daemon?.coordinator.node(at: path) != nil
                try signal.skip("a{sv}")
                try signal.exitContainer()
            }
            if hasChanged, profile.folders.runtime != nil { changing.append((serial, counts.navigations)) }
            // Of a commit whose number could not be noted, nobody heard here.
            if hasChanged, !hasDiskTrouble, daemon?.persistence.tree?.isWorking == true, serial > markedSerial {
                fail("the navigation \(serial) is reported, and \(markedSerial) is the last one that is written (D-1)")
            }
            try signal.rewind()
        } catch {
            fail("NavigationOccurred can't be read: \(error)")
        }
    }

    /// Whether a step is never taken again: it may be where it could not be written, or was damaged (D-6, D-7).
    private var keepsSteps: Bool { profile.folders.runtime != nil && !profile.failsDisk && !profile.damages }

    /// Serials that could not be reserved can occur again (D-7).
    var mayRepeatSerials: Bool { profile.failsDisk || profile.folders == .none }

    private func takeAnswer(_ answer: MessageReader, to call: PendingCall, _ peer: Peer) {
        guard !peer.isGone else { return }
        let error = answer.errorName.map { String(cString: $0) }
        switch call.kind {
        case .any: break
        case .objects: takeObjects(answer, error)
        case .history: if error == nil { takeHistory(answer) }
        case .cancel(let key): if error == nil { tokens.cancelled(key) }
        case .token(let key):
            if error != nil { return }
            do {
                let serial = try answer.readUInt64()
                let wrong = tokens.answered(key, serial: serial, verdict: String(cString: try answer.readString()))
                if let wrong, keepsSteps { fail(wrong) }
            } catch {
                fail("the answer to EmitStepWithOptions can't be read: \(error)")
            }
        }
        // Many who lose an answer ask again.
        if error == "org.freedesktop.DBus.Error.NoReply", case .token(let key) = call.kind, !chance(4), !isQuiet {
            repeatToken(peer, key)
        }
    }

    private func takeObjects(_ answer: MessageReader, _ error: String?) {
        if let error {
            if error == "org.freedesktop.DBus.Error.NoReply" { return }
            return fail("GetManagedObjects is answered with \(error)")
        }
        do {
            let all = try Mirror.all(answer)
            guard isMirrorSynced else {
                (mirror, isMirrorSynced) = (all, true)
                return
            }
            counts.comparedMirrors += 1
            if all != mirror {
                fail("a client that follows the signals has another tree: " + mirror.difference(from: all))
            }
        } catch {
            fail("GetManagedObjects can't be read: \(error)")
        }
    }

    /// The history forgets those before so many others (D-10), and a few of these are not signalled.
    private static let retained: UInt64 = 90_000

    /// Each navigation that changed the tree, and was signalled before, is in the history (D-2).
    private func takeHistory(_ answer: MessageReader) {
        guard profile.folders.state != nil, profile.historyEntries == 100_000, !hasLostHistory else { return }
        do {
            var found: Set<UInt64> = []
            var last: UInt64 = 0
            _ = try answer.enterContainer(.array, "(tossa{sv}a{sv})")
            while try answer.enterContainer(.structure, "tossa{sv}a{sv}") {
                let serial = try answer.readUInt64()
                if serial <= last { fail("the history has \(serial) after \(last)") }
                last = serial
                found.insert(serial)
                try answer.skip("ossa{sv}a{sv}")
                try answer.exitContainer()
            }
            let missing = changing.first {
                $0.serial <= last && !found.contains($0.serial) && counts.navigations - $0.place < Self.retained
            }
            if let missing {
                fail("the navigation \(missing.serial), which was signalled, is not in the history (D-2)")
            }
            changing.removeAll { $0.serial <= last }
        } catch {
            fail("GetHistory can't be read: \(error)")
        }
    }
}
