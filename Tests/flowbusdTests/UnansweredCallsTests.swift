import FlowCore
import Testing

@testable import flowbusd

@Suite("Pending calls")
struct PendingCallsTests {
    @Test func `requests have numbers in order, also after a restart`() {
        var calls = UnansweredCalls()
        #expect(calls.nextRequest() == RequestID(1))
        #expect(calls.nextRequest() == RequestID(2))
        #expect(calls.latestRequest == RequestID(2))
        calls.continue(after: RequestID(7))
        #expect(calls.nextRequest() == RequestID(8))
        calls.continue(after: RequestID(3))
        #expect(calls.nextRequest() == RequestID(9))
        #expect(calls.remove(RequestID(1)) == nil)
    }
}
