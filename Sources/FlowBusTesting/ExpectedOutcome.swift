public import FlowBus

/// What a test expects of a step. An array literal has the contributors, `[]` for none.
public struct ExpectedOutcome: ExpressibleByArrayLiteral, Sendable {
    private enum Content: Sendable {
        case navigated([ExpectedContributor])
        case ignored(Verdict)
        case failed(NavigationError.Code)
    }

    private let content: Content
    /// The step that the flow takes instead.
    let adapted: (any Step)?

    private init(_ content: Content, adapted: (any Step)? = nil) { (self.content, self.adapted) = (content, adapted) }

    /// The step is navigated, with these contributors in order.
    ///
    /// - Parameter contributors: the contributors.
    public init(arrayLiteral contributors: ExpectedContributor...) { self.init(.navigated(contributors)) }

    /// The step is navigated, with these contributors in order.
    ///
    /// - Parameter contributors: the contributors.
    /// - Returns: The outcome.
    public static func navigated(_ contributors: [ExpectedContributor]) -> ExpectedOutcome {
        ExpectedOutcome(.navigated(contributors))
    }

    /// ``/FlowBus/Flow/adapt(step:)`` replaces the step, and the other one is navigated.
    ///
    /// - Parameters:
    ///   - step: the other step.
    ///   - contributors: its contributors.
    /// - Returns: The outcome.
    public static func adapted(to step: any Step, _ contributors: [ExpectedContributor] = []) -> ExpectedOutcome {
        ExpectedOutcome(.navigated(contributors), adapted: step)
    }

    /// The step is not taken.
    ///
    /// - Parameter verdict: the verdict, such as ``/FlowBus/Verdict/hidden`` or ``/FlowBus/Verdict/rejected``.
    /// - Returns: The outcome.
    public static func ignored(_ verdict: Verdict) -> ExpectedOutcome { ExpectedOutcome(.ignored(verdict)) }

    /// The step fails.
    ///
    /// - Parameter code: the code of the error.
    /// - Returns: The outcome.
    public static func failed(_ code: NavigationError.Code) -> ExpectedOutcome { ExpectedOutcome(.failed(code)) }

    /// Says how what was found differs; nil if it does not.
    @FlowActor
    func difference(from found: Found, _ coordinator: FlowCoordinator) -> String? {
        switch (content, found) {
        case (.navigated(let contributors), .navigated(let navigation)):
            if let adapted, let step = navigation.step, !Likeness.areEqual(adapted, step) {
                return "was expected to be adapted to '\(adapted)', but was to '\(step)'"
            }
            let all = navigation.contributions
            let isSame =
                contributors.count == all.count
                && zip(contributors, all).allSatisfy { $0.matches($1, coordinator) }
            if isSame { return nil }
            return "was expected to lead to \(Self.list(contributors.map(\.text))), but \(found.text)"
        case (.ignored(let verdict), .ignored(let foundVerdict)) where verdict == foundVerdict: return nil
        case (.failed(let code), .failed(let error)) where error.code == code: return nil
        case (.navigated(let contributors), _):
            return "was expected to lead to \(Self.list(contributors.map(\.text))), but \(found.text)"
        case (.ignored(let verdict), _): return "was expected to be \(verdict), but \(found.text)"
        case (.failed(let code), _): return "was expected to fail with \(code.rawValue), but \(found.text)"
        }
    }

    static func list(_ texts: [String]) -> String { texts.isEmpty ? "nothing" : texts.joined(separator: ", ") }
}

/// A contributor that a test expects.
public struct ExpectedContributor: Sendable {
    private enum Child: Sendable {
        case any
        case named(String)
        case type(any Presentable.Type)
        case object(any Presentable)
        case step(any Step)
    }

    private let kind: AppliedContributor.Kind
    private let child: Child

    private init(_ kind: AppliedContributor.Kind, _ child: Child = .any) { (self.kind, self.child) = (kind, child) }

    /// A screen of a type.
    public static func screen(_ type: any Presentable.Type) -> Self { Self(.screen, .type(type)) }
    /// A screen of a name.
    public static func screen(named name: String) -> Self { Self(.screen, .named(name)) }
    /// A screen that the test has.
    public static func screen(_ object: any Presentable) -> Self { Self(.screen, .object(object)) }
    /// A flow of a type.
    public static func flow(_ type: any Flow.Type) -> Self { Self(.flow, .type(type)) }
    /// A flow of a name.
    public static func flow(named name: String) -> Self { Self(.flow, .named(name)) }
    /// A flow that the test has.
    public static func flow(_ object: any Flow) -> Self { Self(.flow, .object(object)) }
    /// A step that is forwarded to the flow itself. The test receives it next.
    public static func forward(_ step: any Step) -> Self { Self(.current, .step(step)) }
    /// A step that is forwarded to the parent. The test receives it next.
    public static func forwardToParent(_ step: any Step) -> Self { Self(.parent, .step(step)) }
    /// The end of the flow, with a step for its parent.
    public static func end(with step: any Step) -> Self { Self(.end, .step(step)) }
    /// The end of the flow.
    public static var end: Self { Self(.end) }
    /// A child of a type that going back dismissed.
    public static func back(_ type: any Presentable.Type) -> Self { Self(.back, .type(type)) }
    /// A contributor of another kind, such as ``/FlowBus/AppliedContributor/Kind/pop``, and the name that it has.
    public static func other(_ kind: AppliedContributor.Kind, named name: String) -> Self { Self(kind, .named(name)) }

    @FlowActor
    func matches(_ applied: AppliedContributor, _ coordinator: FlowCoordinator) -> Bool {
        guard applied.kind == kind else { return false }
        let object = applied.path.flatMap(coordinator.presentable(at:))
        return switch child {
        case .any: true
        case .named(let name): applied.name == name
        case .type(let expected):
            // Without an object: the child is gone already.
            object.map { type(of: $0) == expected }
                ?? (applied.name == (expected as? any Flow.Type)?.definition ?? TypeNames.name(of: expected))
        case .object(let expected): object === expected
        case .step(let step): applied.name == coordinator.name(of: step)
        }
    }

    var text: String {
        switch child {
        case .any: "\(kind)"
        case .named(let name): "\(kind) \(name)"
        case .type(let type): "\(kind) \(type)"
        case .object(let object): "\(kind) \(type(of: object)) of the test"
        case .step(let step): "\(kind) \(step)"
        }
    }
}

/// What became of a step.
enum Found {
    case navigated(FlowNavigation)
    case ignored(Verdict)
    case failed(NavigationError)

    init(_ failure: NavigationFailure) {
        self = failure.error.map(Found.failed) ?? .ignored(failure.verdict ?? .unhandled)
    }

    var text: String {
        switch self {
        case .navigated(let navigation):
            "led to " + ExpectedOutcome.list(navigation.contributions.map { "\($0.kind) \($0.name)" })
        case .ignored(let verdict): "was \(verdict)"
        case .failed(let error): "failed: \(error)"
        }
    }
}
