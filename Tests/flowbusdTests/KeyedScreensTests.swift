import BusTestSupport
import Testing

/// Instances of one name that are told apart by arguments, as clients on the bus see them (S-51).
@Suite("Keys")
struct KeyedScreensTests {
    private static let definitions = """
        [steps]
        start     = {}
        docOpen   = { uri = "string" }
        docClose  = { uri = "string" }
        ask       = {}
        edit      = {}
        [screens]
        list = {}
        doc  = { arguments = { uri = "string" }, key = ["uri"] }
        [[autostart]]
        flow = "app"
        [[autostart]]
        flow = "remote"
        [flows.app]
        initial  = "start"
        children = "stack"
        [flows.app.on]
        start    = { screen = "list" }
        docOpen  = { screen = "doc", reuse = "raise" }
        docClose = { dismiss = { screen = "doc", uri = "$uri" } }
        [flows.window]
        arguments = { uri = "string" }
        key       = ["uri"]
        whenEmpty = "stay"
        [flows.window.on]
        edit = { screen = "list" }
        [flows.remote]
        navigator = { name = "\(Peer.name)", steps = ["ask"] }
        """

    private let service: Service

    init() throws { service = try Service(Self.definitions) }

    private func open(_ uri: String, _ step: String = "docOpen") throws {
        try service.emit(step, ["uri": .string(uri)], on: "/app")
    }

    @Test func `S-51 a document that is open comes to the front, another one opens beside it, also after a restart`()
        throws
    {
        for uri in ["a", "b", "a"] { try open(uri) }
        #expect(try children("/app") == "[/app/list, /app/doc_2, /app/doc]")
        try service.restart()
        try open("b")
        #expect(try children("/app") == "[/app/list, /app/doc, /app/doc_2]")
        try open("c")
        try open("a", "docClose")
        #expect(try children("/app") == "[/app/list, /app/doc_2, /app/doc_3]")
    }

    @Test func `S-51 a navigator names one of several by the option key, and a path by the option keys`() throws {
        let navigator = try service.peer()
        func window(_ uri: String) -> (String, String, BusValue) {
            ("flow", "window", .options(["arguments": .options(["uri": .string(uri)]), "reuse": true]))
        }
        navigator.playNavigator { _ in .contributors(window("a"), window("b"), window("a")) }
        try service.emit("ask", on: "/remote")
        #expect(try children("/remote") == "[/remote/window, /remote/window_2]")
        let segments = BusValue.array(
            of: "(ssa{sv})",
            [("remote", ""), ("window", "edit")].map { .structure([.string($0.0), .string($0.1), .options()]) })
        func along(_ keys: [BusValue]) throws {
            _ = try service.coordinator("NavigateAlong", segments, .options(["keys": .array(of: "a{sv}", keys)]))
        }
        try along([.options(), .options(["uri": "a"])])
        #expect(try children("/remote/window") == "[/remote/window/list]")
        try along([.options(), .options(["uri": "b"])])
        #expect(try children("/remote/window_2") == "[/remote/window_2/list]")
        let error = try service.refusal { try along([.options(), .options(["x": "a"])]) }
        #expect(error.message == "the key of flow 'window' has no argument 'x': it takes 'uri'")
        let more = try service.refusal { try along([.options(), .options(), .options()]) }
        #expect(more.message == "the option 'keys' has values for more than the 2 segments of the path")
        navigator.playNavigator { _ in
            .contributors(("dismiss", "window", .options(["key": .options(["uri": "a"])])))
        }
        try service.emit("ask", on: "/remote")
        #expect(try children("/remote") == "[/remote/window_2]")
    }

    private func children(_ path: String) throws -> String {
        try service.property("Children", of: path, "Flow").brief
    }
}
