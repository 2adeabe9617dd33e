import CSdBus
import Glibc
import Platform
import SdBus

/// A dbus-broker for tests, without systemd. dbus-broker itself only moves messages; everything else is up to its controller,
/// which is this program (dbus-broker(1), "CONTROLLER"): it makes the socket, says who may do what (everyone everything, as
/// on a session bus) and starts the programs of service files.
///
/// ```
/// test-bus SOCKET [DIRECTORY…]    serves a bus at this path, with the .service files of these directories
/// ```
///
/// It prints a line when clients can connect, and runs until it is killed. dbus-broker ends with it.
@main
struct TestBus {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let socket = arguments.first else { fail("usage: test-bus SOCKET [DIRECTORY…]") }
        do {
            let controller = try Controller(socket, serviceFiles: Array(arguments.dropFirst()))
            StandardOutput.writeLine("listening=\(socket)")
            exit(try controller.run())
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        StandardError.writeLine("test-bus: \(text)")
        exit(1)
    }
}

/// A program that the bus can start.
private struct Startable {
    let name: String
    let command: [String]

    /// Reads a service file; nil: it is none.
    init?(_ text: String) {
        func value(_ key: String) -> String? {
            text.split(separator: "\n").first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
        }
        guard let name = value("Name"), let command = value("Exec") else { return nil }
        self.name = name
        // Words; one that has a space in it stands in single quotes.
        var words: [String] = []
        for (place, part) in command.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            words += place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
        self.command = words
    }
}

private final class Controller {
    private static let broker: StaticString = "org.bus1.DBus.Broker"
    private static let names = "/org/bus1/DBus/Name/"

    private let address: String
    private let directories: [String]
    private var startable: [Startable] = []
    private let loop: OpaquePointer
    private let bus: OpaquePointer

    init(_ socketPath: String, serviceFiles directories: [String]) throws(SdError) {
        address = "unix:path=" + socketPath
        self.directories = directories
        var children = sigset_t()
        sigemptyset(&children)
        sigaddset(&children, SIGCHLD)
        sigprocmask(SIG_BLOCK, &children, nil)

        let listener = try Self.listen(at: socketPath)
        var ends: [Int32] = [-1, -1]
        try check("socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) < 0 ? -errno : 0)
        for end in [listener] + ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)

        var (madeLoop, madeBus): (OpaquePointer?, OpaquePointer?)
        try check("sd_event_new", sd_event_new(&madeLoop))
        try check("sd_bus_new", sd_bus_new(&madeBus))
        guard let madeLoop, let madeBus else { throw SdError("sd_bus_new", errno: ENOMEM) }
        (loop, bus) = (madeLoop, madeBus)
        try start(
            ["dbus-broker", "--controller", "3", "--machine-id", String(repeating: "0123456789abcdef", count: 2)],
            controller: ends[1]
        ) { _, _, context in
            // Without the broker there is no bus.
            exit(1)
        }
        close(ends[1])
        try check("sd_bus_set_fd", sd_bus_set_fd(bus, ends[0], ends[0]))
        try check("sd_bus_negotiate_fds", sd_bus_negotiate_fds(bus, 1))
        try check("sd_bus_start", sd_bus_start(bus))
        try add(listener)
        try followActivations()
        try readServices()
        try followReloads()
        try check("sd_bus_attach_event", sd_bus_attach_event(bus, loop, 0))
    }

    func run() throws(SdError) -> Int32 { try check("sd_event_loop", sd_event_loop(loop)) }

    // MARK: Calls to the broker

    private static func listen(at path: String) throws(SdError) -> Int32 {
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        try check("socket", descriptor < 0 ? -errno : 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SdError("bind", errno: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try check("bind", bound < 0 ? -errno : 0)
        try check("listen", Glibc.listen(descriptor, 256) < 0 ? -errno : 0)
        return descriptor
    }

    private func call(
        _ path: String, _ interface: StaticString, _ member: StaticString,
        _ write: (MessageWriter) throws(SdError) -> Void
    ) throws(SdError) {
        var made: OpaquePointer?
        try check(
            "sd_bus_message_new_method_call",
            sd_bus_message_new_method_call(bus, &made, nil, path, interface.cString, member.cString))
        guard let made else { throw SdError("sd_bus_message_new_method_call", errno: ENOMEM) }
        defer { sd_bus_message_unref(made) }
        try write(MessageWriter(made))
        try check(member, sd_bus_call(bus, made, 0, nil, nil))
    }

    private func add(_ listener: Int32) throws(SdError) {
        try call("/org/bus1/DBus/Broker", Self.broker, "AddListener") { body throws(SdError) in
            try body.appendObjectPath("/org/bus1/DBus/Listener/0")
            try body.appendFileDescriptor(listener)
            try Policy.open.write(to: body)
        }
        close(listener)
    }

    /// Tells the names that are new.
    private func readServices() throws(SdError) {
        let known = Set(startable.map(\.name))
        for program in directories.flatMap(Self.services) where !known.contains(program.name) {
            try call("/org/bus1/DBus/Broker", Self.broker, "AddName") { body throws(SdError) in
                try body.appendObjectPath(Self.names + "\(startable.count)")
                try body.append(program.name)
                try body.append(UInt32(getuid()))
            }
            startable.append(program)
        }
    }

    /// A client has called ReloadConfig: the broker waits for the answer of its controller.
    private func followReloads() throws(SdError) {
        try check(
            "sd_bus_add_filter",
            sd_bus_add_filter(
                bus, nil,
                { message, context, _ in
                    guard let message, let context,
                        sd_bus_message_is_method_call(message, "org.bus1.DBus.Controller", "ReloadConfig") > 0
                    else { return 0 }
                    try? Unmanaged<Controller>.fromOpaque(context).takeUnretainedValue().readServices()
                    var answer: OpaquePointer?
                    guard sd_bus_message_new_method_return(message, &answer) >= 0 else { return 0 }
                    defer { sd_bus_message_unref(answer) }
                    return sd_bus_send(nil, answer, nil)
                }, Unmanaged.passUnretained(self).toOpaque()))
    }

    private func followActivations() throws(SdError) {
        try check(
            "sd_bus_match_signal",
            sd_bus_match_signal(
                bus, nil, nil, nil, "org.bus1.DBus.Name", "Activate",
                { message, context, _ in
                    guard let message, let context else { return 0 }
                    Unmanaged<Controller>.fromOpaque(context).takeUnretainedValue().activate(MessageReader(message))
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()))
    }

    // MARK: Programs

    /// A program that was started for a name, until it ends.
    private final class Activation {
        let controller: Controller
        let path: String
        let serial: UInt64

        init(_ controller: Controller, _ path: String, _ serial: UInt64) {
            (self.controller, self.path, self.serial) = (controller, path, serial)
        }
    }

    private func activate(_ signal: MessageReader) {
        let path = String(cString: signal.path)
        guard let number = Int(path.dropFirst(Self.names.count)), startable.indices.contains(number) else { return }
        let activation = Activation(self, path, (try? signal.readUInt64()) ?? 0)
        do throws(SdError) {
            try start(startable[number].command, context: activation) { _, _, context in
                guard let context else { return 0 }
                let ended = Unmanaged<Activation>.fromOpaque(context).takeRetainedValue()
                ended.controller.reset(ended)
                return 0
            }
        } catch {
            reset(activation)
        }
    }

    /// The program of a name is not there any more: calls that wait for it fail.
    private func reset(_ activation: Activation) {
        // One that took the name in time has nothing to be reset.
        try? call(activation.path, "org.bus1.DBus.Name", "Reset") { body throws(SdError) in
            try body.append(activation.serial)
            try body.append("org.bus1.DBus.Name.Error.StartupFailure")
        }
    }

    private func start(
        _ command: [String], controller: Int32? = nil, context: Activation? = nil,
        ended: @escaping @convention(c) (OpaquePointer?, UnsafePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Int32
    ) throws(SdError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let controller {
            posix_spawn_file_actions_adddup2(&actions, controller, 3)
        } else {
            // Who waits for the bus's end waits until nobody has its output.
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        for name in ["DBUS_STARTER_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"] { setenv(name, address, 1) }
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, words[0] ?? strdup(""), &actions, &attributes, &words, environ)
        try check("posix_spawnp", -result)
        try check(
            "sd_event_add_child",
            sd_event_add_child(
                loop, nil, process, Int32(WEXITED), ended,
                context.map { Unmanaged.passRetained($0).toOpaque() }))
    }

    private static func services(of directory: String) -> [Startable] {
        guard let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        var found: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".service") { found.append(directory + "/" + name) }
        }
        return found.sorted().compactMap { path in (try? InputFile.text(of: path)).flatMap(Startable.init) }
    }
}
