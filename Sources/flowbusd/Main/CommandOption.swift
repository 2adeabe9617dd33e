import Logging

/// An option of the command line: what it is called, what it means, and what it sets.
///
/// A service manager starts flowbusd without options, so they are a table that only a command line with options builds;
/// a library that finds them by reflection takes longer than all else that a start does.
struct CommandOption: Sendable {
    /// With the minus signs.
    let name: String
    /// The placeholder of its value; nil if it has none.
    let value: String?
    let abstract: String
    var discussion: String?
    /// All values that it can have, if they are few.
    var choices: [String] = []
    /// The default as text, if it is no other sentence.
    var standard: String?
    var isRepeating = false
    /// Sets it. The text is empty for an option without value. Returns false if there is no such value.
    let set: @Sendable (inout Options, String) throws(UsageError) -> Bool

    /// `--flows <dir>`
    var usage: String { value.map { "\(name) <\($0)>" } ?? name }

    /// An option without value.
    static func flag(
        _ name: String, _ abstract: String, _ discussion: String? = nil,
        _ set: @escaping @Sendable (inout Options) throws(UsageError) -> Void
    ) -> CommandOption {
        CommandOption(name: name, value: nil, abstract: abstract, discussion: discussion) {
            (options, _) throws(UsageError) in
            try set(&options)
            return true
        }
    }

    /// An option with a text as value.
    static func text(
        _ name: String, _ value: String, _ abstract: String, _ discussion: String? = nil, isRepeating: Bool = false,
        _ set: @escaping @Sendable (inout Options, String) -> Void
    ) -> CommandOption {
        CommandOption(name: name, value: value, abstract: abstract, discussion: discussion, isRepeating: isRepeating) {
            set(&$0, $1)
            return true
        }
    }

    /// An option with a number as value.
    static func number(
        _ name: String, _ abstract: String, _ discussion: String? = nil,
        _ property: any WritableKeyPath<Options, Int> & Sendable
    ) -> CommandOption {
        CommandOption(
            name: name, value: "number", abstract: abstract, discussion: discussion,
            standard: "\(Options()[keyPath: property])"
        ) {
            guard let number = Int($1) else { return false }
            $0[keyPath: property] = number
            return true
        }
    }

    /// An option with one of few words as value.
    static func word<Word: CaseIterable & RawRepresentable<String> & SendableMetatype>(
        _ name: String, _ value: String, _ abstract: String, _ discussion: String?,
        _ property: any WritableKeyPath<Options, Word> & Sendable
    ) -> CommandOption {
        CommandOption(
            name: name, value: value, abstract: abstract, discussion: discussion,
            choices: Word.allCases.map(\.rawValue), standard: Options()[keyPath: property].rawValue
        ) {
            // Upper case is accepted, as in many programs' names of log levels.
            guard let word = Word(rawValue: $1) ?? Word(rawValue: $1.lowercased()) else { return false }
            $0[keyPath: property] = word
            return true
        }
    }
}

extension CommandOption {
    /// All of them, in the order of `--help`.
    static let all: [CommandOption] = [
        .text(
            "--flows", "dir",
            "Read the definition files (*.toml) in this directory instead of those in the standard directories.",
            "This option can be given several times; a file hides files of the same name in later directories.",
            isRepeating: true
        ) { $0.flows.append($1) },
        .flag("--session", "Serve the session bus (default).") { (options) throws(UsageError) in
            try options.choose(.session)
        },
        .flag("--system", "Serve the system bus.") { (options) throws(UsageError) in try options.choose(.system) },
        .text(
            "--address", "address", "Serve the bus at this D-Bus address.",
            """
            When the connection to that bus is lost, flowbusd tries to reconnect, at intervals that grow to 5 seconds, unless \
            systemd started it.
            """
        ) { $0.address = $1 },
        .text(
            "--runtime", "dir|none",
            "Store the tree in this directory, or nowhere with 'none' (default: $RUNTIME_DIRECTORY, or "
                + "$XDG_RUNTIME_DIR/flowbus).",
            """
            The directory should not outlive the login session. With 'none' flowbusd starts with an empty forest each time, and \
            the property 'Durable' is false.
            """
        ) { $0.runtime = Options.FolderChoice($1) },
        .text(
            "--state", "dir|none",
            "Store the history in this directory, or nowhere with 'none' (default: $STATE_DIRECTORY, or "
                + "$XDG_STATE_HOME/flowbus).", "With 'none' there is no history."
        ) { $0.state = Options.FolderChoice($1) },
        .word(
            "--restore", "bus|always|never", "When to restore the forest on start.",
            """
            - bus: If the bus is still the same one.
            - always: On another bus as well, for instance after a reboot, from a copy of the tree in the directory of --state. \
            The copy has no private arguments. Then screens are hidden, nothing has an owner, presenters are called again, and \
            flows with 'restore = false' are left out.
            - never: Never.

            Serials continue in any case.
            """, \.restore),
        .flag(
            "--replace", "Take over from the flowbusd that serves this bus, if there is one.",
            """
            The running one passes on the bus name, writes its stores, and exits with status 0; calls that arrive meanwhile \
            wait, and none is lost. Only root and the user of the running one may do this. If the running one does not hand over \
            within 10 seconds, it keeps the name, and the new one exits with status 69.
            """
        ) { $0.replace = true },
        .number(
            "--history-entries", "Keep this many navigations in the history; 0 disables the history.", nil,
            \.historyEntries),
        .number(
            "--history-days", "Keep each navigation for this many days, from 1 to \(Options.mostDays).",
            """
            Days count while the machine runs or sleeps; changes of the clock have no effect. Older entries are removed at the \
            start and once a day, at most a quarter of all entries at a time, with a message in the log.
            """, \.historyDays),
        .flag("--check", "Read the definition files, print all errors and warnings with their locations, and exit.") {
            $0.check = true
        },
        .flag("--introspect", "Print the introspection XML of the given interface, or of all interfaces, and exit.") {
            $0.introspect = true
        },
        .text(
            "--record", "file", "Write every event and its effects to this file, including private arguments.",
            "The file also has activation tokens; only its owner can read it."
        ) { $0.record = $1 },
        .text(
            "--replay", "file",
            "Replay a file of --record without a bus, print the first difference, and exit.",
            """
            The file does not contain the definition files; give the --flows that were in force. It can be replayed up to the \
            point where other definitions were loaded.
            """
        ) { $0.replay = $1 },
        .word(
            "--log-level", "level", "Log messages of this level and above.",
            "With 'debug', every navigation is logged.", \.logLevel),
        .flag("--version", "Show the version.") { _ in },
        .flag("--help", "Show help information.") { _ in },
    ]
}
