import FlowCore
import Testing

@testable import FlowFile

/// The programs of a device (`[programs]`).
@Suite("Programs")
struct ProgramTests {
    private func programs(_ text: String) throws -> [ProgramDeclaration] {
        _ = try definitions(text)
        return try DefinitionFiles.check([(file: "/etc/flows.d/a.toml", text: .success("version = 1\n" + text))])
            .programs
    }

    @Test func `a program, and what is left out`() throws {
        let all = try programs(
            """
            [programs."com.park.Reader"]
            command   = ["/usr/libexec/reader", "--tty", "$PARK_TTY", "$$5", ""]
            start     = "session"
            memory    = "300M"
            watchdog  = "1min 30s"
            hardening = ["RestrictNamespaces", "PrivateTmp"]
            [programs]
            clock        = { command = ["/bin/clock"], hardening = "none" }
            "com.park.B" = { command = ["/bin/b"] }
            """)
        let file = "/etc/flows.d/a.toml"
        #expect(
            all == [
                ProgramDeclaration(
                    name: "clock", path: "/bin/clock", arguments: [], start: .session, memory: nil, watchdog: nil,
                    restrictions: nil, file: file),
                ProgramDeclaration(
                    name: "com.park.B", path: "/bin/b", arguments: [], start: .demand, memory: nil, watchdog: nil,
                    restrictions: [], file: file),
                ProgramDeclaration(
                    name: "com.park.Reader", path: "/usr/libexec/reader",
                    arguments: [.text("--tty"), .variable("PARK_TTY"), .text("$5"), .text("")], start: .session,
                    memory: "300M", watchdog: 90_000_000, restrictions: [.privateTmp, .restrictNamespaces], file: file),
            ])
        #expect(all.map(\.busName) == [nil, "com.park.B", "com.park.Reader"])
    }

    @Test(arguments: [
        ("/a//b/./c", "/a/b/c"), ("./reader", "/etc/flows.d/reader"), ("../bin/../reader", "/etc/reader"),
        ("../../../../reader", "/reader"), ("programs/reader", "/etc/flows.d/programs/reader"),
    ])
    func `a relative path begins at the folder of the file`(path: String, absolute: String) throws {
        // No such folder is there; that of an existing file is read without its links.
        #expect(try programs("[programs]\na = { command = ['\(path)'] }").map(\.path) == [absolute])
    }

    @Test func `S-31 the program of a screen is its presenter, at the path of its name`() throws {
        let text = """
            [programs."com.park.My-Ui"]
            command = ["/bin/ui"]
            [screens]
            a = { program = "com.park.My-Ui", whenOwnerGone = "present", watchdog = "5s", evictAfter = "5min" }
            b = { presenter = "com.park.My-Ui", presentOnReturn = false }
            """
        let screens = try definitions(text).screens
        let service = ServiceTests.service("com.park.My-Ui", "/com/park/My_Ui", seconds: 60)
        #expect(screens.map(\.presenter) == [.service(service), .service(service)])
        #expect(screens.map(\.startsEarly) == [false, false])
        #expect(try warnings(text) == [])
    }

    @Test func `S-44 a program that starts early does so however a screen names it`() throws {
        let early = "[programs]\n'a.b' = { command = ['/bin/a'], start = 'early' }\n"
        let text = early + "[screens]\na = { program = 'a.b' }\nb = { presenter = { name = 'a.b', path = '/' } }"
        #expect(try definitions(text).screens.map(\.startsEarly) == [true, true])
        #expect(try definitions(text).earlyPresenters == ["a.b"])
        #expect(
            try warnings(early) == [
                "a.toml:3: warning: [programs.\"a.b\".start] no screen names the program 'a.b', so it does not start early; 'session' "
                    + "starts it with the session"
            ])
    }

    private static let words =
        "'MemoryDenyWriteExecute', 'PrivateNetwork', 'PrivateTmp', 'ProtectHome' and 'RestrictNamespaces'"

    @Test(arguments: [
        ("'a.b' = {}", "\"a.b\"", "a program has to have 'command', such as command = [\"/usr/libexec/vendor/app\"]"),
        ("'a.b' = 1", "\"a.b\"", "this is an integer; it has to be a table"),
        ("'a.b' = { comand = ['/a'] }", "\"a.b\".comand", "a program has no key 'comand'; did you mean 'command'?"),
        (
            "'a.b' = { command = ['/a'], absent = 'gone' }", "\"a.b\".absent",
            "a program has no key 'absent'; it has the keys 'command', 'hardening', 'memory', 'start' and 'watchdog'"
        ),
        (
            "'a.b' = { command = '/a' }", "\"a.b\".command",
            "this is a string; it has to be a list of words: [\"/usr/libexec/vendor/app\", \"--option\"]"
        ),
        (
            "'a.b' = { command = [] }", "\"a.b\".command",
            "the list is empty; the first word has to be the path of the program, such as '/usr/libexec/vendor/app', or with '/' in "
                + "it, from the folder of this file on, './app'"
        ),
        (
            "'a.b' = { command = ['app'] }", "\"a.b\".command[1]",
            "'app' is no path; the first word has to be the path of the program, such as '/usr/libexec/vendor/app', or with '/' in "
                + "it, from the folder of this file on, './app'"
        ),
        (
            "'a.b' = { command = ['/a', 1] }", "\"a.b\".command[2]",
            "this is an integer; it has to be a word of a command line"
        ),
        (
            "'a.b' = { command = ['/a', \"b\\nc\"] }", "\"a.b\".command[2]",
            "'b\\nc' has a control character, such as a line end, in it"
        ),
        (
            "'a.b' = { command = ['/a', '$A-B'] }", "\"a.b\".command[2]",
            "'$A-B' stands for no variable of the environment, whose name is letters, digits and '_'; for the text itself write "
                + "'$$A-B'"
        ),
        (
            "'a.b' = { command = ['/a'], start = 'late' }", "\"a.b\".start",
            "'late' is not allowed here; it has to be 'demand', 'early' or 'session'"
        ),
        (
            "ab = { command = ['/a'], start = 'demand' }", "ab.start",
            "'demand' is not possible for 'ab', which is no bus name, so that nobody can call the program; write 'session', or give it "
                + "its bus name, such as [programs.\"com.vendor.App\"]"
        ),
        (
            "'a.b' = { command = ['/a'], memory = '300MB' }", "\"a.b\".memory",
            "'300MB' is no amount of memory; it has to be a whole number, and K, M, G or T, such as '300M'"
        ),
        (
            "'a.b' = { command = ['/a'], memory = 300 }", "\"a.b\".memory",
            "this is an integer; it has to be an amount of memory, such as '300M'"
        ),
        (
            "'a.b' = { command = ['/a'], watchdog = 'soon' }", "\"a.b\".watchdog",
            "'soon' is no time span; it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or '1min 30s'"
        ),
        (
            "'a.b' = { command = ['/a'], hardening = 'all' }", "\"a.b\".hardening",
            "'all' is not allowed here; it has to be 'none', or a list of some of \(words)"
        ),
        (
            "'a.b' = { command = ['/a'], hardening = true }", "\"a.b\".hardening",
            "this is true or false; it has to be 'none', or a list of some of \(words)"
        ),
        (
            "'a.b' = { command = ['/a'], hardening = ['PrivateTemp'] }", "\"a.b\".hardening[1]",
            "'PrivateTemp' is not allowed here; it has to be 'MemoryDenyWriteExecute', 'PrivateNetwork', 'PrivateTmp', 'ProtectHome' or "
                + "'RestrictNamespaces'; did you mean 'PrivateTmp'?"
        ),
        (
            "'a..b' = { command = ['/a'] }", "\"a..b\"",
            ServiceTests.badName.replacingFirst("com", with: "a..b")
        ),
        (
            "'a b' = { command = ['/a'] }", "\"a b\"",
            "'a b' can't be the name of a program: it is a bus name, such as 'com.vendor.App', or, for a program that owns none, "
                + "letters, digits, '_' and '-', at most 64 bytes"
        ),
        (
            "'org.flowbus.Navigation1' = { command = ['/a'] }", "\"org.flowbus.Navigation1\"",
            "'org.flowbus.Navigation1' is the bus name of flowbusd, which has a unit of its own"
        ),
    ])
    func `one mistake in a program is one error`(entry: String, place: String, message: String) {
        #expect(errors("[programs]\n\(entry)") == ["a.toml:3: error: [programs.\(place)] \(message)"])
    }

    @Test(arguments: [
        (
            "program = 'com.park.Reade'", "program",
            "no file declares a program 'com.park.Reade'; did you mean 'com.park.Reader'?"
        ),
        (
            "program = 'clock'", "program",
            "'clock' is no bus name, so the program can't be called to show a screen; declare it by its bus name"
        ),
        ("program = 1", "program", "this is an integer; it has to be the name of a program of [programs]"),
        (
            "presenter = 'a.b', program = 'com.park.Reader'", "program",
            "'presenter' and 'program' are given; a screen has at most one of them"
        ),
        (
            "application = 'a.b', program = 'com.park.Reader'", "program",
            "'application' and 'program' are given; a screen has at most one of them"
        ),
    ])
    func `one mistake in a screen with a program is one error`(keys: String, place: String, message: String) {
        let text =
            "[programs]\n'com.park.Reader' = { command = ['/a'] }\nclock = { command = ['/b'] }\n[screens]\na = { \(keys) }"
        #expect(errors(text) == ["a.toml:6: error: [screens.a.\(place)] \(message)"])
    }

    @Test func `a program that two files declare`() {
        let text = "[programs]\n'a.b' = { command = ['/a'] }"
        #expect(
            errors(text, text) == [
                "b.toml:3: error: [programs.\"a.b\"] the program 'a.b' is declared twice: here and in a.toml:3"
            ])
    }

    @Test func `programs that nothing starts, names of two, and commands that are not there`() throws {
        let folder = try Folder()
        try folder.write("services/c.service", "[D-BUS Service]\nName=c.d\nExec=/bin/true\n")
        try folder.write("services/e.service", "\(ServiceFiles.mark)\n[D-BUS Service]\nName=e.f\nExec=/bin/true\n")
        try folder.write(
            "flows/a.toml",
            """
            version = 1
            [programs]
            "a.b" = { command = ["/bin/sh"] }
            "c.d" = { command = ["/bin/sh"] }
            "e.f" = { command = ["./none"] }
            [screens]
            one = { presenter = "a.b" }
            two = { presenter = { name = "g.h", path = "/" } }
            [flows.main]
            guard = "i.j"
            [[autostart]]
            flow = "main"
            """)
        let flows = DefinitionFolders(named: [folder.path + "/flows"])
        #expect(try DefinitionFiles.load(from: flows).warnings == [])
        let found = try DefinitionFiles.load(from: flows, services: ServiceFiles(folders: [folder.path + "/services"]))
            .warnings.map { $0.description.replacingFirst(folder.path + "/flows/a.toml:", with: "") }
        #expect(
            found == [
                "4: warning: [programs.\"c.d\"] the service file '\(folder.path)/services/c.service' has the name 'c.d', too; the bus "
                    + "starts what [programs] says",
                "5: warning: [programs.\"e.f\".command] there is no program '\(folder.path)/flows/none' on this machine",
                "8: warning: [screens.two.presenter.name] no D-Bus service file of this machine has the name 'g.h': nothing starts the "
                    + "program; declare it in [programs]",
                "10: warning: [flows.main.guard] no D-Bus service file of this machine has the name 'i.j': nothing starts the program; "
                    + "declare it in [programs]",
            ])
    }
}

extension String {
    /// The text with something else in the first place of a part.
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        var text = self
        text.replaceSubrange(range, with: other)
        return text
    }
}
