internal import CSdBus
internal import Glibc
internal import Platform

// The bus for a program that does one thing after the other: a call waits for its answer, and other messages are read when
// the program asks for them. A service uses its loop instead.

/// Why a call has no answer.
public enum CallFailure: Error, Equatable, Sendable {
    /// The callee, or the bus in its place, answered with this D-Bus error and this text. The name is
    /// `org.freedesktop.DBus.Error.Timeout` or `….NoReply` if no answer came in time.
    case refused(name: String, text: String)
    /// The call could not be sent, or the connection was lost before the answer.
    case failed(SdError)
}

extension OutgoingMessage {
    /// Sends a call and waits for its answer; sd_bus_call(3). Other messages wait for ``Bus/nextMessage(within:)``, in
    /// their order.
    ///
    /// - Parameter timeout: in µs, 0 for the default of 25 s, `.max` for none.
    /// - Returns: the answer, at its beginning.
    public consuming func callAndWait(timeout: UInt64 = 0) throws(CallFailure) -> RetainedMessage {
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var answer: OpaquePointer?
        let result = sd_bus_call(sd_bus_message_get_bus(handle), handle, timeout, &error, &answer)
        if result >= 0, let answer { return RetainedMessage(taking: answer) }
        guard let name = error.name.map({ String(cString: $0) }), !Self.isLocal(name) else {
            throw .failed(SdError("sd_bus_call", result: result < 0 ? result : -EBADMSG))
        }
        throw .refused(name: name, text: error.message.map { String(cString: $0) } ?? "")
    }

    /// Whether sd-bus made the name of an errno on this side, or of the end of the connection.
    private static func isLocal(_ name: String) -> Bool {
        name.hasPrefix("System.Error.") || name == "org.freedesktop.DBus.Error.Disconnected"
    }
}

extension Bus {
    /// Adds a match rule, and waits until the bus has accepted it. The messages come by ``nextMessage(within:)``, also those
    /// that the bus sent meanwhile.
    public func subscribe(to rule: String) throws(CallFailure) {
        let service: StaticString = "org.freedesktop.DBus"
        let path: StaticString = "/org/freedesktop/DBus"
        let member: StaticString = "AddMatch"
        _ = try calling(
            service.cString, path.cString, service.cString, member.cString
        ) { body throws(SdError) in try body.append(rule) }
    }

    /// Makes a call, sends it and waits for its answer; ``OutgoingMessage/callAndWait(timeout:)``.
    ///
    /// - Parameters:
    ///   - timeout: in µs, 0 for the default of 25 s, `.max` for none.
    ///   - activates: whether the bus may start the receiver.
    ///   - isInteractive: whether the user may be asked something on its way.
    ///   - arguments: appends them.
    public func calling(
        _ destination: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>, _ interface: UnsafePointer<CChar>,
        _ member: UnsafePointer<CChar>, timeout: UInt64 = 0, activates: Bool = true, isInteractive: Bool = false,
        arguments: (MessageWriter) throws(SdError) -> Void
    ) throws(CallFailure) -> RetainedMessage {
        func message() throws(SdError) -> OutgoingMessage {
            let call = try OutgoingMessage(
                call: self, destination: destination, path: path, interface: interface, member: member)
            try call.setAutoStart(activates)
            try call.setAllowsInteractiveAuthorization(isInteractive)
            try arguments(call.body)
            return call
        }
        do {
            return try message().callAndWait(timeout: timeout)
        } catch let error as SdError {
            throw .failed(error)
        } catch let error as CallFailure {
            throw error
        } catch {
            throw .failed(SdError("sd_bus_call", errno: EINVAL))
        }
    }

    /// Waits for the next message that nothing else in this process handles, such as a signal.
    /// sd_bus_process(3), sd_bus_wait(3).
    ///
    /// - Parameter time: how long to wait at most, in µs; nil for ever.
    /// - Returns: the message; nil if none came in time.
    /// - Throws: ``SdError``, with ``SdError/isDisconnected`` once the connection is lost.
    public func nextMessage(within time: UInt64? = nil) throws(SdError) -> RetainedMessage? {
        let start = MonotonicClock.now
        while true {
            var found: OpaquePointer?
            let result = try check("sd_bus_process", sd_bus_process(handle, &found))
            if let found { return RetainedMessage(taking: found) }
            if result > 0 { continue }
            var left = UInt64.max
            if let time {
                let spent = MonotonicClock.now - start
                guard spent < time else { return nil }
                left = time - spent
            }
            let waited = sd_bus_wait(handle, left)
            if waited != -EINTR { try check("sd_bus_wait", waited) }
        }
    }
}
