import CSdBus
public import SdBus

/// An error reply.
public struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The D-Bus error's name.
    public let name: String
    /// The message.
    public let message: String

    /// Creates an error.
    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// "name: message"
    public var description: String { "\(name): \(message)" }
}

/// A message that a ``TestClient`` received. It retains the message, so that a call can be answered later.
public final class ReceivedMessage: CustomStringConvertible {
    /// The four kinds of message.
    public enum Kind: Equatable, Sendable {
        /// A call to the client.
        case call
        /// A signal.
        case signal
        /// A reply to one of the client's calls.
        case reply
        /// An error reply to one of the client's calls.
        case error(BusError)
    }

    /// The kind of message.
    public let kind: Kind
    /// The unique name of the sender.
    public let sender: String
    /// The destination; empty for a broadcast.
    public let destination: String
    /// The object; empty in replies.
    public let path: String
    /// The interface; empty in replies.
    public let interface: String
    /// The method or signal; empty in replies.
    public let member: String
    /// The call that a reply answers.
    public let replyTo: AwaitedReply?
    /// The values in its body.
    public let values: [BusValue]
    /// Whether it expects a reply.
    public let expectsReply: Bool
    /// Whether the caller allows interactive authorization.
    public let isInteractive: Bool
    let handle: OpaquePointer

    /// Takes ownership of a reference to the message.
    init(taking handle: OpaquePointer) throws(SdError) {
        self.handle = handle
        let reader = MessageReader(handle)
        sender = String(cString: reader.sender)
        destination = sd_bus_message_get_destination(handle).map { String(cString: $0) } ?? ""
        path = String(cString: reader.path)
        interface = reader.interface.map { String(cString: $0) } ?? ""
        member = String(cString: reader.member)
        expectsReply = reader.expectsReply
        isInteractive = reader.allowsInteractiveAuthorization
        var type: UInt8 = 0
        sd_bus_message_get_type(handle, &type)
        var cookie: UInt64 = 0
        replyTo = sd_bus_message_get_reply_cookie(handle, &cookie) >= 0 ? AwaitedReply(cookie: cookie) : nil
        switch Int(type) {
        case SD_BUS_MESSAGE_METHOD_CALL: kind = .call
        case SD_BUS_MESSAGE_SIGNAL: kind = .signal
        case SD_BUS_MESSAGE_METHOD_ERROR:
            kind = .error(
                BusError(
                    reader.errorName.map { String(cString: $0) } ?? "",
                    reader.errorMessage.map { String(cString: $0) } ?? ""))
        default: kind = .reply
        }
        // sd-bus has already read the text of an error.
        try reader.rewind()
        values = try BusValue.readAll(reader)
    }

    deinit { sd_bus_message_unref(handle) }

    /// Reads the message again, from its start.
    public func withReader<Result>(_ body: (MessageReader) throws -> Result) throws -> Result {
        let reader = MessageReader(handle)
        try reader.rewind()
        return try body(reader)
    }

    /// One line for a report or for comparing an order: "signal /path interface.Member", "reply to 7", "error …".
    public var description: String {
        switch kind {
        case .call: "call \(path) \(interface).\(member)\(values)"
        case .signal: "signal \(path) \(interface).\(member)\(values)"
        case .reply: "reply to \(replyTo?.cookie ?? 0)\(values)"
        case .error(let error): "error to \(replyTo?.cookie ?? 0) \(error)"
        }
    }
}

/// A call that a ``TestClient`` has sent.
public struct AwaitedReply: Hashable, Sendable {
    let cookie: UInt64
}
