/// Steps that are not decided yet, and who waits for that: StepConcluded tells it, or the machine's own effect.
///
/// A step is known by the token of its call. The service remembers tokens for a minute, and only so many of them
/// (``TokenBudget``); a step that has none is known by the path of the object that was called: steps emitted on one presentable
/// are taken by one flow, in the order in which they came (S-6), and all of them are told.
@MainActor
struct PendingSteps {
    private enum Key: Hashable {
        case token(String)
        case object(String)
    }

    /// A step, and who waits for it.
    struct Step {
        let token: String?
        /// The path of the object that was called.
        let object: String
        /// Whether somebody does.
        var isAwaited = true
        let done: Done<Outcome>
    }

    private struct Entry {
        let number: UInt64
        let step: Step
    }

    private var waiting: [Key: Fifo<Entry>] = [:]
    /// How many came so far.
    private var lastNumber: UInt64 = 0

    /// A step was answered with `pending`.
    mutating func add(_ token: String?, on object: String, _ done: @escaping Done<Outcome>) {
        add(Step(token: token, object: object, done: done))
    }

    mutating func add(_ step: Step) {
        let key = step.token.map(Key.token) ?? .object(step.object)
        lastNumber += 1
        waiting[key, default: Fifo()].append(Entry(number: lastNumber, step: step))
    }

    /// A step has ended; gives who waits for it.
    mutating func conclude(_ token: String, on object: String) -> [Done<Outcome>] {
        let key = token.isEmpty ? Key.object(object) : .token(token)
        // Calls by one token are one step.
        guard token.isEmpty else { return waiting.removeValue(forKey: key)?.all.map(\.step.done) ?? [] }
        guard let first = waiting[key]?.popFirst() else { return [] }
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
        return [first.step.done]
    }

    /// Who told of them is gone; gives all, in the order in which they began.
    mutating func takeAll() -> [Step] {
        let all = waiting.values.flatMap(\.all).sorted { $0.number < $1.number }
        waiting = [:]
        return all.map(\.step)
    }
}
