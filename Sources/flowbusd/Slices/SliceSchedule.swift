import FlowWire
import SdBus

/// Decides when the next slice has its turn (S-7): once the bus has handled everything that the last slice sent.
///
/// It asks the bus for anything, and the answer comes behind all that. So what others read never waits for more than the
/// rest of the last slice and one slice more, in the bus as well as here, and the unsent messages are bounded.
final class SliceSchedule {
    /// Runs before the bus is asked; false: no slice is needed any more.
    var prepare: () -> Bool = { false }
    /// Runs when the next slice has its turn.
    var next: () -> Void = {}
    /// Runs when the bus can't be asked.
    var failed: (any Error) -> Void = { _ in }
    private let output: MessageOutput
    private var task: DeferredTask?
    private var question: AwaitedAnswer?

    /// A schedule without slices, of a connection's output and the loop that serves it.
    init(_ output: MessageOutput, _ loop: EventLoop) throws(SdError) {
        self.output = output
        task = try loop.deferred(.amongMessages) { [unowned self] in
            guard question == nil, prepare() else { return }
            do { try ask() } catch { failed(error) }
        }
    }

    /// Has the next slice follow, unless one is due already.
    func schedule() throws(SdError) {
        guard question == nil else { return }
        try task?.schedule()
    }

    private func ask() throws {
        // An answer from any sender is accepted: an early slice does no harm, a missing one would.
        question = try output.call(.bus, "GetId") { [unowned self] _ in
            question = nil
            next()
        }
    }
}
