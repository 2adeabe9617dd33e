import FlowCore
import FlowFile
import FlowWire
import Platform
import SdBus

/// Looks at a device from the outside, as far as it answers: each part that is not there is a finding, and the others are looked at
/// all the same. It waits nowhere for longer than ``limit``, and starts nothing.
struct Examination {
    /// How long each call may take, in µs.
    static let limit: UInt64 = 2_000_000
    /// With less space than this, in bytes, a disk counts as full: a history of a busy day would not fit.
    static let leastSpace: UInt64 = 16 * 1024 * 1024

    let options: Options
    let folders: [String]
    let showsTexts: Bool
    let environment = Environment.all
    /// Whether the bus has a service manager, which starts flowbusd and the stacker again.
    private var hasUnits = false
    var findings: [Finding] = []

    init(_ options: Options, folders: [String], showsTexts: Bool) {
        (self.options, self.folders, self.showsTexts) = (options, folders, showsTexts)
    }

    mutating func all() -> [Finding] {
        findings = []
        let client: ServiceClient?
        do throws(Failure) {
            client = try ServiceClient(options, within: Self.limit)
        } catch {
            client = nil
            add(.bus, .wrong, error.message, advice: busAdvice)
        }
        let units = client.map { Units($0, options) }
        hasUnits = units?.version != nil
        let service = client.flatMap { examine($0) }
        let files = checkDefinitions(service)
        if let units { examine(units, files?.programs ?? [], client) }
        examineRights(service, units)
        if let client, let service, service.version != nil { examineScreens(client, service) }
        let stacker = client?.stacker()
        if client != nil { examineCompositor(stacker) }
        examineDisk(service)
        let versions = Finding(.versions, .ok, versions(client, service, units, stacker))
        return [versions] + findings
    }

    // MARK: Findings

    mutating func add(
        _ area: Finding.Area, _ state: Finding.State, _ message: String, advice: String? = nil, said: [String] = []
    ) {
        findings.append(
            Finding(
                area, state, withoutHome(message), advice: advice.map(withoutHome),
                said: said.map(withoutHome)))
    }

    /// The text with `~` in place of the home directory, which has the user's name in it.
    func withoutHome(_ text: String) -> String {
        guard let home = environment["HOME"], home.count > 1, home.hasPrefix("/") else { return text }
        return text.replacing(home, with: "~")
    }

    var isOfUser: Bool { options.bus != .system }
    var systemctl: String { isOfUser ? "systemctl --user" : "systemctl" }
    var journalctl: String { isOfUser ? "journalctl --user" : "journalctl" }

    private var busAdvice: String {
        if options.address != nil { return "is that bus still there? Without --address it is the session bus" }
        return isOfUser
            ? "log in by a session that has a bus (dbus-user-session), or set XDG_RUNTIME_DIR to that of the user of the device"
            : "'systemctl status dbus' says why the system has no bus"
    }

    // MARK: Versions, the bus, the service

    /// flowbusd, as it answers; if it does not, what is seen of its process.
    struct Running {
        /// Nil if it does not answer.
        let version: String?
        let processID: Int32?
        let nodes: [LiveNode]
        /// The options that name folders, by their names; those that can be repeated have several.
        var named: [String: [String]] = [:]
        /// Its environment, where it can be seen; else that of this process.
        var environment: [String: String]
    }

    mutating func examine(_ client: ServiceClient) -> Running? {
        add(.bus, .ok, "\(options.busName) answers")
        guard let owner = client.owner() else {
            let start =
                hasUnits
                ? "'\(systemctl) start flowbusd' starts it; if it ends, '\(journalctl) -u flowbusd -n 20' says why"
                : "'flowbusctl flows' has the bus start it; if it ends, the log of the bus says why"
            let isKnown = (try? client.bus.activatableNames())?.contains("\(BusNames.service)") ?? false
            add(
                .service, .wrong,
                "flowbusd does not run, and the bus \(isKnown ? "would start it for a call" : "can't start it")",
                advice: isKnown
                    ? start
                    : "install flowbusd for this bus, and log in again, or have the bus read its files: 'busctl \(isOfUser ? "--user" : "--system") "
                        + "call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig'")
            return nil
        }
        let process = owner.processID
        func running(_ version: String?, _ nodes: [LiveNode]) -> Running {
            let environment = process.map(Processes.environment) ?? [:]
            return Running(
                version: version, processID: process, nodes: nodes, named: process.map(namedFolders) ?? [:],
                environment: environment.isEmpty ? self.environment : environment)
        }
        let properties: Value
        let nodes: [LiveNode]
        do throws(Failure) {
            properties = try client.properties(ServiceClient.root, BusNames.Interface.coordinator, activates: false)
            nodes = try client.liveNodes(activates: false)
        } catch {
            if let process, Processes.isStopped(process) {
                add(
                    .service, .wrong,
                    "flowbusd, \(owner.description), does not answer: a signal or a debugger has stopped it",
                    advice: "'kill -CONT \(process)' lets it go on, and so does the debugger")
            } else {
                add(
                    .service, .wrong, "flowbusd, \(owner.description), does not answer: \(error.message)",
                    advice: hasUnits
                        ? "'\(systemctl) restart flowbusd' starts it again with the same tree; '\(journalctl) -u flowbusd' has its log"
                        : "flowbusd can be killed: the next one has the same tree; the log of who started it has its last lines"
                )
            }
            return running(nil, [])
        }
        let version = properties["Version"]?.text ?? ""
        let count =
            "\(counted(nodes.count(where: \.isFlow), "flow")) and \(counted(nodes.count { !$0.isFlow }, "screen"))"
        if nodes.isEmpty {
            add(
                .service, .wrong, "flowbusd runs, and no flow is live, so there is nothing to show",
                advice:
                    "[[autostart]] in a definition file begins a flow with flowbusd; 'flowbusctl start FLOW' begins one now"
            )
        } else if version != "\(Release.version)" {
            add(
                .service, .note,
                "flowbusd \(version) runs, and flowbusctl is \(Release.version): flowbusd was not started again after an update",
                advice: hasUnits
                    ? "'\(systemctl) restart flowbusd' keeps the tree"
                    : "flowbusd can be ended: the next one has the same tree")
        } else {
            add(.service, .ok, "flowbusd runs, \(owner.description), with \(count)")
        }
        if properties["Durable"]?.truth == false {
            add(
                .service, .note, "flowbusd does not store the tree: a restart may lose changes of it",
                advice: "its log says why\(hasUnits ? ": '\(journalctl) -u flowbusd'" : ""); see flowbusd(8), --runtime"
            )
        }
        return running(version, nodes)
    }

    /// The folders that options of flowbusd name.
    private func namedFolders(of process: Int32) -> [String: [String]] {
        var named: [String: [String]] = [:]
        var words = Processes.arguments(of: process).dropFirst()[...]
        let folder = Processes.folder(of: process).map { $0 + "/" } ?? ""
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard let option = parts.first, ["--flows", "--runtime", "--state"].contains(option),
                let value = parts.count == 2 ? parts[1] : words.popFirst()
            else { continue }
            named[option, default: []].append(value == "none" || value.hasPrefix("/") ? value : folder + value)
        }
        return named
    }

    private func versions(
        _ client: ServiceClient?, _ service: Running?, _ units: Units?, _ stacker: Stacker?
    ) -> String {
        let flowbusd =
            service.map { $0.version.map { "flowbusd \($0)" } ?? "a flowbusd that does not answer" } ?? "no flowbusd"
        let systemd =
            units?.version.map { "systemd \($0)" } ?? "no systemd"
        let bus = client.map { $0.busProgram ?? "a bus of unknown kind" } ?? "no bus"
        let backend = stacker.map { [$0.backend, $0.version].filter { !$0.isEmpty }.joined(separator: " ") } ?? ""
        let compositor = backend.isEmpty ? "no compositor that a stacker knows" : backend
        return ["flowbusctl \(Release.version)", flowbusd, systemd, bus, compositor].joined(separator: ", ")
    }

    // MARK: Screens

    /// What is in sight and not seen, and flows that have nothing to show (S-47, S-48).
    mutating func examineScreens(_ client: ServiceClient, _ service: Running) {
        let waiting = service.nodes.filter { $0.isFlow ? !$0.waiting.isEmpty : $0.isInSight && !$0.isVisible }
        let history = waiting.isEmpty ? [] : recentHistory(client)
        for node in waiting {
            let since =
                history.last { $0.contributors.contains { $0.path == node.path.objectPath } }
                .map { " (in the tree since \(LocalTime($0.time).text))" } ?? ""
            if node.isFlow {
                add(
                    .screens, .wrong,
                    "the flow '\(node.path.text)'\(since) is empty, and begins again: \(error(node.waiting))",
                    advice: "'flowbusctl log \(node.path.text)' has what happened; 'flowbusctl retry' ends the pause")
            } else if !node.waiting.isEmpty {
                add(
                    .screens, .wrong,
                    "'\(node.path.text)'\(since) waits for '\(node.presenter)': \(error(node.waiting))",
                    advice:
                        "mend that program: '\(journalctl) -n 50' has what it wrote; 'flowbusctl retry' calls it at once"
                )
            } else if node.presenter.isEmpty && node.owner.isEmpty {
                add(
                    .screens, .wrong,
                    "'\(node.path.text)'\(since) waits for a program to claim it: the screen has no presenter",
                    advice:
                        "name one in the definition file: presenter, program, application or run (flowbus.flows(5))"
                )
            } else {
                let program = node.presenter.isEmpty ? node.owner : node.presenter
                add(
                    .screens, .wrong,
                    "'\(node.path.text)'\(since) is not visible yet: '\(program)' has not said that it shows it",
                    advice: "it starts, or it hangs: 'flowbusctl timings' says how long it takes else")
            }
        }
        let seen = service.nodes.filter { !$0.isFlow && $0.isInSight && $0.isVisible }.map(\.path.text)
        if waiting.isEmpty {
            if seen.isEmpty, !service.nodes.isEmpty {
                add(
                    .screens, .wrong, "no screen is in sight: flows without one cover nothing, and show nothing",
                    advice: "'flowbusctl tree' shows where the tree stands, and 'flowbusctl log' how it came there")
            } else if !seen.isEmpty {
                add(.screens, .ok, "visible: " + seen.joined(separator: ", "))
            }
        }
    }

    /// The name of the error, which follows its text in parentheses.
    private func error(_ waiting: String) -> String {
        if showsTexts { return Names.line(waiting) }
        guard waiting.hasSuffix(")"), let start = waiting.lastIndex(of: "(") else {
            return BusName.problem(of: waiting) == nil ? waiting : "an error (--texts shows it)"
        }
        let name = String(waiting[waiting.index(after: start)...].dropLast())
        return BusName.problem(of: name) == nil ? name : "an error (--texts shows it)"
    }

    /// The latest navigations, as far as the service keeps a history.
    private func recentHistory(_ client: ServiceClient) -> [LogEntry] {
        guard let latest = try? client.latestSerial(activates: false) else { return [] }
        return (try? client.history(after: latest > 1000 ? latest - 1000 : 0, below: nil, activates: false)) ?? []
    }

    // MARK: The compositor

    mutating func examineCompositor(_ stacker: Stacker?) {
        guard let stacker else {
            return add(
                .compositor, .note,
                "no flowbus-stacker runs, so windows do not follow the tree, unless the compositor sees to it",
                advice: hasUnits
                    ? "'\(systemctl) enable --now flowbus-stacker' starts it with the session (flowbus-stacker(1))"
                    : "have flowbus-stacker started with the compositor (flowbus-stacker(1))")
        }
        let text = stacker.text
        if stacker.can.isEmpty || stacker.status != "\(stacker.backend): \(stacker.can)" {
            add(
                .compositor, .wrong, "flowbus-stacker: \(text)",
                advice:
                    "docs/compositors.md says what each compositor can; '\(journalctl) -u flowbus-stacker' has its log")
        } else {
            add(.compositor, .ok, text)
        }
    }
}

extension ServiceClient {
    /// The program of the bus, as its process is called; nil if the bus does not say.
    var busProgram: String? {
        let answer = try? bus.calling(
            BusNames.bus.cString, BusNames.busPath.cString, BusNames.bus.cString, "GetConnectionUnixProcessID"
        ) { body throws(SdError) in try body.append("\(BusNames.bus)") }
        let process = try? answer?.message.readValues().first?.number
        return process.flatMap { Processes.command(of: Int32(clamping: $0)) }
    }
}
