import FlowCore
import SdBus

/// The calls and events that are postponed while an event is handled in slices, in their order.
struct Backlog {
    /// A postponed call.
    struct PostponedCall {
        let message: RetainedMessage
        let client: Client
        let bytes: Int
        /// When it arrived, in µs of the loop's clock.
        let since: UInt64
        /// Handles the call in its turn. Decodes it only then, as the definitions may have changed.
        let body: (Daemon, MessageReader) throws -> Void
    }

    private enum Item {
        case call(PostponedCall)
        case event(() -> Void)
    }

    /// Nil where an item was removed.
    private var items: [Item?] = []
    private var next = 0
    /// How many items ``takeOverdue(at:)`` has examined.
    private var examined = 0
    private var clients: [Client: (calls: Int, bytes: Int)] = [:]
    private var total = (calls: 0, bytes: 0)

    var isEmpty: Bool { items.isEmpty }
    /// How many items the list has room for, also for those that are taken.
    var placeCount: Int { items.count }

    mutating func add(event: @escaping () -> Void) { items.append(.event(event)) }

    /// Adds an event before all others.
    mutating func addFirst(event: @escaping () -> Void) {
        if next > 0 {
            next -= 1
            items[next] = .event(event)
        } else {
            items.insert(.event(event), at: 0)
            examined += 1
        }
    }

    /// - Throws: ``FlowError/Code/limitExceeded``.
    mutating func add(_ call: PostponedCall) throws(FlowError) {
        let own = clients[call.client] ?? (0, 0)
        let name = call.client.name
        guard own.calls < Limits.postponedCallsPerClient else {
            throw Self.refusal("\(own.calls) calls of '\(name)'", Limits.postponedCallsPerClient, "calls")
        }
        guard total.calls < Limits.postponedCalls else {
            throw Self.refusal("\(total.calls) calls", Limits.postponedCalls, "calls")
        }
        guard own.bytes + call.bytes <= Limits.postponedBytesPerClient else {
            throw Self.refusal(
                "\(own.bytes) bytes of '\(name)'", Limits.postponedBytesPerClient, "bytes with this call")
        }
        guard total.bytes + call.bytes <= Limits.postponedBytes else {
            throw Self.refusal("\(total.bytes) bytes", Limits.postponedBytes, "bytes with this call")
        }
        count(call, 1)
        items.append(.call(call))
    }

    /// The refusal of an overdue call.
    static var overdue: FlowError {
        let seconds = Limits.replyTimeout / 1_000_000
        return FlowError(
            .timeout, "a call that came before was not done within \(seconds) s; nothing has come of this one")
    }

    private static func refusal(_ what: String, _ limit: Int, _ unit: String) -> FlowError {
        FlowError(
            .limitExceeded, "\(what) wait until the call at hand is done, of at most \(limit) \(unit); try again later")
    }

    private mutating func count(_ call: PostponedCall, _ sign: Int) {
        total = (total.calls + sign, total.bytes + sign * call.bytes)
        let own = clients[call.client] ?? (0, 0)
        let now = (calls: own.calls + sign, bytes: own.bytes + sign * call.bytes)
        clients[call.client] = now.calls == 0 ? nil : now
    }

    /// Removes the next call or event; nil if there is none.
    mutating func takeNext() -> (call: PostponedCall?, event: (() -> Void)?)? {
        while next < items.count {
            let item = items[next].take()
            next += 1
            freeTaken()
            switch item {
            case .call(let call)?:
                count(call, -1)
                return (call, nil)
            case .event(let event)?: return (nil, event)
            case nil: continue
            }
        }
        return nil
    }

    /// Frees the places of items that are taken, when they are most of the list: while calls keep coming, it may never be empty.
    private mutating func freeTaken() {
        if next == items.count { return (items, next, examined) = ([], 0, 0) }
        guard next > 64, next > items.count / 2 else { return }
        items.removeFirst(next)
        examined = max(0, examined - next)
        next = 0
    }

    /// Removes the calls that have waited longer than their callers do (S-9).
    mutating func takeOverdue(at now: UInt64) -> [PostponedCall] {
        var overdue: [PostponedCall] = []
        examined = max(examined, next)
        while examined < items.count {
            if case .call(let call)? = items[examined] {
                guard call.since + Limits.replyTimeout <= now else { break }
                items[examined] = nil
                count(call, -1)
                overdue.append(call)
            }
            examined += 1
        }
        return overdue
    }
}
