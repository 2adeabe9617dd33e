/// The callers that wait until the initial steps of their roots have run.
@FlowActor
struct StartingRoots {
    /// Calls that start roots and have no answer yet.
    private var requestCount = 0
    /// The flows that took a step, failed to, or take their time, since the first of these calls.
    private var decided: Set<NodePath> = []
    /// Callers by the roots whose initial steps are not decided.
    private var waiting: [NodePath: Done<NodePath>] = [:]
    /// Those that waited when the service was restarted, which may have taken the step without a report.
    private var unsure: Set<NodePath> = []

    /// Whether a caller waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// A root is about to be started.
    mutating func begin() { requestCount += 1 }

    /// A root was started, or not.
    ///
    /// - Parameters:
    ///   - path: the root, if its initial step has to be waited for.
    ///   - done: the caller.
    /// - Returns: Whether the caller waits; otherwise its initial step is decided.
    mutating func end(waitingFor path: NodePath?, _ done: @escaping Done<NodePath>) -> Bool {
        requestCount -= 1
        defer { if requestCount == 0 { decided = [] } }
        guard let path, !decided.contains(path) else { return false }
        waiting[path] = done
        return true
    }

    /// A flow took a step, failed to, takes its time, or is gone. Its first step is the initial one (S-6).
    ///
    /// - Returns: The caller that waited for it.
    mutating func decide(_ path: NodePath) -> Done<NodePath>? {
        if requestCount > 0 { decided.insert(path) }
        return waiting.isEmpty ? nil : waiting.removeValue(forKey: path)
    }

    /// A flow is ready, so its initial step was taken; usually that is reported next.
    ///
    /// - Returns: The caller, if there may be no such report.
    mutating func decide(ready path: NodePath) -> Done<NodePath>? {
        unsure.isEmpty || !unsure.contains(path) ? nil : decide(path)
    }

    /// The service was restarted, with these presentables.
    ///
    /// - Returns: The callers whose roots are ready.
    mutating func restart(_ live: [NodePath: LivePlace]) -> [(path: NodePath, done: Done<NodePath>)] {
        unsure = Set(waiting.keys)
        return waiting.keys.sorted { $0.text < $1.text }.filter { live[$0]?.report?.isReady == true }
            .compactMap { path in decide(path).map { (path, $0) } }
    }

    /// A new presentable is at a path.
    mutating func forget(_ path: NodePath) { if !decided.isEmpty { decided.remove(path) } }

    /// Returns all callers, which wait no longer.
    mutating func takeAll() -> [Done<NodePath>] {
        let all = waiting.sorted { $0.key.text < $1.key.text }.map(\.value)
        waiting = [:]
        return all
    }
}
