import FlowBus
import Testing

/// In one process a step can be of any type.
@MainActor
@Suite("Steps of one process", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct AnyStepTests {
    private final class Image: Sendable {}
    private struct Trouble: Error {}
    private enum RichStep: Step {
        case image(Image)
        case block(@MainActor () -> Int)
        case failed(any Error)
    }
    private struct StructStep: Step { var number: Int }
    fileprivate enum Rich: Oddity { static var steps: [any Step.Type] { [RichStep.self, StructStep.self] } }

    @Test func `a step carries objects, closures and errors, which arrive as they are`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let image = Image()
        var taken: [String] = []
        let flow = try await fixture.root(Rich.self) { step in
            switch step {
            case RichStep.image(let other): taken.append("image \(other === image)")
            case RichStep.block(let block): taken.append("block \(block())")
            case RichStep.failed(let error): taken.append("error \(error is Trouble)")
            case let step as StructStep:
                taken.append("struct \(step.number)")
                if step.number == 1 {
                    return .one(flowContributor: .forwardToCurrentFlow(withStep: RichStep.image(image)))
                }
            default: taken.append("something else")
            }
            return .none
        }
        for step in [
            RichStep.image(image), RichStep.block { 7 }, RichStep.failed(Trouble()), StructStep(number: 1),
        ] as [any Step] {
            #expect(try await fixture.coordinator.emit(step, on: flow).verdict == .navigated)
        }
        _ = try await fixture.coordinator.emit(StructStep(number: 2), on: flow)
        #expect(taken == ["image true", "block 7", "error true", "struct 1", "image true", "struct 2"])
        var isSame = false
        for _ in 1...4 {
            if case RichStep.image(let other)? = await fixture.navigation()?.step { isSame = other === image }
        }
        let forwarded = try #require(await fixture.navigation())
        #expect(isSame)
        guard case RichStep.image(let other)? = forwarded.step else {
            Issue.record("\(forwarded)")
            return
        }
        #expect(other === image && forwarded.cause > 0)
    }

    @Step
    fileprivate enum OneStep { case one(Int) }
    fileprivate enum One: Oddity { static var steps: [any Step.Type] { [OneStep.self] } }
    fileprivate enum Both: Oddity { static var steps: [any Step.Type] { [TestStep.self, OneStep.self] } }

    @Test func `types are told apart, even if cases have the same name`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let main = try await fixture.root(Main.self)
        let one = try await fixture.root(One.self)
        let both = try await fixture.root(Both.self) { step in
            if case OneStep.one(let number) = step {
                return number == 3 ? .one(flowContributor: .forwardToCurrentFlow(withStep: TestStep.one)) : .none
            }
            return .none
        }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(await fixture.verdict(of: OneStep.one(1), on: main) == "unhandled")
        #expect(await fixture.verdict(of: OneStep.one(1), on: one) == "navigated")
        #expect(await fixture.verdict(of: TestStep.one, on: one) == "unhandled")
        #expect(await fixture.verdict(of: OneStep.one(3), on: both) == "navigated")
        let outcomes = try await fixture.coordinator.navigate(to: OneStep.one(2))
        #expect(try outcomes.map { try $0.result?.get().verdict } == [.unhandled, .navigated, .navigated])
    }

    fileprivate enum Two {
        @Step
        enum OneStep { case one(text: String) }
    }
    fileprivate enum Three {
        @Step
        enum OneStep { case one(flag: Bool) }
    }
    private struct Loaded<Item: Sendable>: Step { var item: Item }
    private enum Étape: Step { case début }
    fileprivate enum Many: Oddity {
        static var steps: [any Step.Type] {
            [
                OneStep.self, Two.OneStep.self, Three.OneStep.self, Loaded<Int>.self, Loaded<String>.self,
                Loaded<[Int]>.self,
                Étape.self,
            ]
        }
    }

    @Test func `any number of types with the same names, generic types and any letters are told apart`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        var taken: [String] = []
        let one = try await fixture.root(One.self)
        let many = try await fixture.root(Many.self) { step in
            switch step {
            case OneStep.one(let number): taken.append("one \(number)")
            case Two.OneStep.one(let text): taken.append("two \(text)")
            case Three.OneStep.one(let flag): taken.append("three \(flag)")
            case let step as Loaded<Int>: taken.append("loaded \(step.item)")
            case let step as Loaded<String>: taken.append("loaded \(step.item)")
            case let step as Loaded<[Int]>: taken.append("loaded \(step.item)")
            case is Étape: taken.append("étape")
            default: taken.append("something else")
            }
            return .none
        }
        let steps: [any Step] = [
            OneStep.one(1), Two.OneStep.one(text: "a"), Three.OneStep.one(flag: true), Loaded(item: 1),
            Loaded(item: "b"),
            Loaded(item: [2]), Étape.début,
        ]
        for step in steps { #expect(await fixture.verdict(of: step, on: many) == "navigated") }
        #expect(taken == ["one 1", "two a", "three true", "loaded 1", "loaded b", "loaded [2]", "étape"])
        #expect(await fixture.verdict(of: Two.OneStep.one(text: "a"), on: one) == "unhandled")
    }

    @Test func `a type that no flow takes is an error with its name`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let main = try await fixture.root(Main.self)
        let error = try await refusal { try await fixture.coordinator.emit(StructStep(number: 1), on: main) }
        #expect(error.code == .unknownStep && error.message.contains("StructStep"), "\(error)")
        let none = try await refusal { try await fixture.coordinator.emit(NoneStep(), on: main) }
        #expect(none.code == .invalidStep && none.message.contains("NoneStep"))
    }
}
