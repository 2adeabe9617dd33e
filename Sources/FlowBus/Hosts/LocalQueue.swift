internal import FlowCore

/// The call that emits a step on a presentable.
struct LocalCall {
    let number: UInt64
    let path: NodePath
    /// 0 for any at the path.
    let instance: UInt64
    /// Receives the outcome; nil if the caller takes it from the host, before the host does anything else.
    let done: Done<StepOutcome>?
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

    mutating func append(_ entry: Entry) {
        if case .emission(let emission) = entry {
            if steps.count == 0 { steps.instance = emission.call.instance }
            if steps.instance == emission.call.instance { steps.count += 1 }
        }
        entries.append(entry)
    }

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
