import FlowWire
import SdBus

// Calls to the bus itself about names.

extension Bus {
    /// A call to the bus, whose first argument is this name.
    func call(_ member: String, about name: String) throws(SdError) -> OutgoingMessage {
        let message = try OutgoingMessage(
            call: self, destination: "\(BusNames.bus)", path: "\(BusNames.busPath)", interface: "\(BusNames.bus)",
            member: member)
        try message.body.append(name)
        return message
    }

    /// Has the bus start the program with a well-known name, which it does not do if that has an owner.
    ///
    /// - Parameter answered: gets the answer when the name has an owner, or an error.
    /// - Returns: the registration; the closure never runs after its end.
    func startService(
        _ name: String, answered: @escaping (_ answer: MessageReader) -> Void
    ) throws(SdError) -> MessageReceiver {
        let message = try call("StartServiceByName", about: name)
        // There are no flags.
        try message.body.append(UInt32(0))
        // The bus answers in any case, by its own time limit.
        return try message.call(timeout: .max, answered: answered)
    }
}

extension MessageOutput.Callee {
    /// The bus itself.
    static var bus: Self { Self("\(BusNames.bus)", "\(BusNames.busPath)", BusNames.bus) }
}
