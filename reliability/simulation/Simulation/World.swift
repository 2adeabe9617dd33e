import CDisk
import CSdBus
import FlowFile
import FlowTrace
import FlowWire
import Logging
import SdBus
import Store

@testable import FlowCore
@testable import Worlds
@testable import flowbusd

/// One seeded run: flowbusd with all of its code, on a simulated bus and disk, with programs that call it, answer it, leave it
/// alone or leave the bus, until the process is killed, again and again.
///
/// Everything that happens has its place in ``schedule``, so the seed alone decides what happens.
final class World {
    /// The one that the hooks of C belong to.
    nonisolated(unsafe) static var current: World?

    /// Something that happens at a time.
    enum Item {
        /// A message of a program reaches the bus, for the flowbusd of a life; nil for any.
        case atBus(Peer, OpaquePointer, life: Int?)
        /// A message of flowbusd reaches a program.
        case toPeer(Peer, OpaquePointer)
        /// An answer of flowbusd reaches a program.
        case answer(Peer, OpaquePointer, PendingCall)
        /// A program does something.
        case act(Peer)
        /// A program leaves the bus, and another one comes.
        case leave(Peer)
        /// The watcher learns that flowbusd has another connection.
        case resync
        /// The watcher compares its mirror.
        case compare
        /// Something that no program does.
        case fault
    }

    let seed: UInt64
    let profile: Profile
    var random: Seeded
    var schedule = Schedule<Item>()
    /// What happened so far: messages in both directions, timers of flowbusd, acts, faults.
    var events: UInt64 = 0
    let length: UInt64
    /// What went wrong; the first one ends the run.
    private(set) var violation: String?
    var counts = Counts()

    // The bus.

    var peers: [Peer] = []
    var peersByName: [String: Peer] = [:]
    /// The owners of well-known names.
    var owners: [String: Peer] = [:]
    var lastPeer = 1
    /// Calls to flowbusd that have no answer.
    var calls: [CallKey: PendingCall] = [:]
    /// What arrived while flowbusd was not there.
    var held: [(Peer, OpaquePointer)] = []
    /// Bytes of a message that flowbusd has written in part.
    var partial: [UInt8] = []
    let watcher: Peer
    var mirror = Mirror()
    var isMirrorSynced = false
    /// The serial of the latest navigation that was signalled.
    var lastSerial: UInt64 = 0
    /// Calls with tokens.
    var tokens = TokenLedger()
    /// The programs that flowbusd has called in this life.
    var presenters: Set<String> = []
    /// The serial at the last commit of the tree's file.
    var markedSerial: UInt64 = 0
    /// Navigations that changed the tree, as signalled: their serials, and how many were signalled until then.
    var changing: [(serial: UInt64, place: UInt64)] = []
    /// The instances of all presentables that were ever signalled, and of those that this life began with.
    var instances: Set<UInt64> = []
    var restoredInstances: Set<UInt64> = []
    /// The instances of presentables that this life has added, and not signalled yet, by path.
    var added: [String: [UInt64]] = [:]
    /// When programs left the bus.
    var goneSince: [String: UInt64] = [:]
    /// When owners were told to leave a screen, by its instance, in this life.
    var toldToLeave: [UInt64: UInt64] = [:]
    /// How much time has passed while flowbusd had work at hand.
    var busyTime: UInt64 = 0
    /// Who emitted the step of the event under way, and how many loops were reported of it; nil if others may wait.
    var loopReports: (client: Client, count: Int)?
    /// The records by those that flowbusd has taken, and those that it takes next, in runs where all of them are looked at after
    /// each event.
    var archive: Archive?
    var untaken: [Record] = []
    /// How many turns the loop has made, and at which ones of this life something was found to be overdue.
    var turns = 0
    var overdue: [String: Int] = [:]

    // flowbusd.

    var definitions: Definitions
    var daemon: Daemon?
    var life = 0
    var busNumber: UInt8 = 1
    /// What the next flowbusd on this bus may find: one of these sets of records; nil if nothing is known.
    var expected: [Snapshot]? = [Snapshot()]
    /// The end of flowbusd that is planned.
    var plan = Plan.none
    /// Whether an event was handled in this life.
    var hasBegun = false
    /// Whether the records that were found were compared in this life.
    var hasCompared = false
    /// Whether writing failed in this life.
    var hasDiskTrouble = false
    /// Whether nothing of what follows the run depends on the disk: it failed, was damaged, or lost what was not synced.
    var hasLostHistory = false
    /// Whether owners of names or definitions are others than at the end of the last life.
    var isAsBefore = true
    /// Whether programs only answer, and nothing fails any more.
    var isQuiet = false
    let model: ModelCheck?
    /// The life of flowbusd that asked last.
    var asked = 0
    /// Whether the files are damaged when flowbusd is gone.
    var isToDamage = false
    /// Whether flowbusd ends in order.
    var isEnding = false
    /// Whether files were damaged since the last life, and whether what is found may be older than what was written.
    var (wasDamaged, mayBeOld) = (false, false)
    /// When this life began.
    var lifeBegin: UInt64 = 0
    /// The latest commit of the tree's file.
    var latestCommit = Commit(file: 0, number: 0)

    /// A commit of a file.
    struct Commit: Equatable {
        let file: UInt64
        let number: UInt64
    }

    /// What flowbusd has to go on with, and the owners of names that it knew.
    struct Snapshot {
        var records: [Record] = []
        var owners: [String: Client] = [:]
        /// Whether no call in slices goes on at the restart (S-7), which changes the tree at once.
        var isWhole = true
    }

    /// How flowbusd ends.
    enum Plan: Equatable {
        case none
        /// Once the next commit is written.
        case atNextCommit
        /// By a write; its number is in ``sim_disk_fault``.
        case write
        /// After so many turns of the loop.
        case turns(Int, Ending)
    }

    /// An end between two turns.
    enum Ending: Equatable {
        case killed, stopped, disconnected, machineDown
    }

    init(seed: UInt64, length: UInt64? = nil) {
        self.seed = seed
        random = Seeded(seed: seed)
        profile = Profile(seed: seed, using: &random)
        self.length = length ?? UInt64.random(in: 2_000...12_000, using: &random)
        if profile.isModelled {
            let isWild = Int.random(in: 0..<(profile.isUndisturbed ? 8 : 50), using: &random) == 0
            var made: Definitions
            repeat {
                var generator = DefinitionGenerator(seed: random.next(), isWild: isWild)
                made = generator.make()
            } while !made.steppers.isEmpty
            definitions = made
            model = ModelCheck(made)
        } else {
            definitions = RandomDefinitions.make(using: &random, withOthers: true).definitions
            model = nil
        }
        watcher = Peer(number: 1)
    }

    /// The bus names that the definitions contain.
    var busNames: [String] {
        profile.isModelled ? DefinitionGenerator.emitters : RandomDefinitions.services + RandomDefinitions.emitters
    }

    func fail(_ text: String) {
        if violation == nil { violation = text }
    }

    func chance(_ odds: Int) -> Bool { odds > 0 && Int.random(in: 0..<odds, using: &random) == 0 }
    func number(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &random) }
    func below(_ count: Int) -> Int { count <= 1 ? 0 : Int.random(in: 0..<count, using: &random) }
    func element<T>(_ all: [T]) -> T? { all.isEmpty ? nil : all[below(all.count)] }

    // MARK: The run

    /// Runs to the end. Returns what went wrong.
    func run() -> String? {
        World.current = self
        defer { World.current = nil }
        sim_disk_clear()
        sim_disk_fault = sim_disk_faults()
        (sim_now, sim_is_running) = (1_000_000 + number(0...1_000_000), 1)
        sim_real_offset = 1_790_000_000_000_000
        setBus()
        add(watcher)
        for _ in 0..<profile.clients { join() }
        for name in busNames where !chance(4) {
            owners[name] = element(peers)
        }
        schedule.add(.compare, at: sim_now + profile.compareEvery)
        schedule.add(.fault, at: sim_now + number(0...profile.faultEvery))
        repeat { live() } while violation == nil && !isOver
        sim_is_running = 0
        drop()
        counts.comparedByModel = model?.compared ?? 0
        return violation
    }

    /// Flows that go on and on by steps of idle times would take most of the time of all seeds.
    private var isOver: Bool {
        isQuiet && events > length && calls.isEmpty && (sim_now >= quietEnd || events > length + Self.enoughQuietEvents)
    }
    private static let enoughQuietEvents: UInt64 = 50_000
    private static let mostQuietEvents: UInt64 = 2_000_000
    var quietEnd = UInt64.max
    /// Whether the machine goes down with this life.
    var isMachineDown = false

    private func drop() {
        for item in schedule.removeAll() {
            switch item {
            case .atBus(_, let message, _), .toPeer(_, let message), .answer(_, let message, _):
                sd_bus_message_unref(message)
            default: break
            }
        }
        for (_, message) in held { sd_bus_message_unref(message) }
        held = []
    }

    func setBus() {
        withUnsafeMutableBytes(of: &sim_bus_id) { bytes in
            for place in bytes.indices { bytes[place] = busNumber }
        }
    }

    // MARK: What the hooks call

    /// Between two turns of the loop. Returns whether the process lives on.
    func idle(_ hasWork: Bool) -> Bool {
        turns += 1
        if sim_is_dead != 0 || violation != nil { return die() }
        events = counts.messages + counts.acts + sim_timers - firstTimers
        if !isQuiet, events > length { beQuiet() }
        if events > length + Self.mostQuietEvents { fail("the run has no end: something goes on and on") }
        if case .turns(let left, let ending) = plan {
            if left <= 0 { return end(ending) }
            plan = .turns(left - 1, ending)
        }
        if isOver { return end(.stopped) }
        if isQuiet, sim_now >= quietEnd, findUnanswered() { return die() }
        if hasWork {
            // Messages come while others are handled.
            guard let time = schedule.nextTime, time <= sim_now || chance(16) else { return true }
            if time > sim_now {
                let passed = min(time, max(sim_now, sim_next_timer())) - sim_now
                sim_now += passed
                busyTime += passed
            }
            if time <= sim_now { next() }
            return true
        }
        let timer = sim_next_timer()
        guard let time = schedule.nextTime else {
            if timer == .max { return end(.stopped) }
            sim_now = max(sim_now, timer)
            return true
        }
        if timer < time {
            sim_now = max(sim_now, timer)
        } else {
            sim_now = max(sim_now, time)
            next()
            while let more = schedule.nextTime, more <= sim_now { next() }
        }
        return true
    }

    /// Whether a call waits for longer than any may (S-9).
    private func findUnanswered() -> Bool {
        guard let (key, call) = calls.first(where: { $0.value.sent + 140_000_000 < sim_now }) else { return false }
        fail(
            "\(Peer.name(key.peer)) has no answer to its call \(key.number) of \(call.member) of \(call.sent), sent in life "
                + "\(call.life.map { "\($0)" } ?? "none") of \(life) (S-9)")
        return true
    }

    private lazy var firstTimers = sim_timers

    private func beQuiet() {
        isQuiet = true
        plan = .none
        sim_disk_fault.kill_after = 0
        sim_disk_fault.failure = 0
        sim_disk_fault.rare = 0
        quietEnd = sim_now + 150_000_000
    }

    func die() -> Bool {
        (sim_is_dead, sim_disk_is_frozen) = (1, 1)
        return false
    }

    private func end(_ ending: Ending) -> Bool {
        counts.endings[ending, default: 0] += 1
        plan = .none
        switch ending {
        case .stopped:
            isEnding = true
            daemon?.stop(.success)
            return true
        case .disconnected:
            isEnding = true
            sim_disconnect()
            return true
        case .machineDown:
            isMachineDown = true
            return die()
        case .killed: return die()
        }
    }
}
