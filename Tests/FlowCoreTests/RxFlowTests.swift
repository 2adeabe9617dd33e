import Testing

@testable import FlowCore

// RxFlow's own tests for FlowCore; a test has the name of its counterpart in RxFlow. More are in
// RxFlowStepperTests.swift. testNavigate_executes_on_mainThread and testSynchronize have no counterpart: the machine is
// a value on one thread.

@Suite("RxFlow's FlowCoordinatorTests")
struct RxFlowCoordinatorTests {
    @Test func `S-16 testCoordinateWithOneStepper: the initial step is navigated at once`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["one": []])
        #expect(
            try World(builder).coordinate("main", step: "one") == [
                "+ /main (visible presented)", "~ /main ready=true", "did 1 after 0 by :1.1: /main one []", "= /main",
            ])
    }

    /// A root whose first step shows a screen that has the step `two`.
    private func offScreen(_ whenHidden: WhenHidden?) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "one",
            on: ["one": [.screen("page", .init(step: "two", whenHidden: whenHidden))], "two": [], "three": []])
        return builder
    }

    @Test func `S-15 S-16 testCoordinateWhenAllowStepWhenNotPresented_doEmitAStep: hidden, its step passes`() throws {
        let world = World(offScreen(.allow))
        try world.coordinate("main")
        #expect(world.navigations == ["/main one", "/main two"])
        #expect(try world.emit("three", on: "/main/page").last == "= navigated 3")
        #expect(!(try world.isPresented("/main/page")))
    }

    @Test(arguments: [nil, WhenHidden.ignore])
    func `S-15 S-16 testCoordinateWhenAllowStepWhenNotPresented_doEmitAStep: without it, only its initial step waits`(
        whenHidden: WhenHidden?
    ) throws {
        let world = World(offScreen(whenHidden))
        try world.coordinate("main")
        #expect(world.navigations == ["/main one"])
        #expect(try world.emit("three", on: "/main/page") == ["= hidden 0"])
        try world.show("/main/page")
        #expect(world.navigations == ["/main two"])
    }

    @Test(arguments: [false, true])
    func `S-8 testMultipleSideEffectsPerformed: multiple, two, one, in whatever order listed`(isReversed: Bool) throws {
        var parts: [DefinitionsBuilder.Part] = [
            .screen("page", .init(step: "two", whenHidden: .allow)), .current("one"),
        ]
        if isReversed { parts.reverse() }
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["multiple": .always(parts), "one": [], "two": []])
        let world = World(builder)
        try world.coordinate("main", step: "multiple")
        #expect(world.navigations == ["/main multiple", "/main two", "/main one"])
    }

    /// A root whose guard replaces `one` with `unauthorized`, as the `adapt` of these tests does.
    private func filtered(step: String) throws -> (world: World, navigations: [String]) {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", []),
            on: [
                "one": [], "two": [.screen("page", .init(step: "one", whenHidden: .allow))], "unauthorized": [],
            ])
        let world = World(builder)
        try world.coordinate("main", step: step)
        var navigations: [String] = []
        while let question = world.questions.first {
            try world.adapt(question.id.number, to: question.step == "one" ? "unauthorized" : question.step)
            navigations += world.navigations
        }
        #expect(world.waiting == [])
        return (world, navigations)
    }

    @Test func `S-5 testStepHasBeenFilteredBeforeNavigateForAFlowStepper: another step takes its place`() throws {
        let (world, navigations) = try filtered(step: "one")
        #expect(navigations == ["/main unauthorized"])
        #expect(world.lines.contains("did 1 after 0 by :1.1: /main unauthorized [] for one"))
    }

    @Test func `S-5 S-16 testStepHasBeenFilteredBeforeNavigateForAPresentableStepper: also where a screen has it`()
        throws
    {
        let (world, navigations) = try filtered(step: "two")
        #expect(navigations == ["/main two", "/main unauthorized"])
        #expect(world.lines.contains("did 2 after 1 by :1.1: /main unauthorized [] for one"))
    }

    /// A root with two flows of one definition, and one further down.
    private func deepLink() throws -> World {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "one", on: ["one": [.flow("sub"), .flow("sub")], "three": [], "four": [.flow("sub")]])
        builder.flow("sub", initial: "two", on: ["two": [.flow("leaf")], "three": [], "four": []])
        builder.flow("leaf", on: ["three": []])
        return try World(root: "main", builder)
    }

    @Test func `S-27 testStepIsReceivedInEveryFlowsWhenNavigateToIsCalled: each gets it once, parents first`() throws {
        let world = try deepLink()
        #expect(try world.isReady("/main"))
        try world.hide("/main")
        let log = try world.navigate("three")
        #expect(
            world.navigations == [
                "/main three", "/main/sub three", "/main/sub/leaf three", "/main/sub_2 three", "/main/sub_2/leaf three",
            ])
        #expect(
            log.last
                == "= [/main navigated 4, /main/sub navigated 5, /main/sub/leaf navigated 6, /main/sub_2 navigated 7, "
                + "/main/sub_2/leaf navigated 8]")
    }

    @Test func `S-27 testStepIsReceivedInEveryFlowsWhenNavigateToIsCalled: not flows that the step creates`() throws {
        let world = try deepLink()
        try world.navigate("four")
        #expect(
            world.navigations.filter { $0.hasSuffix("four") } == ["/main four", "/main/sub four", "/main/sub_2 four"])
        #expect(world.paths.contains("/main/sub_3/leaf"))
    }

    @Test func `S-15 S-25 testStepIsReceivedAfterDismissed: off screen is hidden, and allow takes its steps`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "one",
            on: ["one": [.screen("page", .init(whenHidden: .allow))], "two": [], "three": []])
        let world = try World(root: "main", builder)
        try world.show("/main/page")
        try world.hide("/main/page")
        try world.emit("two", on: "/main/page")
        #expect(world.navigations == ["/main two"])
        try world.hide("/main")
        try world.emit("three", on: "/main/page")
        #expect(world.navigations == ["/main three"])
        try world.navigate("two")
        #expect(world.navigations == ["/main two"])
        // Dismissal is different: the flow is gone then.
        try world.dismiss("/main")
        #expect(try world.navigate("three") == ["= []"])
    }

    @Test func `S-22 testFlowIsNotLeakingWhenHasOneStep: no state is left of a dismissed flow`() throws {
        let world = try World(root: "main", offScreen(nil))
        #expect(!world.coordinator.origins.isEmpty)
        try world.dismiss("/main")
        #expect(world.paths.isEmpty)
        #expect(world.coordinator.accounting == Accounting())
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-22 testChildViewControllerIsNotLeakingWhenParentFlowAllowsStepWhenDismissed: nor for a screen`()
        throws
    {
        var builder = DefinitionsBuilder()
        let text = Binding("text", .literal(.string("a child's own")))
        builder.screen("child", ["text": "string"])
        builder.flow(
            "main", initial: "one", whenHidden: .allow,
            on: ["one": [.screen("child", .init(with: [text], step: "two"))], "two": []])
        let world = try World(root: "main", builder)
        #expect(world.coordinator.accounting.total.bytes > 0)
        try world.dismiss("/main/child")
        #expect(world.paths == ["/main"])
        #expect(world.coordinator.accounting.total == Accounting.Usage(nodes: 1))
        #expect(world.coordinator.origins.isEmpty)
    }
}

@Suite("RxFlow's Flow_PresentableTests")
struct RxFlowFlowPresentableTests {
    private let world: World

    init() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main")
        world = try World(root: "main", builder)
    }

    @Test func `S-14 testFlowVisible: six changes are reported; it was visible from the start`() throws {
        #expect(try world.state("/main").isVisible)
        for _ in 1...3 {
            #expect(try world.hide("/main") == ["~ /main visible=false presented=false", "= done"])
            #expect(try world.show("/main") == ["~ /main visible=true presented=true", "= done"])
        }
    }

    @Test func `S-22 testFlowDismissed: reported once, and it ends`() throws {
        #expect(try world.dismiss("/main") == ["- /main", "= done"])
        #expect(world.coordinator.node(at: "/main") == nil)
    }
}

@Suite("RxFlow's UIViewController_PresentableTests")
struct RxFlowScreenPresentableTests {
    private let world: World

    init() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "open", on: ["open": [.screen("page")]])
        world = try World(root: "main", builder)
    }

    @Test func `S-14 testUIViewControllerVisible: six changes are reported; it was hidden from the start`() throws {
        #expect(!(try world.state("/main/page").isVisible))
        for _ in 1...3 {
            #expect(try world.show("/main/page") == ["~ /main/page visible=true presented=true", "= done"])
            #expect(try world.hide("/main/page") == ["~ /main/page visible=false presented=false", "= done"])
        }
    }

    @Test func `S-14 testUIViewControllerVisibleStartsVisible: a late observer gets the current state`() throws {
        try world.show("/main/page")
        #expect(try world.state("/main/page").isVisible)
        #expect(try world.show("/main/page") == ["= done"])
    }

    @Test func `S-22 testUIViewControllerDismissed: reported once, and its flow stays live`() throws {
        #expect(try world.dismiss("/main/page") == ["- /main/page", "= done"])
        #expect(world.paths == ["/main"])
    }
}

@Suite("RxFlow's FlowContributorTests")
struct RxFlowContributorTests {
    @Test func `S-4 testContributeWithNext_returnsContributeWithNextPresentable_andNextStepper: a child is both`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "open", on: ["open": [.screen("page"), .flow("sub")], "next": []])
        builder.flow("sub", on: ["next": []])
        let world = try World(root: "main", builder)
        for (path, flow) in [("/main/page", "/main"), ("/main/sub", "/main/sub")] {
            try world.show(path)
            try world.emit("next", on: path)
            #expect(world.navigations == ["\(flow) next"])
            try world.hide(path)
            #expect(try world.emit("next", on: path) == ["= hidden 0"])
        }
    }
}
