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
    /// The steps of one object, which are in no other place: usually all are.
    private var ofObject = (object: "", steps: Fifo<Entry>())
    /// The number of steps added so far.
    private var lastNumber: UInt64 = 0

    /// Adds a step that was answered `pending`.
    package mutating func add(_ token: String?, on object: String, _ done: @escaping Done<StepOutcome>) {
        add(PendingStep(token: token, object: object, done: done))
    }

    package mutating func add(_ step: PendingStep) {
        lastNumber += 1
        let entry = Entry(number: lastNumber, step: step)
        guard step.token == nil else { return waiting[.token(step.token ?? ""), default: Fifo()].append(entry) }
        choose(step.object)
        ofObject.steps.append(entry)
    }

    /// Has ``ofObject`` the steps of an object.
    private mutating func choose(_ object: String) {
        if ofObject.object == object { return }
        if !ofObject.steps.isEmpty { waiting[.object(ofObject.object)] = ofObject.steps }
        ofObject = (object, waiting.removeValue(forKey: .object(object)) ?? Fifo())
    }

    /// Removes a concluded step. Returns its callers.
    package mutating func conclude(_ token: String, on object: String) -> [Done<StepOutcome>] {
        if waiting.isEmpty, ofObject.steps.isEmpty { return [] }
        // Calls with the same token are one step.
        guard token.isEmpty else { return waiting.removeValue(forKey: .token(token))?.all.map(\.step.done) ?? [] }
        choose(object)
        return ofObject.steps.popFirst().map { [$0.step.done] } ?? []
    }

    /// Removes all steps, after their service is gone. Returns them in the order in which they began.
    package mutating func takeAll() -> [PendingStep] {
        let all = (waiting.values.flatMap(\.all) + ofObject.steps.all).sorted { $0.number < $1.number }
        (waiting, ofObject.steps) = ([:], Fifo())
        return all.map(\.step)
    }
}
