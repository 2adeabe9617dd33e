import Glibc

/// A message bus for one test: a dbus-daemon, or a dbus-broker, with a socket in a directory of its own.
public final class PrivateBus {
    /// The implementations of the bus. Tests that depend on its behavior run with each.
    public enum Program: String, CaseIterable, Sendable, CustomStringConvertible {
        /// The reference implementation.
        case daemon = "dbus-daemon"
        /// The implementation that many distributions use instead.
        case broker = "dbus-broker"

        /// The program's name.
        public var description: String { rawValue }
    }

    /// The address to connect to.
    public private(set) var address: String
    /// The directory of its socket; a test can add files.
    public let directory: TemporaryDirectory
    private var daemon: ChildProcess
    private let command: [String]

    /// A session bus with the usual policy.
    public convenience init() throws {
        try self.init(directory: TemporaryDirectory(), option: "--session")
    }

    /// A session bus with the usual policy.
    public convenience init(_ program: Program, serviceDirectories: [String] = []) throws {
        switch program {
        case .daemon where serviceDirectories.isEmpty: try self.init()
        case .daemon: try self.init(policy: "", serviceDirectories: serviceDirectories)
        case .broker:
            let directory = try TemporaryDirectory()
            let launcher = try Service.program(named: "test-bus")
            try self.init(directory: directory, command: [launcher, directory.path + "/bus"] + serviceDirectories)
        }
    }

    /// A session bus with a policy of the test's own, and with the services of these directories only.
    ///
    /// - Parameters:
    ///   - policy: elements of `<policy context="default">`, after those that allow everything; dbus-daemon(1). For
    ///     example `<deny own="org.example.Name"/>`.
    ///   - limits: limits by dbus-daemon's names; the others are those of a system bus.
    ///   - serviceDirectories: directories with `.service` files of programs that the bus can start.
    public convenience init(
        policy: String = "", limits: KeyValuePairs<String, Int> = [:], serviceDirectories: [String] = []
    ) throws {
        let directory = try TemporaryDirectory()
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>\(Self.address(in: directory))</listen>
              \(serviceDirectories.map { "<servicedir>\($0)</servicedir>" }.joined())
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                \(policy)
              </policy>
              \(limits.map { "<limit name=\"\($0)\">\($1)</limit>" }.joined())
            </busconfig>
            """
        let file = try directory.write(configuration, to: "bus.conf")
        try self.init(directory: directory, option: "--config-file=\(file)")
    }

    /// A bus with a configuration file; its socket is still the test's own.
    public convenience init(configurationFile: String) throws {
        try self.init(directory: TemporaryDirectory(), option: "--config-file=\(configurationFile)")
    }

    private convenience init(directory: TemporaryDirectory, option: String) throws {
        try self.init(
            directory: directory,
            command: [
                "dbus-daemon", option, "--nofork", "--print-address=1", "--address=\(Self.address(in: directory))",
            ])
    }

    private init(directory: TemporaryDirectory, command: [String]) throws {
        self.directory = directory
        self.command = command
        daemon = try Self.run(command)
        // Without the id of the bus (`guid=`), because another bus can take its place.
        address = Self.address(in: directory)
    }

    /// Starts the program, and waits until clients can connect.
    private static func run(_ command: [String]) throws -> ChildProcess {
        let daemon = try ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: ["DBUS_SESSION_BUS_ADDRESS": nil, "DBUS_STARTER_ADDRESS": nil])
        try daemon.waitForLine { $0.contains("=") }
        return daemon
    }

    /// Stops the bus, which ends all connections to it, and waits for its end.
    public func stop() throws { try daemon.terminate() }

    /// Kills the bus (SIGKILL), which ends all connections without a message.
    public func kill() throws {
        daemon.send(signal: SIGKILL)
        try daemon.waitForExit()
    }

    /// Keeps the bus from reading and writing anything (SIGSTOP) until ``resume()``. For a dbus-daemon alone: a dbus-broker has
    /// two processes.
    public func pause() { daemon.send(signal: SIGSTOP) }

    /// Lets the bus go on after ``pause()``.
    public func resume() { daemon.send(signal: SIGCONT) }

    /// Starts another bus at the same address, after this one has ended.
    public func start() throws { daemon = try Self.run(command) }

    private static func address(in directory: TemporaryDirectory) -> String {
        "unix:path=" + escaped(directory.path + "/bus")
    }

    /// Escapes bytes that are not allowed in an address as %XX (D-Bus specification, addresses).
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte -> String in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
                UInt8(ascii: "."), UInt8(ascii: "*"):
                String(decoding: [byte], as: UTF8.self)
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}
