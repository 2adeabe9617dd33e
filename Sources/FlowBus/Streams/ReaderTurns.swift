/// Hands values to waiting readers one after the other.
///
/// A task that is resumed on Linux gets to the main actor by way of another thread: two that are resumed at once arrive in any order. So
/// the next one is resumed when the one before has arrived.
@FlowActor
package final class ReaderTurns {
    /// Something that waits for its turn.
    @FlowActor
    class Turn {
        /// Whether nothing is to be handed over any more.
        var isOver: Bool { true }

        /// Hands something over. Returns whether a reader was resumed, which will call ``ReaderTurns/arrived()``.
        func take() -> Bool { false }
    }

    private var waiting = Fifo<Turn>()
    /// How many of those that wait are over.
    private var overCount = 0
    private var isBusy = false

    package init() {}

    /// Whether a turn would have to wait.
    var isWaiting: Bool { isBusy || !waiting.isEmpty }

    /// Takes a turn, now or after those that wait.
    func add(_ turn: Turn) {
        waiting.append(turn)
        goOn()
    }

    /// Takes a turn now; to be called only if none waits.
    func take(_ body: () -> Bool) { isBusy = body() }

    /// A turn that waits is over. Those are not kept: a reader that does not arrive would have them pile up.
    func oneIsOver() {
        overCount += 1
        guard overCount > 64, 2 * overCount > waiting.count else { return }
        var left = Fifo<Turn>()
        for turn in waiting.all where !turn.isOver { left.append(turn) }
        (waiting, overCount) = (left, 0)
    }

    /// The reader that was resumed last has its turn.
    func arrived() {
        isBusy = false
        goOn()
    }

    private func goOn() {
        while !isBusy, let next = waiting.popFirst() {
            if next.isOver { overCount = max(overCount - 1, 0) } else { isBusy = next.take() }
        }
    }
}
