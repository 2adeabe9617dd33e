internal import FlowWire
internal import SdBus

/// A call under way.
@MainActor
final class LinkCall {
    let done: (Result<MessageReader, NavigationError>) -> Void
    fileprivate var answer: MessageReceiver?

    fileprivate init(_ done: @escaping (Result<MessageReader, NavigationError>) -> Void) { self.done = done }
}

/// What a call is sent with.
struct CallOptions {
    /// Whether the bus may start the callee.
    var activates = true
    /// Whether the user may be asked something on its way.
    var isInteractive = false
}

extension BusLink {
    /// Makes a call and sends it at once.
    ///
    /// - Parameters:
    ///   - write: appends the arguments.
    ///   - done: gets the answer, to be read, or why there is none; once, and later.
    /// - Returns: its number, for ``forget(_:)``.
    @discardableResult
    func call(
        _ path: String, _ interface: StaticString, _ member: StaticString, _ options: CallOptions = CallOptions(),
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
            // Without a bound: the bus answers for a service that is gone, and who does not want to wait is cancelled.
            call.answer = try message.call(timeout: .max) { [unowned self] answer in
                let kept = RetainedMessage(answer)
                mainLoop.enqueue { [weak self] in self?.take(kept.message, number) }
            }
            mainLoop.wake()
        } catch {
            let failure = NavigationError(error, path: path)
            mainLoop.enqueue { [weak self] in self?.calls.removeValue(forKey: number)?.done(.failure(failure)) }
        }
        return number
    }

    /// A call to the bus itself.
    func callBus(
        _ member: StaticString, _ write: (MessageWriter) throws(SdError) -> Void,
        _ done: @escaping (Result<MessageReader, NavigationError>) -> Void
    ) {
        call("\(BusNames.busPath)", BusNames.bus, member, CallOptions(), of: BusNames.bus, write, done)
    }

    /// Nobody waits for the answer any more.
    func forget(_ number: UInt64) { calls[number] = nil }

    private func take(_ answer: MessageReader, _ number: UInt64) {
        guard let call = calls.removeValue(forKey: number) else { return }
        if let name = answer.errorName {
            let text = answer.errorMessage.map { String(cString: $0) } ?? ""
            // What sd-bus answers itself with, where the connection is lost, can't be told from what the bus answers.
            let isLost = bus?.isOpen != true
            call.done(.failure(NavigationError(busName: String(cString: name), text, isLost: isLost)))
        } else {
            call.done(.success(answer))
        }
    }

    /// Ends all that waits, in the order in which it began.
    func failAll(_ error: NavigationError) {
        let waiting = calls.sorted { $0.key < $1.key }
        calls = [:]
        for (_, call) in waiting { call.done(.failure(error)) }
        for step in pending.takeAll() { step.done(.failure(error)) }
    }

    // MARK: Matches and names

    /// Asks the bus for what a rule selects; org.freedesktop.DBus.AddMatch.
    func addMatch(_ rule: String, _ done: @escaping (Result<Void, NavigationError>) -> Void) {
        callBus("AddMatch") { body throws(SdError) in
            try body.append(rule)
        } _: {
            done($0.map { _ in })
        }
    }

    /// Takes a rule back.
    func removeMatch(_ rule: String) {
        callBus("RemoveMatch") { body throws(SdError) in
            try body.append(rule)
        } _: { _ in
        }
    }

    /// Becomes the owner of a name, or not; it doesn't wait in the bus's queue. org.freedesktop.DBus.RequestName.
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

    /// Gives a name back.
    func releaseName(_ name: String) {
        callBus("ReleaseName") { body throws(SdError) in
            try body.append(name)
        } _: { _ in
        }
    }
}

extension NavigationError {
    /// What a D-Bus error says, which came where the connection is lost, or not.
    init(busName name: String, _ text: String, isLost: Bool = false) {
        if isLost, name == "\(BusNames.StandardError.noReply)" || name == Code.disconnected.rawValue {
            self.init(.disconnected, "the connection to the bus is lost, so what became of the call is not known")
            return
        }
        self.init(Code(rawValue: BusNames.shortened(name)), text.isEmpty ? name : text)
    }

    /// Why a call could not be sent.
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
