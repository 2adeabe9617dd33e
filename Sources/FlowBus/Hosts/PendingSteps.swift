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

    private var waiting: [Key: [Step]] = [:]
    /// In the order in which they came, so that they end in it.
    private var order: [Key] = []

    /// A step was answered with `pending`.
    mutating func add(_ token: String?, on object: String, _ done: @escaping Done<Outcome>) {
        add(Step(token: token, object: object, done: done))
    }

    mutating func add(_ step: Step) {
        let key = step.token.map(Key.token) ?? .object(step.object)
        waiting[key, default: []].append(step)
        order.append(key)
    }

    /// A step has ended; gives who waits for it.
    mutating func conclude(_ token: String, on object: String) -> [Done<Outcome>] {
        let key = token.isEmpty ? Key.object(object) : .token(token)
        guard var steps = waiting.removeValue(forKey: key), !steps.isEmpty else { return [] }
        // Calls by one token are one step.
        let ended = token.isEmpty ? [steps.removeFirst()] : steps
        if token.isEmpty, !steps.isEmpty { waiting[key] = steps }
        for _ in ended { if let place = order.firstIndex(of: key) { order.remove(at: place) } }
        return ended.map(\.done)
    }

    /// Who told of them is gone; gives all, in the order in which they began.
    mutating func takeAll() -> [Step] {
        var left = waiting
        let all = order.compactMap { key in left[key]?.isEmpty == false ? left[key]?.removeFirst() : nil }
        (waiting, order) = ([:], [])
        return all
    }
}
