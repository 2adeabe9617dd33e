import FlowCore
import SdBus

/// The calls that a later event answers, and the numbers of all requests.
struct UnansweredCalls {
    private var latest: UInt64 = 0
    private var calls: [RequestID: Caller] = [:]

    /// The request of the latest call.
    var latestRequest: RequestID { RequestID(latest) }

    /// The number of a new request.
    mutating func nextRequest() -> RequestID {
        latest += 1
        return RequestID(latest)
    }

    /// Continues after the requests of an earlier process, so that none of its numbers is used again.
    mutating func `continue`(after request: RequestID) { latest = max(latest, request.number) }

    /// Keeps the caller until ``remove(_:)``.
    mutating func add(_ caller: Caller, for request: RequestID) { calls[request] = caller }

    /// Removes the caller of a request; nil if it is answered already, or wants no answer.
    mutating func remove(_ request: RequestID) -> Caller? { calls.removeValue(forKey: request) }
}
