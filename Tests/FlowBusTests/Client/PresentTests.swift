import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// A plain client shows screens.
@Suite("Presenting", .fewAtOnce, .serialized)
@MainActor
struct PresentTests {
    private static let definitions = """
        [steps]
        open = { n = "int64" }
        secret = { pin = "string" }
        stop = {}
        [private]
        steps = ["secret"]
        [screens]
        page = { presenter = "com.example.Peer", arguments = { n = "int64" } }
        vault = { presenter = "com.example.Peer", arguments = { pin = "string" }, whenOwnerGone = "present" }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page", style = "modal" }
        secret = { screen = "vault" }
        stop = { pop = "root" }
        """

    private let service: Service
    private let bus: NavigationBus
    private let player: NavigationBus

    init() throws {
        service = try Service(Self.definitions)
        bus = try NavigationBus(service)
        player = try NavigationBus(service)
    }

    /// The calls that a presenter gets.
    private enum ClientOperation: Sendable {
        case present(PresentationRequest)
        case withdraw(Withdrawal)
    }

    private func operations() -> (Events<ClientOperation>, AsyncStream<ClientOperation>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(of: ClientOperation.self)
        return (Events(stream), continuation)
    }

    private func presented(_ events: Events<ClientOperation>) async throws -> PresentationRequest {
        guard case .present(let request) = try await events.first() else { throw TestFailure("no Present") }
        return request
    }

    @Test func `S-31 a screen is shown with all its details, and withdrawn`() async throws {
        let (events, continuation) = operations()
        let presenter = try await player.present(as: "com.example.Peer") { request in
            continuation.yield(.present(request))
            try await player.setVisible(true, at: request.path)
        } withdraw: { withdrawal in
            continuation.yield(.withdraw(withdrawal))
        }
        #expect(presenter.path == "/com/example/Peer")
        let tree = try await Events.following(bus)
        let outcome = try await bus.emit(
            "open", ["n": .int64(3)], on: "main", options: EmitOptions(activationToken: "now"))
        let request = try await presented(events)
        #expect(request.path == "main/page" && request.name == "page" && request.arguments == ["n": .int64(3)])
        #expect(request.style == "modal" && request.flow == "main" && request.serial == outcome.serial)
        #expect(request.activationToken == "now" && !request.isRepeated && request.instance > 0)
        // The presenter may call while it is asked; its answer makes it the owner.
        try await tree.first { if case .changed("main/page", .presented(true)) = $0 { true } else { false } }
        try await tree.first { if case .changed("main/page", .owner(player.uniqueName)) = $0 { true } else { false } }
        #expect(try await player.ownedPresentables().map(\.path) == ["main/page"])
        try await bus.dismiss("main")
        guard case .withdraw(let withdrawal) = try await events.first() else { throw TestFailure("no Withdraw") }
        #expect(withdrawal.path == "main/page" && withdrawal.instance == request.instance)
        #expect(withdrawal.reason == .parent)
        presenter.end()
    }

    @Test func `S-31 what is said of a screen while it is presented goes with the answer`() async throws {
        let (sights, sight) = AsyncStream.makeStream(of: Bool.self)
        let (requests, request) = AsyncStream.makeStream(of: PresentationRequest.self)
        let (inSight, asked) = (Events(sights), Events(requests))
        let presenter = try await player.present(as: "com.example.Peer") {
            let screen = $0.screen
            screen.onSightChange { sight.yield($0) }
            let tooLong = try await refusal { try await screen.setTitle(String(repeating: "x", count: 257)) }
            #expect(tooLong.code == .limitExceeded && tooLong.message.contains("257 bytes"))
            #expect(try await refusal { try await screen.setTitle("\u{fffe}") }.code == .invalidArguments)
            try await screen.setTitle("Page \($0.reason)")
            try await screen.setVisible(true)
            request.yield($0)
        }
        try service.listen()
        let tree = try await Events.following(bus)
        try await bus.emit("open", ["n": .int64(3)], on: "main")
        try await tree.first { if case .changed("main/page", .presented(true)) = $0 { true } else { false } }
        let first = try await asked.first()
        #expect(!first.isVisible && first.title.isEmpty)
        // One answer, one change.
        let changed = try service.client.waitForSignal("PropertiesChanged") { $0.path.hasSuffix("/main/page") }
        #expect(changed.values[1]["Title"] == "Page launch" && changed.values[1]["Visible"] == true)
        #expect(changed.values[1]["Owner"]?.text == player.uniqueName)

        try await bus.setVisible(false, at: "main")
        #expect(try await inSight.first() == false)
        try await bus.setVisible(true, at: "main")
        #expect(try await inSight.first() == true)
        // It is the owner by now, so these are calls.
        let back = try await asked.first()
        #expect(back.reason == .return && back.isVisible && back.title == "Page launch")
        try await first.screen.setTitle("Later")
        let errors = try await refusal { try await first.screen.setTitle(String(repeating: "x", count: 257)) }
        #expect(errors.code == .limitExceeded)
        #expect(try service.property("Title", of: "/main/page", "Presentable") == "Later")
        presenter.end()
    }

    @Test func `S-31 the service gets a thrown error, and dismisses the screen`() async throws {
        let presenter = try await player.present(as: "com.example.Peer") { _ in throw TestFailure("no room") }
        let tree = try await Events.following(bus)
        try await bus.emit("open", ["n": .int64(3)], on: "main")
        try await tree.first { if case .removed("main/page") = $0 { true } else { false } }
        try service.process.waitForLine(in: .errors) { $0.contains("no room") }
        presenter.end()
    }

    @Test func `S-44 a presenter says that it is alive`() async throws {
        // An idle step tells the time.
        let service = try Service(
            Self.definitions.replacing("[private]", with: "watch = {}\ntick = {}\n[private]")
                .replacing(
                    "page = {", with: "watched = { presenter = \"com.example.Peer\", watchdog = \"300ms\" }\npage = {"
                )
                .replacing("open = { screen", with: "watch = { screen = \"watched\" }\nopen = { screen")
                .replacing("stop = { pop", with: "tick = { none = true }\nstop = { pop")
                + "\n[flows.main]\nidle = { after = \"1s\", step = \"tick\" }\n")
        let (bus, player) = (try NavigationBus(service), try NavigationBus(service))
        let presenter = try await player.present(as: "com.example.Peer") { request in
            try await player.setVisible(true, at: request.path)
        }
        let tree = try await Events.following(bus)
        try await bus.emit("watch", on: "main")
        try await tree.first { if case .navigated(let it) = $0 { it.step == "tick" } else { false } }
        #expect(try await player.ownedPresentables().map(\.path) == ["main/watched"])
        #expect(!service.process.errors.contains("is not watched"))
        presenter.end()
    }

    @Test func `only the presenter gets the arguments of private steps`() async throws {
        let (events, continuation) = operations()
        let presenter = try await player.present(as: "com.example.Peer") { continuation.yield(.present($0)) }
        let tree = try await Events.following(bus)
        try await bus.emit("secret", ["pin": .string("1234")], on: "main")
        #expect(try await presented(events).arguments == ["pin": .string("1234")])
        try await tree.first { if case .navigated = $0 { true } else { false } }
        #expect(!"\(tree.all)".contains("1234"))
        presenter.end()
    }

    @Test func `a name or path that is taken or invalid is refused`() async throws {
        let first = try await player.present(as: "com.example.Peer") { _ in }
        let taken = try await refusal { try await bus.present(as: "com.example.Peer") { _ in } }
        #expect(taken.code == .notOwner && taken.message.contains("'com.example.Peer'"))
        // A refused presenter has left nothing behind.
        let here = try await bus.present(at: "/com/example/Peer") { _ in }
        let again = try await refusal { try await bus.present(at: "/com/example/Peer") { _ in } }
        #expect(again.code == .alreadyRegistered && again.message.contains("'/com/example/Peer'"))
        #expect(try await refusal { try await bus.present(at: "no/path") { _ in } }.code == .invalidArguments)
        let noName = try await refusal { try await bus.present(as: "no name", at: "/x") { _ in } }
        #expect(noName.code.rawValue.hasSuffix("InvalidArgs") || noName.code == .invalidArguments)
        here.end()
        let free = try await bus.present(at: "/com/example/Peer") { _ in }
        free.end()
        first.end()
        // The name is released before this is answered.
        _ = try await player.definitions()
        let next = try await bus.present(as: "com.example.Peer") { _ in }
        #expect(next.path == "/com/example/Peer")
    }

    @Test func `a presenter without references ends, with its name`() async throws {
        var presenter: ScreenPresenter? = try await player.present(as: "com.example.Peer") { _ in }
        #expect(presenter?.path == "/com/example/Peer")
        presenter = nil
        _ = try await player.definitions()
        let next = try await player.present(as: "com.example.Peer") { _ in }
        next.end()
        _ = try await player.definitions()
        let other = try await bus.present(as: "com.example.Peer") { _ in }
        other.end()
    }

    @Test func `only the service may call`() async throws {
        let presenter = try await player.present(as: "com.example.Peer") { _ in Issue.record("presented") }
        let liar = try TestClient(service.bus)
        let call = try liar.start(
            "com.example.Peer", presenter.path, Peer.presenter, "Present",
            [.objectPath("/a"), "page", .options([:]), .options([:])])
        let wrong = try liar.start("com.example.Peer", presenter.path, Peer.presenter, "Present", [.string("x")])
        _ = try await bus.definitionNames()
        _ = try await player.definitions()
        let refused = #expect(throws: BusError.self) { try liar.answer(to: call) }
        #expect(refused?.name == "org.freedesktop.DBus.Error.AccessDenied")
        let mistyped = #expect(throws: BusError.self) { try liar.answer(to: wrong) }
        #expect(mistyped?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        presenter.end()
    }

    @Test func `the presenter is served again after the bus restarts`() async throws {
        let (events, continuation) = operations()
        let presenter = try await player.present(as: "com.example.Peer") { continuation.yield(.present($0)) }
        let tree = Events(bus.watch())
        try await tree.first { $0.short == "live main" }
        try service.bus.kill()
        try service.bus.start()
        try await tree.first { $0.short == "live main" }
        // The bus confirmed its rules after it assigned the name.
        let other = Events(player.watch())
        try await other.first { $0.short == "live main" }
        try await bus.emit("open", ["n": .int64(3)], on: "main")
        #expect(try await presented(events).path == "main/page")
        presenter.end()
    }
}
