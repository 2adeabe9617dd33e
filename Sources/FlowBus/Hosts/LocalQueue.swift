internal import FlowCore

/// The call that emits a step on a presentable.
struct LocalCall {
    /// Who gets the outcome.
    enum Caller {
        /// Who takes it from the host, before the host does anything else.
        case direct
        case waiting(Done<StepOutcome>)
        /// Nobody: the stepper of a flow or screen has emitted the step of this name, and only a failure is reported.
        case stepper(HostedNode, step: String)
    }

    let number: UInt64
    let path: NodePath
    /// 0 for any at the path.
    let instance: UInt64
    let caller: Caller

    /// Tells the caller the outcome, unless it is one who takes it.
    @FlowActor
    func end(_ result: Result<StepOutcome, NavigationError>) {
        switch caller {
        case .direct: break
        case .waiting(let done): done(result)
        case .stepper(let node, let step): node.ended(step, result)
        }
    }
}

/// A step that is emitted on a presentable.
struct LocalEmission {
    let call: LocalCall
    let step: StepMessage
}

/// What waits for its turn at the machine, in order.
@FlowActor
struct LocalQueue {
    enum Entry {
        case emission(LocalEmission)
        /// An event that is made when its turn comes, because names can refer to others by then.
        case event(@FlowActor (LocalHost) -> Event?)
    }

    private var entries = Fifo<Entry>()
    /// Steps are usually emitted on one presentable: that, and how many on it wait. Those that were appended while another one was
    /// that presentable do not count.
    private var steps = (instance: UInt64(0), count: 0)

    init() {}

    var isEmpty: Bool { entries.isEmpty }

    /// Whether nothing else waits than steps on a presentable.
    func hasOnlySteps(on instance: UInt64) -> Bool {
        steps.count == entries.count && steps.instance == instance && instance != 0
    }

    mutating func append(_ emission: consuming LocalEmission) {
        if steps.count == 0 { steps.instance = emission.call.instance }
        if steps.instance == emission.call.instance { steps.count += 1 }
        entries.append(.emission(emission))
    }

    mutating func append(_ event: @escaping @FlowActor (LocalHost) -> Event?) { entries.append(.event(event)) }

    mutating func popFirst() -> Entry? {
        guard let entry = entries.popFirst() else { return nil }
        if case .emission(let emission) = entry, steps.instance == emission.call.instance { steps.count -= 1 }
        if entries.isEmpty { steps.count = 0 }
        return entry
    }

    /// Removes all. Returns the calls that emit steps.
    mutating func takeAll() -> [LocalCall] {
        let all = entries.all
        self = LocalQueue()
        return all.compactMap { if case .emission(let emission) = $0 { emission.call } else { nil } }
    }
}
