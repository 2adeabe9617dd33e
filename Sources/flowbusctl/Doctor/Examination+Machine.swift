import FlowCore
import FlowFile
import Platform
import SdBus

// What is on the machine.

extension Examination {
    // MARK: Units

    mutating func examine(_ units: Units, _ programs: [ProgramDeclaration], _ client: ServiceClient?) {
        guard units.version != nil else {
            return add(
                .units, .note, "there is no systemd on \(options.busName), so nothing is known of units",
                advice: "whatever starts the programs of this device has to start them again when they end")
        }
        let isSession = units.state(of: "graphical-session.target") == "active"
        var good: [String] = []
        for unit in units.all where unit.name.hasSuffix(".service") {
            switch (unit.active, unit.sub) {
            case ("failed", _):
                add(
                    .units, .wrong, "\(unit.name) has failed: \(units.result(of: unit))",
                    advice: "'\(journalctl) -u \(unit.name) -n 20' says why; then '\(systemctl) restart \(unit.name)'",
                    said: lastLines(of: unit))
            case (_, "auto-restart"), (_, "auto-restart-queued"):
                add(
                    .units, .wrong, "\(unit.name) ends, and is started again and again: \(units.result(of: unit))",
                    advice: "'\(journalctl) -u \(unit.name) -n 20' says why it ends", said: lastLines(of: unit))
            case _ where !["loaded", "not-found", "masked"].contains(unit.load):
                add(
                    .units, .wrong, "systemd can't use \(unit.name): \(unit.load)",
                    advice: "'\(systemctl) status \(unit.name)' names the line")
            case ("active", _): good.append(unit.name)
            default: break
            }
        }
        if !good.isEmpty { add(.units, .ok, "running: " + good.joined(separator: ", ")) }
        // Programs of definition files have units of the user alone.
        guard isOfUser else { return }
        let activatable = Set((try? client?.bus.activatableNames()) ?? [])
        for program in programs {
            let unit = ProgramUnit(program: program).name
            let state = units.state(of: unit)
            if program.start == .session, state == nil || state == "inactive" {
                add(
                    .units, .wrong,
                    "\(unit) does not run, and '\(program.name)' is a program of the session"
                        + (isSession ? "" : ", which has not begun: graphical-session.target is not active"),
                    advice: isSession
                        ? "'\(systemctl) daemon-reload' makes units of [programs], and '\(systemctl) start \(unit)' starts it"
                        : "'flowbus-session COMPOSITOR' begins one; a compositor alone does not (flowbus-session(1))")
            } else if let name = program.busName, !activatable.contains(name) {
                add(
                    .units, .wrong, "the bus can't start '\(name)', a program of [programs]",
                    advice: "'flowbusctl reload' has systemd and the bus read the units and service files again")
            }
        }
        let variables = ["WAYLAND_DISPLAY", "DISPLAY"]
        if isSession, !variables.contains(where: { units.environment[$0] != nil }) {
            add(
                .units, .wrong,
                "programs that units start find no display: systemd knows neither WAYLAND_DISPLAY nor DISPLAY",
                advice:
                    "start the compositor by flowbus-session(1), or have it run '\(systemctl) import-environment WAYLAND_DISPLAY'"
            )
        }
    }

    /// The last lines of a unit. Those of flowbus have nothing private in their warnings; of others nobody knows.
    private func lastLines(of unit: Units.Unit) -> [String] {
        let isOwn = !unit.name.hasPrefix(ProgramUnit.prefix) && unit.name != "flowbus-compositor.service"
        guard isOwn || showsTexts else { return [] }
        let command = ["journalctl"] + (isOfUser ? ["--user"] : [])
        // What flowbusd notes with a lower priority has arguments of steps in it.
        let priority = unit.name == "flowbusd.service" && !showsTexts ? ["--priority", "warning"] : []
        let options = ["--unit", unit.name, "--lines", "5", "--output", "cat", "--no-pager", "--quiet"]
        let text = ChildProgram.output(of: command + options + priority, within: Self.limit) ?? ""
        return text.split(separator: "\n").suffix(5).map(String.init)
    }

    // MARK: Rights

    mutating func examineRights(_ service: Running?, _ units: Units?) {
        guard isOfUser else { return }
        let count = findings.count
        let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
        if !runtime.hasPrefix("/") {
            add(
                .rights, .wrong, "XDG_RUNTIME_DIR is not set: the bus, the display and the tree have no folder",
                advice: "log in by PAM with pam_systemd (login, greetd, ssh), or set it to /run/user/UID")
        } else {
            examineFolder("XDG_RUNTIME_DIR", runtime, .rights, isPrivate: true)
            let display = environment["WAYLAND_DISPLAY"] ?? units?.environment["WAYLAND_DISPLAY"] ?? ""
            if !display.isEmpty {
                let socket = display.hasPrefix("/") ? display : "\(runtime)/\(display)"
                do throws(SystemError) {
                    try LocalSocket.connect(socket)
                } catch {
                    add(
                        .rights, .wrong,
                        "WAYLAND_DISPLAY is '\(display)', and no compositor answers there: \(error.reason)",
                        advice: "has the compositor ended? 'ls \(runtime)' shows the displays that there are")
                }
            }
        }
        let tree = service?.named["--runtime"]?.last
        if service != nil, tree != "none", let folder = tree ?? runtimeFolder(service) {
            examineFolder("the folder of the tree", folder, .rights, isPrivate: true)
        }
        if findings.count == count {
            add(.rights, .ok, "the folders and sockets are there, and this user may use them")
        }
    }

    private func runtimeFolder(_ service: Running?) -> String? {
        let environment = service?.environment ?? self.environment
        return environment["RUNTIME_DIRECTORY"] ?? environment["XDG_RUNTIME_DIR"].map { $0 + "/flowbus" }
    }

    /// Adds what is wrong with a folder; returns what it is like.
    @discardableResult
    mutating func examineFolder(
        _ what: String, _ path: String, _ area: Finding.Area, isPrivate: Bool
    ) -> FolderStatus? {
        let status: FolderStatus
        do throws(SystemError) {
            status = try FolderStatus(path)
        } catch {
            add(
                area, .wrong, "\(what) is '\(path)', which is not there: \(error.reason)",
                advice: "it has to be a folder of this user")
            return nil
        }
        if !status.isOwn && CurrentProcess.effectiveUserID != 0 {
            add(
                area, .wrong, "\(what), '\(path)', belongs to another user",
                advice: "run this as the user of the device, or give the folder to this one: 'chown'")
        } else if let refusal = status.refusal {
            add(
                area, .wrong, "\(what), '\(path)', can't be written: \(refusal)",
                advice: refusal.hasPrefix("Read-only")
                    ? "mount its file system with the option rw" : "'chmod u+rwx \(path)'")
        } else if isPrivate, status.isOpenToOthers {
            add(
                area, .wrong, "\(what), '\(path)', is open to other users", advice: "'chmod 700 \(path)'")
        }
        return status
    }

    // MARK: Definition files

    mutating func checkDefinitions(_ service: Running?) -> DefinitionFiles? {
        let paths = folders.isEmpty ? service?.named["--flows"] ?? [] : folders
        let environment = service?.environment ?? self.environment
        let chosen = DefinitionFolders(named: paths, environment: environment)
        do throws(DefinitionFailure) {
            let files = try DefinitionFiles.load(from: chosen, services: ServiceFiles(environment: environment))
            let warnings = files.warnings.map(\.description)
            if files.files.isEmpty {
                add(
                    .checks, .wrong, files.warnings.first?.message ?? "there are no definition files",
                    advice: "copy them there, or name their folder: flowbusd --flows DIR, in a drop-in of its unit")
            } else if warnings.isEmpty {
                add(.checks, .ok, files.summary)
            } else {
                add(
                    .checks, .note, files.summary, advice: "see flowbus.flows(5); 'flowbusctl check' has them all",
                    said: Array(warnings.prefix(5)))
            }
            return files
        } catch {
            let errors = error.diagnostics.filter { $0.severity == .error }.map(\.description)
            add(
                .checks, .wrong,
                "the definition files have \(counted(errors.count, "error")); "
                    + (service == nil
                        ? "flowbusd does not start with them" : "flowbusd goes on with what it has read before"),
                advice: "'flowbusctl check' has all of them; mend them, then 'flowbusctl reload'",
                said: Array(errors.prefix(5)))
            return nil
        }
    }

    // MARK: The disk

    mutating func examineDisk(_ service: Running?) {
        let environment = service?.environment ?? self.environment
        let named = service?.named["--state"]?.last
        let usual =
            isOfUser
            ? environment["STATE_DIRECTORY"] ?? environment["XDG_STATE_HOME"].map { $0 + "/flowbus" }
                ?? environment["HOME"].map { $0 + "/.local/state/flowbus" } : "/var/lib/flowbus"
        guard named != "none", let path = named ?? usual else {
            return add(.disk, .note, "flowbusd keeps no history: it was started with --state none, or has no home")
        }
        // flowbusd makes it when it starts.
        if service == nil, !InputFile.exists(path) {
            return add(.disk, .note, "there is no '\(path)' yet, which flowbusd makes when it starts")
        }
        let count = findings.count
        guard let status = examineFolder("the folder of the history", path, .disk, isPrivate: false),
            findings.count == count
        else { return }
        let size = "'\(path)' has \(amount(status.size))"
        guard let free = status.free else { return add(.disk, .ok, size) }
        if free < Self.leastSpace {
            add(
                .disk, .wrong, "\(size), and its file system has \(amount(free)) left",
                advice: "make room: flowbusd navigates on from memory, and its history has gaps after a restart")
        } else {
            add(.disk, .ok, "\(size), and its file system has \(amount(free)) left")
        }
    }

    private func amount(_ bytes: UInt64) -> String {
        bytes < 1_048_576 ? "\(bytes / 1024) KiB" : "\(bytes / 1_048_576) MiB"
    }
}
