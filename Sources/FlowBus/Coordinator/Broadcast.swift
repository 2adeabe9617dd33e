/// Values for any number of tasks: each gets those that come after it asked.
@MainActor
final class Broadcast<Element: Sendable> {
    private var continuations: [(number: UInt64, continuation: AsyncStream<Element>.Continuation)] = []
    private var last: UInt64 = 0
    private var isFinished = false

    isolated deinit { finish() }

    /// The values from now on; they wait to be taken.
    func values() -> AsyncStream<Element> {
        let (values, continuation) = AsyncStream.makeStream(of: Element.self)
        if isFinished {
            continuation.finish()
            return values
        }
        last += 1
        let number = last
        continuations.append((number, continuation))
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor [weak self] in self?.continuations.removeAll { $0.number == number } }
        }
        return values
    }

    /// Gives a value to all.
    func send(_ value: Element) { for (_, continuation) in continuations { continuation.yield(value) } }

    /// There are no more; who asks later gets none.
    func finish() {
        isFinished = true
        let all = continuations
        continuations = []
        for (_, continuation) in all { continuation.finish() }
    }
}
