/// The waiting steps, ordered by origin, and within one origin first set off, first taken (S-6).
///
/// Those whose flow waits for a guard or navigator stand aside (``FlowCoordinator/blocked``), so that the next one here
/// can be taken.
struct StepQueue: Sendable {
    /// The next one stands last: steps are mostly set off by the origin that is being taken, so both ends of their way
    /// through the list are cheap.
    private(set) var steps: [WaitingStep] = []

    /// How many of them are told where they fail, and so need ``retarget(from:to:)``.
    private var toldCount = 0

    /// How many steps came so far.
    private var lastNumber: UInt64 = 0

    /// Adds a step that was just set off.
    mutating func insert(_ step: WaitingStep) {
        let step = numbered(step)
        var place = steps.count
        while place > 0, steps[place - 1].origin <= step.origin { place -= 1 }
        steps.insert(step, at: place)
        if step.isTold { toldCount += 1 }
    }

    /// Gives a step its number, where it has none: its place among those of its origin, and the name of its record.
    mutating func number(_ step: inout WaitingStep) { step = numbered(step) }

    /// A number that no step has.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// No number up to this one is given any more.
    mutating func reserve(upTo number: UInt64) { lastNumber = max(lastNumber, number) }

    /// The step with its number: the next one, where it has none yet.
    private mutating func numbered(_ step: WaitingStep) -> WaitingStep {
        guard step.number == 0 else { return step }
        var step = step
        step.number = nextNumber()
        return step
    }

    /// Adds steps of any origins: those that were here before, and others in the order they were set off.
    mutating func insert(contentsOf later: [WaitingStep]) {
        // One by one, each would make all of later origins move.
        let sorted = later.map { numbered($0) }.sorted { ($0.origin, $0.number) < ($1.origin, $1.number) }
        var merged: [WaitingStep] = []
        merged.reserveCapacity(steps.count + later.count)
        var waiting = steps[...]
        for step in sorted {
            while let next = waiting.last, (next.origin, next.number) < (step.origin, step.number) {
                merged.append(next)
                waiting.removeLast()
            }
            merged.append(step)
        }
        merged.append(contentsOf: waiting.reversed())
        steps = merged.reversed()
        toldCount += later.count(where: \.isTold)
    }

    /// Adds steps of ascending origins, all greater than those that wait.
    mutating func append(contentsOf later: [WaitingStep]) {
        steps.insert(contentsOf: later.map { numbered($0) }.reversed(), at: 0)
        toldCount += later.count(where: \.isTold)
    }

    mutating func takeNext() -> WaitingStep? {
        let next = steps.popLast()
        if let next, next.isTold { toldCount -= 1 }
        return next
    }

    /// Where failures of steps for a flow that is gone are told from now on.
    mutating func retarget(from gone: Set<String>, to path: String) {
        // A deep link can make thousands of steps wait that nobody is told of.
        guard toldCount > 0 else { return }
        for index in steps.indices where gone.contains(steps[index].tellAt) { steps[index].tellAt = path }
    }
}
