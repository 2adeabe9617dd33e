internal import FlowBus
internal import FlowWire
internal import SdBus

/// A method call under way.
@FlowActor
final class LinkCall {
    let done: (Result<MessageReader, NavigationError>) -> Void
    fileprivate var answer: MessageReceiver?

    fileprivate init(_ done: @escaping (Result<MessageReader, NavigationError>) -> Void) { self.done = done }
}

/// Flags that a call is sent with.
struct CallFlags {
    /// Whether the bus may start the service that is called.
    var activates = true
    /// Whether the callee may ask the user for authorization.
    var isInteractive = false
}

extension BusLink {
    /// Sends a method call.
    ///
    /// - Parameters:
    ///   - path: the path of the object.
    ///   - interface: the interface.
    ///   - member: the method.
    ///   - options: flags of the call.
    ///   - service: the bus name of the callee.
    ///   - write: appends the arguments.
    ///   - done: receives the reply or the error, once, after this method has returned.
    /// - Returns: The number of the call, for ``forget(_:)``.
    @discardableResult
    func call(
        _ path: String, _ interface: StaticString, _ member: StaticString, _ options: CallFlags = CallFlags(),
        of service: StaticString = BusNames.service, _ write: (MessageWriter) throws(SdError) -> Void = { _ in },
        _ done: @escaping (Result<MessageReader, NavigationError>) -> Void
    ) -> UInt64 {
        let number = nextNumber()
        let call = LinkCall(done)
        calls[number] = call
        do throws(SdError) {
            guard let bus else { throw .notConnected }
            let message = try OutgoingMessage(
                call: bus, destination: service.cString, path: path, interface: interface.cString,
                member: member.cString)
            if !options.activates { try message.setAutoStart(false) }
            if options.isInteractive { try message.setAllowsInteractiveAuthorization(true) }
            try write(message.body)
            // There is no time limit: the bus answers for a service that is gone, and callers can cancel.
            call.answer = try message.call(timeout: .max) { [unowned self] answer in
                let retained = RetainedMessage(answer)
                mainLoop.enqueue { [weak self] in self?.complete(retained.message, number) }
            }
            mainLoop.wake()
        } catch {
            let failure = NavigationError(error, path: path)
            mainLoop.enqueue { [weak self] in self?.calls.removeValue(forKey: number)?.done(.failure(failure)) }
        }
        return number
    }

    /// Calls a method of the bus itself.
    func callBus(
        _ member: StaticString, _ write: (MessageWriter) throws(SdError) -> Void,
        _ done: @escaping (Result<MessageReader, NavigationError>) -> Void
    ) {
        call("\(BusNames.busPath)", BusNames.bus, member, CallFlags(), of: BusNames.bus, write, done)
    }

    /// Discards the answer to a call.
    func forget(_ number: UInt64) { calls[number] = nil }

    private func complete(_ answer: MessageReader, _ number: UInt64) {
        guard let call = calls.removeValue(forKey: number) else { return }
        if let name = answer.errorName {
            let text = answer.errorMessage.map { String(cString: $0) } ?? ""
            // sd-bus generates the same error for a lost connection as the bus sends for a lost callee.
            let isLost = bus?.isOpen != true
            call.done(.failure(NavigationError(busName: String(cString: name), text, isLost: isLost)))
        } else {
            call.done(.success(answer))
        }
    }

    /// Fails all calls and pending steps, in the order in which they began.
    func failAll(_ error: NavigationError) {
        let waiting = calls.sorted { $0.key < $1.key }
        calls = [:]
        for (_, call) in waiting { call.done(.failure(error)) }
        for step in pending.takeAll() { step.done(.failure(error)) }
        for done in asks.takeAll() { done(.failure(error)) }
    }

    // MARK: Matches and names

    /// Adds a match rule; org.freedesktop.DBus.AddMatch.
    func addMatch(_ rule: String, _ done: @escaping (Result<Void, NavigationError>) -> Void) {
        callBus("AddMatch") { body throws(SdError) in
            try body.append(rule)
        } _: {
            done($0.map { _ in })
        }
    }

    /// Removes a match rule.
    func removeMatch(_ rule: String) {
        callBus("RemoveMatch") { body throws(SdError) in
            try body.append(rule)
        } _: { _ in
        }
    }

    /// Requests a bus name without joining its queue; org.freedesktop.DBus.RequestName.
    func requestName(_ name: String, _ done: @escaping (Result<Void, NavigationError>) -> Void) {
        callBus("RequestName") { body throws(SdError) in
            try body.append(name)
            // DBUS_NAME_FLAG_DO_NOT_QUEUE
            try body.append(UInt32(4))
        } _: { result in
            done(
                result.flatMap { answer in
                    let code = try? answer.readUInt32()
                    // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, …_ALREADY_OWNER
                    if code == 1 || code == 4 { return .success(()) }
                    return .failure(
                        NavigationError(
                            .notOwner, "the bus name '\(name)' has another owner; it has to give it up first"))
                })
        }
    }

    /// Releases a bus name.
    func releaseName(_ name: String) {
        callBus("ReleaseName") { body throws(SdError) in
            try body.append(name)
        } _: { _ in
        }
    }
}

extension NavigationError {
    /// The error of a D-Bus error message.
    ///
    /// - Parameters:
    ///   - name: the D-Bus error's name.
    ///   - text: the message.
    ///   - isLost: whether the connection is lost.
    init(busName name: String, _ text: String, isLost: Bool = false) {
        if isLost, name == "\(BusNames.BusError.noReply)" || name == Code.disconnected.rawValue {
            self.init(.disconnected, "the connection to the bus is lost, so what became of the call is not known")
            return
        }
        self.init(Code(rawValue: BusNames.shortened(name)), text.isEmpty ? name : text)
    }

    /// The error of a call that could not be sent.
    init(_ error: SdError, path: String = "") {
        if error.isDisconnected {
            self.init(.disconnected, "there is no connection to the bus")
        } else if error.isInvalid {
            self.init(
                .invalidArguments,
                "'\(path)', or an argument of the call, can't be sent on the bus: paths are ids with '/' between, texts "
                    + "have no NUL (\(error))")
        } else {
            self.init(Code(rawValue: "IOError"), "could not talk to the bus: \(error)")
        }
    }
}
