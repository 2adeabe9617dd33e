import BusTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// Someone asks, someone else answers, and each of them, and flowbusd, is killed before each of its system calls (by strace), or
/// several of them are: each answer comes exactly once to an asker that acknowledges, what was saved is not lost, and nobody waits
/// for ever.
///
/// By default a sample; all calls with `FLOWBUS_SWEEP=1`. `FLOWBUS_SEED` repeats the choice, but what the processes do at once
/// may have another order. `FLOWBUS_CALL_KILLS='flowbusd 1 before sendmsg 30, asker 2 before recvmsg 9'` plays one case, as a
/// failure prints it, a hundred times.
@Suite(
    "Killed at each system call", .serialized,
    .enabled(if: FailingSends.obstacle == nil, Comment(rawValue: FailingSends.obstacle ?? "")))
struct CallKillTests {
    private static var isWhole: Bool { ProcessInfo.processInfo.environment["FLOWBUS_SWEEP"] != nil }

    /// Plays many at once, each on a bus of its own. Returns how many of the kills happened.
    private func play(_ way: CallKillRun.Way, on program: PrivateBus.Program, _ plans: [[CallKill]]) -> Int {
        let faults = Mutex<[(what: String, report: String)]>([])
        let killed = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: plans.count) { index in
            do {
                let outcome = try CallKillRun(way, on: program, plans[index]).play()
                killed.withLock { $0 += outcome.killed.count }
                guard !outcome.faults.isEmpty else { return }
                faults.withLock { $0.append(("\(plans[index]): \(outcome.faults)", outcome.report)) }
            } catch {
                faults.withLock { $0.append(("\(plans[index]): \(error)", "")) }
            }
        }
        let all = faults.withLock(\.self)
        for fault in all { print("Killed at each system call, \(way), \(program):", fault.what) }
        #expect(
            all.isEmpty,
            "\(all.count) of \(plans.count); the first: \(all.first?.what ?? "")\n\(all.first?.report ?? "")")
        return killed.withLock(\.self)
    }

    /// The calls of these processes while these are killed.
    private func record(
        _ way: CallKillRun.Way, on program: PrivateBus.Program, _ lives: [CallKilled: Int],
        killing kills: [CallKill] = []
    ) throws -> [[CallKill]] {
        let outcome = try CallKillRun(way, on: program, kills, recorded: lives).play()
        try #require(outcome.faults == [], "\(outcome.report)")
        return CallKilled.allCases.compactMap { outcome.recorded[$0] }
    }

    @Test(arguments: CallKillRun.Way.allCases, PrivateBus.Program.allCases)
    func `S-44 S-45 D-1 whoever is killed, each answer comes once`(
        way: CallKillRun.Way, program: PrivateBus.Program
    ) throws {
        if let text = ProcessInfo.processInfo.environment["FLOWBUS_CALL_KILLS"] {
            let kills = text.trimmingCharacters(in: ["[", "]"]).split(separator: ",").compactMap {
                CallKill(String($0))
            }
            #expect(!kills.isEmpty, "no kills: '\(text)'")
            print(
                "Killed at each system call, \(way), \(program): \(play(way, on: program, Array(repeating: kills, count: 100))) kills"
            )
            return
        }
        let seed = SeededGenerator.given
        var random = SeededGenerator(seed)
        let calls = try record(way, on: program, [.asker: 1, .picker: 1, .flowbusd: 1])
        #expect(calls.count == 3 && calls.allSatisfy { $0.count > 50 })
        let single = calls.joined().map { [$0] }
        // Once more while it starts, and the others wait for it.
        let middle = try #require(calls.last.map { $0[$0.count / 2] })
        let starts = try record(way, on: program, [.flowbusd: 2], killing: [middle]).joined().compactMap { second in
            calls.last?.randomElement(using: &random).map { [$0, second] }
        }
        let pairs = (0..<500).compactMap { _ -> [CallKill]? in
            guard let first = calls.randomElement(using: &random)?.randomElement(using: &random),
                var second = calls.randomElement(using: &random)?.randomElement(using: &random)
            else { return nil }
            if second.program == first.program { second.life = 2 }
            return [first, second]
        }
        let triples = (0..<250).map { _ in calls.compactMap { $0.randomElement(using: &random) } }
        let sweep = [(single, 9), (starts, 2), (pairs, 2), (triples, 2)].flatMap { all, few in
            Self.isWhole ? all : Array(all.shuffled(using: &random).prefix(few))
        }
        let kills = play(way, on: program, sweep)
        let counts = zip(CallKilled.allCases, calls).map { "\($0) \($1.count)" }.joined(separator: ", ")
        print(
            "Killed at each system call, \(way), \(program): \(sweep.count) runs with \(kills) kills, of \(single.count) calls (\(counts)), "
                + "\(starts.count) of a second start, \(pairs.count) pairs, \(triples.count) times all three; seed \(seed)"
        )
    }
}
