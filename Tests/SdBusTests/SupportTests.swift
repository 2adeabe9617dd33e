import BusTestSupport
import Glibc
import SdBus
import Testing

@Suite("Test support")
struct SupportTests {
    @Test func `a child's lines, status and output are collected`() throws {
        let child = try ChildProcess("sh", ["-c", "echo one; echo two; echo oops >&2; exit 4"])
        #expect(try child.waitForLine { $0.hasPrefix("t") } == "two")
        #expect(try child.waitForLine(in: .errors) { _ in true } == "oops")
        #expect(try child.waitForExit() == .status(4))
        #expect(child.output == "one\ntwo\n")
        #expect(child.exit == .status(4))
    }

    @Test func `a child that writes much never blocks`() throws {
        let child = try ChildProcess("head", ["-c", "1000000", "/dev/zero"])
        #expect(try child.waitForExit() == .status(0))
        #expect(child.output.utf8.count == 1_000_000)
    }

    @Test func `a child has no signal blocked`() throws {
        try UnixSignal.block([.terminate])
        let child = try ChildProcess("sleep", ["1000"])
        #expect(try child.terminate() == .signal(SIGTERM))
        child.send(signal: SIGTERM)
        #expect(child.exit == .signal(SIGTERM))
    }

    @Test func `a child's environment is the test's with changes`() throws {
        let child = try ChildProcess(
            "sh", ["-c", "echo ${A-unset} ${HOME-unset}"], environment: ["A": "b", "HOME": nil])
        #expect(try child.waitForLine { _ in true } == "b unset")
    }

    @Test func `a wait that times out fails and shows the output`() throws {
        let child = try ChildProcess("sh", ["-c", "echo here; exit 1"])
        let error = #expect(throws: TestFailure.self) { try child.waitForLine { $0 == "there" } }
        #expect(error?.description.contains("here") == true)
        let slow = try ChildProcess("sleep", ["1000"])
        #expect(throws: TestFailure.self) { try slow.waitForExit(within: .milliseconds(1)) }
        #expect(throws: TestFailure.self) { try ChildProcess("/nonexistent/program") }
    }

    @Test func `buses are independent of each other`() throws {
        let first = try PrivateBus()
        let second = try PrivateBus()
        #expect(first.address != second.address)
        try TestClient(first).requestName("org.example.Name")
        try TestClient(second).requestName("org.example.Name")
    }

    @Test func `a bus starts the services of its directories`() throws {
        let services = try TemporaryDirectory()
        try services.write(
            "[D-BUS Service]\nName=org.example.Started\nExec=/bin/false\n", to: "org.example.Started.service")
        let client = try TestClient(PrivateBus(policy: "", serviceDirectories: [services.path]))
        let error = #expect(throws: BusError.self) { try client.ping("org.example.Started") }
        #expect(error?.name == "org.freedesktop.DBus.Error.Spawn.ChildExited")
    }

    @Test func `a bus with a configuration file of the test's`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            <busconfig><type>session</type><listen>unix:path=/nonexistent/bus</listen>
            <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
            """, to: "bus.conf")
        let bus = try PrivateBus(configurationFile: file)
        let client = try TestClient(bus)
        let error = #expect(throws: BusError.self) { try client.requestName("org.example.Name") }
        #expect(error?.name == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test func `clients call each other, and a late answer is matched`() throws {
        let bus = try PrivateBus()
        let caller = try TestClient(bus)
        let callee = try TestClient(bus)
        let first = try caller.start(callee.uniqueName, "/a", "org.example.A", "First", [.byte(1)])
        let second = try caller.start(callee.uniqueName, "/a", "org.example.A", "Second")
        let one = try callee.waitForCall("First")
        let two = try callee.waitForCall("Second")
        #expect(one.values == [.byte(1)] && one.sender == caller.uniqueName)
        try callee.reply(to: two, BusError("org.example.No", "not now"))
        try callee.reply(to: one, [.bool(false)])
        #expect(try caller.answer(to: first) == [false])
        #expect(throws: BusError("org.example.No", "not now")) { try caller.answer(to: second) }
    }

    @Test func `a wait that times out reports the received messages`() throws {
        let client = try TestClient(PrivateBus())
        try client.ping()
        let error = #expect(throws: TestFailure.self) { try client.waitForSignal("Never", within: .milliseconds(1)) }
        #expect(error?.description.contains("in vain for signal Never") == true)
        #expect(error?.description.contains("reply to") == true)
    }

    @Test func `a client that leaves is gone from the bus`() throws {
        let bus = try PrivateBus()
        let client = try TestClient(bus)
        let other = try TestClient(bus)
        try client.addMatch("member='NameOwnerChanged',arg0='\(other.uniqueName)'")
        other.disconnect()
        #expect(
            try client.waitForSignal("NameOwnerChanged").values == [
                .string(other.uniqueName), .string(other.uniqueName), "",
            ])
    }
}
