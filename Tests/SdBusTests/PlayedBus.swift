import BusTestSupport
import CSdBus
import Glibc
import Testing

@testable import SdBus

/// A message bus that the test plays, byte by byte. Nothing here waits.
final class PlayedBus {
    static let name = "org.freedesktop.DBus"

    /// The connection to it.
    let bus: Bus
    private let directory: TemporaryDirectory
    private var socket: Int32
    /// What was received and is not read as messages yet.
    private(set) var received: [UInt8] = []
    private var number: UInt32 = 0

    init() throws {
        directory = try TemporaryDirectory()
        let path = directory.path + "/bus"
        // A process that another test starts would keep the connection open after its end.
        let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isBound == 0 && listen(listener, 1) == 0)
        bus = try Bus(connectingTo: .address("unix:path=" + path))
        socket = closedInChildren { accept(listener, nil, nil) }
        try #require(socket >= 0 && fcntl(socket, F_SETFL, O_NONBLOCK) == 0)
        try welcome()
    }

    deinit { end() }

    /// Authenticates the connection, and gives it a name.
    private func welcome() throws {
        send(Array("DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8))
        while !String(decoding: received, as: UTF8.self).contains("Hello") {
            try check("sd_bus_process", sd_bus_process(bus.handle, nil))
            receive()
        }
        let begin = Array("BEGIN\r\n".utf8)
        let place = try #require((0..<received.count).first { received[$0...].starts(with: begin) })
        received.removeFirst(place + begin.count)
        let hello = try #require(try messages().first)
        var answer = WireMessage(.answer, nextNumber())
        (answer.answered, answer.sender, answer.destination) = (hello.number, Self.name, ":1.1")
        (answer.signature, answer.body) = ("s", WireMessage.body(":1.1"))
        send(answer.bytes)
        while sd_bus_is_ready(bus.handle) == 0 { try check("sd_bus_process", sd_bus_process(bus.handle, nil)) }
    }

    func nextNumber() -> UInt32 {
        number += 1
        return number
    }

    /// Ends the connection.
    func end() {
        if socket >= 0 { close(socket) }
        socket = -1
    }

    // MARK: Bytes

    /// Makes the socket of the connection small.
    func shrink() throws {
        var bytes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        try #require(setsockopt(sd_bus_get_fd(bus.handle), SOL_SOCKET, SO_SNDBUF, &bytes, size) == 0)
    }

    /// Sends bytes to the connection.
    func send(_ bytes: [UInt8]) {
        let count = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        #expect(count == bytes.count)
    }

    /// Receives what is there.
    ///
    /// - Returns: how many bytes.
    @discardableResult
    func receive(atMost most: Int = .max) -> Int {
        var sum = 0
        var buffer = [UInt8](repeating: 0, count: min(most, 1 << 20))
        while sum < most {
            let count = recv(socket, &buffer, min(buffer.count, most - sum), 0)
            guard count > 0 else { break }
            received += buffer[..<count]
            sum += count
        }
        return sum
    }

    /// Takes the complete messages out of what was received.
    func messages() throws -> [WireMessage] { try takeMessages().map { try WireMessage(reading: $0[...]) } }

    /// The bytes of each.
    func takeMessages() -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var place = 0
        while let length = WireMessage.length(received[place...]), received.count - place >= length {
            messages.append(Array(received[place..<place + length]))
            place += length
        }
        received.removeFirst(place)
        return messages
    }

    // MARK: Messages to the connection

    /// Sends a call of a peer.
    ///
    /// - Returns: its number.
    @discardableResult
    func call(
        _ member: String, _ interface: String = "org.example.Own", path: String = "/", from sender: String = ":1.7",
        expectsReply: Bool = true
    ) -> UInt32 {
        var call = WireMessage(.call, nextNumber())
        (call.path, call.interface, call.member) = (path, interface, member)
        (call.sender, call.destination, call.flags) = (sender, ":1.1", expectsReply ? 0 : 1)
        send(call.bytes)
        return call.number
    }

    /// Sends a call that sd-bus answers.
    @discardableResult
    func ping() -> UInt32 { call("Ping", "org.freedesktop.DBus.Peer") }

    /// Sends the answer to a call.
    func answer(_ number: UInt32, from sender: String = PlayedBus.name, error: String? = nil, _ text: String? = nil) {
        var answer = WireMessage(error == nil ? .answer : .error, nextNumber())
        (answer.answered, answer.sender, answer.destination, answer.errorName) = (number, sender, ":1.1", error)
        if let text { (answer.signature, answer.body) = ("s", WireMessage.body(text)) }
        send(answer.bytes)
    }
}
