public import FlowBus
public import Testing

/// A flow in a test: the test sends steps, and says what they lead to.
///
/// ```swift
/// @Test @FlowActor
/// func pickingAMovieShowsItsDetail() async throws {
///     let store = try await TestStore(WatchedFlow(withServices: .mock), with: OneStepper(withSingleStep: DemoStep.movieList))
///     await store.receive(DemoStep.movieList, [.screen(MovieList.self)])
///     await store.send(DemoStep.moviePicked(withMovieId: 23), [.screen(MovieDetail.self)])
///     store.live(MovieDetail.self)?.viewModel.pickCast(7)
///     await store.receive(DemoStep.castPicked(withCastId: 7), [.screen(CastDetail.self)])
///     await store.finish()
/// }
/// ```
///
/// The store is exhaustive: the test has to name everything that happens, in order. What it does not name, and what happens otherwise,
/// is an issue of the test, in one that uses Swift Testing and in one that uses XCTest. Nothing has to be waited for: `send`
/// returns when the step is decided, and `receive` when it has happened.
@FlowActor
public final class TestStore<Root: Flow> {
    /// The flow.
    public let flow: Root
    /// Its coordinator, in this process.
    public let coordinator: FlowCoordinator
    /// Whether the test has to name everything that happens. If not, what comes before something that it names is passed over.
    public var isExhaustive = true {
        didSet { noteUnnamed() }
    }

    private var waiting: [StoreEvent] = [] {
        didSet { noteUnnamed() }
    }
    /// What the test has to name. Only the main actor writes it, and `deinit` reads it.
    private nonisolated(unsafe) var unnamed: [String] = []
    private var reader: CheckedContinuation<Void, Never>?
    private var subscriptions: [Subscription] = []
    private let sourceLocation: SourceLocation

    /// Starts a flow. The test has to `receive` the initial step of the stepper.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - stepper: the stepper of the flow.
    ///   - clock: measures the time limits of ``/FlowBus/Flow/adapt(step:)``, for instance a ``TestClock``.
    ///   - sourceLocation: the place of issues that have no other.
    /// - Throws: what ``/FlowBus/FlowCoordinator/coordinate(flow:with:allowStepWhenNotPresented:)`` throws.
    public init<C: Clock>(
        _ flow: Root, with stepper: any Stepper = NoneStepper(), clock: C = ContinuousClock(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws where C.Duration == Duration {
        self.flow = flow
        self.sourceLocation = sourceLocation
        coordinator = FlowCoordinator(clock: clock)
        subscriptions = [
            coordinator.didNavigate.subscribe { [weak self] (navigation: FlowNavigation) in
                self?.take(.navigated(navigation))
            },
            coordinator.failures.subscribe { [weak self] in self?.take(.failed($0)) },
        ]
        try await coordinator.coordinate(flow: flow, with: stepper)
    }

    // An isolated one would not know the test to which the issue belongs.
    deinit {
        // A store that is forgotten must not hide what the test did not name.
        if !unnamed.isEmpty { Self.record("the test did not name\(Self.list(unnamed))", sourceLocation) }
        Task { @FlowActor [coordinator] in coordinator.end() }
    }

    // MARK: What the test does

    /// Emits a step, waits until it is decided, and checks what it leads to.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - presentable: the flow or screen to emit it on; nil for the store's flow.
    ///   - expected: what it has to lead to.
    ///   - sourceLocation: the place of the issue.
    public func send(
        _ step: any Step, on presentable: (any Presentable)? = nil, _ expected: ExpectedOutcome = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        passOver(before: step, sourceLocation)
        do {
            let outcome = try await coordinator.emit(step, on: presentable ?? flow)
            guard outcome.isNavigated else {
                return check(step, found: .ignored(outcome.verdict), expected, sourceLocation)
            }
            let place = waiting.firstIndex { $0.serial == outcome.serial }
            guard let place, case .navigated(let navigation) = waiting.remove(at: place) else { return }
            if let taken = navigation.step, !Likeness.areEqual(taken, step), expected.adapted == nil {
                return Self.record("'\(step)' was adapted to '\(taken)'; expect '.adapted(to: …)'", sourceLocation)
            }
            check(step, found: .navigated(navigation), expected, sourceLocation)
        } catch let error as NavigationError {
            check(step, found: .failed(error), expected, sourceLocation)
        } catch {
            Self.record("'\(step)' was not emitted: \(error)", sourceLocation)
        }
    }

    /// Waits for a step that the test does not send itself: one that a flow forwards, or a stepper emits.
    ///
    /// - Parameters:
    ///   - step: the step, as the flow takes it.
    ///   - flow: the type of the flow that takes it; nil for any.
    ///   - expected: what it has to lead to.
    ///   - timeout: how long to wait at most, for what other tasks do.
    ///   - sourceLocation: the place of the issue.
    public func receive(
        _ step: any Step, by flow: (any Flow.Type)? = nil, _ expected: ExpectedOutcome = [],
        within timeout: Duration = .seconds(1), sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        while let event = await next(within: timeout) {
            guard event.isStep(step, by: flow, named: coordinator.name(of: step)) else {
                if !isExhaustive { continue }
                return Self.record(
                    "expected the step '\(step)'\(Self.by(flow)), but next came \(event.text)", sourceLocation)
            }
            switch event {
            case .navigated(let navigation): check(step, found: .navigated(navigation), expected, sourceLocation)
            case .failed(let failure): check(step, found: Found(failure), expected, sourceLocation)
            }
            return
        }
        Self.record("expected the step '\(step)'\(Self.by(flow)), but nothing came within \(timeout)", sourceLocation)
    }

    /// Waits until a flow has gone back.
    ///
    /// - Parameters:
    ///   - flow: the type of the flow; nil for any.
    ///   - expected: what that led to, such as `[.back(MovieDetail.self)]`.
    ///   - timeout: how long to wait at most.
    ///   - sourceLocation: the place of the issue.
    public func receiveBack(
        by flow: (any Flow.Type)? = nil, _ expected: ExpectedOutcome, within timeout: Duration = .seconds(1),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        while let event = await next(within: timeout) {
            guard case .navigated(let navigation) = event, navigation.step == nil, event.isOf(flow) else {
                if !isExhaustive { continue }
                return Self.record("expected going back\(Self.by(flow)), but next came \(event.text)", sourceLocation)
            }
            return check(nil, found: .navigated(navigation), expected, sourceLocation)
        }
        Self.record("expected going back\(Self.by(flow)), but nothing came within \(timeout)", sourceLocation)
    }

    /// Ends the flow, after everything that is under way; what the test has not named is an issue.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait at most.
    ///   - sourceLocation: the place of the issue.
    public func finish(
        within timeout: Duration = .seconds(1), sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        var isSettled = false
        let settling = Task { [coordinator] in
            await coordinator.settle()
            isSettled = true
            wake()
        }
        let deadline = ContinuousClock.now + timeout
        while !isSettled, ContinuousClock.now < deadline { await wait(within: deadline - .now) }
        if isSettled {
            await settling.value
        } else {
            Self.record("a step is still under way after \(timeout): an 'adapt' has not returned", sourceLocation)
        }
        if !unnamed.isEmpty { Self.record("the test did not name\(Self.list(unnamed))", sourceLocation) }
        waiting = []
        coordinator.end()
    }

    /// The newest live flow or screen of a type.
    ///
    /// - Parameter type: the type.
    /// - Returns: The object; nil if there is none.
    public func live<Object: Presentable>(_ type: Object.Type = Object.self) -> Object? {
        var newest: Object?
        func look(_ nodes: [NavigationTree.Node]) {
            for node in nodes {
                if let object = coordinator.presentable(at: node.path) as? Object { newest = object }
                look(node.children)
            }
        }
        look(coordinator.tree.roots)
        return newest
    }

    // MARK: What happens

    private func take(_ event: StoreEvent) {
        waiting.append(event)
        reader?.resume()
        reader = nil
    }

    private func next(within timeout: Duration) async -> StoreEvent? {
        if waiting.isEmpty { await wait(within: timeout) }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Returns when something is read, or the time is over.
    private func wait(within timeout: Duration) async {
        let alarm = Task { [weak self] in
            do { try await Task.sleep(for: timeout) } catch { return }
            self?.wake()
        }
        await withCheckedContinuation { reader = $0 }
        alarm.cancel()
    }

    private func wake() {
        reader?.resume()
        reader = nil
    }

    /// What came before the test sends a step has to be named before it.
    private func passOver(before step: any Step, _ sourceLocation: SourceLocation) {
        if !unnamed.isEmpty { Self.record("before '\(step)' was sent came\(Self.list(unnamed))", sourceLocation) }
        waiting = []
    }

    private func noteUnnamed() {
        unnamed = isExhaustive ? waiting.map { $0.text } : []
    }

    private nonisolated static func list(_ lines: [String]) -> String {
        lines.count == 1 ? " \(lines[0])" : ":\n  " + lines.joined(separator: "\n  ")
    }

    private static func by(_ flow: (any Flow.Type)?) -> String { flow.map { " by '\($0)'" } ?? "" }

    private func check(
        _ step: (any Step)?, found: Found, _ expected: ExpectedOutcome, _ sourceLocation: SourceLocation
    ) {
        guard let difference = expected.difference(from: found, coordinator) else { return }
        Self.record("'\(step.map { "\($0)" } ?? "back")' \(difference)", sourceLocation)
    }

    private nonisolated static func record(_ message: String, _ sourceLocation: SourceLocation) {
        Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
    }
}

/// A navigation or a failure.
enum StoreEvent {
    case navigated(FlowNavigation)
    case failed(NavigationFailure)

    var serial: UInt64? {
        switch self {
        case .navigated(let navigation): navigation.serial
        case .failed: nil
        }
    }

    @FlowActor
    func isOf(_ flow: (any Flow.Type)?) -> Bool {
        guard let flow else { return true }
        return switch self {
        case .navigated(let navigation): type(of: navigation.flow) == flow
        // A failure names a path, at which nothing may be live any more.
        case .failed: true
        }
    }

    @FlowActor
    func isStep(_ step: any Step, by flow: (any Flow.Type)?, named name: String) -> Bool {
        guard isOf(flow) else { return false }
        return switch self {
        case .navigated(let navigation): navigation.step.map { Likeness.areEqual($0, step) } ?? false
        case .failed(let failure): failure.step == name
        }
    }

    @FlowActor
    var text: String {
        switch self {
        case .navigated(let navigation):
            "'\(navigation.step.map { "\($0)" } ?? "back")' at '\(navigation.path)', which \(Found.navigated(navigation).text)"
        case .failed(let failure): "'\(failure.step)' at '\(failure.path)', which \(Found(failure).text)"
        }
    }
}

// Typed spellings: `store.send(.moviePicked(withMovieId: 23), …)`.

extension TestStore where Root.StepType: Step {
    /// Emits a step of the flow's type, as `send`.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - presentable: the flow or screen to emit it on; nil for the store's flow.
    ///   - expected: what it has to lead to.
    ///   - sourceLocation: the place of the issue.
    public func send(
        _ step: Root.StepType, on presentable: (any Presentable)? = nil, _ expected: ExpectedOutcome = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await send(step as any Step, on: presentable, expected, sourceLocation: sourceLocation)
    }

    /// Waits for a step of the flow's type, as `receive`.
    ///
    /// - Parameters:
    ///   - step: the step, as the flow takes it.
    ///   - flow: the type of the flow that takes it; nil for any.
    ///   - expected: what it has to lead to.
    ///   - timeout: how long to wait at most, for what other tasks do.
    ///   - sourceLocation: the place of the issue.
    public func receive(
        _ step: Root.StepType, by flow: (any Flow.Type)? = nil, _ expected: ExpectedOutcome = [],
        within timeout: Duration = .seconds(1), sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await receive(step as any Step, by: flow, expected, within: timeout, sourceLocation: sourceLocation)
    }
}
