import BusTestSupport
import Foundation

/// A user with an installed flowbusd, and a systemd that manages it.
struct UserManager {
    /// The reason why this machine can't run one; nil if it can, which has been tried.
    static let obstacle: String? = {
        do {
            let folder = try TemporaryDirectory()
            let trial = try ChildProcess(script, [folder.path, "true"], environment: ["TMPDIR": folder.path])
            guard try trial.waitForExit() == .status(77) else { return nil }
            return trial.errors.trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            return "\(error)"
        }
    }()

    private static let script = Service.repository + "/Tests/user-manager.bash"

    private let folder: TemporaryDirectory

    /// Creates a user with these definitions. `make install` installs the program that was built with the tests, with
    /// the unit and the D-Bus service file.
    ///
    /// - Parameter unit: changes to the installed unit: lines of its section `[Service]`.
    init(_ definitions: String, unit: String? = nil) throws {
        folder = try TemporaryDirectory()
        try folder.write("version = 1\n" + definitions, to: "home/.config/flowbus/flows.d/flows.toml")
        let install = try ChildProcess(
            "make",
            [
                "--silent", "-C", Service.repository, "install", "DESTDIR=\(folder.path)", "PREFIX=/run/flowbus",
                "built=\((Service.program as NSString).deletingLastPathComponent)",
            ])
        guard try install.waitForExit() == .status(0) else {
            throw TestFailure("make install: \(install.output)\(install.errors)")
        }
        try FileManager.default.copyItem(
            atPath: Service.program(named: "test-peer"), toPath: folder.path + "/run/flowbus/bin/test-peer")
        if let unit {
            try folder.write("[Service]\n\(unit)\n", to: "run/flowbus/lib/systemd/user/flowbusd.service.d/test.conf")
        }
        try folder.write(Self.words, to: "home/words")
    }

    /// Runs a script of these words and those of ``words`` as the user.
    ///
    /// - Returns: the printed lines.
    func play(_ transcript: String) throws -> [String] {
        try folder.write(transcript, to: "home/script")
        let player = try ChildProcess(
            Self.script, [folder.path, "bash", "-c", ". ~/words; . ~/script"],
            environment: ["TMPDIR": folder.path, "USER_MANAGER_BOUND": "60"])
        guard try player.waitForExit(within: .seconds(90)) == .status(0) else {
            throw TestFailure("\(player.output)---\n\(player.errors)")
        }
        return player.output.split(separator: "\n").map(String.init)
    }

    /// The shell functions of the scripts.
    private static let words = """
        set -euo pipefail
        trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR
        set -E
        name=org.flowbus.Navigation1 root=/org/flowbus/Navigation1

        call() { busctl --user call "$name" "$@"; }
        property() { busctl --user get-property "$name" "$@"; }
        objects() { busctl --user --json=short call "$name" "$root" org.freedesktop.DBus.ObjectManager GetManagedObjects; }
        lines() { sed "s|\\\"$root/tree/|\\n&|g" <<<"$1"; }
        paths() { objects | grep -o "$root/tree/[^\\"]*\\":{" | sed "s|$root/tree||; s|\\":{||" | sort; }

        # A process that shows pages and prints the signals of flowbusd; $ui is its connection.
        start_ui() {
            exec {news}< <(DBUS_STARTER_ADDRESS=$DBUS_SESSION_BUS_ADDRESS exec test-peer org.example.Ui --watch)
            expect ready
            ui=$(busctl --user call org.freedesktop.DBus / org.freedesktop.DBus GetNameOwner s org.example.Ui)
            ui=${ui#s } ui=${ui//\\"/}
        }
        # Its next line is this.
        expect() {
            local line
            read -r -t 30 -u "$news" line || line="nothing, for so long"
            [[ $line == "$1" ]] || { echo "'$1' was expected, not '$line'" >&2; return 1; }
        }
        ask_ui() { busctl --user call org.example.Ui /peer org.flowbus.TestPeer Do s -- "$1" >/dev/null; }

        # Of the journal: all that have these fields; and the first of them, for which it waits. Only what a process logged
        # that is still there is sure to be found by its unit, too: the journal asks /proc for that.
        journal() { exec journalctl --namespace=flowbus --user --quiet --output=cat "$@"; }
        all() { (journal "$@"); }
        find() {
            local line
            read -r -t 30 line < <(journal --follow --lines=all "$@") || { echo "nothing logged: $*" >&2; return 1; }
            echo "$line"
        }

        # Opens a page; $serial is that of the navigation.
        open() {
            serial=$(call "$root/tree/main" "$name.Stepper" EmitStep 'sa{sv}' open 1 number x "$1")
            [[ $serial == *'"navigated"' ]]
            serial=$(cut -d ' ' -f 2 <<<"$serial")
        }

        # A page that its owner shows, and the objects then.
        play() {
            systemctl --user start flowbusd
            start_ui
            open 7
            expect "Present /main/page"
            ask_ui --show=/main/page
            expect "shown /main/page"
            was=$(objects)
        }
        # Whether a tree is as it was, and whose.
        compare() {
            local before=$serial now
            now=$(objects)
            if [[ $now == "$was" ]]; then echo "the same objects"; else diff <(lines "$was") <(lines "$now") || true; fi
            if [[ $(property "$root/tree/main/page" "$name.Presentable" Owner) == "s \\"$ui\\"" ]]; then
                echo "its owner is who it was"
            fi
            busctl --user call "$name" "$root/tree/main/page" "$name.Presentable" SetVisible b false 2>&1 |
                sed -n '/owned by/s/.*/another client: NotOwner/p' || true
            ask_ui --show=/main/page
            expect "shown /main/page"
            echo "its owner may"
            # Nothing is presented again: this is the next call that its owner gets.
            open 8
            expect "Present /main/page_2"
            ((serial > before)) && echo "the serials go on"
        }

        """
}
