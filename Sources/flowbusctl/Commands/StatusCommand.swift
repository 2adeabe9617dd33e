import ArgumentParser
import FlowCore
import FlowTrace
import FlowWire
import Platform
import SdBus

/// `status`
struct StatusCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the service is running, and its state.",
        discussion: """
            The state is its version and process, the number of live flows and screens and of defined flows, the latest serial, and \
            whether a restart would restore the tree; and the [[steppers]], whether each is connected, and the last value of its \
            property; and the back end of the stacker, where one runs. This command never starts the service.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let client = try context.connect()
        let owner = client.owner()
        guard owner != nil || context.options.replay != nil else {
            if context.output.isJSON { try context.output.line(.object([("running", .bool(false))])) }
            throw client.noService()
        }
        let properties = try client.properties(ServiceClient.root, BusNames.Interface.coordinator, activates: false)
        let nodes = try client.liveNodes(activates: false)
        let serial = try ask(client, "GetSerial").first?.number ?? 0
        let definitions = try ask(client, "GetDefinitionNames").first?.elements.count ?? 0
        let status = Status(
            owner: owner, recorded: client.recording?.time, since: owner?.processID.flatMap(Processes.startTime),
            version: properties["Version"]?.text ?? "", interfaceVersion: properties["InterfaceVersion"]?.number ?? 0,
            isDurable: properties["Durable"]?.truth, flows: nodes.count(where: \.isFlow),
            screens: nodes.count { !$0.isFlow }, definitions: definitions, serial: serial,
            bus: context.options.busName,
            steppers: try ask(client, "GetSteppers").first?.elements.map(StepperStatus.init) ?? [],
            stacker: client.stacker())
        if context.output.isJSON {
            try context.output.line(status.json)
        } else {
            for line in status.lines(context.output) { try context.output.line(line) }
        }
        return .success
    }

    private func ask(_ client: ServiceClient, _ member: String) throws(Failure) -> [Value] {
        try client.call(ServiceClient.root, BusNames.Interface.coordinator, member, activates: false)
    }
}

/// The output of `status`.
private struct Status {
    /// Nil if a recording is shown, of which there is the time.
    let owner: Bus.Owner?
    let recorded: UInt64?
    let since: UInt64?
    let version: String
    let interfaceVersion: UInt64
    let isDurable: Bool?
    let flows: Int
    let screens: Int
    let definitions: Int
    let serial: UInt64
    let bus: String
    let steppers: [StepperStatus]
    let stacker: Stacker?

    func lines(_ output: Output) -> [String] {
        let name = "flowbusd \(Names.line(version))"
        var lines: [String] = []
        if let owner {
            lines.append(output.paint("running", .green) + ": \(name), \(owner.description) on \(bus)")
        } else if let recorded {
            lines.append(output.paint("recorded", .yellow) + ": \(name), at \(LocalTime(recorded).text)")
        }
        if let since { lines.append("since:       \(LocalTime(since).text)") }
        lines += [
            "interface:   version \(interfaceVersion)",
            "live:        \(counted(flows, "flow")), \(counted(screens, "screen"))",
            "definitions: \(counted(definitions, "flow"))",
            "serial:      \(serial)",
        ]
        if let isDurable {
            lines.append(
                "durable:     "
                    + (isDurable
                        ? "yes" : output.paint("no", .yellow) + "; a restart may lose changes of the tree"))
        }
        for (place, stepper) in steppers.enumerated() {
            lines.append((place == 0 ? "steppers:    " : "             ") + stepper.line(output))
        }
        if let stacker { lines.append("stacker:     " + Names.line(stacker.text)) }
        return lines
    }

    var json: JSON {
        var members: [(String, JSON)] = [
            ("running", owner == nil ? .null : .bool(true)), ("bus", .string(bus)),
            ("owner", owner.map { .string($0.uniqueName) } ?? .null),
            ("pid", owner?.processID.map { .number(Int128($0)) } ?? .null),
            ("since", since.map { .number(Int128($0)) } ?? .null), ("version", .string(version)),
            ("interfaceVersion", .number(Int128(interfaceVersion))), ("flows", .number(Int128(flows))),
            ("screens", .number(Int128(screens))), ("definitions", .number(Int128(definitions))),
            ("serial", .number(Int128(serial))), ("durable", isDurable.map(JSON.bool) ?? .null),
            ("steppers", .array(steppers.map(\.json))),
        ]
        if let stacker { members.append(("stacker", stacker.json)) }
        if owner == nil, let recorded { members.append(("recorded", .number(Int128(recorded)))) }
        return .object(members)
    }
}

/// The program that stacks windows, by its properties.
struct Stacker {
    let backend: String
    let version: String
    let can: String
    let status: String

    init(_ properties: Value) {
        func text(_ name: String) -> String { properties[name]?.text ?? "" }
        (backend, version, can, status) = (text("Backend"), text("Version"), text("Can"), text("Status"))
    }

    var text: String {
        let name = [backend, version].filter { !$0.isEmpty }.joined(separator: " ")
        // What it can is its status, too, as long as nothing is wrong.
        let parts = [
            name.isEmpty || can.isEmpty ? name : "\(name): \(can)", status == "\(backend): \(can)" ? "" : status,
        ]
        let text = parts.filter { !$0.isEmpty }.joined(separator: "; ")
        return text.isEmpty ? "does not answer" : text
    }

    var json: JSON {
        .object([
            ("backend", .string(backend)), ("version", .string(version)), ("can", .string(can)),
            ("status", .string(status)),
        ])
    }
}

/// A property or a signal of another service that emits steps.
private struct StepperStatus {
    let flow: String
    let step: String
    let name: String
    let member: String
    let details: Value

    init(_ entry: Value) {
        let fields = entry.elements
        func text(_ place: Int) -> String { fields.indices.contains(place) ? fields[place].text ?? "" : "" }
        (flow, step, name, member) = (text(0), text(1), text(2), text(3))
        details = fields.last ?? .bool(false)
    }

    func line(_ output: Output) -> String {
        let state = details["state"]?.text ?? ""
        let painted = output.paint(state, state == "connected" ? .green : .yellow)
        let more = details["value"]?.commandLineText ?? details["reason"]?.text
        let bus = details["bus"]?.text.map { ", \($0) bus" } ?? ""
        return "\(step) on \(flow): \(painted)\(more.map { ", " + Names.line($0) } ?? "") (\(Names.line(member))\(bus))"
    }

    var json: JSON {
        .object(
            [
                ("flow", .string(flow)), ("step", .string(step)), ("name", .string(name)), ("member", .string(member)),
            ] + details.entries.map { ($0.name, JSON($0.value)) })
    }
}

/// Returns a number with a noun: `1 flow`, `2 flows`.
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
