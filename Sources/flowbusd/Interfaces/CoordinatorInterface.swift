import FlowCore
import FlowFile
import FlowWire
import Platform
import SdBus

/// `org.flowbus.Navigation1.Coordinator`: the interface of the root object.
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
                    Daemon.changeRoot(message, context) { try $0.coordinate($1) }
                },
                .init(
                    "Navigate",
                    in: [Argument("step", "s"), Argument("arguments", "a{sv}"), Argument("options", "a{sv}")],
                    out: [Argument("outcomes", "a(otsss)", qtType: "FlowBusFlowOutcomeList")]
                ) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.navigate($1) }
                },
                .init(
                    "NavigateAlong",
                    in: [
                        Argument("segments", "a(ssa{sv})", qtType: "FlowBusPathSegmentList"),
                        Argument("options", "a{sv}"),
                    ],
                    out: [Argument("outcomes", "a(otsss)", qtType: "FlowBusFlowOutcomeList")]
                ) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.navigateAlong($1) }
                },
                .init(
                    "RegisterFlow",
                    in: [
                        Argument("definition", "s"), Argument("navigator", "o"),
                        Argument("steps", "a{sa{ss}}", qtType: "FlowBusDeclarations"),
                        Argument("options", "a{sv}"),
                    ]
                ) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.registerFlow($1) }
                },
                .init("UnregisterFlow", in: [Argument("definition", "s")]) { message, context, _ in
                    Daemon.changeRoot(message, context) { daemon, call in
                        let name = String(cString: try call.readString())
                        daemon.handleRegistrations(
                            .flowUnregistered(daemon.nextRequest(), flow: name, by: call.client), answering: call)
                    }
                },
                .init("MoveRoot", in: [Argument("root", "o"), Argument("output", "s")]) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.moveRoot($1) }
                },
                .init("SetOutputs", in: [Argument("outputs", "as")]) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.setOutputs($1) }
                },
                .init(
                    "SetOutputsWithOptions", in: [Argument("outputs", "as"), Argument("options", "a{sv}")]
                ) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.setOutputs($1, hasOptions: true) }
                },
                .init("SetContext", in: [Argument("values", "a{sv}")]) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.setContext($1, of: nil) }
                },
                .init(
                    "GetStack", in: [Argument("output", "s")],
                    out: [Argument("screens", "a(ota{sv})", qtType: "FlowBusStackedScreenList")]
                ) {
                    message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.getStack($1) }
                },
                .init("Retry") { message, context, _ in
                    Daemon.changeRoot(message, context) { daemon, call in
                        daemon.handle(.pausesEnded(daemon.nextRequest()), answering: call)
                    }
                },
                .init("GetTimings", out: [Argument("timings", "a(ssuttttt)", qtType: "FlowBusTimingList")]) {
                    message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.getTimings($1) }
                },
                .init("GetTimers", out: [Argument("timers", "a(osst)", qtType: "FlowBusTimerList")]) {
                    message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.getTimers($1) }
                },
                .init(
                    "ListOwned", in: [Argument("owner", "s")],
                    out: [Argument("presentables", "a(ot)", qtType: "FlowBusOwnedPresentableList")]
                ) {
                    message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.listOwned($1) }
                },
                .init("Reload", out: [Argument("warnings", "as")]) { message, context, _ in
                    Daemon.changeRoot(message, context) { try $0.reload($1) }
                },
                .init("HandOver", in: [Argument("successor", "s")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.handOver($1) }
                },
                .init("GetDefinitions", out: [Argument("definitions", "s")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { daemon, call in
                        let text = try daemon.definitionsText.text(of: daemon.coordinator.definitions)
                        try daemon.reply(to: call, "s") { body in try body.append(text) }
                    }
                },
                .init("GetDefinitionNames", out: [Argument("names", "as")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { daemon, call in
                        let names = daemon.coordinator.definitions.flows.map(\.name)
                        try daemon.reply(to: call, "as") { body in try body.append(names) }
                    }
                },
                .init("GetSteps", out: [Argument("steps", "a{sa{ss}}", qtType: "FlowBusDeclarations")]) {
                    message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.getSteps($1) }
                },
                .init("GetSteppers", out: [Argument("steppers", "a(ssssa{sv})", qtType: "FlowBusStepperList")]) {
                    message, context, _ in
                    Daemon.serveRoot(message, context) { daemon, call in
                        try daemon.reply(to: call, "a(ssssa{sv})") { body in try daemon.appendSteppers(to: body) }
                    }
                },
                .init("GetSerial", out: [Argument("serial", "t")]) { message, context, _ in
                    Daemon.serveRoot(message, context) { daemon, call in
                        let serial = daemon.coordinator.serial
                        try daemon.reply(to: call, "t") { body in try body.append(serial) }
                    }
                },
            ],
            signals: [
                .init("DefinitionsChanged"),
                .init(
                    "StackChanged",
                    [Argument("output", "s"), Argument("screens", "a(ota{sv})", qtType: "FlowBusStackedScreenList")]),
            ],
            properties: [
                .init("Version", "s", .constant) { _, _, _, _, answer, _, _ in
                    Daemon.getConstant(answer) { try $0.append(Release.version as StaticString) }
                },
                .init("InterfaceVersion", "u", .constant) { _, _, _, _, answer, _, _ in
                    Daemon.getConstant(answer) { try $0.append(Release.interfaceVersion) }
                },
                .init("Context", "a{sv}", .emits) { _, _, _, _, answer, context, _ in
                    Daemon.getConstant(answer) { body in
                        try body.append(PropertyValue.arguments(Daemon.from(context)?.coordinator.context ?? []))
                    }
                },
                .init("Outputs", "as", .silent) { _, _, _, _, answer, context, _ in
                    Daemon.getConstant(answer) { body in
                        try body.append(Daemon.from(context)?.coordinator.outputs ?? [])
                    }
                },
                .init("Durable", "b", .emits) { _, _, _, _, answer, context, _ in
                    Daemon.getConstant(answer) { body in
                        try body.append(Daemon.from(context)?.persistence.isDurable ?? false)
                    }
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
        // An empty name stands for the definition's initial step.
        let named = try readOptionalStep(call)
        let step = named ?? definition.initial
        var request = FlowRequest(flow, by: call.client)
        request.step = named
        request.stepArguments = try ArgumentsReader.read(
            call, for: step.map { coordinator.definitions[$0].parameters } ?? [])
        let known = [
            ("id", "s"), ("flowArguments", "a{sv}"), ("token", "s"), ("output", "s"), ("inputTime", "t"),
            CallOptions.activationToken,
        ]
        try CallOptions.read(call, known: known) { option in
            switch option {
            case "activation-token": request.activationToken = try CallOptions.readActivationToken(call)
            case "id": request.id = String(cString: try call.readString())
            case "token": request.token = String(cString: try call.readString())
            case "inputTime": request.inputTime = try call.readUInt64()
            case "output": request.output = String(cString: try call.readString())
            default: request.arguments = try ArgumentsReader.read(call, for: definition.parameters)
            }
        }
        handle(.flowRequested(nextRequest(), request), answering: call)
    }

    fileprivate func navigate(_ call: MessageReader) throws {
        let step = try readStep(call)
        let arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
        var (token, waits): (String?, Bool) = (nil, true)
        try CallOptions.read(call, known: [("wait", "b"), CallOptions.activationToken]) { option in
            if option == "wait" {
                waits = try call.readBool()
            } else {
                token = try CallOptions.readActivationToken(call)
            }
        }
        handle(
            .deepLinkOpened(
                nextRequest(), step: step, arguments: arguments, by: call.client, activationToken: token, waits: waits),
            answering: call)
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
            // The name is stored while the path waits.
            guard segment.flow.utf8.count <= Limits.nameLength else {
                throw FlowError(
                    .invalidArguments,
                    "segment \(segments.count + 1): '\(Names.escaped(segment.flow))' can't be the name of a flow: "
                        + Names.presentableNameRule)
            }
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
        var timeout = Limits.pathTimeout
        var (root, token): (String?, String?)
        var blocks = true
        let known = [("timeout", "t"), ("root", "o"), ("blocks", "b"), ("keys", "aa{sv}"), CallOptions.activationToken]
        try CallOptions.read(call, known: known) { option in
            switch option {
            case "keys": try readKeys(call, of: &segments)
            case "blocks": blocks = try call.readBool()
            case "root": root = String(cString: try call.readObjectPath())
            case "activation-token": token = try CallOptions.readActivationToken(call)
            default: timeout = try call.readUInt64()
            }
        }
        let above = root.flatMap { coordinator.node(at: $0) }.flatMap { coordinator.isRoot($0) ? $0 : nil }
        if let root, above == nil {
            return try refuseObject(
                of: call,
                text: "'\(root)', the option 'root', is not the path of a live root")
        }
        handle(
            .pathOpened(
                nextRequest(), segments, by: call.client, timeout: timeout, below: above, activationToken: token,
                blocks: blocks),
            answering: call)
    }

    /// Reads the values of the keys of a path's segments, in their order (S-51).
    private func readKeys(_ call: MessageReader, of segments: inout [PathSegment]) throws {
        var place = 0
        _ = try call.enterContainer(.array, "a{sv}")
        while try call.peekType() != nil {
            guard place < segments.count else {
                throw FlowError(
                    .invalidArguments,
                    "the option 'keys' has values for more than the \(segments.count) segments of the path")
            }
            let flow = coordinator.definitions.flow(named: segments[place].flow)
            segments[place].key = try ArgumentsReader.read(
                call, for: flow.map { coordinator.definitions[$0].parameters } ?? [])
            place += 1
        }
        try call.exitContainer()
    }

    fileprivate func reload(_ call: MessageReader) throws {
        try checkPrivileged(call, "reload")
        let warnings = try reload(by: call.client)
        try reply(to: call, "as") { body in try body.append(warnings) }
    }

    /// For root and the service's own user alone. On the system bus the policy file has the same rule; but a bus can have
    /// another policy.
    func checkPrivileged(_ call: MessageReader, _ what: String) throws {
        let user = try bus.userID(ofSenderOf: call)
        guard user == 0 || user == CurrentProcess.effectiveUserID else {
            throw FlowError(
                .accessDenied,
                "user '\(user)' may not \(what): that is for root and for user '\(CurrentProcess.effectiveUserID)'")
        }
    }

    fileprivate func registerFlow(_ call: MessageReader) throws {
        try checkPrivileged(call, "register a flow")
        let flow = String(cString: try call.readString())
        guard Names.isPresentableName(flow) else {
            throw FlowError(
                .invalidName, "'\(Names.escaped(flow))' can't be the name of a flow: \(Names.presentableNameRule)")
        }
        let path = try RegistrationReader.path(
            String(cString: try call.readObjectPath()), of: "navigator")
        let steps = try RegistrationReader.steps(call)
        var name: String?
        var (hasGuard, children, timeout) = (false, Children.free, Limits.guardTimeout)
        var whenEmpty: WhenEmpty?
        var initial: String?
        var (screens, presenter): ([ScreenDeclaration], String?) = ([], nil)
        var result: [Parameter]?
        let known = [
            ("name", "s"), ("guard", "b"), ("children", "s"), ("initial", "s"), ("timeout", "t"),
            ("screens", "a{sa{sv}}"), ("presenter", "o"), ("whenEmpty", "s"), ("result", "a{ss}"),
        ]
        try CallOptions.read(call, known: known) { option in
            switch option {
            case "screens": screens = try RegistrationReader.screens(call)
            case "presenter":
                presenter = try RegistrationReader.path(String(cString: try call.readObjectPath()), of: "presenter")
            case "name": name = String(cString: try call.readString())
            case "guard": hasGuard = try call.readBool()
            case "children": children = try RegistrationReader.children(String(cString: try call.readString()))
            case "whenEmpty": whenEmpty = try RegistrationReader.whenEmpty(String(cString: try call.readString()))
            case "initial": initial = String(cString: try call.readString())
            case "result": result = try RegistrationReader.result(call, of: flow)
            default: timeout = try RegistrationReader.time(try call.readUInt64(), option: "timeout")
            }
        }
        if let name { try checkOwned(name, by: call.client) }
        let isActivatable = try name.map { name in try bus.activatableNames().contains(name) } ?? false
        let service = FlowCore.Service(name ?? call.client.name, path: path, timeout: timeout)
        var registration = Registration(
            flow, at: service, steps: steps, hasGuard: hasGuard, children: children, whenEmpty: whenEmpty,
            initial: initial, by: call.client, isActivatable: isActivatable)
        registration.result = result
        registration.bring(screens, presentedAt: presenter)
        handleRegistrations(.flowRegistered(nextRequest(), registration), answering: call)
    }

    private func checkOwned(_ name: String, by client: Client) throws {
        if let problem = BusName.problem(of: name) { throw FlowError(.invalidArguments, problem) }
        guard try bus.uniqueName(ofOwnerOf: name) == client.name else {
            throw FlowError(
                .invalidArguments, "'\(name)' is not yours; the caller has to own the bus name that it gives")
        }
    }

    fileprivate func moveRoot(_ call: MessageReader) throws {
        let path = String(cString: try call.readObjectPath())
        let output = String(cString: try call.readString())
        guard let root = coordinator.node(at: path) else {
            return try refuseObject(
                of: call, text: "no flow or screen is live at '\(Names.escaped(path))'")
        }
        handle(.rootMoved(nextRequest(), root, to: output, by: call.client), answering: call)
    }

    fileprivate func setOutputs(_ call: MessageReader, hasOptions: Bool = false) throws {
        var outputs: [String] = []
        _ = try call.enterContainer(.array, "s")
        while try call.peekType() != nil {
            let name = String(cString: try call.readString())
            // What is beyond the limit is not kept.
            if outputs.count <= Limits.outputs { outputs.append(name) }
        }
        try call.exitContainer()
        var sizes: [OutputSize] = []
        if hasOptions {
            try CallOptions.read(call, known: [("sizes", "a{s(uu)}")]) { _ in sizes = try readSizes(call) }
        }
        handle(.outputsSet(nextRequest(), outputs, by: call.client, sizes: sizes), answering: call)
    }

    private func readSizes(_ call: MessageReader) throws -> [OutputSize] {
        var sizes: [OutputSize] = []
        _ = try call.enterContainer(.array, "{s(uu)}")
        while try call.enterContainer(.dictEntry, "s(uu)") {
            let output = String(cString: try call.readString())
            _ = try call.enterContainer(.structure, "uu")
            let size = OutputSize(output, width: try call.readUInt32(), height: try call.readUInt32())
            if sizes.count <= Limits.outputs { sizes.append(size) }
            try call.exitContainer()
            try call.exitContainer()
        }
        try call.exitContainer()
        return sizes
    }

    /// Sets values of the context: those that a flow sees, or with nil those of the coordinator.
    func setContext(_ call: MessageReader, of flow: NodeID?) throws {
        let values = try ArgumentsReader.readContext(call)
        handle(.contextSet(nextRequest(), values, of: flow, by: call.client), answering: call)
    }

    fileprivate func getStack(_ call: MessageReader) throws {
        let screens = try coordinator.stack(on: String(cString: try call.readString()))
        try reply(to: call, "a(ota{sv})") { body in try body.append(screens) }
    }

    fileprivate func getTimings(_ call: MessageReader) throws {
        let timings = coordinator.timings
        try reply(to: call, "a(ssuttttt)") { body in
            try body.openContainer(.array, "(ssuttttt)")
            for timing in timings {
                try body.openContainer(.structure, "ssuttttt")
                try body.append(timing.screen)
                try body.append(timing.start.rawValue)
                try body.append(UInt32(clamping: timing.count))
                for time in [timing.p50, timing.p90, timing.p99, timing.max, timing.last] { try body.append(time) }
                try body.closeContainer()
            }
            try body.closeContainer()
        }
    }

    fileprivate func getTimers(_ call: MessageReader) throws {
        let timers = coordinator.runningTimers(at: Instant(microseconds: loop.now))
        try reply(to: call, "a(osst)") { body in
            try body.openContainer(.array, "(osst)")
            for timer in timers {
                try body.openContainer(.structure, "osst")
                try body.append(path: timer.flow)
                try body.append(timer.kind.rawValue)
                try body.append(timer.step)
                try body.append(timer.left)
                try body.closeContainer()
            }
            try body.closeContainer()
        }
    }

    fileprivate func listOwned(_ call: MessageReader) throws {
        let text = String(cString: try call.readString())
        guard text.isEmpty || text.hasPrefix(":") else {
            throw FlowError(
                .invalidArguments,
                "'\(Names.escaped(text))' owns nothing by that name; it has to be a unique name, such as ':1.42', or empty "
                    + "for the caller's own")
        }
        let owned = coordinator.presentables(ownedBy: text.isEmpty ? call.client : Client(text))
        try reply(to: call, "a(ot)") { body in
            try body.openContainer(.array, "(ot)")
            for presentable in owned {
                try body.openContainer(.structure, "ot")
                try body.append(path: presentable.path)
                try body.append(presentable.instance)
                try body.closeContainer()
            }
            try body.closeContainer()
        }
    }

    fileprivate func getSteps(_ call: MessageReader) throws {
        try reply(to: call, "a{sa{ss}}") { body in try body.append(coordinator.definitions.steps) }
    }
}
