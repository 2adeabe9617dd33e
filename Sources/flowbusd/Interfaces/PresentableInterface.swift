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
                .init("SetVisibleWithOptions", in: [Argument("visible", "b"), Argument("options", "a{sv}")]) {
                    message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let isVisible = try call.readBool()
                        let report = try daemon.readReport(call)
                        daemon.handle(
                            .visibilityChanged(
                                daemon.nextRequest(), of: node, isVisible: isVisible, by: call.client, report),
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
                .init("DismissWithOptions", in: [Argument("options", "a{sv}")]) { message, context, _ in
                    Daemon.change(message, context) { try $0.dismissWithOptions($1, on: $2) }
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
            signals: [
                .init("SightChanged", [Argument("inSight", "b")]),
                .init("ContextChanged", [Argument("values", "a{sv}")]),
            ],
            properties: .described(for: .presentable))
    }
}

extension Daemon {
    /// Reads what a program says of its screen, an `a{sv}`.
    ///
    /// - Parameter more: options that are known beside those of `SetVisibleWithOptions`.
    func readReport(_ message: MessageReader, more: [CallOptions.Option] = []) throws -> ScreenReport {
        var report = ScreenReport()
        try CallOptions.read(message, known: more + [("title", "s"), ("backStep", "s"), ("tellSight", "b")]) { option in
            switch option {
            case "visible": report.isVisible = try message.readBool()
            case "tellSight": report.wantsSight = try message.readBool()
            case "title": report.title = String(cString: try message.readString())
            default: report.backStep = try readOptionalStep(message).map { coordinator.definitions[$0].name } ?? ""
            }
        }
        try coordinator.check(report)
        return report
    }

    fileprivate func dismissWithOptions(_ call: MessageReader, on node: NodeID) throws {
        let fault = try Self.readFault(call)
        handle(.presentableDismissed(nextRequest(), node, by: call.client, fault: fault), answering: call)
    }

    /// Reads what failed, as its owner says; nil if nothing did.
    private static func readFault(_ call: MessageReader) throws -> Fault? {
        var (error, message): (String?, String?)
        try CallOptions.read(call, known: [("error", "s"), ("message", "s")]) { option in
            let text = String(cString: try call.readString())
            if option == "error" { error = text } else { message = text }
        }
        guard let error else {
            if message == nil { return nil }
            throw FlowError(.invalidArguments, "the option 'message' is the text of an 'error', which is missing")
        }
        guard Names.isInterface(error) else {
            throw FlowError(
                .invalidArguments,
                "'\(Names.escaped(error))' can't be the name of an error: names such as 'com.example.Pay.Error.Declined' can"
            )
        }
        return Fault(error, message ?? "")
    }
}
