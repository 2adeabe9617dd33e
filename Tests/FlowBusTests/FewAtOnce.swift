import Testing

/// Limits how many tests of the library run side by side.
///
/// They share the main actor, whose only thread all of them need: a test that waits for it as long as hundreds of others take would
/// wait longer than a guard may. A few at once fill the pauses of each other, in which they wait for a bus or a process.
///
/// Suites are `.serialized` besides, so that the cases of one test run one after the other.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let width = 4
    private static let gate = Gate(width)
    /// The number of tests in whose place it runs.
    private let weight: Int

    private init(_ weight: Int) { self.weight = weight }

    fileprivate static let few = FewAtOnce(1)
    fileprivate static let alone = FewAtOnce(width)

    var isRecursive: Bool { true }

    /// The whole test waits, and not each of its cases: their time limits begin when they do.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> FewAtOnce? {
        testCase == nil && !test.isSuite ? self : nil
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.gate.enter(weight)
        do {
            try await function()
        } catch {
            await Self.gate.leave(weight)
            throw error
        }
        await Self.gate.leave(weight)
    }
}

extension Trait where Self == FewAtOnce {
    /// See ``FewAtOnce``.
    static var fewAtOnce: FewAtOnce { .few }
    /// Besides no other test, because it counts the turns of the main actor's tasks.
    static var alone: FewAtOnce { .alone }
}

/// Lets in tasks of a total weight at once, in the order in which they came.
private actor Gate {
    private var free: Int
    private var waiting: [(weight: Int, task: CheckedContinuation<Void, Never>)] = []

    init(_ width: Int) { free = width }

    func enter(_ weight: Int) async {
        if waiting.isEmpty, free >= weight {
            free -= weight
            return
        }
        await withCheckedContinuation { waiting.append((weight, $0)) }
    }

    func leave(_ weight: Int) {
        free += weight
        while let next = waiting.first, free >= next.weight {
            free -= next.weight
            waiting.removeFirst().task.resume()
        }
    }
}
