import Glibc

/// A message bus for one test: a dbus-daemon with a socket in a directory of its own.
public final class PrivateBus {
    /// What to connect to.
    public private(set) var address: String
    /// Where its socket is; a test may put more files there.
    public let directory: TemporaryDirectory
    private var daemon: ChildProcess
    private let option: String

    /// A session bus without any policy but the usual one.
    public convenience init() throws {
        try self.init(directory: TemporaryDirectory(), option: "--session")
    }

    /// A session bus with a policy of the test's own, and no services but those of these directories.
    ///
    /// - Parameters:
    ///   - policy: elements of `<policy context="default">`, after those that allow everything; dbus-daemon(1). For
    ///     example `<deny own="org.example.Name"/>`.
    ///   - limits: how many of what there may be, by dbus-daemon's names; what is not named is as for a system bus.
    ///   - serviceDirectories: where `.service` files of programs lie that the bus shall start.
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

    /// A bus with the given configuration file; its socket is still the test's own.
    public convenience init(configurationFile: String) throws {
        try self.init(directory: TemporaryDirectory(), option: "--config-file=\(configurationFile)")
    }

    private init(directory: TemporaryDirectory, option: String) throws {
        self.directory = directory
        self.option = option
        daemon = try Self.daemon(in: directory, option)
        // Without the id of the bus (`guid=`), as another one can come to the same place.
        address = String(try daemon.waitForLine { $0.contains("=") }.split(separator: ",guid=")[0])
    }

    private static func daemon(in directory: TemporaryDirectory, _ option: String) throws -> ChildProcess {
        try ChildProcess(
            "dbus-daemon", [option, "--nofork", "--print-address=1", "--address=\(address(in: directory))"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": nil, "DBUS_STARTER_ADDRESS": nil])
    }

    /// Ends the bus, so that every connection to it is lost, and waits for that.
    public func stop() throws { try daemon.terminate() }

    /// Kills the bus (SIGKILL), so that every connection to it is lost without a word.
    public func kill() throws {
        daemon.send(signal: SIGKILL)
        try daemon.waitForExit()
    }

    /// Starts another bus at the same place, once this one has ended.
    public func start() throws {
        daemon = try Self.daemon(in: directory, option)
        try daemon.waitForLine { $0.contains("=") }
    }

    private static func address(in directory: TemporaryDirectory) -> String {
        "unix:path=" + escaped(directory.path + "/bus")
    }

    /// Bytes that may not stand in an address by themselves are written as %XX (D-Bus specification, addresses).
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
