import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("Deep links by path and by URL", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct DeepLinkTests {
    private func start(_ host: HostKind) async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture(host)
        let main = TestFlow { step in
            if case TestStep.one = step { .start(LeafFlow(), with: TestStep.three) } else { .none }
        }
        try await fixture.begin(main)
        return fixture
    }

    @Test(arguments: HostKind.allCases)
    func `S-28: along a path, each step reaches its flow when that is ready`(host: HostKind) async throws {
        let fixture = try await start(host)
        let outcomes = try await fixture.coordinator.navigate(along: [
            PathSegment(TestFlow.self, TestStep.one), PathSegment("leaf", TestStep.number(5)),
        ])
        #expect(outcomes.map(\.path) == ["TestFlow", "TestFlow/leaf"])
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow/leaf three", "TestFlow/leaf number(5)"])
        let passed = try await fixture.coordinator.navigate(along: [
            PathSegment("TestFlow"), PathSegment("leaf", step: "number", ["_0": .int64(6)]),
        ])
        #expect(passed[0].result == nil)
        #expect(try passed[1].result?.get().isNavigated == true)
    }

    @Test(arguments: HostKind.allCases)
    func `S-28: a path that leads nowhere says which segment, and why`(host: HostKind) async throws {
        let fixture = try await start(host)
        let gone = try await refusal {
            try await fixture.coordinator.navigate(along: [PathSegment("TestFlow"), PathSegment("leaf", TestStep.one)])
        }
        #expect(gone.code == .pathFailed)
        #expect(gone.message.contains("segment 2 ('leaf')") && gone.message.contains("TestFlow"))
        let empty = try await refusal { try await fixture.coordinator.navigate(along: []) }
        #expect(empty.code == .invalidArguments)
        let unknown = try await refusal {
            try await fixture.coordinator.navigate(along: [PathSegment("TestFlow", UndeclaredStep.undeclared)])
        }
        #expect(unknown.code == .unknownStep)
        #expect(fixture.coordinator.log.entries.isEmpty)
    }

    private let links = [
        DeepLink("/movies/{id}") { .step(TestStep.number(try $0["id"])) },
        DeepLink("shop://movies/{id}/cast") { values in
            .path([PathSegment(TestFlow.self, TestStep.number(try values.optional("page") ?? 1))])
        },
        DeepLink("/search") {
            .step($0.text("q") == "six & more" && $0.text("#") == "top" ? TestStep.six : TestStep.five)
        },
        DeepLink("shop://home") { _ in .step(TestStep.two) },
        DeepLink("shop:/plain/") { _ in .step(TestStep.three) },
        DeepLink("/ümlaut/{name}") { .step($0.text("name") == "ä/b" ? TestStep.four : TestStep.five) },
    ]

    @Test(arguments: [
        ("https://movies.example/movies/23", "number(23)"), ("/movies/-4/", "number(-4)"),
        ("SHOP://movies/7/cast?page=9&x", "number(9)"), ("shop://movies/7/cast", "number(1)"),
        ("/search?q=six%20%26%20more#top", "six"), ("/search?q=six", "five"), ("shop://home", "two"),
        ("shop://home/", "two"), ("shop:///plain", "three"), ("shop:plain", "three"),
        ("any://host/%C3%BCmlaut/%c3%a4%2fb", "four"),
    ])
    func `a URL leads where the first pattern says that it fits`(url: String, step: String) async throws {
        let fixture = try await start(.inProcess)
        let outcomes = try await fixture.coordinator.open(url, with: links)
        #expect(outcomes.count == 1)
        #expect(await fixture.navigations(1) == ["TestFlow \(step)"])
    }

    @Test(arguments: [
        ("/movies/none", "the URL '/movies/none' has 'none' for 'id', which has to be Int"),
        ("/movies", "no deep link takes the URL '/movies'; they take '/movies/{id}', "),
        ("/movies//", "no deep link takes the URL '/movies//'"),
        ("other://movies/7/cast", "no deep link takes the URL"),
        ("/movies/7/8", "no deep link takes the URL"), ("", "no deep link takes the URL ''"),
        ("/movies/%4", "the URL '/movies/%4' has '%4'; two hexadecimal digits have to follow a '%'"),
        ("/movies/%+1", "two hexadecimal digits"),
        ("/movies/%ff", "the URL '/movies/%ff' has bytes in '%ff' that are no UTF-8"),
        ("/search?q=%zz", "the URL '/search?q=%zz' has '%zz'; two"),
    ])
    func `a URL that fits no pattern is refused`(url: String, message: String) async throws {
        let fixture = try await start(.inProcess)
        let error = try await refusal { try await fixture.coordinator.open(url, with: links) }
        #expect(error.code == .invalidArguments)
        #expect(error.message.hasPrefix(message) || error.message.contains(message), "\(error.message)")
        #expect(fixture.coordinator.log.entries.isEmpty)
    }

    @Test func `a value that the URL does not have is named`() async throws {
        let fixture = try await start(.inProcess)
        let link = DeepLink("/movies") { .step(TestStep.number(try $0["page"])) }
        let error = try await refusal { try await fixture.coordinator.open("/movies?p=1", with: [link]) }
        #expect(error.message == "the URL '/movies?p=1' has no 'page', which has to be Int")
        let none = try await refusal { try await fixture.coordinator.open("/movies", with: []) }
        #expect(none.message == "no deep link takes the URL '/movies'; there are none")
    }

    // One by one: in Swift 6.2 of Debian, what runs in another process captures nothing.
    @Test func `a pattern that is wrong ends the program`() async {
        await #expect(processExitsWith: .failure) { _ = DeepLink("/a/{b}c") { _ in .step(RxFlowStep.home) } }
        await #expect(processExitsWith: .failure) { _ = DeepLink("/{}") { _ in .step(RxFlowStep.home) } }
        await #expect(processExitsWith: .failure) { _ = DeepLink("/{a}/{a}") { _ in .step(RxFlowStep.home) } }
        await #expect(processExitsWith: .failure) { _ = DeepLink("/{{a}}") { _ in .step(RxFlowStep.home) } }
    }
}
