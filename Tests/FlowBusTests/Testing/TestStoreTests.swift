import FlowBus
import FlowBusTesting
import Synchronization
import Testing

/// Steps that carry anything, as in one process.
private enum FilmStep: Step {
    case list
    case picked(Int)
    case cast(Int)
    case settings
    case settingsDone
    case denied
    case slow
    case leave
    case unknownToAll
}

private final class List: Screen, Stepper {
    let presence = Presence()
    let steps = PublishRelay<any Step>()
}

private final class Detail: Screen {
    let presence = Presence()
}

private final class SettingsFlow: Flow {
    static let children = Children.stack
    let root = Detail()

    func navigate(to step: FilmStep) -> FlowContributors {
        switch step {
        case .settings: .show(Detail())
        case .settingsDone: .end(with: FilmStep.list)
        default: .unhandled
        }
    }
}

private final class FilmFlow: Flow {
    static let children = Children.stack
    static let timeout = Duration.seconds(10)
    let root = Detail()
    let list = List()
    let clock: TestClock?

    init(_ clock: TestClock? = nil) { self.clock = clock }

    func adapt(step: FilmStep) async throws -> FilmStep {
        switch step {
        case .denied: throw StepRejected("not today")
        case .cast(0): return .list
        case .slow:
            try await clock?.sleep(until: TestClock.Instant(offset: .seconds(60)))
            return .list
        default: return step
        }
    }

    func navigate(to step: FilmStep) -> FlowContributors {
        switch step {
        case .list: .show(list)
        case .picked(let id): [.show(Detail()), .forward(FilmStep.cast(id))]
        case .cast: .none
        case .settings: .start(SettingsFlow(), with: FilmStep.settings)
        case .leave: .end(with: FilmStep.list)
        default: .unhandled
        }
    }
}

@MainActor
@Suite("FlowBusTesting", .alone, .serialized, .timeLimit(.minutes(1)))
struct TestStoreTests {
    @Test func `a test names each step, and what it leads to`() async throws {
        let store = try await TestStore(FilmFlow(), with: OneStepper(withSingleStep: FilmStep.list))
        await store.receive(.list, [.screen(List.self)])
        await store.send(.picked(7), [.screen(Detail.self), .forward(FilmStep.cast(7))])
        await store.receive(.cast(7), by: FilmFlow.self)
        await store.send(.settings, [.flow(SettingsFlow.self)])
        await store.receive(.settings, by: SettingsFlow.self, [.screen(Detail.self)])
        await store.send(.denied, .ignored(.rejected))
        await store.send(.cast(0), .adapted(to: FilmStep.list, [.screen(store.flow.list)]))
        let settings = try #require(store.live(SettingsFlow.self))
        await store.send(.settingsDone, on: settings, [.end(with: FilmStep.list)])
        await store.receive(.list, [.screen(named: "List")])
        await store.send(RxFlowStep.home, .failed(.unknownStep))
        await store.finish()
    }

    @Test func `a stepper's step is received when it comes, from another task, too`() async throws {
        let store = try await TestStore(FilmFlow())
        await store.send(.list, [.screen(List.self)])
        let list = try #require(store.live(List.self))
        list.show()
        Task { list.steps.accept(FilmStep.cast(3)) }
        await store.receive(.cast(3))
        await store.send(.picked(1), [.screen(Detail.self), .forward(FilmStep.cast(1))])
        await store.receive(.cast(1))
        await store.finish()
    }

    @Test func `going back is received`() async throws {
        let store = try await TestStore(FilmFlow())
        await store.send(.list, [.screen(List.self)])
        await store.send(.picked(1), [.screen(Detail.self), .forward(FilmStep.cast(1))])
        await store.receive(.cast(1))
        try await store.coordinator.back(on: store.flow)
        await store.receiveBack(by: FilmFlow.self, [.back(Detail.self)])
        await store.finish()
    }

    /// Runs the body, which has to cause issues with these texts, in order.
    private func issues(_ expected: [String], _ body: () async throws -> Void) async throws {
        let texts = Mutex<[String]>([])
        try await withKnownIssue {
            try await body()
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: " ")) }
            return true
        }
        #expect(texts.withLock(\.self) == expected)
    }

    @Test func `what differs is an issue that says how`() async throws {
        try await issues([
            "'list' was expected to lead to nothing, but led to screen List",
            "'picked(2)' was expected to lead to screen List, current cast(2), but led to screen Detail, current FilmStep",
            "before 'denied' was sent came 'cast(2)' at 'FilmFlow', which led to nothing",
            "'denied' was expected to lead to nothing, but was rejected",
            "'cast(5)' was expected to be hidden, but led to nothing",
            "'cast(0)' was adapted to 'list'; expect '.adapted(to: …)'",
            "'cast(0)' was expected to be adapted to 'leave', but was to 'list'",
            "'home' was expected to fail with UnknownFlow, but failed: no definition declares a step 'home' (UnknownStep)",
        ]) {
            let store = try await TestStore(FilmFlow())
            await store.send(.list)
            await store.send(.picked(2), [.screen(List.self), .forward(FilmStep.cast(2))])
            await store.send(.denied)
            await store.send(.cast(5), .ignored(.hidden))
            await store.send(.cast(0))
            await store.send(.cast(0), .adapted(to: FilmStep.leave))
            await store.send(RxFlowStep.home, .failed(.unknownFlow))
            await store.finish()
        }
    }

    @Test func `what does not come, or was not named, is an issue`() async throws {
        try await issues([
            "expected the step 'leave', but nothing came within 0.01 seconds",
            "expected the step 'cast(2)' by 'SettingsFlow', but next came 'cast(1)' at 'FilmFlow', which led to nothing",
            "expected going back, but nothing came within 0.01 seconds",
            "the test did not name:\n  'cast(8)' at 'FilmFlow', which led to nothing\n  "
                + "'list' at 'FilmFlow', which led to screen List",
        ]) {
            let store = try await TestStore(FilmFlow())
            await store.receive(.leave, within: .milliseconds(10))
            await store.send(.picked(1), [.screen(Detail.self), .forward(FilmStep.cast(1))])
            await store.receive(.cast(2), by: SettingsFlow.self)
            await store.receiveBack([], within: .milliseconds(10))
            try await store.coordinator.emit(FilmStep.cast(8), on: store.flow)
            try await store.coordinator.emit(FilmStep.list, on: store.flow)
            await store.finish()
        }
    }

    @Test func `a store that is forgotten reports what was not named`() async throws {
        try await issues(["the test did not name 'list' at 'FilmFlow', which led to screen List"]) {
            var store: TestStore<FilmFlow>? = try await TestStore(
                FilmFlow(), with: OneStepper(withSingleStep: FilmStep.list))
            #expect(store?.coordinator.tree.roots.count == 1)
            store = nil
        }
    }

    @Test func `a store that is not exhaustive passes over what the test does not name`() async throws {
        let store = try await TestStore(FilmFlow(), with: OneStepper(withSingleStep: FilmStep.list))
        store.isExhaustive = false
        await store.send(.picked(1), [.screen(Detail.self), .forward(FilmStep.cast(1))])
        await store.send(.settings, [.flow(SettingsFlow.self)])
        await store.receive(.settings, by: SettingsFlow.self, [.screen(Detail.self)])
        await store.finish()
    }

    @Test func `a clock moves the time limit of adapt`() async throws {
        let clock = TestClock()
        let store = try await TestStore(FilmFlow(clock), clock: clock)
        let slow = Task { @MainActor in try await store.coordinator.emit(FilmStep.slow, on: store.flow) }
        await clock.advance(by: .seconds(9))
        #expect(store.coordinator.log.entries.isEmpty)
        await clock.advance(by: .seconds(1))
        let error = try await refusal { try await slow.value }
        #expect(error.code == .guardTimeout)
        #expect(error.message.contains("FilmFlow.adapt(step:)"))
        await store.finish()
    }

    @Test func `a step that is under way in the end is an issue, and the test ends`() async throws {
        let store = try await TestStore(FilmFlow(TestClock()), clock: TestClock())
        let slow = Task { @MainActor in try await store.coordinator.emit(FilmStep.slow, on: store.flow) }
        await Task.yield()
        try await issues(["a step is still under way after 0.001 seconds: an 'adapt' has not returned"]) {
            await store.finish(within: .milliseconds(1))
        }
        _ = try await refusal { try await slow.value }
    }

    @Test func `a clock wakes its sleepers in the order of time, and lets go of those that are cancelled`() async throws
    {
        let clock = TestClock()
        var woken: [Int] = []
        let tasks = [30, 10, 20, 40].map { seconds in
            Task { @MainActor in
                try await clock.sleep(for: .seconds(seconds))
                woken.append(seconds)
            }
        }
        await clock.advance(by: .seconds(25))
        #expect(woken == [10, 20])
        #expect(clock.now.offset == .seconds(25))
        tasks[3].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[3].value }
        await clock.advance(by: .seconds(25))
        #expect(woken == [10, 20, 30])
        // It is past already.
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(1)))
    }
}
