import FlowCore
import Foundation
import Testing

/// Random definitions and events: the coordinator has to have the same effects as the model, step by step.
///
/// `FLOWBUS_SEQUENCES` sets the number of sequences, `FLOWBUS_SEED` the first seed: `FLOWBUS_SEED=4711
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
    func `S-1 to S-58 the coordinator has the same effects as the model, for random events`(shard: UInt64) {
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

    /// Without events both would agree, too.
    @Test func `the generated operations cause every kind of effect`() {
        var usage = Case.Usage()
        for seed in 1...5_000 as ClosedRange<UInt64> { _ = Case.run(seed: seed, &usage) }
        #expect(usage.kinds == Set(Contribution.Kind.allCases))
        // Worlds of one process: there are no questions, owners or registrations.
        #expect(
            usage.told
                == Set(AskOutcome.allCases).subtracting([
                    .failed, .ownerGone, .ownerHangs, .presentFailed, .navigatorGone,
                ]))
        #expect(usage.stepperNavigations > 1_000)
        #expect(usage.stepperCodes.isSuperset(of: [.invalidArguments, .limitExceeded, .flowEnded]))
        #expect(usage.verdicts == Set(Verdict.allCases).subtracting([.rejected, .pending]))
        let others: Set<FlowError.Code> = [
            .notOwner, .notSupported, .alreadyClaimed, .alreadyRegistered, .rejected, .unhandled, .wouldDeadlock,
            .guardFailed, .guardTimeout,
            .navigatorFailed, .navigatorTimeout, .timeout, .staleArguments,
        ]
        // Undeclared names are refused before the core, and invalid files never reach it.
        #expect(
            usage.codes
                == Set(FlowError.Code.allCases).subtracting([.unknownFlow, .invalidDefinition]).subtracting(others))
    }
}
