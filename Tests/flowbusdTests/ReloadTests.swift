import BusTestSupport
import Glibc
import Testing

@Suite("Reload")
struct ReloadTests {
    private let smaller = """
        [steps]
        begin = {}
        check = {}
        [screens]
        list = {}
        [[autostart]]
        flow = "shop"
        [flows.shop]
        initial = "begin"
        [flows.shop.on]
        begin = { screen = "list" }
        check = { none = true }
        """

    @Test func `live flows follow the new rules, undeclared ones are dismissed, and signals precede the answer`()
        throws
    {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        try service.write(smaller)
        try service.listen()
        #expect(try service.coordinator("Reload") == [.strings([])])
        #expect(service.client.log.map(\.member).suffix(2) == ["DefinitionsChanged", ""])
        #expect(
            service.client.signals.filter { $0.member == "InterfacesRemoved" }.map(\.values[0].brief)
                == ["/shop/pay/basket", "/shop/pay"])
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["shop"])])
        #expect(try service.emit("check", on: "/shop")[1] == "navigated")
        #expect(try service.objects().keys.sorted() == [Service.tree + "/shop", Service.tree + "/shop/list"])
        #expect(try service.property("Current", of: "/shop", "Flow") == .objectPath("/"))
        #expect(try service.refusal { try service.emit("pick", on: "/shop") }.name.hasSuffix("UnknownStep"))
    }

    @Test func `all or nothing: InvalidDefinition has every error, and nothing changes`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        try service.write("[steps]\na = \"x\"\n[flows.main]\ninitial = \"b\"\n")
        try service.listen()
        let error = try service.refusal { try service.coordinator("Reload") }
        #expect(error.name == "org.flowbus.Navigation1.Error.InvalidDefinition")
        #expect(error.message.split(separator: "\n").count == 2)
        #expect(error.message.contains("flows.toml:5: error: [flows.main.initial] no file declares a step 'b'"))
        #expect(service.client.signals.isEmpty)
        #expect(try service.objects() == before)
        #expect(try service.emit("closed", on: "/shop")[1] == "navigated")
    }

    @Test func `Reload answers with the warnings`() throws {
        let service = try Service(shopDefinitions)
        try service.write(smaller.replacing("check = {}", with: "check = {}\nidle = {}"))
        let warnings = try service.coordinator("Reload")[0].elements.compactMap(\.text)
        #expect(warnings.count == 1)
        #expect(warnings[0].hasSuffix("flows.toml:5: warning: [steps.idle] no flow has a rule for the step 'idle'"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can call as another user"))
    func `Reload is for root and the service's user: AccessDenied for others`() throws {
        let bus = try PrivateBus(policy: "<allow user=\"*\"/>")
        chmod(bus.directory.path, 0o755)
        let flows = try TemporaryDirectory()
        let process = try Service.start(
            ["--system", "--flows", flows.path], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        let call = ["--address=\(bus.address)", "call", Service.name, Service.root, Service.name + ".Coordinator"]
        let own = try ChildProcess("busctl", call + ["Reload"])
        #expect(try own.waitForExit() == .status(0), "\(own.errors)")
        func other(_ member: String) throws -> ChildProcess {
            let process = try ChildProcess("setpriv", ["--reuid=65534", "--clear-groups", "busctl"] + call + [member])
            try process.waitForExit()
            return process
        }
        #expect(try other("GetSerial").exit == .status(0))
        let refused = try other("Reload")
        #expect(refused.exit == .status(1))
        // busctl has words of its own for this error.
        #expect(refused.errors.contains("Access denied"), "\(refused.errors)")
    }

    @Test func `of many errors the first hundred are reported, so that the answer always fits`() throws {
        let service = try Service(shopDefinitions)
        try service.write((0..<300).map { "k\($0) = 1\n" }.joined())
        let refusal = try service.refusal { try service.coordinator("Reload") }
        #expect(refusal.name == Service.name + ".Error.InvalidDefinition")
        let lines = refusal.message.split(separator: "\n")
        #expect(lines.count == 101)
        #expect(lines.last == "200 more; flowbusd --check prints them")
        try service.process.waitForLine(in: .errors) { $0.contains("200 more errors and warnings") }
    }

    @Test func `SIGHUP reads the files again`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        try service.write(smaller)
        service.process.send(signal: SIGHUP)
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["shop"])])
        try service.write("nonsense")
        service.process.send(signal: SIGHUP)
        try service.process.waitForLine(in: .errors) { $0.contains("The definitions stay as they were") }
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["shop"])])
    }
}
