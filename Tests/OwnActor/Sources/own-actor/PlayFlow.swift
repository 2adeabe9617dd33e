import FlowBus

/// The steps. By hand what `@Step` writes, as the package is built without its trait `Macros`.
enum PlayStep: BusStep, Equatable {
    case meet
    case page(number: Int)
    case count
    case refused
    case endless
    case child
    case picker

    static var stepCases: [StepCase] {
        [
            StepCase("meet"), StepCase("page", [StepParameter("number", Int.self)]), StepCase("count"),
            StepCase("refused"), StepCase("endless"), StepCase("child"), StepCase("picker"),
        ]
    }

    var caseName: String { "\(self)".prefix { $0 != "(" }.description }

    func encode(to encoder: inout StepEncoder) throws(StepError) {
        if case .page(let number) = self { try encoder.encode(number, for: "number") }
    }

    init?(caseName: String, from decoder: StepDecoder) throws(StepError) {
        switch caseName {
        case "meet": self = .meet
        case "page": self = .page(number: try decoder.decode(Int.self, for: "number"))
        case "count": self = .count
        case "refused": self = .refused
        case "endless": self = .endless
        case "child": self = .child
        case "picker": self = .picker
        default: return nil
        }
    }
}

/// What a picker answers.
struct Picked: AnswerValues {
    var number: Int

    static var answerValues: [StepParameter] { [StepParameter("number", Int.self)] }
}

final class PlayStepper: Stepper {
    let steps = PublishRelay<any Step>()
    var initialStep: any Step { PlayStep.count }
}

final class Page: Screen {
    let presence = Presence()
}

final class Picker: Screen, Answering {
    typealias Answer = Picked
    let presence = Presence()
    private let lines: Mailbox

    init(_ lines: Mailbox) { self.lines = lines }

    func present(_ presentation: Presentation) {
        do throws(NavigationError) {
            try finish(with: Picked(number: 42))
        } catch {
            lines.send("error \(error)")
        }
    }
}

/// A flow whose `adapt` suspends, so that its steps go by tasks, other threads and time limits.
final class PlayFlow: Flow {
    static var timeout: Duration { .milliseconds(200) }
    let root = Page()
    private let lines: Mailbox
    private let answers: Mailbox
    private(set) var page: Page?

    init(_ lines: Mailbox, _ answers: Mailbox) { (self.lines, self.answers) = (lines, answers) }

    func adapt(step: PlayStep) async throws -> PlayStep {
        switch step {
        case .refused: throw StepRejected("no")
        case .endless:
            // Until the time limit cancels it.
            for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(60)) }) {
                try Task.checkCancellation()
            }
            return step
        default: return await Task.detached { step }.value
        }
    }

    func navigate(to step: PlayStep) -> FlowContributors {
        lines.send("navigate \(step)")
        switch step {
        case .meet:
            // It stands still until the main thread has gone on.
            lines.send("flow: \(answers.receive())")
            return .none
        case .page:
            let page = Page()
            self.page = page
            return .show(page)
        case .child:
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: ChildFlow(lines), withNextStepper: OneStepper(withSingleStep: PlayStep.count)))
        case .picker: return .show(Picker(lines))
        case .count, .refused, .endless: return .none
        }
    }
}

final class ChildFlow: Flow {
    static var isGuarded: Bool { false }
    let root = Page()
    private let lines: Mailbox

    init(_ lines: Mailbox) { self.lines = lines }

    func navigate(to step: PlayStep) -> FlowContributors {
        lines.send("child navigate \(step)")
        return .end(forwardToParentFlowWithStep: PlayStep.count)
    }
}
