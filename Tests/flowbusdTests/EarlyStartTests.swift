import BusTestSupport
import FlowCore
import Foundation
import Testing

/// Programs of presenters that the bus starts before they are needed (S-44).
@Suite("Early starts")
struct EarlyStartTests {
    private static let definitions = """
        [steps]
        open = {}
        [screens]
        page  = { presenter = { name = "com.example.Peer", start = "early" } }
        other = { presenter = { name = "com.example.Nobody", start = "early" } }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page" }

        """

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-44 the bus starts the program once the roots stand, and a failure is logged`(program: PrivateBus.Program)
        throws
    {
        let (services, folder) = (try TemporaryDirectory(), try TemporaryDirectory())
        let started = folder.path + "/started"
        let peer = try Service.program(named: "test-peer")
        try services.write(
            "[D-BUS Service]\nName=\(Peer.name)\nExec=/bin/sh -c 'echo x >> \(started); exec \(peer) \(Peer.name)'\n",
            to: "\(Peer.name).service")
        let service = try Service(
            Self.definitions, bus: PrivateBus(program, serviceDirectories: [services.path]))
        try service.client.waitForOwner(of: Peer.name)
        try service.process.waitForLine(in: .errors) {
            $0.contains("The program of the presenter 'com.example.Nobody' could not be started early")
                && $0.contains("ServiceUnknown")
        }
        // It runs, and is not started again: neither by a call, nor by a restart.
        try service.listen()
        try service.emit("open", on: "/main")
        try service.client.waitForSignal("PropertiesChanged") { ($0.values[1]["Owner"]?.text ?? "") != "" }
        try service.restart()
        try service.synchronize()
        #expect(try String(contentsOfFile: started, encoding: .utf8) == "x\n")
    }

    @Test func `S-44 a reload starts what was not early before`() throws {
        let (services, folder) = (try TemporaryDirectory(), try TemporaryDirectory())
        let started = folder.path + "/started"
        try services.write(
            "[D-BUS Service]\nName=\(Peer.name)\nExec=/bin/sh -c 'echo x >> \(started); exit 1'\n",
            to: "\(Peer.name).service")
        let late = Self.definitions.replacing(", start = \"early\"", with: "")
        let service = try Service(late, bus: PrivateBus(.daemon, serviceDirectories: [services.path]))
        try service.synchronize()
        #expect(!FileManager.default.fileExists(atPath: started))
        try service.write(Self.definitions)
        try service.coordinator("Reload")
        try service.process.waitForLine(in: .errors) {
            $0.contains("The program of the presenter 'com.example.Peer' could not be started early")
        }
        #expect(try String(contentsOfFile: started, encoding: .utf8) == "x\n")
    }
}
