import FlowCore
import FlowWire
import SdBus

/// `org.flowbus.Navigation1.Presentable`: what can be shown.
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
            properties: [
                .init("Name", "s", .constant) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.name(of: $2)) }
                },
                .init("Style", "s", .constant) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.style(of: $2)) }
                },
                .init("ParentFlow", "o", .constant) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append(path: $0.coordinator.parentPath(of: $2)) }
                },
                .init("Instance", "t", .constant) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($2.instance) }
                },
                .init("Arguments", "a{sv}", .emits) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.arguments(of: $2)) }
                },
                .init("Visible", "b", .emits) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.isVisible($2)) }
                },
                .init("Presented", "b", .emits) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.isPresented($2)) }
                },
                .init("Presenter", "s", .constant) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.presenterName(of: $2)) }
                },
                .init("Owner", "s", .emits) { _, _, _, _, answer, context, _ in
                    Daemon.get(answer, context) { try $1.append($0.coordinator.owner(of: $2)?.name ?? "") }
                },
            ])
    }
}
