import Testing

@testable import FlowCore

@Suite("Turn")
struct TurnTests {
    private func step(origin: UInt64) -> WaitingStep {
        WaitingStep(
            origin: origin, client: Client(":1.1"), flow: NodeID(slot: NodeSlot(0), instance: 1), step: StepID(0),
            arguments: [], cause: 0, purpose: .triggered)
    }

    @Test func `S-9 an earlier call is answered when the cascade that decided it is done, or waits`() {
        var turn = Turn(at: Instant(microseconds: 0))
        turn.begin(step(origin: 1))
        turn.answerLate(.reply(RequestID(1), .done), origin: 1)
        turn.begin(step(origin: 1))
        let early = turn.takeEffects()
        #expect(early == [])
        turn.begin(step(origin: 2))
        let effects = turn.takeEffects()
        #expect(effects == [.reply(RequestID(1), .done)])
        turn.sendLateAnswers()
        let rest = turn.takeEffects()
        #expect(rest == [])
    }

    @Test func `S-7 a slice is over after so many effects and steps`() {
        var turn = Turn(at: Instant(microseconds: 0), upTo: 2)
        turn.begin(step(origin: 1))
        let isOver = turn.isOver
        #expect(!isOver)
        turn.effects.append(.emitDefinitionsChanged)
        let isOverNow = turn.isOver
        #expect(isOverNow)
    }
}
