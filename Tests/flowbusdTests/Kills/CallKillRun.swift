import BusTestSupport
import Foundation

/// The scenario: Tests/AskPeer's asker and picker, and flowbusd, each of which the bus starts, and of which some are killed.
///
/// An asker shows a form, and asks for a number twice; the picker answers. A supervisor starts flowbusd whenever it is gone,
/// as systemd does.
final class CallKillRun {
    /// How the asker gets what the picker answers.
    enum Way: String, CaseIterable, CustomStringConvertible {
        /// The definitions show it a screen with the number.
        case rule
        /// It asks, and acknowledges the answer.
        case ask

        var description: String { rawValue }

        fileprivate var role: String { self == .rule ? "asker-by-rule" : "asker" }
        fileprivate var contributor: String {
            switch self {
            case .rule:
                #"{ screen = "picker", onResult = { step = "picked", arguments = { number = "$result.number" } } }"#
            case .ask: #"{ screen = "picker" }"#
            }
        }
    }

    /// How it ended.
    struct Outcome {
        /// Those who were killed.
        var killed: [CallKill] = []
        /// The calls of the processes that were recorded.
        var recorded: [CallKilled: [CallKill]] = [:]
        /// The rules that did not hold.
        var faults: [String] = []
        /// What happened, for a failure.
        var report = ""
    }

    private let way: Way
    private let kills: [CallKill]
    private let recorded: [CallKilled: Int]
    private let folder: TemporaryDirectory
    private let bus: PrivateBus
    private let client: TestClient
    private var read = 0
    private var ping: AwaitedReply?

    /// - Parameters:
    ///   - way: the way of the answers.
    ///   - program: the program of its bus.
    ///   - kills: who is killed when.
    ///   - recorded: the processes that are traced without being killed.
    init(_ way: Way, on program: PrivateBus.Program, _ kills: [CallKill], recorded: [CallKilled: Int] = [:]) throws {
        self.way = way
        self.kills = kills
        self.recorded = recorded
        folder = try TemporaryDirectory()
        let flowbusd = [
            try Service.program, "--flows", folder.path + "/flows", "--runtime", folder.path + "/run", "--state",
            folder.path + "/state",
        ]
        let peer = try Service.program(named: "ask-peer")
        let ledger = folder.path + "/ledger"
        let commands: [(CallKilled, String, [String])] = [
            (.asker, "com.example.Asker", [peer, way.role, ledger]),
            (.picker, "com.example.Picker", [peer, "picker", ledger]),
            (.flowbusd, Service.name, flowbusd),
        ]
        try folder.write(Self.start, to: "start")
        for (program, name, words) in commands {
            let command = (["/bin/sh", folder.path + "/start", folder.path, "\(program)"] + words)
                .map { "'\($0)'" }.joined(separator: " ")
            try folder.write("[D-BUS Service]\nName=\(name)\nExec=\(command)\n", to: "services/\(name).service")
            if let life = recorded[program] { try folder.write("execve 1000", to: "\(program)-\(life)") }
        }
        for kill in kills { try folder.write("\(kill.name) \(kill.number)", to: "\(kill.program)-\(kill.life)") }
        try folder.write(Self.definitions(way), to: "flows/flows.toml")
        bus = try PrivateBus(program, serviceDirectories: [folder.path + "/services"])
        client = try TestClient(bus)
    }

    /// Counts the processes of a program, and has strace kill those for which there is a file.
    private static let start = """
        dir=$1 program=$2
        shift 2
        life=0
        [ -e "$dir/$program" ] && read -r life <"$dir/$program"
        life=$((life + 1))
        echo $life >"$dir/$program"
        # The test ends when nobody has this lock any more.
        exec 9>>"$dir/lock"
        flock --shared 9
        export DBUS_SESSION_BUS_ADDRESS="$DBUS_STARTER_ADDRESS"
        exec 2>>"$dir/$program.log"
        [ -e "$dir/$program-$life" ] || exec "$@"
        read -r name number <"$dir/$program-$life"
        # Leaks are looked for by ptrace(2), too.
        export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
        exec strace -q -s 0 -o "$dir/$program-$life.strace" -e trace=all -e "inject=$name:signal=KILL:when=$number" -- "$@"

        """

    private static func definitions(_ way: Way) -> String {
        """
        version = 1
        [steps]
        start = {}
        pick = {}
        picked = { number = "int64" }
        unread = { number = "int64", why = "string" }
        [screens]
        form = { presenter = "com.example.Asker", whenOwnerGone = "present" }
        picker = { presenter = "com.example.Picker", whenOwnerGone = "present", result = { number = "int64" } }
        receipt = { presenter = "com.example.Asker", whenOwnerGone = "present", arguments = { number = "int64" } }
        [[autostart]]
        flow = "main"
        [flows.main]
        initial = "start"
        children = "stack"
        [flows.main.on]
        start = { screen = "form", onDismissed = { step = "start" } }
        pick = \(way.contributor)
        picked = { screen = "receipt", onDismissed = { step = "unread", arguments = { number = "$number", why = "$reason" } } }
        unread = [{ when = { why = "dismissed" }, none = true }, { screen = "receipt", onDismissed = { step = "unread", arguments = { number = "$number", why = "$reason" } } }]

        """
    }

    private var ledger: String { text("ledger") }

    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)) ?? ""
    }

    /// Plays it to its end.
    func play(within bound: Duration = .seconds(60)) throws -> Outcome {
        var outcome = Outcome()
        var tree: [String] = []
        do {
            try client.addMatch(
                "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'"
            )
            try client.addMatch("type='signal',interface='org.flowbus.AskPeer'")
            try pingService()
            // Whoever writes it signals it, or dies.
            try client.wait(within: bound, for: "the end") {
                try supervise()
                return ledger.contains(" over\n") || ledger.contains(" failed ")
            }
            tree = try liveScreens()
        } catch {
            outcome.faults.append("it does not end: \(error)")
        }
        // This ends the others, too.
        try bus.stop()
        try ChildProcess("flock", [folder.path + "/lock", "true"]).waitForExit()
        for kill in kills where trace(kill.program, kill.life)?.isKilled == true { outcome.killed.append(kill) }
        for (program, life) in recorded {
            outcome.recorded[program] = trace(program, life)?.kills(of: program, life: life)
        }
        outcome.faults += CallKillOracle(ledger, tree: tree, killed: Set(outcome.killed.map(\.program))).faults
        if !outcome.faults.isEmpty { outcome.report = report }
        return outcome
    }

    private func trace(_ program: CallKilled, _ life: Int) -> CallTrace? {
        CallTrace(folder.path + "/\(program)-\(life).strace")
    }

    private var report: String {
        let traces = kills.map { kill in
            let lines = text("\(kill.program)-\(kill.life).strace").split(separator: "\n").suffix(12)
            return "--- \(kill)\n" + lines.joined(separator: "\n")
        }
        return (["--- ledger", ledger, "--- flowbusd", text("flowbusd.log")] + traces).joined(separator: "\n")
    }

    // MARK: The supervisor

    private func pingService() throws {
        ping = try client.start(Service.name, Service.root, "org.freedesktop.DBus.Peer", "Ping")
    }

    /// Has the bus start flowbusd again if it is gone.
    private func supervise() throws {
        while read < client.log.count {
            let message = client.log[read]
            read += 1
            if let ping, message.replyTo == ping {
                self.ping = nil
                if case .error = message.kind { try pingService() }
            }
            let isGone = message.member == "NameOwnerChanged" && message.values[0].text == Service.name
            if isGone, message.values[2] == "", ping == nil { try pingService() }
        }
    }

    /// The live screens.
    private func liveScreens() throws -> [String] {
        while true {
            do {
                let objects = try client.call(
                    Service.name, Service.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0]
                return objects.keys.filter { $0.hasPrefix(Service.tree + "/") }.map {
                    String($0.dropFirst(Service.tree.count))
                }
            } catch let error as BusError {
                // It was killed again; a dbus-broker calls that NameHasNoOwner if it happens during the start.
                let deaths = ["NoReply", "ServiceUnknown", "NameHasNoOwner", "Spawn.Child"]
                guard deaths.contains(where: error.name.contains) else { throw error }
            }
        }
    }
}
