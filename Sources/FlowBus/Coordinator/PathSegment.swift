internal import FlowCore

/// One flow of a path to navigate along, with its step (S-28).
///
/// ```swift
/// try await coordinator.navigate(along: [
///     PathSegment(AppFlow.self, AppStep.settings),
///     PathSegment(SettingsFlow.self, SettingsStep.wifi),
/// ])
/// ```
public struct PathSegment: Sendable {
    private enum Content: Sendable {
        case step((any Step)?)
        case name(String, [String: DBusValue])
    }

    /// The name of the flow, as ``FlowContributor/contributeFlow(named:withInitialStep:arguments:style:allowStepWhenNotPresented:onResult:options:)``
    /// has it. The first segment means the newest root of this name; on the bus it starts one if none is live and its
    /// definition is `unique`. Any other segment means the newest flow of this name below the flow of the segment before.
    public let flow: String
    /// The type of the flow, whose name can be another on the bus.
    package let type: (any Flow.Type)?
    /// Values of its key, which tell it apart from other flows of its name (S-51); those that are left out can be any.
    public var key: [String: DBusValue] = [:]
    private let content: Content

    /// Creates a segment.
    ///
    /// - Parameters:
    ///   - flow: the name of the flow.
    ///   - step: the step; with nil, the path only passes through the flow.
    public init(_ flow: String, _ step: (any Step)? = nil) {
        (self.flow, type) = (flow, nil)
        content = .step(step)
    }

    /// Creates a segment.
    ///
    /// - Parameters:
    ///   - flow: the type of the flow.
    ///   - step: the step; with nil, the path only passes through the flow.
    @FlowActor
    public init(_ flow: any Flow.Type, _ step: (any Step)? = nil) {
        (self.flow, type) = (flow.definition, flow)
        content = .step(step)
    }

    /// Creates a segment with a step that has no Swift type.
    ///
    /// - Parameters:
    ///   - flow: the name of the flow.
    ///   - step: the name of the step; if it is empty, the path only passes through the flow.
    ///   - arguments: the arguments of the step.
    public init(_ flow: String, step: String, _ arguments: [String: DBusValue] = [:]) {
        (self.flow, type) = (flow, nil)
        content = .name(step, arguments)
    }

    /// The message of the step.
    ///
    /// - Parameter encode: returns the message of a step that has a Swift type.
    package func message(
        _ encode: (any Step) throws(NavigationError) -> StepMessage
    ) throws(NavigationError) -> StepMessage? {
        switch content {
        case .step(nil): nil
        case .step(let step?): try encode(step)
        case .name("", _): nil
        case .name(let name, let arguments): StepMessage(name: name, arguments: Arguments(arguments))
        }
    }
}

extension FlowCoordinator {
    /// Navigates along a path of flows, each somewhere below the one before (S-28). Each step is taken when that of the segment before
    /// has navigated and its flow is ready, so a flow can be one that an earlier step contributes.
    ///
    /// - Parameters:
    ///   - path: the flows, from the root down, each with its step.
    ///   - timeout: the time limit for the whole path.
    /// - Returns: The outcome of each step.
    /// - Throws: ``NavigationError``: `pathFailed`, with the segment and the reason, if a flow is not live, a step was not navigated, or
    ///   the time limit is reached. Steps that were navigated before are not undone. Or `CancellationError`.
    @discardableResult
    public func navigate(
        along path: [PathSegment], timeout: Duration = .seconds(10)
    ) async throws -> [FlowOutcome] {
        var segments: [HostSegment] = []
        for segment in path {
            let flow = segment.type.map { hostName(of: $0) } ?? hostName(ofFlow: segment.flow)
            segments.append(HostSegment(flow: flow, key: Arguments(segment.key), step: try segment.message(encode)))
        }
        let microseconds = timeout.microseconds
        return try await answer { done in host.navigate(along: segments, timeout: microseconds, done) }
    }
}
