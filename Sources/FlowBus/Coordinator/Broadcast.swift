/// Sends values to any number of asynchronous sequences.
@MainActor
final class Broadcast<Element: Sendable> {
    private var continuations: [(number: UInt64, continuation: AsyncStream<Element>.Continuation)] = []
    private var last: UInt64 = 0
    private var isFinished = false

    isolated deinit { finish() }

    /// Returns a sequence of the values that are sent from now on. Values are buffered until they are read.
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

    /// Sends a value to all sequences.
    func send(_ value: Element) { for (_, continuation) in continuations { continuation.yield(value) } }

    /// Ends all sequences. A sequence that is requested later is empty.
    func finish() {
        isFinished = true
        let all = continuations
        continuations = []
        for (_, continuation) in all { continuation.finish() }
    }
}
