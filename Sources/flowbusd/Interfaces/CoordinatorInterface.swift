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
        try readOptions(call) { option, type in
            switch (option, type) {
            case ("id", "s"): wish.id = String(cString: try call.readString())
            case ("flow-arguments", "a{sv}"):
                wish.arguments = try ArgumentsReader.read(call, for: definition.parameters)
            default: throw Self.wrongOption(option, type, known: [("id", "s"), ("flow-arguments", "a{sv}")])
            }
        }
        handle(.flowRequested(nextRequest(), wish), answering: call)
    }

    fileprivate func navigate(_ call: MessageReader) throws {
        let step = try readStep(call)
        let arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
        try readOptions(call) { option, type in throw Self.wrongOption(option, type, known: []) }
        handle(.deepLinkOpened(nextRequest(), step: step, arguments: arguments, by: call.client), answering: call)
    }

    /// On the system bus for root and the service's own user alone. The policy file says so, too; but a bus can have
    /// another.
    fileprivate func reload(_ call: MessageReader) throws {
        if isSystemBus {
            let user = try call.senderUserID()
            guard user == 0 || user == MessageReader.ownUserID else {
                try call.replyError(
                    name: BusNames.accessDenied,
                    text: "user '\(user)' may not reload: that is for root and for user '\(MessageReader.ownUserID)'")
                return
            }
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

    /// Reads an `a{sv}` of options: the body gets the name and type of each, and reads its value or refuses it.
    private func readOptions(_ call: MessageReader, _ body: (_ option: String, _ type: String) throws -> Void) throws {
        guard try call.enterContainer(.array, "{sv}") else { return }
        while try call.enterContainer(.dictEntry, "sv") {
            let option = String(cString: try call.readString())
            let type = try call.peekType()?.contents.map { String(cString: $0) } ?? ""
            _ = try call.enterContainer(.variant, type)
            try body(option, type)
            try call.exitContainer()
            try call.exitContainer()
        }
        try call.exitContainer()
    }

    /// The refusal of an option that is not known, or not of its type.
    private static func wrongOption(
        _ option: String, _ type: String, known: [(name: String, type: String)]
    ) -> FlowError {
        if let (name, wanted) = known.first(where: { $0.name == option }) {
            return FlowError(
                .invalidArguments,
                "the option '\(name)' is of D-Bus type '\(type)'; it has to be of type '\(wanted)'")
        }
        let names = known.map { "'\($0.name)'" }.joined(separator: " and ")
        return FlowError(
            .invalidArguments,
            "there is no option '\(Names.shown(option))'; "
                + (known.isEmpty ? "none is known" : "known are \(names)")
                + Names.suggestion(for: option, among: known.map(\.name)))
    }
}
