import FlowCore
import SdBus

/// `org.flowbus.Navigation1.Coordinator`: what stands above all flows.
enum CoordinatorInterface {
    private typealias Argument = InterfaceDescription.Argument

    static var description: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.coordinator,
            methods: [
                .init(
                    "Coordinate",
                    in: [
                        Argument("definition", "s"), Argument("step", "s"), Argument("arguments", "a{sv}"),
                        Argument("options", "a{sv}"),
                    ],
                    out: [Argument("flow", "o")]
                ) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.coordinate($1) }
                },
                .init(
                    "Navigate",
                    in: [Argument("step", "s"), Argument("arguments", "a{sv}"), Argument("options", "a{sv}")],
                    out: [Argument("verdicts", "a(os)")]
                ) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.navigate($1) }
                },
                .init(
                    "NavigateAlong",
                    in: [Argument("path", "a(ssa{sv})"), Argument("options", "a{sv}")],
                    out: [Argument("verdicts", "a(os)")]
                ) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.navigateAlong($1) }
                },
                .init("Reload", out: [Argument("warnings", "as")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.reload($1) }
                },
                .init("GetDefinitions", out: [Argument("definitions", "as")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { daemon, call in
                        let names = daemon.coordinator.definitions.flows.map(\.name)
                        try daemon.reply(to: call) { body in try body.append(names) }
                    }
                },
                .init("GetSteps", out: [Argument("steps", "a{sa{ss}}")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.getSteps($1) }
                },
                .init("GetSerial", out: [Argument("serial", "t")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { daemon, call in
                        let serial = daemon.coordinator.serial
                        try daemon.reply(to: call) { body in try body.append(serial) }
                    }
                },
            ],
            signals: [.init("DefinitionsChanged")],
            properties: [
                .init("Version", "s", .constant) { _, _, _, _, answer, _, _ in
                    Daemon.getConstant(answer) { try $0.append(Release.version.cString) }
                },
                .init("InterfaceVersion", "u", .constant) { _, _, _, _, answer, _, _ in
                    Daemon.getConstant(answer) { try $0.append(Release.interfaceVersion) }
                },
            ])
    }
}

extension Daemon {
    fileprivate func coordinate(_ call: MessageReader) throws {
        let name = String(cString: try call.readString())
        guard let flow = coordinator.definitions.flow(named: name) else {
            throw coordinator.definitions.unknownFlow(name)
        }
        let definition = coordinator.definitions[flow]
        // An empty step is the definition's initial one.
        let named = try readOptionalStep(call)
        let step = named ?? definition.initial
        var wish = FlowRequest(flow, by: call.client)
        wish.step = named
        wish.stepArguments = try ArgumentsReader.read(
            call, for: step.map { coordinator.definitions[$0].parameters } ?? [])
        try CallOptions.read(call, known: [("id", "s"), ("flow-arguments", "a{sv}"), ("token", "s")]) { option in
            switch option {
            case "id": wish.id = String(cString: try call.readString())
            case "token": wish.token = String(cString: try call.readString())
            default: wish.arguments = try ArgumentsReader.read(call, for: definition.parameters)
            }
        }
        handle(.flowRequested(nextRequest(), wish), answering: call)
    }

    fileprivate func navigate(_ call: MessageReader) throws {
        let step = try readStep(call)
        let arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
        try CallOptions.read(call, known: []) { _ in }
        handle(.deepLinkOpened(nextRequest(), step: step, arguments: arguments, by: call.client), answering: call)
    }

    fileprivate func navigateAlong(_ call: MessageReader) throws {
        var segments: [PathSegment] = []
        _ = try call.enterContainer(.array, "(ssa{sv})")
        while try call.enterContainer(.structure, "ssa{sv}") {
            guard segments.count < Limits.waitingStepsPerFlow else {
                throw FlowError(
                    .limitExceeded, "a path of more than \(Limits.waitingStepsPerFlow) segments; that is the limit")
            }
            var segment = PathSegment(flow: String(cString: try call.readString()))
            segment.step = try readOptionalStep(call)
            segment.arguments = try ArgumentsReader.read(
                call, for: segment.step.map { coordinator.definitions[$0].parameters } ?? [])
            if segment.step == nil, let argument = segment.arguments.first {
                throw FlowError(
                    .invalidArguments,
                    "segment \(segments.count + 1) has no step that could take the argument '\(argument.name)'")
            }
            segments.append(segment)
            try call.exitContainer()
        }
        try call.exitContainer()
        // How long to wait for flows to be ready. None has to be waited for yet, so it is over before the time can be.
        try CallOptions.read(call, known: [("timeout", "t")]) { _ in _ = try call.readUInt64() }
        handle(.pathOpened(nextRequest(), segments, by: call.client), answering: call)
    }

    /// For root and the service's own user alone. On the system bus the policy file says so, too; but a bus can have
    /// another.
    fileprivate func reload(_ call: MessageReader) throws {
        let user = try call.senderUserID()
        guard user == 0 || user == MessageReader.ownUserID else {
            throw FlowError(
                .accessDenied,
                "user '\(user)' may not reload: that is for root and for user '\(MessageReader.ownUserID)'")
        }
        let warnings = try reload()
        try reply(to: call) { body in try body.append(warnings) }
    }

    fileprivate func getSteps(_ call: MessageReader) throws {
        try reply(to: call) { body in
            try body.openContainer(.array, "{sa{ss}}")
            for step in coordinator.definitions.steps {
                try body.openContainer(.dictEntry, "sa{ss}")
                try body.append(step.name)
                try body.openContainer(.array, "{ss}")
                for parameter in step.parameters {
                    try body.openContainer(.dictEntry, "ss")
                    try body.append(parameter.name)
                    try body.append(parameter.type.signature + (parameter.isOptional ? "?" : ""))
                    try body.closeContainer()
                }
                try body.closeContainer()
                try body.closeContainer()
            }
            try body.closeContainer()
        }
    }
}
