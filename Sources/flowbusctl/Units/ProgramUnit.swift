import FlowFile

/// The unit of a program, and its D-Bus service file, as texts.
///
/// Source: systemd.unit(5), systemd.service(5), systemd.exec(5); D-Bus specification, "Message Bus Starting Services".
struct ProgramUnit {
    let program: ProgramDeclaration
    /// The version of the systemd that reads it; nil if that is not known.
    var systemd: Int?

    /// The unit's name, as desktops name those of applications: systemd, "Desktop Environment Integration".
    var name: String { "\(Self.prefix)\(program.name).service" }

    /// How the names of all these units begin.
    static let prefix = "app-flowbus-"

    /// What programs with windows bear, web views and sandboxes of their own, too, in a user's unit: `reliability/user` tests each by its
    /// effect. What user units can't do, or systemd 252 passes over there, is not among them.
    static let usual = [
        "LockPersonality=yes", "NoNewPrivileges=yes", "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
        "RestrictSUIDSGID=yes", "SystemCallErrorNumber=EPERM",
        "SystemCallFilter=~@clock @debug @module @raw-io @reboot @swap",
    ]

    /// The unit.
    var text: String {
        var lines = [
            firstLine, "[Unit]", "Description=\(program.name)", "SourcePath=\(Self.plain(program.file))",
            "PartOf=graphical-session.target", "After=graphical-session.target",
            // A person in front of the display can't reset a unit that systemd has given up.
            "StartLimitIntervalSec=0", "", "[Service]",
        ]
        if let busName = program.busName {
            lines += ["Type=dbus", "BusName=\(busName)"]
        } else {
            lines.append("Type=exec")
        }
        lines.append("ExecStart=" + ([Self.quoted(program.path, isPath: true)] + arguments).joined(separator: " "))
        lines.append("Restart=\(program.start == .session ? "always" : "on-failure")")
        lines.append("RestartSec=1s")
        // systemd before 254 does not know these, would log that whenever it reads the unit, and pauses for a second each time.
        if systemd.map({ $0 >= 254 }) ?? true { lines += ["RestartSteps=5", "RestartMaxDelaySec=30s"] }
        if let watchdog = program.watchdog { lines.append("WatchdogSec=\(watchdog / 1000)ms") }
        if let memory = program.memory { lines += ["MemoryMax=\(memory)", "MemorySwapMax=0"] }
        if let restrictions = program.restrictions { lines += Self.usual + Self.lines(of: restrictions) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The service file by which the bus starts the unit; nil for a program without a bus name. A bus without systemd runs the command.
    var service: String? {
        guard let busName = program.busName else { return nil }
        return """
            \(firstLine)
            [D-BUS Service]
            Name=\(busName)
            Exec=\(busCommand)
            SystemdService=\(name)

            """
    }

    private var firstLine: String {
        "\(ServiceFiles.mark)ctl from [programs] of \(program.file); change it there, or by a drop-in."
    }

    /// Mounts and networks of its own need the rights that a user has in a namespace of users: without it, systemd 252 passes them over.
    private static func lines(of restrictions: [ProgramDeclaration.Restriction]) -> [String] {
        var lines = restrictions.map { restriction in
            "\(restriction.rawValue)=\(restriction == .protectHome ? "read-only" : "yes")"
        }
        if restrictions.contains(where: { [.privateNetwork, .privateTmp, .protectHome].contains($0) }) {
            lines.append("PrivateUsers=yes")
        }
        return lines
    }

    // MARK: Command lines

    private var arguments: [String] {
        program.arguments.map { word in
            switch word {
            case .text(let text): Self.quoted(text, isPath: false)
            // In braces it stays one word, whatever the value has in it.
            case .variable(let name): "\"${\(name)}\""
            }
        }
    }

    /// A word of a command line of systemd. `%` begins a specifier and, in arguments alone, `$` a variable.
    private static func quoted(_ text: String, isPath: Bool) -> String {
        var quoted = ""
        for character in plain(text) {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "$" where !isPath: quoted += "$$"
            default: quoted.append(character)
            }
        }
        return quoted.isEmpty || !quoted.utf8.allSatisfy(isPlain) ? "\"\(quoted)\"" : quoted
    }

    /// A value without specifiers.
    private static func plain(_ text: String) -> String { text.replacing("%", with: "%%") }

    /// Without variables the bus executes the program itself; with some, a shell puts them in.
    private var busCommand: String {
        let hasVariables = program.arguments.contains { if case .variable = $0 { true } else { false } }
        var words = [Self.shellQuoted(program.path)]
        for word in program.arguments {
            switch word {
            case .text(let text): words.append(Self.shellQuoted(text))
            case .variable(let name): words.append("\"$\(name)\"")
            }
        }
        let line = words.joined(separator: " ")
        let command = hasVariables ? "/bin/sh -c " + Self.shellQuoted("exec " + line) : line
        // The file's own escapes are undone before the command is split.
        return command.replacing("\\", with: "\\\\")
    }

    private static func shellQuoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        return "'" + text.replacing("'", with: "'\"'\"'") + "'"
    }

    /// Whether a byte means itself in every command line.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "/._:=@,+-".utf8.contains(byte)
        }
    }
}
