internal import CSdBus

// Handlers as Swift closures, where their cost does not matter. C has an unretained pointer to each box, which owns the
// slot: no callback comes after its end.

/// A closure that C calls with a message.
public final class MessageReceiver {
    fileprivate let handler: (MessageReader) -> Void
    fileprivate var slots: [Slot] = []
    /// Runs if the bus refuses what was asked for, with its reason.
    fileprivate var refused: ((String) -> Void)?

    fileprivate init(_ handler: @escaping (MessageReader) -> Void) { self.handler = handler }

    fileprivate var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Hands a message to the receiver in the userdata.
    ///
    /// - Returns: whether there was one.
    fileprivate static func hand(_ message: OpaquePointer?, to userdata: UnsafeMutableRawPointer?) -> Bool {
        guard let message, let userdata else { return false }
        // The handler may drop the last reference to its own box, so keep one while the handler runs.
        let receiver = Unmanaged<MessageReceiver>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(receiver) { receiver.handler(MessageReader(message)) }
        return true
    }
}

extension InterfaceDescription.Method {
    /// A method of a ``ServedInterface``: the object gets the call.
    public init(
        served name: StaticString, in inputs: [InterfaceDescription.Argument] = [],
        out outputs: [InterfaceDescription.Argument] = [], withoutReply: Bool = false
    ) {
        self.init(name, in: inputs, out: outputs, withoutReply: withoutReply) { message, userdata, _ in
            MessageReceiver.hand(message, to: userdata) ? 1 : 0
        }
    }
}

/// An interface for ``Bus/serve(path:_:handler:)``. Its table is never freed, so make it once.
public struct ServedInterface {
    /// The interface's name.
    public let name: StaticString
    fileprivate let vtable: UnsafePointer<sd_bus_vtable>

    /// Makes the table of an interface whose methods are all served ones.
    public init(_ description: InterfaceDescription) {
        name = description.name
        vtable = description.makeVtable()
    }
}

extension OutgoingMessage {
    /// Sends a call and has its answer handed to a closure, once; see ``call(timeout:userdata:callback:)``.
    ///
    /// - Parameter timeout: in µs, 0 for the default of 25 s, `.max` for none.
    /// - Returns: the registration; the closure never runs after its end.
    public consuming func call(
        timeout: UInt64 = 0, answered: @escaping (_ answer: MessageReader) -> Void
    ) throws(SdError) -> MessageReceiver {
        let receiver = MessageReceiver(answered)
        let slot = try call(timeout: timeout, userdata: receiver.opaque) { message, userdata, _ in
            MessageReceiver.hand(message, to: userdata) ? 1 : 0
        }
        receiver.slots.append(slot)
        return receiver
    }
}

extension Bus {
    /// Adds a match rule without waiting for the bus, and runs a closure with each message that matches;
    /// sd_bus_add_match_async(3).
    ///
    /// - Parameters:
    ///   - rule: the rule. If its sender is a well-known name, compare the message's sender with the name's owner: sd-bus
    ///     does not know it.
    ///   - refused: runs if the bus refuses the rule, with the reason.
    ///   - handler: gets the messages.
    /// - Returns: the registration.
    public func match(
        _ rule: String, refused: @escaping (String) -> Void, handler: @escaping (MessageReader) -> Void
    ) throws(SdError) -> MessageReceiver {
        try settle()
        let receiver = MessageReceiver(handler)
        receiver.refused = refused
        var slot: OpaquePointer?
        let result = rule.withCString { rule in
            sd_bus_add_match_async(
                handle, &slot, rule,
                { message, userdata, _ in
                    _ = MessageReceiver.hand(message, to: userdata)
                    return 0
                },
                { answer, userdata, _ in
                    guard let answer, let userdata, sd_bus_message_is_method_error(answer, nil) > 0 else { return 0 }
                    let receiver = Unmanaged<MessageReceiver>.fromOpaque(userdata).takeUnretainedValue()
                    let why = MessageReader(answer).errorMessage.map { String(cString: $0) } ?? ""
                    withExtendedLifetime(receiver) { receiver.refused?(why) }
                    return 0
                }, receiver.opaque)
        }
        receiver.slots.append(try Slot("sd_bus_add_match_async", result, slot, removedBy: self))
        return receiver
    }

    /// Runs a closure with every incoming message before it is served, but not with answers to calls; sd_bus_add_filter(3).
    ///
    /// - Returns: the registration.
    public func filter(_ handler: @escaping (MessageReader) -> Void) throws(SdError) -> MessageReceiver {
        let receiver = MessageReceiver(handler)
        let slot = try addFilter(userdata: receiver.opaque) { message, userdata, _ in
            _ = MessageReceiver.hand(message, to: userdata)
            return 0
        }
        receiver.slots.append(slot)
        return receiver
    }

    /// Serves interfaces on one object; sd_bus_add_object_vtable(3).
    ///
    /// - Parameter handler: gets the calls, of the right types, and answers them, now or later.
    /// - Returns: the registration, with which the object ends.
    public func serve(
        path: String, _ interfaces: [ServedInterface], handler: @escaping (_ call: MessageReader) -> Void
    ) throws(SdError) -> MessageReceiver {
        let receiver = MessageReceiver(handler)
        for interface in interfaces {
            var slot: OpaquePointer?
            let result = path.withCString {
                sd_bus_add_object_vtable(
                    self.handle, &slot, $0, interface.name.cString, interface.vtable, receiver.opaque)
            }
            receiver.slots.append(try Slot("sd_bus_add_object_vtable", result, slot))
        }
        return receiver
    }
}
