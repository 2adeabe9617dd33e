import Testing

/// Limits how many tests of the library run side by side.
///
/// They share the main actor, whose only thread all of them need: a test that waits for it as long as hundreds of others take would
/// wait longer than a guard may. A few at once fill the pauses of each other, in which they wait for a bus or a process.
///
/// Suites are `.serialized` besides, so that the cases of one test run one after the other.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let gate = Gate(4)

    var isRecursive: Bool { true }

    /// The whole test waits, and not each of its cases: their time limits begin when they do.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> FewAtOnce? {
        testCase == nil && !test.isSuite ? self : nil
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.gate.enter()
        do {
            try await function()
        } catch {
            await Self.gate.leave()
            throw error
        }
        await Self.gate.leave()
    }
}

extension Trait where Self == FewAtOnce {
    /// See ``FewAtOnce``.
    static var fewAtOnce: FewAtOnce { FewAtOnce() }
}

/// Lets in a number of tasks at once, in the order in which they came.
private actor Gate {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ width: Int) { free = width }

    func enter() async {
        if free > 0 {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
