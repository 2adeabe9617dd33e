import BusTestSupport
import FlowBus
import FlowBusClient
import Glibc
import Testing

/// Asks of plain clients, and of screens whose process dies (S-45).
@Suite("Asks of clients", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
@MainActor
struct AskClientTests {
    private static let definitions = """
        [steps]
        begin = {}
        pick = {}
        dull = {}
        [screens]
        page = { presenter = "com.example.Peer", whenOwnerGone = "present" }
        pad = { presenter = "com.example.Pad", result = { contact = "int64" } }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        begin = { screen = "page" }
        pick = { screen = "pad" }
        dull = { none = true }
        """

    @Step
    enum PickStep {
        case pick
        case dull
    }

    @AnswerValues
    struct Contact: Equatable { var contact: Int }

    /// A screen that asks, and notes the answers.
    final class Page: Screen {
        let presence = Presence()
        @SavedState var contacts: [Int] = []
        let contact = Ask<Contact>()

        init() {
            contact.onAnswer = { [unowned self] in contacts.append($0.answer?.contact ?? -1) }
        }

        func present(_ presentation: Presentation) { show() }
    }

    private final class Made {
        var pages: [Page] = []
        var pads: [PresentedScreen] = []
    }

    private let service: Service
    private let bus: NavigationBus
    private let picker: NavigationBus
    private let tree: Events<TreeEvent>
    private let made = Made()

    init() async throws {
        service = try Service(Self.definitions)
        bus = try NavigationBus(service)
        picker = try NavigationBus(service)
        tree = try await Events.following(bus)
    }

    /// The process that shows the pads.
    private func showPads() async throws -> ScreenPresenter {
        try await picker.present(as: "com.example.Pad") { [made] in made.pads.append($0.screen) }
    }

    /// A process that shows the page.
    private func showPage() async throws -> (NavigationBus, ScreenPresenter) {
        let player = try NavigationBus(service)
        let presenter = try await player.present(
            as: "com.example.Peer",
            screens: { [made] _ in
                let page = Page()
                made.pages.append(page)
                return page
            })
        return (player, presenter)
    }

    private func owned(_ path: NodePath, by owner: NavigationBus) async throws {
        let name = owner.uniqueName
        try await tree.first { if case .changed(path, .owner(name)) = $0 { true } else { false } }
    }

    @Test func `S-45 a client asks, and gets the answer or nil`() async throws {
        let pads = try await showPads()
        async let answer: Contact? = bus.ask(PickStep.pick, on: "main")
        try await owned("main/pad", by: picker)
        try await made.pads[0].finish(with: Contact(contact: 5))
        #expect(try await answer == Contact(contact: 5))
        async let none = bus.askResult(of: PickStep.pick, on: "main", as: Contact.self)
        try await owned("main/pad", by: picker)
        try await made.pads[1].dismiss()
        #expect(try await none.outcome == .dismissed)
        #expect(try await bus.ask(PickStep.dull, on: "main", as: Contact.self) == nil)
        #expect(!"\(tree.all)".contains("contact"))
        pads.end()
    }

    @Test func `S-45 D-3 a restart of the service does not lose the answer; without its tree it is an error`()
        async throws
    {
        let pads = try await showPads()
        async let answer: Contact? = bus.ask(PickStep.pick, on: "main")
        try await owned("main/pad", by: picker)
        try service.restart()
        try await tree.first { if case .snapshot = $0 { true } else { false } }
        try await made.pads[0].finish(with: Contact(contact: 5))
        #expect(try await answer == Contact(contact: 5))
        async let lost: Contact? = bus.ask(PickStep.pick, on: "main")
        try await owned("main/pad", by: picker)
        try service.restart("--runtime", "none", "--state", "none")
        do {
            _ = try await lost
            Issue.record("an answer")
        } catch let error as NavigationError {
            #expect(error.code == .noReply, "\(error)")
        }
        pads.end()
    }

    @Test func `S-45 S-44 the answer reaches the next process of the screen, once`() async throws {
        let (player, presenter) = try await showPage()
        let pads = try await showPads()
        try await bus.emit("begin", on: "main")
        try await owned("main/page", by: player)
        let first = try #require(made.pages.last)
        try first.contact.ask(PickStep.pick)
        try await owned("main/pad", by: picker)
        // The program crashes, and another process has its name.
        presenter.end()
        let (second, secondPresenter) = try await showPage()
        player.close()
        try await owned("main/page", by: second)
        try await made.pads[0].finish(with: Contact(contact: 5))
        let page = try #require(made.pages.last)
        try await until { !page.contacts.isEmpty }
        // Now before the answer is taken.
        try page.contact.ask(PickStep.pick)
        try await owned("main/pad", by: picker)
        secondPresenter.end()
        second.close()
        try await tree.first { if case .changed("main/page", .owner("")) = $0 { true } else { false } }
        #expect(page.contacts == [5] && first.contacts == [])
        pads.end()
    }
}
