/// The values that a sequence has not delivered yet, as far as its policy keeps them.
@FlowActor
package final class Inbox<Element: Sendable> {
    private let turns: ReaderTurns
    private let policy: BufferingPolicy
    /// Whether the sequence is over when its reader is cancelled.
    private let endsWithReader: Bool
    /// The value that stands for a number of lost ones; nil leaves them out.
    private let lost: (@FlowActor (Int) -> Element)?

    /// What a reader can have now, and how many of that are values.
    private var ready = Fifo<Slot>()
    private var readyCount = 0
    /// What waits for its turn, and how many of that are values.
    private var coming = Fifo<Turn>()
    private var comingCount = 0
    /// The number of lost values before all others.
    private var lostBefore = 0
    /// The number of values that were lost so far.
    package private(set) var lostCount = 0

    private var readers: [(number: UInt64, continuation: CheckedContinuation<Handover, Never>)] = []
    private var lastNumber: UInt64 = 0
    private var isFinished = false
    private var subscription: Subscription?

    private enum Slot {
        case value(Element)
        case lost(Int)
        case end
    }

    private enum Handover: Sendable {
        /// The value, or the end, in the reader's turn.
        case turn(Element?)
        case cancelled
    }

    /// The turn of a slot.
    private final class Turn: ReaderTurns.Turn {
        var slot: Slot?
        private weak var inbox: Inbox<Element>?

        init(_ slot: Slot, _ inbox: Inbox<Element>) { (self.slot, self.inbox) = (slot, inbox) }

        override var isOver: Bool { slot == nil || inbox == nil }
        override func take() -> Bool { inbox?.takeNext() ?? false }
    }

    /// Creates an inbox.
    ///
    /// - Parameters:
    ///   - policy: what is kept.
    ///   - turns: the order of its reader among others.
    ///   - endsWithReader: whether it is over when its reader is cancelled.
    ///   - lost: the value that stands for a number of lost ones.
    package init(
        _ policy: BufferingPolicy, in turns: ReaderTurns = ReaderTurns(), endsWithReader: Bool = true,
        lost: (@FlowActor (Int) -> Element)? = nil
    ) {
        (self.turns, self.policy, self.endsWithReader, self.lost) = (turns, policy, endsWithReader, lost)
    }

    /// Keeps the subscription to the source as long as the values have a reader.
    package func fill(from subscription: Subscription) {
        if isFinished { subscription.end() } else { self.subscription = subscription }
    }

    // MARK: Values

    /// Takes a value, or the end: nil.
    package func send(_ value: Element?) {
        if isFinished { return }
        guard let value else { return add(.end) }
        // A reader that waits takes one more.
        guard let limit = policy.limit, readyCount + comingCount >= limit + readers.count else {
            return add(.value(value))
        }
        lostCount += 1
        if case .bufferingNewest = policy, limit > 0 {
            loseOldest()
            add(.value(value))
        } else {
            loseNewest()
        }
    }

    private func add(_ slot: Slot) {
        guard turns.isWaiting else { return turns.take { take(slot) } }
        let turn = Turn(slot, self)
        coming.append(turn)
        if case .value = slot { comingCount += 1 }
        turns.add(turn)
    }

    private func loseOldest() {
        lostBefore += 1
        while let slot = ready.popFirst() {
            switch slot {
            case .value: return readyCount -= 1
            case .lost(let count): lostBefore += count
            case .end: break
            }
        }
        guard let turn = coming.popFirst() else { return }
        turn.slot = nil
        comingCount -= 1
        turns.oneIsOver()
    }

    /// Notes a lost value behind those that are kept.
    private func loseNewest() {
        if lost == nil { return }
        if let turn = coming.last {
            if case .lost(let count)? = turn.slot { turn.slot = .lost(count + 1) } else { add(.lost(1)) }
        } else if case .lost(let count)? = ready.last {
            ready.replaceLast(.lost(count + 1))
        } else {
            add(.lost(1))
        }
    }

    /// Takes the slot whose turn it is. Returns whether a reader was resumed.
    private func takeNext() -> Bool {
        guard let slot = coming.popFirst()?.slot else { return false }
        if case .value = slot { comingCount -= 1 }
        return take(slot)
    }

    private func take(_ slot: Slot) -> Bool {
        if case .end = slot {
            isFinished = true
            subscription = nil
            guard let reader = readers.first else { return false }
            for other in readers.dropFirst() { other.continuation.resume(returning: .cancelled) }
            readers = []
            reader.continuation.resume(returning: .turn(nil))
            return true
        }
        ready.append(slot)
        if case .value = slot { readyCount += 1 }
        guard !readers.isEmpty, let value = nextReady() else { return false }
        readers.removeFirst().continuation.resume(returning: .turn(value))
        return true
    }

    private func nextReady() -> Element? {
        if lostBefore > 0 {
            let count = lostBefore
            lostBefore = 0
            if let lost { return lost(count) }
        }
        while let slot = ready.popFirst() {
            switch slot {
            case .value(let value):
                readyCount -= 1
                return value
            case .lost(let count): if let lost { return lost(count) }
            case .end: break
            }
        }
        return nil
    }

    /// Takes all values that are kept.
    func takeAll() -> [Element] {
        var all: [Element] = []
        while let value = nextReady() { all.append(value) }
        return all
    }

    // MARK: Readers

    /// The next value; nil after the end, and if the task was cancelled.
    package func next() async -> Element? {
        if Task.isCancelled { return cancelled() }
        if let value = nextReady() { return value }
        if isFinished { return nil }
        lastNumber += 1
        let number = lastNumber
        let handover: Handover = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: Handover.cancelled) }
                readers.append((number, continuation))
            }
        } onCancel: {
            Task { @FlowActor [weak self] in self?.cancel(number) }
        }
        guard case .turn(let value) = handover else { return cancelled() }
        turns.arrived()
        return value
    }

    private func cancel(_ number: UInt64) {
        guard let place = readers.firstIndex(where: { $0.number == number }) else { return }
        readers.remove(at: place).continuation.resume(returning: .cancelled)
    }

    private func cancelled() -> Element? {
        if endsWithReader { end() }
        return nil
    }

    /// Ends the sequence: its source is not needed any more.
    private func end() {
        isFinished = true
        (subscription, ready, readyCount, lostBefore) = (nil, Fifo(), 0, 0)
        for reader in readers { reader.continuation.resume(returning: .cancelled) }
        readers = []
    }
}
