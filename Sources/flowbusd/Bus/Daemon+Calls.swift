import FlowCore
import FlowWire
import Logging
import SdBus

// Calls from sd-bus, and their answers.

extension Daemon {
    /// Serves a call to the presentable that the lookup found. Returns sd-bus's result.
    static func serve(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: (Daemon, MessageReader, NodeID) throws -> Void
    ) -> Int32 {
        serveRoot(message, context) { daemon, call in
            // The lookup for this call found it, otherwise sd-bus would not call the handler.
            guard let node = daemon.lookup.found else { throw SdError.noObject }
            try body(daemon, call, node)
        }
    }

    /// Serves a call to a presentable that may be gone. Returns sd-bus's result.
    static func serveRepeatable(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: (Daemon, MessageReader, NodeID?) throws -> Void
    ) -> Int32 {
        serveRoot(message, context) { daemon, call in try body(daemon, call, daemon.lookup.found) }
    }

    /// Serves a call to the root object. Returns sd-bus's result.
    static func serveRoot(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ body: (Daemon, MessageReader) throws -> Void
    ) -> Int32 {
        guard let message, let daemon = from(context) else { return 0 }
        let call = MessageReader(message)
        do {
            try body(daemon, call)
            return 1
        } catch {
            return daemon.refuse(call, because: error)
        }
    }

    /// Appends a property of the presentable that the lookup found. Returns sd-bus's result.
    static func get(
        _ name: UnsafePointer<CChar>?, _ answer: OpaquePointer?, _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        getConstant(answer) { body in
            guard let daemon = from(context), let node = daemon.lookup.found,
                let property = name.flatMap(NodeProperty.init(name:))
            else { throw SdError.noObject }
            try body.append(daemon.coordinator.value(of: property, at: node))
        }
    }

    /// Appends a property that never changes. Returns sd-bus's result.
    static func getConstant(_ answer: OpaquePointer?, _ append: (MessageWriter) throws -> Void) -> Int32 {
        guard let answer else { return 0 }
        do {
            try append(MessageWriter(answer))
            return 0
        } catch {
            return errno(of: error)
        }
    }

    /// Answers a call at once.
    ///
    /// - Throws: ``SdError``; then ``serveRoot(_:_:_:)`` ends the connection.
    ///
    /// - Parameters:
    ///   - signature: the types of the values.
    ///   - write: appends the values.
    func reply(
        to call: MessageReader, _ signature: StaticString, _ write: (Marshaller) throws -> Void
    ) throws {
        commit()
        try output.answer(Caller(call), signature, write)
    }

    /// Refuses a call because of an object that it names.
    func refuseObject(of call: MessageReader, text: String) throws {
        commit()
        try output.answer(Caller(call), errorName: "\(BusNames.BusError.unknownObject)", text: text)
    }

    /// Answers a call with an error of the contract, without a commit before.
    func answer(_ caller: Caller, with error: FlowError) throws {
        logger.debug("Refused a call: \(error.message)", metadata: [LogField.sender: "\(caller.name)"])
        try output.answer(caller, errorName: error.code.busName, text: error.message)
    }

    /// Refuses a call. Returns sd-bus's result. For an errno sd-bus would send an error itself, but ignore a failure to
    /// send it.
    func refuse(_ call: MessageReader, because error: any Error) -> Int32 {
        commit()
        if let error = error as? SdError, error.isSendFailure {
            connectionFailed(error)
            return 1
        }
        var refusal = error as? FlowError
        if let error = error as? SdError, error.isBadMessage {
            refusal = FlowError(
                .invalidArguments, "a text of the call is not UTF-8, or has a noncharacter of Unicode, such as U+FFFE")
        }
        do {
            if let refusal {
                try answer(Caller(call), with: refusal)
            } else {
                try output.answer(Caller(call), errno: -Self.errno(of: error))
            }
        } catch {
            connectionFailed(error)
        }
        return 1
    }

    private static func errno(of error: any Error) -> Int32 {
        guard let error = error as? SdError else { preconditionFailure("a handler threw \(error)") }
        return -error.code
    }

    /// Reads the name of a declared step.
    func readStep(_ call: MessageReader) throws -> StepID { try step(named: call.readString()) }

    /// Reads the name of a declared step; an empty text gives nil.
    func readOptionalStep(_ call: MessageReader) throws -> StepID? {
        let name = try call.readString()
        return name.pointee == 0 ? nil : try step(named: name)
    }

    private func step(named name: UnsafePointer<CChar>) throws -> StepID {
        guard let step = coordinator.definitions.step(named: String(cString: name)) else {
            throw coordinator.definitions.unknownStep(String(cString: name))
        }
        return step
    }
}

extension MessageReader {
    /// The sender.
    var client: Client { Client(String(cString: sender)) }
}

extension [InterfaceDescription.Property] {
    /// The properties of an interface that presentables have, as ``NodeProperty`` describes them.
    static func described(for interface: NodeProperty.Interface) -> Self {
        NodeProperty.allCases.map(\.description).filter { $0.interface == interface }.map { property in
            let change: InterfaceDescription.Property.Change =
                switch property.change {
                case .constant: .constant
                case .emits: .emits
                case .explicit: .explicit
                }
            return InterfaceDescription.Property(property.name, property.signature, change) {
                _, _, _, name, answer, context, _ in
                Daemon.get(name, answer, context)
            }
        }
    }
}
