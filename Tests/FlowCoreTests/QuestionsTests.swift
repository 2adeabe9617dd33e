import Testing

@testable import FlowCore

@Suite("Open questions")
struct OpenQuestionsTests {
    private let step = WaitingStep(
        origin: 1, client: Client(":1.1"), flow: NodeID(slot: NodeSlot(0), instance: 1), step: StepID(0), arguments: [],
        cause: 0, purpose: .triggered)
    private let screen = AskedPresenter(
        screen: NodeID(slot: NodeSlot(1), instance: 2), path: "/main/page", object: "/presenter", origin: 1)

    @Test func `an answer closes its question once, and only if it has the right kind`() {
        var questions = Questions()
        let guarded = questions.ask(.guard(step, of: "com.auth"))
        let navigated = questions.ask(.navigator(step, of: "com.pay"))
        #expect(guarded != navigated && questions.count == 2)
        let wrong = (questions.closeNavigator(guarded), questions.closeGuard(navigated))
        #expect(wrong.0 == nil && wrong.1 == nil)
        #expect(questions.closePresenter(guarded, isTimeout: false) == nil)
        let answered = (questions.closeGuard(guarded), questions.closeGuard(guarded))
        #expect(answered.0?.name == "com.auth" && answered.1 == nil)
        let other = questions.closeNavigator(navigated)
        #expect(other?.step == step)
        #expect(questions.isEmpty)
        // No number is used twice.
        #expect(questions.ask(.guard(step, of: "com.auth")) == QuestionID(3))
    }

    @Test func `S-31 a presenter whose time is over may still answer, once`() {
        var questions = Questions()
        let id = questions.ask(.presenter(screen))
        let answers = [true, false, false].map { questions.closePresenter(id, isTimeout: $0) }
        #expect(answers.map { $0?.isLate } == [false, true, nil])
        #expect(questions.isEmpty)
    }

    @Test func `S-31 a screen that is gone leaves its question, and the reason`() {
        var questions = Questions()
        let id = questions.ask(.presenter(screen))
        let isOpen = questions.withdraw(id, because: .rule)
        #expect(isOpen)
        let asked = questions.closePresenter(id, isTimeout: false)
        #expect(asked?.withdrawn == .rule)
        let isStillOpen = questions.withdraw(id, because: .rule)
        #expect(!isStillOpen)
    }

    @Test func `S-22 a flow that is gone takes its step back`() {
        var questions = Questions()
        let id = questions.ask(.guard(step, of: "com.auth"))
        #expect(questions.service(asked: id)?.role == "guard")
        #expect(questions.withdraw(id) == step)
        #expect(questions.withdraw(id) == nil)
        #expect(questions.service(asked: id) == nil)
    }

    @Test func `new definitions change the step that was asked about, or close the question`() {
        var questions = Questions()
        let (first, second) = (
            questions.ask(.guard(step, of: "com.auth")), questions.ask(.navigator(step, of: "com.pay"))
        )
        _ = questions.ask(.presenter(screen))
        #expect(questions.aboutSteps.map(\.id) == [first, second])
        var renewed = step
        renewed.step = StepID(7)
        questions.renew(first, with: renewed)
        questions.renew(second, with: nil)
        #expect(questions[first] == .guard(renewed, of: "com.auth"))
        #expect(questions[second] == nil && questions.count == 2)
    }
}
