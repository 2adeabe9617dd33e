import CSdBus
import Glibc
import Platform

/// A connection to a message bus. It owns exactly one reference, and closes the connection at its end without waiting
/// for queued messages (call ``flush()`` first).
///
/// Registrations made here last as long as the connection, unless they return a ``Slot``.
public final class Bus {
    /// Which bus to talk to.
    public enum Address: Equatable, Sendable {
        /// The user's bus, by `DBUS_SESSION_BUS_ADDRESS`, else in `XDG_RUNTIME_DIR`; sd_bus_open_user(3).
        case session
        /// The system's bus; sd_bus_open_system(3).
        case system
        /// A bus at an address such as `unix:path=…`; sd_bus_set_address(3).
        case address(String)

        /// What is wrong with an address, and what would be right; nil if nothing obvious is.
        ///
        /// sd-bus takes any text, and reports a missing transport as a refused connection.
        public static func problem(of text: String) -> String? {
            text.contains(":")
                ? nil : "'\(text)' is no D-Bus address: one reads as unix:path=/run/user/1000/bus"
        }
    }

    /// The owner of a name: for a message to a person, never for a decision.
    public struct Owner: Equatable, Sendable {
        /// The unique name.
        public let uniqueName: String
        /// The process, if the bus knows it.
        public let processID: Int32?
        /// The process's name as in `/proc/PID/comm`.
        public let command: String?

        /// "pid 123 (flowbusd)", or as much of it as is known.
        public var description: String {
            switch (processID, command) {
            case (let processID?, let command?): "pid \(processID) (\(command))"
            case (let processID?, nil): "pid \(processID)"
            case (nil, _): uniqueName
            }
        }
    }

    /// The connection, `sd_bus *`.
    public let handle: OpaquePointer
    /// The connection's unique name, such as `:1.42`; empty if the bus gave none. Waits for the bus once, unless connecting
    /// did.
    public private(set) lazy var uniqueName = (try? Self.uniqueName(of: handle)) ?? ""
    /// The messages that are not made by sd-bus; see ``MessagePump``.
    @usableFromInline weak var output: MessageOutput?
    var disconnected: (() -> Void)?
    var nameLost: (() -> Void)?

    /// Connects, and waits for the bus's answer to the first message, so that a bus that refuses is an error here.
    ///
    /// - Throws: ``SdError``, with ``SdError/isNoBus`` or ``SdError/isPermissionDenied``.
    public init(_ address: Address) throws(SdError) {
        handle = try Self.open(address)
        Self.prepare(handle)
        uniqueName = try Self.uniqueName(of: handle)
    }

    /// Connects as ``init(_:)`` does, to a bus that may hang: connecting, and each call without a time limit of its own, takes at
    /// most this time. sd_bus_set_method_call_timeout(3).
    ///
    /// - Parameter time: in µs.
    /// - Throws: ``SdError``, with ETIMEDOUT where the bus takes longer.
    public convenience init(_ address: Address, within time: UInt64) throws(SdError) {
        try self.init(connectingTo: address)
        try check("sd_bus_set_method_call_timeout", sd_bus_set_method_call_timeout(handle, time))
        let end = MonotonicClock.now + time
        while try check("sd_bus_is_ready", sd_bus_is_ready(handle)) == 0 {
            if try check("sd_bus_process", sd_bus_process(handle, nil)) > 0 { continue }
            let now = MonotonicClock.now
            guard now < end else { throw SdError("sd_bus_wait", errno: ETIMEDOUT) }
            let waited = sd_bus_wait(handle, end - now)
            if waited != -EINTR { try check("sd_bus_wait", waited) }
        }
    }

    /// Begins to connect without waiting: messages leave when the bus has answered. If the bus refuses or never answers,
    /// ``onDisconnect(_:)`` reports it.
    ///
    /// - Throws: ``SdError``, with ``SdError/isNoBus``.
    public init(connectingTo address: Address) throws(SdError) {
        handle = try Self.open(address)
        Self.prepare(handle)
    }

    deinit { sd_bus_close_unref(handle) }

    /// Keeps sd-bus from ending the loop with the connection, and the connection with the loop: there may be messages to send
    /// after it.
    private static func prepare(_ handle: OpaquePointer) {
        sd_bus_set_exit_on_disconnect(handle, 0)
        sd_bus_set_close_on_exit(handle, 0)
    }

    private static func uniqueName(of handle: OpaquePointer) throws(SdError) -> String {
        var name: UnsafePointer<CChar>?
        try check("sd_bus_get_unique_name", sd_bus_get_unique_name(handle, &name))
        guard let name else { throw SdError("sd_bus_get_unique_name", errno: ENODATA) }
        return String(cString: name)
    }

    private static func open(_ address: Address) throws(SdError) -> OpaquePointer {
        var made: OpaquePointer?
        switch address {
        case .session: try check("sd_bus_open_user", sd_bus_open_user(&made))
        case .system: try check("sd_bus_open_system", sd_bus_open_system(&made))
        case .address(let text):
            try check("sd_bus_new", sd_bus_new(&made))
            guard let bus = made else { break }
            do throws(SdError) {
                try check("sd_bus_set_address", text.withCString { sd_bus_set_address(bus, $0) })
                try check("sd_bus_set_bus_client", sd_bus_set_bus_client(bus, 1))
                try check("sd_bus_start", sd_bus_start(bus))
            } catch {
                sd_bus_unref(bus)
                throw error
            }
        }
        guard let made else { throw SdError("sd_bus_new", errno: ENOMEM) }
        return made
    }

    /// Lets an event loop read and write this connection; sd_bus_attach_event(3).
    public func attach(to loop: EventLoop) throws(SdError) {
        try check("sd_bus_attach_event", sd_bus_attach_event(handle, loop.handle, Int32(SD_EVENT_PRIORITY_NORMAL)))
    }

    /// Waits until everything queued is written; sd_bus_flush(3).
    ///
    /// - Parameter time: how long to wait at most for a bus that takes nothing, in µs; nil for ever.
    /// - Throws: ``SdError``: ETIMEDOUT if the time is over.
    public func flush(within time: UInt64? = nil) throws(SdError) {
        let end = time.map { MonotonicClock.now + $0 }
        if let output, !output.drain(until: end) { throw SdError("sd_bus_flush", errno: ETIMEDOUT) }
        try check("sd_bus_flush", sd_bus_flush(handle))
    }

    /// Waits until the messages of ``output`` are written, which come before those of sd-bus.
    ///
    /// - Throws: ``SdError``: ETIMEDOUT if the bus takes nothing for as long as sd-bus waits for an answer.
    func settle() throws(SdError) { try output?.drain() }

    /// Closes the connection; sd_bus_close(3). Queued messages are lost.
    public func close() {
        output?.close()
        sd_bus_close(handle)
    }

    /// Whether messages can be sent. A lost connection never comes back; sd_bus_is_open(3).
    public var isOpen: Bool { sd_bus_is_open(handle) > 0 }

    /// The id of the bus, which distinguishes it from another one at the same address: 32 hexadecimal digits; sd_bus_get_bus_id(3).
    public func busID() throws(SdError) -> String {
        var id = sd_id128_t()
        try check("sd_bus_get_bus_id", sd_bus_get_bus_id(handle, &id))
        return withUnsafeBytes(of: id) { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    // MARK: Names

    /// Becomes the owner of a name, at once or not at all: it doesn't queue. Nobody can take the name away.
    ///
    /// - Throws: ``SdError``: ``SdError/isTaken`` where another connection owns it, ``SdError/isPermissionDenied``
    ///   where the bus's policy forbids it; sd_bus_request_name(3).
    public func requestName(_ name: String) throws(SdError) {
        try settle()
        try check(
            "sd_bus_request_name",
            name.withCString { name in tryingAgain { sd_bus_request_name(handle, name, 0) } })
    }

    /// Becomes the owner of a name, or the last in the queue for it.
    ///
    /// - Returns: whether this connection is the owner.
    /// - Throws: ``SdError``, as ``requestName(_:)``.
    public func queue(forName name: String) throws(SdError) -> Bool {
        try settle()
        let flags = UInt64(truncatingIfNeeded: SD_BUS_NAME_QUEUE)
        let result = name.withCString { name in tryingAgain { sd_bus_request_name(handle, name, flags) } }
        return result == -EALREADY ? true : try check("sd_bus_request_name", result) > 0
    }

    /// Gives a name back; sd_bus_release_name(3).
    public func releaseName(_ name: String) throws(SdError) {
        try settle()
        try check("sd_bus_release_name", name.withCString { sd_bus_release_name(handle, $0) })
    }

    /// The unique name of a name's owner; nil if nobody owns it. A blocking round trip to the bus;
    /// sd_bus_get_name_creds(3).
    ///
    /// - Throws: ``SdError`` if the bus could not be asked.
    public func uniqueName(ofOwnerOf name: String) throws(SdError) -> String? {
        try settle()
        var found: OpaquePointer?
        let mask = UInt64(truncatingIfNeeded: SD_BUS_CREDS_UNIQUE_NAME)
        let result = name.withCString { name in tryingAgain { sd_bus_get_name_creds(handle, name, mask, &found) }
        }
        // There is no owner, or it has no such name.
        if result == -ENXIO || result == -ENODATA { return nil }
        try check("sd_bus_get_name_creds", result)
        guard let creds = found else { return nil }
        defer { sd_bus_creds_unref(creds) }
        var unique: UnsafePointer<CChar>?
        guard sd_bus_creds_get_unique_name(creds, &unique) >= 0 else { return nil }
        return unique.map { String(cString: $0) }
    }

    /// The names that the bus can start a program for. A blocking round trip to the bus; sd_bus_list_names(3).
    public func activatableNames() throws(SdError) -> [String] {
        try settle()
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        try check("sd_bus_list_names", sd_bus_list_names(handle, nil, &names))
        defer { free(names) }
        var all: [String] = []
        var next = names
        while let name = next?.pointee {
            all.append(String(cString: name))
            free(name)
            next = next?.successor()
        }
        return all
    }

    /// The owner of a name; nil if there is none. Two blocking round trips to the bus; sd_bus_get_name_creds(3).
    public func owner(of name: String) -> Owner? {
        guard (try? settle()) != nil else { return nil }
        var found: OpaquePointer?
        let mask = SD_BUS_CREDS_UNIQUE_NAME | SD_BUS_CREDS_PID | SD_BUS_CREDS_COMM | SD_BUS_CREDS_AUGMENT
        let result = name.withCString {
            sd_bus_get_name_creds(handle, $0, UInt64(truncatingIfNeeded: mask), &found)
        }
        guard result >= 0, let creds = found else { return nil }
        defer { sd_bus_creds_unref(creds) }
        var unique: UnsafePointer<CChar>?
        guard sd_bus_creds_get_unique_name(creds, &unique) >= 0, let unique else { return nil }
        var processID: pid_t = 0
        let knowsProcess = sd_bus_creds_get_pid(creds, &processID) >= 0
        var command: UnsafePointer<CChar>?
        let knowsCommand = sd_bus_creds_get_comm(creds, &command) >= 0
        return Owner(
            uniqueName: String(cString: unique), processID: knowsProcess ? processID : nil,
            command: knowsCommand ? command.map { String(cString: $0) } : nil)
    }
}
