import BusTestSupport
import Glibc
import Platform
import SdBus
import Testing

@Suite("Connections and names")
struct BusTests {
    @Test func `a connection has a unique name`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        #expect(bus.uniqueName.hasPrefix(":1."))
        try bus.flush()
    }

    @Test func `without a bus at the address there is an error`() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: SdError.self) { try Bus(.address("unix:path=\(directory.path)/none")) }
        #expect(error?.isNoBus == true)
        #expect(error?.description == "sd_bus_start: No such file or directory")
    }

    @Test func `an invalid address is an error`() {
        let error = #expect(throws: SdError.self) { try Bus(.address("rubbish")) }
        #expect(error?.isNoBus == true)
    }

    @Test func `a name is taken at once or not at all`() throws {
        let daemon = try PrivateBus()
        let first = try Bus(.address(daemon.address))
        let second = try Bus(.address(daemon.address))
        try first.requestName("org.example.Name")
        let error = #expect(throws: SdError.self) { try second.requestName("org.example.Name") }
        #expect(error?.isTaken == true)
        #expect(error?.description == "sd_bus_request_name: File exists")

        let owner = second.owner(of: "org.example.Name")
        #expect(owner?.uniqueName == first.uniqueName)
        #expect(owner?.processID == CurrentProcess.id)
        let command = try #require(owner?.command)
        #expect(owner?.description == "pid \(CurrentProcess.id) (\(command))")

        try first.releaseName("org.example.Name")
        #expect(second.owner(of: "org.example.Name") == nil)
        try second.requestName("org.example.Name")
    }

    @Test func `a policy that forbids a name is a matter of permission`() throws {
        let daemon = try PrivateBus(policy: #"<deny own="org.example.Name"/>"#)
        let bus = try Bus(.address(daemon.address))
        let error = #expect(throws: SdError.self) { try bus.requestName("org.example.Name") }
        #expect(error?.isPermissionDenied == true)
        try bus.requestName("org.example.Other")
    }

    @Test func `names that the bus can start a program for are listed`() throws {
        let services = try TemporaryDirectory()
        try services.write("[D-BUS Service]\nName=org.example.Started\nExec=/bin/true\n", to: "x.service")
        let daemon = try PrivateBus(policy: "", serviceDirectories: [services.path])
        let bus = try Bus(.address(daemon.address))
        #expect(try bus.activatableNames().sorted() == ["org.example.Started", "org.freedesktop.DBus"])
    }

    @Test func `a disconnection is reported once, and ends no process`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let loop = try EventLoop()
        var lost = 0
        try bus.onDisconnect { Issue.record("replaced") }
        try bus.onDisconnect {
            lost += 1
            try? loop.exit(3)
        }
        try bus.attach(to: loop)
        #expect(bus.isOpen)
        try daemon.stop()
        #expect(try loop.run() == 3)
        #expect(!bus.isOpen)
        #expect(lost == 1)
        let error = #expect(throws: SdError.self) { try bus.requestName("org.example.Name") }
        #expect(error?.isDisconnected == true)
    }
}
