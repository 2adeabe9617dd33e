import FlowCore
import FlowWire
import SdBus

/// `org.flowbus.Navigation1.Presentable`: the interface of flows and screens.
enum PresentableInterface {
    private typealias Argument = InterfaceDescription.Argument

    static var description: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.presentable,
            methods: [
                .init("SetVisible", in: [Argument("visible", "b")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let isVisible = try call.readBool()
                        daemon.handle(
                            .visibilityChanged(
                                daemon.nextRequest(), of: node, isVisible: isVisible, by: call.client),
                            answering: call)
                    }
                },
                .init("Touch") { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        daemon.handle(
                            .presentableTouched(daemon.nextRequest(), node, by: call.client), answering: call)
                    }
                },
                .init("SetBackStep", in: [Argument("step", "s")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        // On a flow it fails whatever the step is.
                        let step = daemon.coordinator.isFlow(node) ? nil : try daemon.readOptionalStep(call)
                        daemon.handle(
                            .backStepSet(daemon.nextRequest(), of: node, step, by: call.client), answering: call)
                    }
                },
                .init("SetTitle", in: [Argument("title", "s")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let title = String(cString: try call.readString())
                        daemon.handle(
                            .titleSet(daemon.nextRequest(), of: node, title, by: call.client), answering: call)
                    }
                },
                .init("SaveState", in: [Argument("state", "a{sv}")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let state = try ArgumentsReader.readState(call)
                        daemon.handle(
                            .stateSaved(daemon.nextRequest(), of: node, state, by: call.client), answering: call)
                    }
                },
                .init("Finish", in: [Argument("result", "a{sv}")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let result = try ArgumentsReader.readResult(call)
                        daemon.handle(
                            .screenFinished(daemon.nextRequest(), of: node, result, by: call.client), answering: call)
                    }
                },
                .init("AcknowledgeAnswer", in: [Argument("token", "s")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let token = String(cString: try call.readString())
                        daemon.handle(
                            .answerAcknowledged(daemon.nextRequest(), of: node, token: token, by: call.client),
                            answering: call)
                    }
                },
                .init("Dismiss") { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        daemon.handle(
                            .presentableDismissed(daemon.nextRequest(), node, by: call.client), answering: call)
                    }
                },
                .init("Claim") { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        daemon.handle(
                            .presentableClaimed(daemon.nextRequest(), node, by: call.client), answering: call)
                    }
                },
                .init("Release") { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        daemon.handle(
                            .presentableReleased(daemon.nextRequest(), node, by: call.client), answering: call)
                    }
                },
            ],
            properties: .described(for: .presentable))
    }
}
