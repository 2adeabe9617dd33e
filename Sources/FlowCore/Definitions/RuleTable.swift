/// The rules of all flows in one list, in which each step finds its rule without a look at the flows: those are large, and a list
/// inside a list inside a list costs a reference count for each.
struct RuleTable: Sendable {
    /// By flow: the place of its first rule; at the end, the number of rules.
    private let starts: [Int]
    /// By rule: the index of its step, in ascending order within each flow.
    private let steps: [Int]
    /// The rules.
    let all: [Rule]
    /// By rule: the contributors, if it has one alternative without conditions; else nil.
    let plain: [[FlowContributor]?]
    /// By rule: whether these are none.
    let areNone: [Bool]

    /// The rules of these flows.
    init(_ flows: [FlowDefinition]) {
        var starts = [0]
        for flow in flows { starts.append((starts.last ?? 0) + flow.rules.count) }
        self.starts = starts
        all = flows.flatMap(\.rules)
        steps = all.map(\.step.index)
        plain = all.map { rule in
            guard rule.alternatives.count == 1, let only = rule.alternatives.first, only.when.isEmpty,
                only.unless.isEmpty
            else { return nil }
            return only.contributors
        }
        areNone = plain.map { $0?.isEmpty == true }
    }

    /// The place of a flow's rule for a step; nil if it has none.
    @inline(__always)
    func find(_ step: StepID, of flow: FlowID) -> Int? {
        let end = starts[flow.index + 1]
        var (low, high) = (starts[flow.index], end)
        // A few are looked through faster than searched.
        while high - low > 8 {
            let middle = (low + high) / 2
            if steps[middle] < step.index { low = middle + 1 } else { high = middle }
        }
        while low < end, steps[low] < step.index { low += 1 }
        return low < end && steps[low] == step.index ? low : nil
    }
}
