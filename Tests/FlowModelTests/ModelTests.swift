import FlowCore
import Foundation
import Testing

/// Random definitions, and random events in their worlds: the coordinator has to say what the model says, step by step.
///
/// `FLOWBUS_SEQUENCES` says how many sequences, `FLOWBUS_SEED` which the first seed is: `FLOWBUS_SEED=4711
/// FLOWBUS_SEQUENCES=1` is the one sequence of that seed.
@Suite("Model")
struct ModelTests {
    private static let sequences = number("FLOWBUS_SEQUENCES", 5_000)
    private static let first = number("FLOWBUS_SEED", 1)
    private static let shards: UInt64 = 8

    private static func number(_ variable: String, _ standard: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init) ?? standard
    }

    @Test(arguments: 0..<shards)
    func `S-1 to S-35 the coordinator says what the model says, whatever happens`(shard: UInt64) {
        if shard == 0 { print("model: \(Self.sequences) sequences, seeds from \(Self.first) on") }
        var usage = Case.Usage()
        for number in stride(from: shard, to: Self.sequences, by: Int(Self.shards)) {
            if let failure = Case.run(seed: Self.first &+ number, &usage) {
                Issue.record("\(failure.shrunk().text)")
                return
            }
        }
        if usage.sequences > 0 {
            print("model: \(usage.sequences) sequences, \(usage.events) events, \(usage.navigations) navigations")
        }
    }

    /// Worlds in which nothing happens would agree, too.
    @Test func `whatever the coordinator can say, it is made to say it`() {
        var usage = Case.Usage()
        for seed in 1...3_000 as ClosedRange<UInt64> { _ = Case.run(seed: seed, &usage) }
        #expect(usage.kinds == Set(Contribution.Kind.allCases))
        // Worlds of one process: nobody else is asked, nobody owns or registers anything.
        #expect(usage.verdicts == Set(Verdict.allCases).subtracting([.rejected, .pending]))
        let others: Set<FlowError.Code> = [
            .notOwner, .alreadyClaimed, .alreadyRegistered, .rejected, .wouldDeadlock, .guardFailed, .guardTimeout,
            .navigatorFailed, .navigatorTimeout, .timeout,
        ]
        // Names that nobody declares are refused before the core; and files with errors never come to it.
        #expect(
            usage.codes
                == Set(FlowError.Code.allCases).subtracting([.unknownFlow, .invalidDefinition]).subtracting(others))
    }
}
