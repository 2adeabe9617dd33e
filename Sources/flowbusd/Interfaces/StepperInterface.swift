import FlowCore
import SdBus

/// `org.flowbus.Navigation1.Stepper`: what emits steps.
enum StepperInterface {
    private typealias Argument = InterfaceDescription.Argument

    static var description: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.stepper,
            methods: [
                .init(
                    "EmitStep",
                    in: [Argument("step", "s"), Argument("arguments", "a{sv}")],
                    out: [Argument("serial", "t"), Argument("verdict", "s")]
                ) { message, context, _ in
                    Daemon.serve(message, context) { try $0.emitStep($1, on: $2) }
                },
                .init("GetAcceptedSteps", out: [Argument("steps", "as")]) { message, context, _ in
                    Daemon.serve(message, context) { try $0.getAcceptedSteps($1, of: $2) }
                },
            ])
    }
}

extension Daemon {
    fileprivate func emitStep(_ call: MessageReader, on node: NodeID) throws {
        let step = try readStep(call)
        let arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
        handle(
            .stepEmitted(nextRequest(), on: node, step: step, arguments: arguments, by: call.client), answering: call)
    }

    fileprivate func getAcceptedSteps(_ call: MessageReader, of node: NodeID) throws {
        try reply(to: call) { body in try body.append(coordinator.acceptedSteps(of: node)) }
    }
}
