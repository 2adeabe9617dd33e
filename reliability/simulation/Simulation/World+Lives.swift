import CDisk
import CSdBus
import FlowFile
import Logging
import SdBus
import Store

@testable import FlowCore
@testable import Worlds
@testable import flowbusd

// The lives of flowbusd: how each begins and ends, and what the next one finds.

extension World {
    /// One process, from its start to its end.
    func live() {
        life += 1
        if life > 1 { model?.end() }
        (sim_is_dead, sim_disk_is_frozen) = (0, 0)
        (hasBegun, hasCompared, isEnding) = (false, false, false)
        (lifeBegin, toldToLeave) = (sim_now, [:])
        (restoredInstances, added, overdue) = ([], [:], [:])
        (loopReports, archive, untaken) = (nil, nil, [])
        hasDiskTrouble = sim_disk_fault.failure != 0 || sim_disk_fault.rare != 0
        partial = []
        presenters = []
        setBus()
        if plan == .none, !isQuiet, !profile.isUndisturbed, chance(8) {
            plan = .write
            sim_disk_fault.kill_after = number(1...60)
        }
        do {
            let bus = try Bus(.address("sim:"))
            let loop = try EventLoop()
            let setup = Setup(
                logger: logger, definitionReader: DefinitionReader(DefinitionFolders(named: ["/sim/flows.d"])),
                traceWriter: TraceWriter { [unowned self] event, now, coordinator in
                    observe(event, now, &coordinator)
                },
                callsUnderWay: Limits.callsUnderWayInTotal, endsProcesses: false, folders: profile.folders,
                retention: Persistence.Retention(entries: profile.historyEntries, days: 30),
                restore: profile.restore, reconnects: false, connect: { () throws(SdError) in throw .notConnected })
            let daemon = try Daemon(bus: bus, loop: loop, setup: setup, definitions: definitions)
            self.daemon = daemon
            for (peer, message) in held { deliver(message, from: peer) }
            held = []
            _ = withExtendedLifetime(daemon) { daemon.run() }
            if sim_is_dead == 0, !daemon.state.isEnding {
                // It gave up at the start: the disk was no excuse.
                if violation == nil, !hasDiskTrouble { fail("flowbusd ended by itself") }
            }
            self.daemon = nil
        } catch {
            fail("flowbusd could not be made: \(error)")
        }
        ended()
    }

    /// The bus finds that flowbusd is gone.
    private func ended() {
        counts.lives += 1
        plan = .none
        sim_disk_fault.kill_after = 0
        sim_is_dead = 0
        sim_disk_is_frozen = 0
        partial = []
        for key in calls.keys.sorted() where calls[key]?.life == life {
            guard let call = calls.removeValue(forKey: key), let peer = peersByName[Peer.name(key.peer)] else {
                continue
            }
            let error = sim_message(
                3, 1, 0, key.number, "org.freedesktop.DBus", nil, nil, nil, "org.freedesktop.DBus.Error.NoReply", "",
                nil, 0)
            if let error { schedule.add(.answer(peer, error, call), at: peer.nextFromBus(sim_now)) }
        }
        if isToDamage {
            damageFiles()
        } else if hasCompared {
            (wasDamaged, mayBeOld) = (false, false)
        }
        if isMachineDown {
            restartMachine()
        } else if profile.crashesMachine, chance(4) {
            sim_disk_sync()
        }
        schedule.add(.resync, at: watcher.nextFromBus(sim_now))
        if chance(3) {
            sim_now += number(0...3_000_000)
            isAsBefore = false
        }
    }

    /// Another boot, another bus, and of the disk what had reached it.
    private func restartMachine() {
        isMachineDown = false
        counts.machineCrashes += 1
        sim_disk_crash()
        hasLostHistory = true
        expected = nil
        BootClock.number += 1
        sim_now += number(1_000_000...100_000_000)
        busNumber = busNumber &+ 1
        setBus()
        for (peer, message) in held {
            calls[CallKey(peer: peer.number, number: sim_message_number(message))] = nil
            sd_bus_message_unref(message)
        }
        held = []
        // Without a commit file, nothing can tell that there was a start before.
        if sim_disk_size("history.db-commit") < 0, sim_disk_size("history.db") <= 0 {
            (lastSerial, instances) = (0, [])
        }
        for peer in peers where peer !== watcher { replace(peer) }
        // Names of connections begin anew, but those here never repeat, so that calls can be told apart.
        calls = calls.filter { $0.key.peer == watcher.number }
        isAsBefore = false
    }
}
