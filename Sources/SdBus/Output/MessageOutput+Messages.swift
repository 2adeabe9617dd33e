internal import CSdBus
internal import Glibc

extension MessageOutput {
    /// The flag of a message that expects no answer, which sd-bus gives to all but calls.
    private static let expectsNoReply: UInt8 = 1

    /// Makes a signal.
    ///
    /// - Parameters:
    ///   - interface: its interface.
    ///   - member: its name.
    ///   - path: the object.
    ///   - destination: the unique name of its only receiver; nil for all.
    ///   - signature: the types of its values.
    ///   - body: appends the values.
    /// - Throws: what the body throws, and ``SdError``: ENOTCONN for a lost connection, EMSGSIZE for a message that is too
    ///   large, EINVAL for an invalid destination. Then nothing is sent.
    public func signal(
        _ interface: StaticString, _ member: StaticString, at path: String, to destination: String? = nil,
        _ signature: StaticString = "", _ body: (Marshaller) throws -> Void = { _ in }
    ) throws {
        if let destination { try Self.check(destination, "MessageOutput.signal") }
        try make(
            .signal, flags: Self.expectsNoReply, signature,
            header: { header in
                header.path(path)
                header.interface(interface)
                header.member(member)
                if let destination { header.destination(destination) }
            }, body: body)
    }

    /// The bus would end the connection for an invalid name.
    private static func check(_ destination: String, _ call: StaticString) throws(SdError) {
        guard sd_bus_service_name_is_valid(destination) > 0 else { throw SdError(call, errno: EINVAL) }
    }

    /// Makes the answer to a call, unless the caller wants none. It throws as ``signal(_:_:at:to:_:_:)``.
    public func answer(
        _ call: Caller, _ signature: StaticString = "", _ body: (Marshaller) throws -> Void = { _ in }
    ) throws {
        guard call.expectsReply else { return }
        try make(
            .answer, flags: Self.expectsNoReply, signature, header: { header in header.reply(to: call) }, body: body)
    }

    /// Answers a call with an error, unless the caller wants no answer. It throws as ``signal(_:_:at:to:_:_:)``.
    public func answer(_ call: Caller, errorName: String, text: String) throws {
        guard call.expectsReply else { return }
        try make(.error, flags: Self.expectsNoReply, "s") { header in
            header.reply(to: call)
            header.errorName(errorName)
        } body: { body in
            try body.append(text)
        }
    }

    /// Answers a call with the error for an errno (positive), as sd-bus does; sd_bus_error_set_errno(3).
    public func answer(_ call: Caller, errno code: Int32) throws {
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        sd_bus_error_set_errno(&error, code)
        guard let name = error.name, let text = error.message else {
            throw SdError("sd_bus_error_set_errno", errno: code)
        }
        try answer(call, errorName: String(cString: name), text: String(cString: text))
    }

    /// An object of another connection, and how it is called.
    public struct Callee {
        /// The bus name.
        public let destination: String
        /// The object.
        public let path: String
        /// The interface of the member.
        public let interface: StaticString
        /// Whether the bus may start a program that owns the name.
        public var mayStart = true
        /// Whether the user may be asked for something, such as a password, to serve the call.
        public var isInteractive = false
        /// Whether an answer is wanted.
        public var expectsReply = true

        /// An object of a connection.
        public init(_ destination: String, _ path: String, _ interface: StaticString) {
            (self.destination, self.path, self.interface) = (destination, path, interface)
        }

        fileprivate var flags: UInt8 {
            (expectsReply ? 0 : MessageOutput.expectsNoReply) | (mayStart ? 0 : 2) | (isInteractive ? 4 : 0)
        }
    }

    /// Makes a call. It throws as ``signal(_:_:at:to:_:_:)``.
    ///
    /// - Returns: its number, which its answer names (``MessageReader/answeredCall``).
    @discardableResult
    public func call(
        _ callee: Callee, _ member: String, _ signature: StaticString = "",
        _ body: (Marshaller) throws -> Void = { _ in }
    ) throws -> UInt32 {
        try Self.check(callee.destination, "MessageOutput.call")
        guard sd_bus_object_path_is_valid(callee.path) > 0 else { throw SdError("MessageOutput.call", errno: EINVAL) }
        return try make(
            .call, flags: callee.flags, signature,
            header: { header in
                header.path(callee.path)
                header.member(member)
                header.interface(callee.interface)
                header.destination(callee.destination)
            }, body: body)
    }

    /// Makes a call, and hands its answer to a closure, once. The answer can be from anybody: nothing compares its sender with
    /// the callee. It throws as ``signal(_:_:at:to:_:_:)``.
    ///
    /// - Returns: the registration; the closure never runs after its end.
    public func call(
        _ callee: Callee, _ member: String, _ signature: StaticString = "",
        _ body: (Marshaller) throws -> Void = { _ in }, answered: @escaping (_ answer: MessageReader) -> Void
    ) throws -> AwaitedAnswer {
        let answer = AwaitedAnswer(self, try call(callee, member, signature, body), answered)
        wait(for: answer)
        return answer
    }
}
