import FlowCore
import SdBus

/// The calls that a later event answers, and the numbers of all requests.
struct UnansweredCalls {
    private var latest: UInt64 = 0
    private var calls: [RequestID: PendingCall] = [:]

    /// The request of the latest call.
    var latestRequest: RequestID { RequestID(latest) }

    /// The number of a new request.
    mutating func nextRequest() -> RequestID {
        latest += 1
        return RequestID(latest)
    }

    /// Continues after the requests of an earlier process, so that none of its numbers is used again.
    mutating func `continue`(after request: RequestID) { latest = max(latest, request.number) }

    /// Keeps a call until ``remove(_:)``.
    mutating func add(_ call: PendingCall, for request: RequestID) { calls[request] = call }

    /// Removes the call of a request; nil if it is answered already, or wants no answer.
    mutating func remove(_ request: RequestID) -> PendingCall? { calls.removeValue(forKey: request) }
}
