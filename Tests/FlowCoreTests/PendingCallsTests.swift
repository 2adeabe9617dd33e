import Testing

@testable import FlowCore

@Suite("Pending calls")
struct PendingCallsTests {
    private let client = Client(":1.1")
    private let flow = NodeID(slot: NodeSlot(0), instance: 1)
    private let due = Instant(microseconds: 5)

    private func step(_ purpose: WaitingStep.Purpose) -> WaitingStep {
        WaitingStep(
            origin: 1, client: client, flow: flow, step: StepID(0), arguments: [], cause: 0, purpose: purpose)
    }

    private func list(_ count: Int) -> Call {
        Call(
            client: client,
            kind: .list(
                StepList(node: flow, path: "/main", steps: Array(repeating: .step(StepID(0), []), count: count))))
    }

    private func takeOrder(_ calls: inout PendingCalls) -> [UInt64] {
        var order: [UInt64] = []
        while let request = calls.takeNext() { order.append(request.number) }
        return order
    }

    @Test func `S-9 a call for one step is over with that step`() throws {
        var calls = PendingCalls()
        let request = RequestID(1)
        calls.suspend(request, Call(client: client, kind: .step(path: "/main", nil)), until: due)
        let unwatched = calls.takeUnwatched()
        #expect(unwatched?.request == request && unwatched?.due == due)
        let none = calls.takeUnwatched()
        #expect(none == nil)
        guard
            case .answer(let call, let path, nil) = calls.end(
                step(.emitted(request)), .ignored(.unhandled), for: request)
        else { throw FlowError(.invalidArguments, "no answer") }
        #expect(!call.isAnswered && path == "/main")
        let removed = calls.remove(request)
        #expect(removed != nil && calls.isEmpty)
    }

    @Test func `S-7 a list goes on when its step has ended, in the order in which steps end`() {
        var calls = PendingCalls()
        for number in 1...2 as ClosedRange<UInt64> { calls.suspend(RequestID(number), list(2), until: due) }
        #expect(!calls.hasNext)
        for number in [2, 1] as [UInt64] {
            let request = RequestID(number)
            guard case .none = calls.end(step(.listed(request, place: 0)), .ignored(.unhandled), for: request) else {
                Issue.record("a caller got an outcome before all steps had ended")
                return
            }
        }
        #expect(calls.hasNext)
        let order = takeOrder(&calls)
        #expect(order == [2, 1] && !calls.hasNext)
    }

    @Test func `S-7 the call that a slice interrupted continues first`() {
        var calls = PendingCalls()
        calls.suspend(RequestID(1), list(2), until: due)
        _ = calls.end(step(.listed(RequestID(1), place: 0)), .ignored(.unhandled), for: RequestID(1))
        calls.park(RequestID(2), list(2), until: due)
        #expect(calls.parkedCall(dueBy: due) == RequestID(2))
        #expect(calls.parkedCall(dueBy: Instant(microseconds: 4)) == nil)
        let order = takeOrder(&calls)
        #expect(order == [2, 1])
        calls.park(RequestID(2), list(2), until: due)
        calls.forgetNext()
        #expect(!calls.hasNext)
    }

    @Test func `S-9 a caller that was answered pending gets each outcome, and no second answer`() throws {
        var calls = PendingCalls()
        let request = RequestID(1)
        calls.suspend(request, list(2), until: due)
        let (first, second) = (calls.timeOut(request), calls.timeOut(request))
        #expect(first?.wasAnswered == false && second == nil)
        guard
            case .report(_, path: "/main") = calls.end(
                step(.listed(request, place: 0)), .ignored(.unhandled), for: request)
        else { throw FlowError(.invalidArguments, "no report") }
    }

    @Test func `S-27 a deep link is done when its step has ended at all flows`() {
        var calls = PendingCalls()
        let request = RequestID(1)
        var link = DeepLink(step: StepID(0), arguments: [])
        let second = NodeID(slot: NodeSlot(1), instance: 2)
        link.flows = [flow, nil, second]
        var call = Call(client: client, kind: .deepLink(link))
        call.undecided = 2
        let outcomes = ["/a", "/b", "/c"].map { FlowOutcome(path: $0, outcome: nil) }
        calls.begin(request, call, outcomes)
        calls.setNext(3, of: request)
        calls.endSlices(of: request)
        for place in [2, 0] {
            #expect(!calls.hasNext)
            _ = calls.end(place, .ignored(.unhandled), ofDeepLink: request)
        }
        let order = takeOrder(&calls)
        #expect(order == [1])
        let ended = calls.takeOutcomes(of: request)
        #expect(ended.map(\.outcome) == [.ignored(.unhandled), nil, .ignored(.unhandled)])
        #expect(calls.deepLinks.isEmpty)
    }

    @Test func `S-26 calls that waited for a flow go on in the order in which they came`() {
        var calls = PendingCalls()
        for number in [3, 1, 2] as [UInt64] {
            calls.suspend(RequestID(number), Call(client: client, kind: .readiness(flow)), until: due)
            calls.wait(RequestID(number), for: flow)
        }
        calls.stopWaiting(RequestID(1), for: flow)
        calls.resume(waitingFor: flow)
        let order = takeOrder(&calls)
        #expect(order == [2, 3] && calls.readers.isEmpty)
    }

    @Test func `D-4 a list has a record while it waits, and a record of its progress in slices`() {
        var builder = DefinitionsBuilder()
        builder.step("go")
        let definitions = builder.definitions
        var calls = PendingCalls()
        let request = RequestID(1)
        calls.park(request, list(2), until: due)
        calls.noteProgress()
        let first = calls.takeRecords(definitions)
        #expect(first.map(\.key.kind) == [.list, .progress])
        #expect(calls.hasSavedProgress && !calls.hasUnsaved)
        let order = takeOrder(&calls)
        #expect(order == [1])
        _ = calls.remove(request)
        calls.noteProgress()
        let second = calls.takeRecords(definitions)
        #expect(second.map(\.body) == [nil, nil])
        #expect(!calls.hasSavedProgress && calls.takeRecords(all: true, definitions).isEmpty)
        // What came and went between two writes has none.
        calls.suspend(request, list(2), until: due)
        _ = calls.remove(request)
        #expect(calls.takeRecords(definitions) == [])
    }
}
