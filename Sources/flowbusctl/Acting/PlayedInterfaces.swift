import FlowCore
import FlowFile
import FlowWire
import SdBus

/// The interfaces that the service calls, which each object of a play has.
enum PlayedInterfaces {
    private typealias Method = InterfaceDescription.Method

    /// Their tables, which are never freed: make them once.
    static var all: [ServedInterface] { [.presenter, .guard, .navigator, application].map(ServedInterface.init) }

    /// Source: Desktop Entry Specification, "D-Bus Activation".
    private static var application: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.application,
            methods: [
                Method(served: "Activate", in: [.init("platform_data", "a{sv}")]),
                Method(served: "Open", in: [.init("uris", "as"), .init("platform_data", "a{sv}")]),
                Method(
                    served: "ActivateAction",
                    in: [.init("action_name", "s"), .init("parameter", "av"), .init("platform_data", "a{sv}")]),
            ])
    }
}

/// A call that a program of a play got, and that is answered now or later.
struct PlayedQuestion {
    let member: String
    let values: [Value]
    private let pending: PendingCall

    init(_ call: MessageReader) throws(SdError) {
        member = String(cString: call.member)
        values = try call.readValues()
        pending = try PendingCall(call)
    }

    /// The text of an argument.
    func text(_ place: Int) -> String { place < values.count ? values[place].text ?? "" : "" }

    /// An argument that is a dictionary.
    func dictionary(_ place: Int) -> Value { place < values.count ? values[place] : .dictionary([]) }

    /// An argument that is a dictionary, as arguments.
    func arguments(_ place: Int) -> Arguments {
        dictionary(place).entries.map { FlowCore.Argument($0.name, $0.value) }
    }

    func answer(_ values: [Value] = []) throws(SdError) {
        let answer = try OutgoingMessage(replyTo: pending.call)
        for value in values { try answer.body.append(value) }
        try answer.send()
    }

    func refuse(_ error: PlayedCall.Refusal) throws(SdError) {
        try OutgoingMessage(errorTo: pending.call, name: error.name, text: error.text).send()
    }
}
