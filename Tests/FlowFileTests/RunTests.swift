import FlowCore
import Testing

@testable import FlowFile

/// Screens that are command lines.
@Suite("Command lines")
struct RunTests {
    private static let steps =
        "[steps]\npaid = { cents = 'int64' }\ngone = { why = 'string', n = 'int64?' }\nrest = {}\n"

    private func screen(_ keys: String) throws -> ScreenDeclaration {
        try definitions(Self.steps + "[screens]\nmy_page = { \(keys) }").screens[0]
    }

    private func dictionary(_ pairs: (String, Value)...) -> Value {
        .array(element: "{sv}", pairs.map { .entry(key: .string($0.0), value: .variant($0.1)) })
    }

    @Test func `S-59 a command line has flowbus-run as its presenter, and is what that is told`() throws {
        let page = try screen("run = ['evince', '--fullscreen', '$file', '$$HOME'], arguments = { file = 'string' }")
        #expect(page.presenter == .service(Service("org.flowbus.Run", path: "/org/flowbus/Run", timeout: 60_000_000)))
        let words = ["evince", "--fullscreen", "$file", "$$HOME"].map(Value.string)
        #expect(page.run == [Argument("command", .array(element: "s", words))])
        #expect(try screen("presenter = 'a.b'").run == [])
    }

    @Test func `S-59 exit statuses are words and steps`() throws {
        let page = try definitions(
            Self.steps + """
                [screens.my_page]
                run = ['/usr/bin/pay', '$cents']
                arguments = { cents = 'int64' }
                result = { card = 'string', n = 'int64?' }
                [screens.my_page.exit]
                0 = 'result'
                1 = { step = 'paid' }
                2 = { step = 'gone', arguments = { why = '$message', n = 5 } }
                3 = { step = 'gone', arguments = { why = '$$5', n = '$cents' } }
                4 = { step = 'rest' }
                other = 'failed'
                """
        ).screens[0]
        let exits = try #require(page.run["exit"]?.value)
        #expect(
            exits
                == dictionary(
                    ("0", .string("result")),
                    (
                        "1",
                        dictionary(("step", .string("paid")), ("arguments", dictionary(("cents", .string("$cents")))))
                    ),
                    (
                        "2",
                        dictionary(
                            ("step", .string("gone")),
                            ("arguments", dictionary(("n", .int64(5)), ("why", .string("$message")))))
                    ),
                    (
                        "3",
                        dictionary(
                            ("step", .string("gone")),
                            ("arguments", dictionary(("n", .string("$cents")), ("why", .string("$$5")))))
                    ), ("4", dictionary(("step", .string("rest")))), ("other", .string("failed"))))
        #expect(
            page.run["result"]?.value
                == .array(
                    element: "{ss}",
                    [
                        .entry(key: .string("card"), value: .string("s")),
                        .entry(key: .string("n"), value: .string("x")),
                    ]))
    }

    @Test(arguments: [
        "run = ['evince', '--', '$file', '$$HOME', ''], arguments = { file = 'string' }, patience = '1s'",
        "run = ['a'], exit = { 0 = 'done', 255 = 'closed', other = { step = 'gone', arguments = { why = '$$message', n = -1 } } }",
        "run = ['/a b'], exit = { 3 = 'result' }, result = { n = 'byte', public = true }, whenOwnerGone = 'present'",
    ])
    func `S-59 a command line, and its text`(keys: String) throws {
        let all = try definitions(Self.steps + "[screens]\nmy_page = { \(keys) }")
        #expect(!all.screens[0].run.isEmpty)
        #expect(try DefinitionFiles.definitions(in: all.fileText(hidesPrivateValues: true)) == all)
    }

    @Test(arguments: [
        ("evince", "evince"), ("/usr/bin/my evince", "/usr/bin/my evince"), ("./evince", "/etc/flows.d/evince"),
        ("../bin/evince", "/etc/bin/evince"), ("bin/evince", "/etc/flows.d/bin/evince"),
    ])
    func `S-59 a relative path begins at the folder of the file`(given: String, path: String) throws {
        let text = "[screens]\nmy_page = { run = ['\(given)', './no-path'] }"
        // Checked against the schema, too.
        _ = try definitions(text)
        let run = try DefinitionFiles.check([(file: "/etc/flows.d/a.toml", text: .success("version = 1\n" + text))])
            .definitions.screens[
                0
            ].run
        #expect(run.first == Argument("command", .array(element: "s", [.string(path), .string("./no-path")])))
    }

    private static func badProgram(_ text: String) -> String {
        "'\(text)' can't be the program: it has to be the name of one in PATH, such as 'evince', or a path, such as "
            + "'/usr/bin/evince' or, from the folder of this file on, './evince'"
    }

    @Test(arguments: [
        ("run = 'evince'", "run", "this is a string; it has to be a list of words: run = [\"PROGRAM\", \"$NAME\"]"),
        ("run = []", "run", "the list is empty; it has to begin with a program: run = [\"PROGRAM\"]"),
        ("run = [1]", "run[1]", "this is an integer; it has to be a word of a command line, in quotes"),
        ("run = ['']", "run[1]", badProgram("")),
        ("run = ['$a'], arguments = { a = 'string' }", "run[1]", badProgram("$a")),
        (
            "run = ['ls -l']", "run[1]",
            "'ls -l' can't be the program: no shell reads the line, so that each word stands by itself: [\"ls\", \"-l\"]"
        ),
        (
            "run = ['a', '$fil'], arguments = { file = 'string' }", "run[2]",
            "'$fil' refers to nothing (for the text itself write '$$fil'): screen 'my_page' has no argument 'fil'; did you mean "
                + "'file'?"
        ),
        (
            "run = ['a', '$all'], arguments = { all = 'as' }", "run[2]",
            "'$all' is of type as; in a command line it has to be of type string, bool or a number"
        ),
        (
            "presenter = 'a.b', run = ['a']", "run",
            "'presenter' and 'run' are given; a screen has at most one of them"
        ),
        (
            "application = 'a.b', run = ['a']", "run",
            "'application' and 'run' are given; a screen has at most one of them"
        ),
        ("exit = { 0 = 'closed' }", "exit", "'exit' belongs to 'run', which is not given"),
        (
            "run = ['a'], exit = 'closed'", "exit",
            "this is a string; it has to be a table of exit statuses: exit = { 0 = \"closed\", other = \"failed\" }"
        ),
        (
            "run = ['a'], exit = { 256 = 'closed' }", "exit.256",
            "'256' is no exit status: it has to be a number from 0 to 255, or 'other'"
        ),
        (
            "run = ['a'], exit = { 01 = 'closed' }", "exit.01",
            "'01' is no exit status: it has to be a number from 0 to 255, or 'other'"
        ),
        (
            "run = ['a'], exit = { 0 = 'close' }", "exit.0",
            "'close' is not allowed here; it has to be 'closed', 'done', 'result' or 'failed'; did you mean 'closed'?"
        ),
        (
            "run = ['a'], exit = { 0 = 'result' }", "exit.0",
            "'result' is not possible: screen 'my_page' declares no 'result'"
        ),
        ("run = ['a'], exit = { 0 = {} }", "exit.0", "a table has to name a step: { step = \"NAME\" }"),
        (
            "run = ['a'], exit = { 0 = { step = 'rest', pop = 'root' } }", "exit.0.pop",
            "an exit status has no key 'pop'; it has the keys 'arguments' and 'step'"
        ),
        (
            "run = ['a'], exit = { 0 = { step = 'gone', arguments = { why = '$reason' } } }", "exit.0.arguments.why",
            "'$reason' refers to nothing (for the text itself write '$$reason'): it has to be '$message', or '$' and the name of an "
                + "argument of screen 'my_page'"
        ),
        (
            "run = ['a'], exit = { 0 = { step = 'gone', arguments = { why = '$flow.a' } } }", "exit.0.arguments.why",
            "'$flow.a' is no reference (for the text itself write '$$flow.a'): it has to be '$message', or '$' and the name of an "
                + "argument of screen 'my_page'"
        ),
        (
            "run = ['a'], exit = { 0 = { step = 'paid' } }", "exit.0.arguments",
            "step 'paid' needs the argument 'cents', which screen 'my_page' does not have; give it with 'arguments'"
        ),
        (
            "run = ['a'], exit = { 0 = { step = 'paid', arguments = { cents = '$message' } } }",
            "exit.0.arguments.cents",
            "'$message' is of type string; the argument 'cents' has to be of type int64"
        ),
        (
            "run = ['a'], watchdog = '1s'", "watchdog",
            "'watchdog' is not possible without 'presenter': only the object of a presenter can be asked; give a presenter, "
                + "or leave it out"
        ),
    ])
    func `S-59 one mistake in a command line is one error`(keys: String, place: String, message: String) {
        let found = errors(Self.steps + "[screens]\nmy_page = { \(keys) }")
        #expect(found == ["a.toml:7: error: [screens.my_page.\(place)] \(message)"])
    }

    @Test func `S-59 a reference inside a word stays as it is, with a warning`() throws {
        let text = Self.steps + "[screens]\nmy_page = { run = ['a', '--file=$file'], arguments = { file = 'string' } }"
        #expect(try warnings(text).filter { $0.contains("'$file' stays as it is in '--file=$file'") }.count == 1)
    }

    @Test func `S-59 a machine without flowbus-run is a warning, where that is asked for`() throws {
        let folder = try Folder()
        try folder.write("flows/a.toml", "version = 1\n[screens]\na = { run = ['a'] }\n")
        let flows = DefinitionFolders(named: [folder.path + "/flows"], environment: [:])
        let programs = ServiceFiles(folders: [folder.path])
        let found = try DefinitionFiles.load(from: flows, services: programs).warnings
        #expect(found.map(\.line) == [3])
        #expect(found.allSatisfy { $0.message.contains("has the name 'org.flowbus.Run': flowbus-run, which starts") })
        try folder.write("a.service", "[D-BUS Service]\nName=org.flowbus.Run\nExec=/bin/true\n")
        #expect(try DefinitionFiles.load(from: flows, services: ServiceFiles(folders: [folder.path])).warnings == [])
    }

    @Test func `S-59 a command line of at most 256 words`() throws {
        func keys(_ count: Int) -> String { "run = [\(String(repeating: "'a', ", count: count))]" }
        #expect(try screen(keys(256)).run.count == 1)
        #expect(errors("[screens]\nmy_page = { \(keys(257)) }").count == 1)
    }

    @Test(arguments: ["'org.flowbus.Run'", "{ name = 'org.flowbus.Run', path = '/a' }"])
    func `S-59 flowbus-run as the presenter of another screen is warned of`(presenter: String) throws {
        let folder = try Folder()
        try folder.write("services/run.service", "[D-BUS Service]\nName=org.flowbus.Run\nExec=/usr/bin/flowbus-run\n")
        try folder.write(
            "flows/a.toml", "version = 1\n[screens]\npay = { presenter = \(presenter) }\nhelp = { run = ['mupdf'] }\n")
        let found = try DefinitionFiles.load(
            from: DefinitionFolders(named: [folder.path + "/flows"]),
            services: ServiceFiles(folders: [folder.path + "/services"])
        ).warnings
        #expect(
            found.map(\.message) == [
                "'org.flowbus.Run' is flowbus-run, which shows command lines alone, and refuses this screen: write run = [\"PROGRAM\"] in "
                    + "place of 'presenter'"
            ])
        #expect(found.map(\.place) == ["screens.pay.presenter"])
    }
}
