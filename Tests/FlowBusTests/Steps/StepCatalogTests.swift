import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// The steps of a flow can be of several types.
@Suite(.fewAtOnce, .serialized) struct StepCatalogTests {
    @Step
    enum App: Equatable {
        case home
        case picked(id: Int)
    }
    @Step
    enum ContributedChild: Equatable {
        case picked(id: Int)
        case closed
    }
    @Step
    enum Other { case picked(id: String) }

    @Test func theFirstTypeThatHasAStepDecodesIt() throws {
        let catalog = try StepCatalog([ContributedChild.self, App.self, NoneStep.self])
        #expect(catalog.declarations.map(\.name) == ["closed", "home", "picked"])
        let picked = StepMessage(name: "picked", arguments: [Argument("id", .int64(1))])
        #expect(try catalog.decode(picked) as? ContributedChild == .picked(id: 1))
        #expect(try catalog.decode(StepMessage(name: "home")) as? App == .home)
        #expect(try StepCatalog([]).declarations.isEmpty)
    }

    @Test func aStepOfTwoTypesTakesTheSame() {
        #expect(
            StepErrorTests.refusal { _ = try StepCatalog([App.self, Other.self]) }
                == "unsupportedType: step 'picked' takes 'id' of type int64 in 'App' and 'id' of type string in 'Other'; on the "
                + "bus it is one step, so they have to be the same")
    }

    @Test func aStepThatNoTypeHasIsRefused() throws {
        let catalog = try StepCatalog([ContributedChild.self, App.self])
        #expect(
            StepErrorTests.refusal { _ = try catalog.decode(StepMessage(name: "hom")) }
                == "unknownStep: there is no step 'hom'; did you mean 'home'?")
    }
}
