import Glibc

/// The socket of a service manager, which receives the lines of sd_notify(3).
public final class NotifySocket {
    /// Its path, for `NOTIFY_SOCKET`.
    public let path: String
    private let directory: TemporaryDirectory
    private let descriptor: Int32

    /// Creates the socket, in a folder of its own.
    public init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard result == 0 else { throw TestFailure("bind \(path): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Waits for a message with this line, and returns it; earlier ones are dropped.
    public func wait(for line: String) throws -> String {
        let bound = failureBound.components.seconds * 1_000
        while true {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, Int32(bound)) > 0 else { throw TestFailure("nobody notified '\(line)'") }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            let message = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            if message.split(separator: "\n").contains(Substring(line)) { return message }
        }
    }
}
