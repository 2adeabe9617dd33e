import FlowCore
import Testing

@testable import FlowTrace

/// Each enumeration in the answers of other processes is described whole. A new case does not compile here; it needs a word,
/// which needs a sample, which needs a description.
@Suite("Answers as text")
struct AnswerTextTests {
    private let definitions = Definitions(
        steps: [StepDeclaration("go")], screens: [ScreenDeclaration("page")], flows: [FlowDefinition("main")])

    /// A case of an enumeration, by its word in a trace.
    private protocol Word: CaseIterable, Hashable, RawRepresentable<String> {
        associatedtype Whole
        init(_ whole: Whole)
    }

    private enum GuardWord: String, Word {
        case step, rejected, failed
        case timedOut = "timed-out"

        init(_ answer: GuardAnswer) {
            self =
                switch answer {
                case .step: .step
                case .rejected: .rejected
                case .failed: .failed
                case .timedOut: .timedOut
                }
        }
    }

    private enum NavigatorWord: String, Word {
        case contributors, unhandled, failed
        case timedOut = "timed-out"

        init(_ answer: NavigatorAnswer) {
            self =
                switch answer {
                case .contributors: .contributors
                case .unhandled: .unhandled
                case .failed: .failed
                case .timedOut: .timedOut
                }
        }
    }

    private enum PresenterWord: String, Word {
        case presented, failed
        case timedOut = "timed-out"

        init(_ answer: PresenterAnswer) {
            self =
                switch answer {
                case .presented: .presented
                case .failed: .failed
                case .timedOut: .timedOut
                }
        }
    }

    private enum ContributorWord: String, Word {
        case screen, flow, pop, show, hide, dismiss, evict, set, move, current, parent, end, answer
        case popRoot = "pop-root"
        case endWith = "end-with"

        init(_ contributor: FlowContributor) {
            self =
                switch contributor {
                case .child(let child):
                    switch child.presentable {
                    case .screen: .screen
                    case .flow: .flow
                    }
                case .pop(.root): .popRoot
                case .pop(.to): .pop
                case .show: .show
                case .hide: .hide
                case .dismiss: .dismiss
                case .evict: .evict
                case .set: .set
                case .move: .move
                case .current: .current
                case .parent: .parent
                case .end(nil): .end
                case .end: .endWith
                case .answer: .answer
                }
        }
    }

    private enum SourceWord: String, Word {
        case literal, reason, error, message
        case step = "of-step"
        case flow = "of-flow"
        case output = "of-output"
        case context = "of-context"
        case result = "of-result"
        case asked = "of-asked"
        case childName = "child-name"

        init(_ source: Binding.Source) {
            self =
                switch source {
                case .literal: .literal
                case .step: .step
                case .flow: .flow
                case .result: .result
                case .asked: .asked
                case .output: .output
                case .context: .context
                case .childName: .childName
                case .reason: .reason
                case .error: .error
                case .message: .message
                }
        }
    }

    private enum EmittedWord: String, Word {
        case step, refused

        init(_ step: EmittedStep) {
            self =
                switch step {
                case .step: .step
                case .refused: .refused
                }
        }
    }

    /// Checks that there is a sample of each case, and that each is written with its word and read again.
    private func check<One: Word>(
        _: One.Type, _ samples: [One.Whole], by field: TraceField<One.Whole>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws where One.Whole: Equatable {
        let coordinator = Coordinator(definitions: definitions, basePath: "/base")
        #expect(Set(samples.map(One.init)) == Set(One.allCases), sourceLocation: sourceLocation)
        for sample in samples {
            var line = TraceLine()
            field.write(sample, &line, coordinator)
            let word = One(sample).rawValue
            #expect(line.text.split(separator: " ").first.map(String.init) == word, sourceLocation: sourceLocation)
            var scanner = TraceScanner(line.text[...])
            #expect(try field.read(&scanner, coordinator) == sample, sourceLocation: sourceLocation)
            #expect(scanner.isAtEnd, sourceLocation: sourceLocation)
        }
    }

    private static let template = StepTemplate(StepID(0))

    @Test func `each answer of a guard is described`() throws {
        try check(
            GuardWord.self,
            [.step(StepID(0), [Argument("n", .int64(5))]), .rejected, .failed("no \"such\" thing"), .timedOut],
            by: TraceFields.guardAnswer)
    }

    @Test func `each answer of a navigator is described`() throws {
        try check(
            NavigatorWord.self, [.contributors([.pop(.root)]), .unhandled, .failed("gone"), .timedOut],
            by: TraceFields.navigatorAnswer)
    }

    @Test func `each answer of a presenter is described`() throws {
        try check(
            PresenterWord.self, [.presented(by: Client(":1.1")), .failed(Fault("com.x.No", "not \"now\"")), .timedOut],
            by: TraceFields.presenterAnswer)
    }

    @Test func `each contributor is described`() throws {
        try check(
            ContributorWord.self,
            [
                .child(ChildTemplate(.screen(ScreenID(0)))), .child(ChildTemplate(.flow(FlowID(0)))), .pop(.root),
                .pop(.to("page")), .show("page"), .hide("other"), .evict, .set([Binding("lang", .step("n"))]),
                .move(.output),
                .dismiss("page"),
                .current(Self.template), .parent(Self.template), .end(nil),
                .end(Self.template), .answer(.given([])),
            ], by: TraceFields.contributor)
    }

    @Test func `each source of an argument is described`() throws {
        try check(
            SourceWord.self,
            [
                .literal(.string("x y")), .step("n"), .flow("lang"), .result("n"), .asked("n"), .context("n"), .output,
                .childName, .reason,
                .error,
                .message,
            ],
            by: TraceFields.bindingSource)
    }

    @Test func `each emitted step is described`() throws {
        try check(
            EmittedWord.self, [.step(StepID(0), []), .refused(FlowError(.unknownStep, "no 'x'"))],
            by: TraceFields.emittedStep)
    }

    // MARK: - A case without a description

    private enum Sample: Equatable, Sendable {
        case described, forgotten
    }

    @Test func `a case without a description can't be read, and says so`() throws {
        let field = TraceField<Sample>("sample", [TraceCase("described", .described)])
        let coordinator = Coordinator(definitions: definitions, basePath: "/base")
        var line = TraceLine()
        field.write(.forgotten, &line, coordinator)
        field.write(.described, &line, coordinator)
        var scanner = TraceScanner(line.text[...])
        let failure = #expect(throws: TraceScanner.Failure.self) { _ = try field.read(&scanner, coordinator) }
        #expect(failure?.message == "'undescribed' is no sample")
        // What follows is still in its place.
        #expect(try field.read(&scanner, coordinator) == .described)
    }
}
