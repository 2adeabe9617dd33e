import BusTestSupport
import Glibc
import Testing

/// Other processes on a system bus, which forbids what the shipped policy file does not allow.
@Suite("On a system bus")
struct SystemBusTests {
    /// A bus with the rules of dbus-daemon's system.conf, as far as they say who may send what, and the shipped file.
    private func systemBus() throws -> (bus: PrivateBus, folder: TemporaryDirectory) {
        let folder = try TemporaryDirectory()
        let file = try folder.write(
            """
            <busconfig>
              <type>system</type>
              <listen>unix:path=\(folder.path)/socket</listen>
              <policy context="default">
                <allow user="*"/>
                <deny own="*"/>
                <deny send_type="method_call"/>
                <allow send_type="signal"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow receive_type="method_call"/>
                <allow receive_type="method_return"/>
                <allow receive_type="error"/>
                <allow receive_type="signal"/>
                <allow send_destination="org.freedesktop.DBus"/>
                <allow own="\(Peer.name)"/>
              </policy>
              <include>\(Service.repository)/dbus/org.flowbus.Navigation1.conf</include>
            </busconfig>
            """, to: "system.conf")
        return (try PrivateBus(configurationFile: file), folder)
    }

    @Test(.enabled(if: geteuid() == 0, "the policy file is for root and for a user that may not be here"))
    func `S-5 S-31 the policy file lets the service call guards and presenters, and signal them the end`() throws {
        let (bus, folder) = try systemBus()
        let service = try Service(
            PresenterTests.definitions.replacing(
                "[flows.main.on]", with: "[flows.main]\nguard = \"com.example.Peer\"\n[flows.main.on]"), bus: bus)
        let peer = try service.peer()
        peer.playPresenter()
        peer.playGuard { .pass($0) }
        try service.listen()
        #expect(try service.emit("open", on: "/main")[1] == "navigated")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        #expect(try service.emit("clear", on: "/main")[1] == "navigated")
        #expect(try peer.waitForCall("Withdraw").values[2] == "rule")
        #expect(
            try service.emitWithOptions("clear", on: "/main", ["wait": false, "token": "one"]) == [
                .uint64(0), "pending",
            ])
        #expect(try service.client.waitForSignal("StepConcluded").values[2] == "navigated")
        // One that registers a flow and owns no name.
        let remote = try service.peer(nil)
        remote.playNavigator { _ in .contributors(("screen", "plain", .options())) }
        try remote.call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine", .objectPath(Peer.path),
            .array(of: "{sa{ss}}", [.dictEntry("clear", .array(of: "{ss}", []))]), .options())
        try service.coordinate("mine")
        #expect(try service.emit("clear", on: "/mine")[1] == "navigated")
        withExtendedLifetime(folder) {}
    }

    @Test(.enabled(if: geteuid() == 0, "only root can call as another user"))
    func `the policy file lets no other user register a flow, take over or read the history`() throws {
        let (bus, folder) = try systemBus()
        for path in [bus.directory.path, folder.path] { chmod(path, 0o755) }
        let service = try Service(PresenterTests.definitions, bus: bus)
        func other(_ path: String, _ role: String, _ call: String...) throws -> ChildProcess {
            let process = try ChildProcess(
                "setpriv",
                ["--reuid=65534", "--clear-groups", "busctl", "--address=\(bus.address)", "call", Service.name, path]
                    + [Service.name + "." + role] + call)
            try process.waitForExit()
            return process
        }
        for call in [
            try other(
                Service.root, "Coordinator", "RegisterFlow", "soa{sa{ss}}a{sv}", "mine", "/nav", "1", "hello", "0", "0"),
            try other(Service.root, "History", "GetHistory", "tua{sv}", "0", "0", "0"),
            try other(Service.root, "Coordinator", "HandOver", "s", ":1.1"),
        ] {
            #expect(call.exit == .status(1))
            #expect(call.errors.contains("Access denied"), "\(call.errors)")
        }
        #expect(try service.history().entries.isEmpty)
        for call in [
            try other(Service.root, "Coordinator", "ListOwned", "s", ""),
            try other(Service.tree + "/main", "Stepper", "EmitStep", "sa{sv}", "open", "0"),
            // It goes with busctl, which owns it then (S-30).
            try other(Service.tree + "/main", "Presentable", "Claim"),
        ] {
            #expect(call.exit == .status(0), "\(call.errors)")
        }
        withExtendedLifetime(service) {}
    }
}
