import CSdBus
public import SdBus

/// The answer of a call that says no.
public struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The D-Bus error's name.
    public let name: String
    /// Its text.
    public let message: String

    /// An error by name and text.
    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// "name: message"
    public var description: String { "\(name): \(message)" }
}

/// A message that a ``TestClient`` received. It holds the message, so that a call can still be answered later.
public final class ReceivedMessage: CustomStringConvertible {
    /// The four kinds of message.
    public enum Kind: Equatable, Sendable {
        /// A call to the client.
        case call
        /// A signal.
        case signal
        /// The answer to one of the client's calls.
        case reply
        /// The answer to one of the client's calls that says no.
        case error(BusError)
    }

    /// What it is.
    public let kind: Kind
    /// Who sent it, by unique name.
    public let sender: String
    /// Whom it was sent to; empty for a broadcast.
    public let destination: String
    /// The object; empty in answers.
    public let path: String
    /// The interface; empty in answers.
    public let interface: String
    /// The method or signal; empty in answers.
    public let member: String
    /// In an answer, the call that it answers.
    public let replyTo: AwaitedReply?
    /// What it carries.
    public let values: [BusValue]
    /// Does it want an answer?
    public let expectsReply: Bool
    /// Does who calls allow a question to the user?
    public let isInteractive: Bool
    let handle: OpaquePointer

    /// Takes over a reference to the message.
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
        // sd-bus has read an error's text already.
        try reader.rewind()
        values = try BusValue.readAll(reader)
    }

    deinit { sd_bus_message_unref(handle) }

    /// Reads it once more, from its start.
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
