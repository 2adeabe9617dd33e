/// Asks that wait for the signal Answered, or the effect of the machine, by the tokens of their calls.
@FlowActor
package struct PendingAsks {
    package struct Entry {
        package let number: UInt64
        /// The path of the object that was called.
        package let object: String
        /// Whether the verdict on the step is known, so that only the answer is missing.
        package var isDecided = false
        package let done: Done<AskMessage>
    }

    package init() {}

    private var waiting: [String: Entry] = [:]
    private var lastNumber: UInt64 = 0

    package mutating func add(_ token: String, on object: String, _ done: @escaping Done<AskMessage>) {
        lastNumber += 1
        waiting[token] = Entry(number: lastNumber, object: object, done: done)
    }

    /// The verdict on the step is known. An answer follows only what was navigated or deferred.
    ///
    /// - Returns: The caller, and what to tell it; nil if it has to wait, or was told.
    package mutating func decide(
        _ token: String, _ result: Result<StepOutcome, NavigationError>
    ) -> (done: Done<AskMessage>, result: Result<AskMessage, NavigationError>)? {
        if case .success(let outcome) = result, [.navigated, .deferred].contains(outcome.verdict) {
            waiting[token]?.isDecided = true
            return nil
        }
        guard let entry = waiting.removeValue(forKey: token) else { return nil }
        return (entry.done, result.map { AskMessage(token: token, outcome: $0.verdict.rawValue) })
    }

    /// Removes an ask. Returns its caller; nil if there is no such ask.
    package mutating func remove(_ token: String) -> Done<AskMessage>? { waiting.removeValue(forKey: token)?.done }

    /// Those that only the answer is missing of, in the order in which they began.
    package var decided: [(token: String, object: String)] {
        waiting.filter(\.value.isDecided).sorted { $0.value.number < $1.value.number }
            .map { (token: $0.key, object: $0.value.object) }
    }

    /// Removes all asks. Returns their callers in the order in which they began.
    package mutating func takeAll() -> [Done<AskMessage>] {
        let all = waiting.values.sorted { $0.number < $1.number }.map(\.done)
        waiting = [:]
        return all
    }
}
