import BusTestSupport
import Foundation
import Testing

/// Limits that no client can use up for others, on a bus (S-33).
@Suite("Reclaiming")
struct ReclaimingTests {
    /// A step that contributes a number of screens.
    private static func definitions(_ count: Int) -> String {
        """
        [steps]
        fill = {}
        go = {}
        [screens]
        page = {}
        [flows.many]
        [flows.many.on]
        fill = [\(Array(repeating: "{ screen = \"page\" }", count: count).joined(separator: ", "))]
        [[autostart]]
        flow = "main"
        [flows.main]
        guard = "com.example.Peer"
        [flows.main.on]
        go = { none = true }
        """
    }

    private func fill(_ id: String, by client: TestClient) throws -> [BusValue] {
        try client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "Coordinate", "many", "", .options(),
            .options(["id": .string(id)]))
        return try client.call(
            Service.name, Service.tree + "/" + id, Service.name + ".Stepper", "EmitStep", "fill", .options())
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-33 1,000 presentables each of ten vanished clients block no one`(
        program: PrivateBus.Program
    ) throws {
        let service = try Service(Self.definitions(998), bus: PrivateBus(program))
        for number in 1...10 {
            let client = try TestClient(service.bus)
            #expect(try fill("a\(number)", by: client)[1] == "navigated")
            let name = client.uniqueName
            client.disconnect()
            try service.client.waitForEnd(of: name)
        }
        try service.presentable("Claim", "/a1/page")
        try service.show("/a2/page")
        for number in 1...2 { #expect(try fill("b\(number)", by: TestClient(service.bus))[1] == "navigated") }
        // Owned and presented ones stay, with their parents; of the others the oldest are gone.
        for path in ["/a1/page", "/a2/page", "/a10/page", "/b1/page_998", "/b2/page_998", "/main"] {
            _ = try service.property("Instance", of: path, "Presentable")
        }
        for path in ["/a1/page_2", "/a2/page_2"] {
            let refusal = try service.refusal { _ = try service.property("Instance", of: path, "Presentable") }
            #expect(refusal.name == "org.freedesktop.DBus.Error.UnknownObject")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can call as another user"))
    func `S-33 the bus is asked for the user of a client with usage; the service's own user is not limited`() throws {
        let bus = try PrivateBus(policy: "<allow user=\"*\"/>")
        chmod(bus.directory.path, 0o755)
        let folder = try TemporaryDirectory()
        let trace = folder.path + "/trace"
        let service = try Service(Self.definitions(1), bus: bus, options: ["--record", trace])
        let peer = try service.peer()
        // It waits with its step, so it is connected when the bus is asked.
        let other = try ChildProcess(
            "setpriv",
            ["--reuid=65534", "--clear-groups", "busctl", "--address=\(bus.address)", "call", Service.name]
                + [Service.tree + "/main", Service.name + ".Stepper", "EmitStep", "sa{sv}", "go", "0"])
        let asked = try peer.waitForCall("Adapt")
        let own = try service.startEmit("go", on: "/main")
        // The bus has answered flowbusd before it passes on the second of these.
        for _ in 1...2 { try service.client.ping(Service.name) }
        try peer.reply(to: asked, ["go", .options()])
        #expect(try other.waitForExit() == .status(0), "\(other.errors)")
        try peer.reply(to: try peer.waitForCall("Adapt"), ["go", .options()])
        try service.client.answer(to: own)
        try service.process.terminate()
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.contains("client-identified") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix(" 65534") }, "\(lines)")
    }
}
