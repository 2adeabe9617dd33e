import FlowCore
import FlowWire
import SdBus

/// `org.flowbus.Navigation1.Flow`: the interface of flows.
enum FlowInterface {
    private typealias Argument = InterfaceDescription.Argument

    static var description: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.flow,
            methods: [
                .init("Back", out: [Argument("serial", "t"), Argument("verdict", "s")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let options = daemon.calledPath(call).map { BackOptions(calledAt: $0) }
                        daemon.handle(
                            .backPressed(daemon.nextRequest(), on: node, by: call.client, options: options),
                            answering: call)
                    }
                },
                .init("WaitReady") { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        daemon.handle(
                            .readinessAwaited(daemon.nextRequest(), of: node, by: call.client), answering: call)
                    }
                },
                .init("SetContext", in: [Argument("values", "a{sv}")]) { message, context, _ in
                    Daemon.change(message, context) { try $0.setContext($1, of: $2) }
                },
                .init(
                    "GetLastNavigation",
                    out: [Argument("serial", "t"), Argument("step", "s"), Argument("arguments", "a{sv}")]
                ) { message, context, _ in
                    Daemon.serve(message, context) { try $0.getLastNavigation($1, of: $2) }
                },
            ],
            signals: [
                .init(
                    "NavigationOccurred",
                    [
                        Argument("serial", "t"), Argument("cause", "t"), Argument("sender", "s"), Argument("step", "s"),
                        Argument("arguments", "a{sv}"),
                        Argument("contributors", "a(ssoa{sv})", qtType: "FlowBusAppliedContributorList"),
                        Argument("details", "a{sv}"),
                    ]),
                .init(
                    "NavigationWillOccur",
                    [Argument("step", "s"), Argument("arguments", "a{sv}"), Argument("details", "a{sv}")]),
                .init(
                    "NavigationFailed",
                    [
                        Argument("cause", "t"), Argument("sender", "s"), Argument("step", "s"),
                        Argument("verdict", "s"),
                        Argument("errorName", "s"), Argument("errorMessage", "s"),
                    ]),
                .init("BackChanged", [Argument("kind", "s"), Argument("details", "a{sv}")]),
            ],
            properties: .described(for: .flow))
    }
}

extension Daemon {
    fileprivate func getLastNavigation(_ call: MessageReader, of node: NodeID) throws {
        let last = coordinator.lastNavigation(of: node)
        try reply(to: call, "tsa{sv}") { body in
            try body.append(last?.serial ?? 0)
            try body.append(last?.step ?? "")
            try body.append(last?.arguments ?? [])
        }
    }
}
