import FlowCore
import Logging
import SdBus

/// Holds back the effects of events that changed the tree until the change is written (D-1).
///
/// All messages at hand share one commit, and nothing is sent in another order than without it: what answers a call without an
/// event makes the commit come first.
final class CommitGate {
    /// The effects of one event.
    struct PendingEffects {
        var effects: [Effect]
        /// The call that brought the event.
        let call: RetainedMessage?
        let request: RequestID
        /// When the event occurred.
        let time: Instant
    }

    /// How many events wait for a commit at most: then it comes, even while messages are at hand.
    static let capacity = 64

    /// Whether effects wait at all; not where no file can be written.
    var isEnabled = false
    /// Runs when the commit is due, and calls ``removeAll()``.
    var commit: () -> Void = {}
    private let logger: Logger
    private var pending: [PendingEffects] = []
    /// Whether nothing is pending. Every event asks, and this is cheaper to read than the list.
    private(set) var isEmpty = true
    private var commitTask: DeferredTask?

    /// An open gate in a loop; failures go to this log.
    init(_ loop: EventLoop, _ logger: Logger) throws(SdError) {
        self.logger = logger
        commitTask = try loop.deferred(.afterMessages) { [unowned self] in commit() }
    }

    /// Adds the effects of an event.
    ///
    /// - Parameter capacity: how many events may be pending.
    func add(_ effects: PendingEffects, upTo capacity: Int = CommitGate.capacity) {
        pending.append(effects)
        isEmpty = false
        guard pending.count < capacity else { return commit() }
        guard pending.count == 1 else { return }
        do throws(SdError) {
            try commitTask?.schedule()
        } catch {
            logger.error("Could not wait for other messages: \(error)")
            commit()
        }
    }

    /// The navigations among the pending effects, with their times.
    func forEachNavigation(_ body: (Navigation, Instant) -> Void) {
        for item in pending {
            for case .emitNavigationOccurred(let navigation) in item.effects { body(navigation, item.time) }
        }
    }

    /// Removes all effects, which the caller carries out in this order.
    func removeAll() -> [PendingEffects] {
        defer { (pending, isEmpty) = ([], true) }
        return pending
    }
}
