import Testing

/// The installed unit, under a real `systemd --user` (Tests/user-manager.bash).
@Suite(
    "Under a user manager", .enabled(if: UserManager.obstacle == nil, Comment(rawValue: UserManager.obstacle ?? "")))
struct UserManagerTests {
    @Test func `D-3 restarted by systemctl: owners that are connected keep what they own, in the same tree`() throws {
        let manager = try UserManager(Self.definitions)
        let reported = try manager.play(
            """
            play
            systemctl --user restart flowbusd
            expect "flowbusd gone"
            expect "flowbusd there"
            compare
            """)
        #expect(reported == Self.asBefore)
    }

    @Test func `D-3 killed: systemd starts it again, with the tree and its owners`() throws {
        let manager = try UserManager(Self.definitions)
        let reported = try manager.play(
            """
            play
            systemctl --user kill --signal=KILL flowbusd
            expect "flowbusd gone"
            expect "flowbusd there"
            compare
            systemctl --user show --property=NRestarts flowbusd
            """)
        #expect(reported == Self.asBefore + ["NRestarts=1"])
    }

    @Test func `D-3 stopped and started: a fresh tree, serials that go on, and nothing left in memory`() throws {
        let manager = try UserManager(Self.definitions)
        let reported = try manager.play(
            """
            play
            before=$serial
            ls "$XDG_RUNTIME_DIR/flowbus" | sed 's/-[0-9a-f]*\\.db/-GUID.db/' | sort | head -n 1
            systemctl --user stop flowbusd
            expect "flowbusd gone"
            [[ -e $XDG_RUNTIME_DIR/flowbus ]] || echo "nothing is kept"
            systemctl --user start flowbusd
            expect "flowbusd there"
            # It is asked to show /main/page as soon as there is one, and not for the one that was there before.
            open 9
            expect "Present /main/page"
            ((serial > before)) && echo "the serials go on"
            paths
            """)
        #expect(
            reported == [
                "tree-GUID.db", "nothing is kept", "the serials go on", "/main", "/main/home", "/main/page",
            ])
    }

    @Test func `the first call of any client starts it, and it is ready`() throws {
        let manager = try UserManager(Self.definitions)
        let reported = try manager.play(
            """
            systemctl --user show --property=ActiveState flowbusd
            paths
            systemctl --user show --property=ActiveState,SubState,Result,NRestarts flowbusd | sort
            property $root $name.Coordinator Durable
            """)
        #expect(
            reported == [
                "ActiveState=inactive", "/main", "/main/home", "ActiveState=active", "NRestarts=0", "Result=success",
                "SubState=running", "b true",
            ])
    }

    @Test func `hung: the watchdog ends it, and systemd starts it again with the tree and its owners`() throws {
        // A core is of no use here, and takes its time.
        let manager = try UserManager(Self.definitions, unit: "WatchdogSec=3s\nLimitCORE=0")
        let reported = try manager.play(
            """
            play
            systemctl --user kill --signal=STOP flowbusd
            expect "flowbusd gone"
            expect "flowbusd there"
            compare
            systemctl --user show --property=NRestarts flowbusd
            find --unit=flowbusd UNIT_RESULT=watchdog
            """)
        #expect(reported == Self.asBefore + ["NRestarts=1", "flowbusd.service: Failed with result 'watchdog'."])
    }

    @Test func `reload takes new files; it fails for those with errors, and the journal has file and line`() throws {
        let manager = try UserManager(Self.definitions)
        let reported = try manager.play(
            #"""
            file=~/.config/flowbus/flows.d/flows.toml
            can() { flowbusctl emit main leave 2>&1 | sed 's/ [0-9]*$//' || true; }
            systemctl --user start flowbusd
            process=$(systemctl --user show --property=MainPID flowbusd)
            can
            sed -i 's/^begin = {}/&\nleave = {}/; s/^begin = { screen.*/&\nleave = { screen = "home" }/' "$file"
            systemctl --user reload flowbusd && echo "reloaded"
            can
            # Without the new step, but with an error, too: nothing of it counts.
            sed -i '/^leave/d; s/{ screen = "page" }/{ screen = "pgae" }/' "$file"
            systemctl --user reload flowbusd 2>/dev/null || echo "not reloaded"
            can
            # What is last of both.
            find MESSAGE="The definitions stay as they were: the files have errors" >/dev/null
            find SYSLOG_IDENTIFIER=busctl >/dev/null
            all PRIORITY=3 SYSLOG_IDENTIFIER=flowbusd | sed "s|$file|FILE|"
            all SYSLOG_IDENTIFIER=busctl | sed "s|$file|FILE|"
            systemctl --user show --property=ActiveState,NRestarts flowbusd | sort
            [[ $(systemctl --user show --property=MainPID flowbusd) == "$process" ]] && echo "the same process"
            """#)
        #expect(
            reported == [
                "flowbusctl: no definition declares a step 'leave'", "reloaded", "navigated", "not reloaded",
                "navigated",
                "FILE:19: [flows.main.on.open.screen] no file declares a screen 'pgae'; did you mean 'page'?",
                "The definitions stay as they were: the files have errors",
                "Call failed: FILE:19: error: [flows.main.on.open.screen] no file declares a screen 'pgae'; did you mean "
                    + "'page'?",
                "ActiveState=active", "NRestarts=0", "the same process",
            ])
    }

    @Test func `the journal finds its lines by flow, step, sender, serial and peer`() throws {
        let manager = try UserManager(
            Self.definitions, unit: "ExecStart=\nExecStart=/run/flowbus/bin/flowbusd --log-level debug")
        let reported = try manager.play(
            """
            systemctl --user start flowbusd
            start_ui
            open 7
            expect "Present /main/page"
            ask_ui --emit=/main:away
            expect "EmitStep"
            # The last that it logs of it; what it logged before is there, too.
            find FLOWBUS_PEER=org.example.Away >/dev/null
            for field in "FLOWBUS_FLOW=$root/tree/main" FLOWBUS_STEP=away "FLOWBUS_SENDER=$ui" FLOWBUS_SERIAL=3 \\
                FLOWBUS_PEER=org.example.Away FLOWBUS_STEP=nowhere "PRIORITY=7 SYSLOG_IDENTIFIER=flowbusd" \\
                "PRIORITY=4 SYSLOG_IDENTIFIER=flowbusd FLOWBUS_FLOW=$root/tree/main"; do
                echo "${field//$ui/UI}:"
                all --unit=flowbusd $field
            done
            """)
        #expect(
            reported == [
                "FLOWBUS_FLOW=/org/flowbus/Navigation1/tree/main:", Self.took("begin"), Self.took("open"),
                Self.took("away"), Self.nobodyPresents,
                "FLOWBUS_STEP=away:", Self.took("away"),
                "FLOWBUS_SENDER=UI:", Self.took("away"),
                "FLOWBUS_SERIAL=3:", Self.took("away"), Self.nobodyPresents,
                "FLOWBUS_PEER=org.example.Away:", Self.nobodyPresents,
                "FLOWBUS_STEP=nowhere:",
                "PRIORITY=7 SYSLOG_IDENTIFIER=flowbusd:", Self.took("begin"), Self.took("open"), Self.took("away"),
                "PRIORITY=4 SYSLOG_IDENTIFIER=flowbusd FLOWBUS_FLOW=/org/flowbus/Navigation1/tree/main:",
                Self.nobodyPresents,
            ])
    }

    @Test func `systemd-analyze has no objection to the unit, and flowbusctl shows the service`() throws {
        let manager = try UserManager(Self.definitions)
        let reported = try manager.play(
            """
            # It can exit with 0 for a value that it ignores, so it must be silent, too. The pages are not installed here.
            systemd-analyze --user --man=no verify /run/flowbus/lib/systemd/user/flowbusd.service 2>&1 && echo "clean"
            flowbusctl status >/dev/null 2>&1 || echo "$?: not running, and not started"
            flowbusctl tree
            process=$(systemctl --user show --property=MainPID --value flowbusd)
            flowbusctl status | sed "s/ [0-9.]*, pid $process / VERSION, pid PID /; /^since:/d; /^interface:/d"
            """)
        #expect(
            reported == [
                "clean", "69: not running, and not started", "main      flow, presented", "└── home  screen, hidden",
                "running: flowbusd VERSION, pid PID (flowbusd) on the session bus", "live:        1 flow, 1 screen",
                "definitions: 1 flow", "serial:      1", "durable:     yes",
            ])
    }

    /// The report of a run that has the tree of the run before.
    private static let asBefore = [
        "the same objects", "its owner is who it was", "another client: NotOwner", "its owner may", "the serials go on",
    ]

    private static func took(_ step: String) -> String { "Navigated: /org/flowbus/Navigation1/tree/main took \(step)" }

    private static let nobodyPresents =
        "'org.example.Away' does not present the screen 'away': 'org.freedesktop.DBus.Error.ServiceUnknown': The name "
        + "org.example.Away was not provided by any .service files"

    private static let definitions = """
        [steps]
        begin = {}
        open  = { number = "int64" }
        away  = {}

        [screens]
        home  = {}
        page  = { presenter = "org.example.Ui", arguments = { number = "int64" } }
        away  = { presenter = "org.example.Away", patience = "0s" }

        [[autostart]]
        flow = "main"

        [flows.main]
        initial = "begin"
        [flows.main.on]
        begin = { screen = "home" }
        open  = { screen = "page" }
        away  = { screen = "away" }
        """
}
