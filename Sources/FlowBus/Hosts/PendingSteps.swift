/// The outcome of a step, for a caller that begins to wait later.
@FlowActor
final class AwaitedOutcome {
    private var outcome: Result<StepOutcome, NavigationError>?
    private var done: Done<StepOutcome>?

    func decide(_ outcome: Result<StepOutcome, NavigationError>) {
        self.outcome = outcome
        done.take()?(outcome)
    }

    func wait(_ done: @escaping Done<StepOutcome>) {
        if let outcome { done(outcome) } else { self.done = done }
    }
}

/// Steps whose outcome is pending, with their callers. A signal StepConcluded, or the effect of the machine, concludes
/// them.
///
/// A step is identified by the token of its call. The service remembers tokens for a minute, and a limited number of
/// them (``TokenBudget``). A step without a token is identified by the path of the object that was called: steps
/// emitted on one presentable are handled by one flow in order (S-6), and each is reported.
@FlowActor
package struct PendingSteps {
    private enum Key: Hashable {
        case token(String)
        case object(String)
    }

    /// A step with its caller.
    package struct PendingStep {
        package let token: String?
        /// The path of the object that was called.
        package let object: String
        /// Whether the caller waits for the outcome.
        package let isAwaited: Bool
        package let done: Done<StepOutcome>

        package init(token: String?, object: String, isAwaited: Bool = true, done: @escaping Done<StepOutcome>) {
            self.token = token
            self.object = object
            self.isAwaited = isAwaited
            self.done = done
        }
    }

    private struct Entry {
        let number: UInt64
        let step: PendingStep
    }

    package init() {}

    private var waiting: [Key: Fifo<Entry>] = [:]
    /// The number of steps added so far.
    private var lastNumber: UInt64 = 0

    /// Adds a step that was answered `pending`.
    package mutating func add(_ token: String?, on object: String, _ done: @escaping Done<StepOutcome>) {
        add(PendingStep(token: token, object: object, done: done))
    }

    package mutating func add(_ step: PendingStep) {
        let key = step.token.map(Key.token) ?? .object(step.object)
        lastNumber += 1
        waiting[key, default: Fifo()].append(Entry(number: lastNumber, step: step))
    }

    /// Removes a concluded step. Returns its callers.
    package mutating func conclude(_ token: String, on object: String) -> [Done<StepOutcome>] {
        if waiting.isEmpty { return [] }
        let key = token.isEmpty ? Key.object(object) : .token(token)
        // Calls with the same token are one step.
        guard token.isEmpty else { return waiting.removeValue(forKey: key)?.all.map(\.step.done) ?? [] }
        guard let first = waiting[key]?.popFirst() else { return [] }
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
        return [first.step.done]
    }

    /// Removes all steps, after their service is gone. Returns them in the order in which they began.
    package mutating func takeAll() -> [PendingStep] {
        let all = waiting.values.flatMap(\.all).sorted { $0.number < $1.number }
        waiting = [:]
        return all.map(\.step)
    }
}
