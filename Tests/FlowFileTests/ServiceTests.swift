import FlowCore
import Testing

@testable import FlowFile

/// Keys of screens that name objects of other processes.
@Suite("Presenters and applications")
struct ServiceTests {
    static func service(_ name: String, _ path: String, seconds: UInt64) -> Service {
        Service(name, path: path, timeout: seconds * 1_000_000)
    }

    static let badName =
        "'com' can't be a well-known bus name: two or more parts with dots between them, each of letters, digits, '_' and "
        + "'-', not beginning with a digit, at most 255 bytes in all"
    private static let reservedPath =
        "the path '/org/freedesktop/DBus/Local' is reserved for libraries, and the bus disconnects a client that calls it; "
        + "give that of an object with 'path'"
    static func badPath(_ path: String) -> String {
        "'\(path)' is no object path: it has to begin with '/', then parts of letters, digits and '_' with '/' between "
            + "them, at most 512 bytes in all, such as '/com/vendor/App'"
    }

    private func screen(_ keys: String) throws -> ScreenDeclaration {
        try definitions("[screens]\nmy_page = { \(keys) }").screens[0]
    }

    @Test(arguments: [
        ("presenter = 'com.vendor.Pay'", service("com.vendor.Pay", "/com/vendor/Pay", seconds: 60)),
        ("presenter = 'com.my-vendor.Pay_1'", service("com.my-vendor.Pay_1", "/com/my_vendor/Pay_1", seconds: 60)),
        ("presenter = { name = 'a.b' }", service("a.b", "/a/b", seconds: 60)),
        ("presenter = { name = 'a.b', path = '/' }", service("a.b", "/", seconds: 60)),
        ("presenter = { name = 'a.b', start = 'early' }", service("a.b", "/a/b", seconds: 60)),
        ("presenter = { name = 'a.b', path = '/x/Y_1', timeout = '1h' }", service("a.b", "/x/Y_1", seconds: 3_600)),
    ])
    func `presenters`(keys: String, service: Service) throws {
        #expect(try screen(keys).presenter == .service(service))
    }

    @Test func `S-44 a presenter that starts early and is watched, and its text`() throws {
        #expect(try !screen("presenter = 'a.b'").startsEarly)
        let page = try screen("presenter = { name = 'a.b', start = 'early' }, watchdog = '1500ms'")
        #expect(page.startsEarly)
        let definitions = Definitions(screens: [page])
        #expect(try DefinitionFiles.definitions(in: definitions.fileText(hidesPrivateValues: true)) == definitions)
    }

    @Test func `the time limits of a presenter`() throws {
        #expect(Limits.presenterTimeout == 60_000_000 && Limits.guardTimeout == 10_000_000)
        #expect(try screen("presenter = { name = 'a.b', timeout = '10ms' }").presenter?.service.timeout == 10_000)
    }

    @Test(arguments: [
        (
            "application = 'com.kiosk.Ui'", service("com.kiosk.Ui", "/com/kiosk/Ui", seconds: 60),
            ApplicationCall(.activate)
        ),
        (
            "application = { name = 'com.my-kiosk.Ui', close = 'quit' }",
            service("com.my-kiosk.Ui", "/com/my_kiosk/Ui", seconds: 60), .init(.activate, closingAction: "quit")
        ),
        (
            "application = { name = 'a.b', timeout = '2s', open = '$uri' }, arguments = { uri = 'string' }",
            service("a.b", "/a/b", seconds: 2), .init(.open(.argument("uri")))
        ),
        (
            "application = { name = 'a.b', open = 'file:///a' }", service("a.b", "/a/b", seconds: 60),
            .init(.open(.literal(.string("file:///a"))))
        ),
        (
            "application = { name = 'a.b', action = 'win.Show-1' }", service("a.b", "/a/b", seconds: 60),
            .init(.action("win.Show-1", parameter: nil))
        ),
        (
            "application = { name = 'a.b', action = 'show', parameter = '$n' }, arguments = { n = 'uint16?' }",
            service("a.b", "/a/b", seconds: 60), .init(.action("show", parameter: .argument("n")))
        ),
        (
            "application = { name = 'a.b', action = 'show', parameter = '$$n' }", service("a.b", "/a/b", seconds: 60),
            .init(.action("show", parameter: .literal(.string("$n"))))
        ),
    ])
    func `S-40 applications`(keys: String, service: Service, call: ApplicationCall) throws {
        #expect(try screen(keys).presenter == .application(service, call))
    }

    @Test func `S-40 a program without a service file is a warning, where that is asked for`() throws {
        let folder = try Folder()
        try folder.write("a.service", "[D-BUS Service]\nName=a.b\nExec=/bin/true\n")
        try folder.write(
            "flows/a.toml",
            "version = 1\n[screens]\na = { application = 'a.b' }\nb = { application = { name = 'c.d' } }\n"
                + "c = { presenter = { name = 'a.b', start = 'early' } }\n"
                + "d = { presenter = { name = 'e.f', start = 'early' } }\n")
        let flows = DefinitionFolders(named: [folder.path + "/flows"], environment: [:])
        #expect(try DefinitionFiles.load(from: flows).warnings == [])
        let found = try DefinitionFiles.load(from: flows, services: ServiceFiles(folders: [folder.path])).warnings
        #expect(found.compactMap(\.line).sorted() == [4, 6])
        for (line, name) in [(4, "c.d"), (6, "e.f")] {
            #expect(found.contains { $0.line == line && $0.message.contains("has the name '\(name)'") }, "\(found)")
        }
    }

    @Test func `the policies for a vanished owner`() throws {
        for word in WhenOwnerGone.allCases {
            #expect(try screen("presenter = 'a.b', whenOwnerGone = '\(word.rawValue)'").whenOwnerGone == word)
            #expect(try screen("application = 'a.b', whenOwnerGone = '\(word.rawValue)'").whenOwnerGone == word)
        }
        #expect(try screen("presenter = 'a.b'").whenOwnerGone == .dismiss)
        // Nobody has to be asked for these.
        #expect(try screen("presenter = 'a.b', budget = '100ms'").budget == 100_000)
        #expect(try screen("presenter = 'a.b'").budget == nil)
        #expect(try screen("whenOwnerGone = 'keep'").whenOwnerGone == .keep)
        #expect(try screen("stateOnDisk = true").isStateOnDisk)
        #expect(try screen("presenter = 'a.b', watchdog = '10ms'").watchdog == 10_000)
        #expect(try screen("presenter = 'a.b', watchdog = '1h'").watchdog == 3_600_000_000)
        let killing = try screen("presenter = 'a.b', watchdog = { every = '3s', kill = true }")
        #expect(killing.watchdog == 3_000_000 && killing.endsHungProcess)
        #expect(try !screen("presenter = 'a.b', watchdog = { every = '3s' }").endsHungProcess)
        #expect(try screen("presenter = 'a.b'").watchdog == nil)
        #expect(try screen("presenter = 'a.b', evictAfter = '5min'").evictAfter == 300_000_000)
        #expect(try screen("whenOwnerGone = 'dismiss'").whenOwnerGone == .dismiss)
    }

    @Test func `S-47 a screen with a patience, which can be none`() throws {
        #expect(try screen("presenter = 'a.b'").patience == nil)
        #expect(try screen("presenter = 'a.b', patience = '0s'").patience == 0)
        #expect(try screen("application = 'a.b', patience = '30d'").patience == 2_592_000_000_000)
        let alone = errors("[screens]\na = { patience = '1s' }")
        #expect(alone.contains { $0.contains("'patience' is not possible without 'presenter' or 'application'") })
    }

    @Test func `default values`() throws {
        #expect(try screen("") == ScreenDeclaration("my_page"))
    }

    @Test(arguments: [
        (
            "presenter = 1", "presenter",
            "this is an integer; it has to be a bus name, or a table: { name = \"com.vendor.App\" }"
        ),
        ("presenter = 'com'", "presenter", badName),
        (
            "presenter = ':1.5'", "presenter",
            "':1.5' is the unique name of one connection, and the next connection of the same program has another; it "
                + "has to be a well-known name, such as 'com.vendor.Pay'"
        ),
        ("presenter = {}", "presenter", "'presenter' has to give its bus name: name = \"com.vendor.App\""),
        (
            "presenter = { nme = 'a.b' }", "presenter.nme",
            "the table 'presenter' has no key 'nme'; did you mean 'name'?"
        ),
        (
            "presenter = { name = 'a.b', steps = [] }", "presenter.steps",
            "the table 'presenter' has no key 'steps'; it has the keys 'name', 'path', 'start' and 'timeout'"
        ),
        (
            "presenter = { name = 'a.b', start = 'late' }", "presenter.start",
            "'late' is not allowed here; it has to be 'early'"
        ),
        (
            "presenter = { name = 'a.b', start = true }", "presenter.start",
            "this is true or false; it has to be 'early'"
        ),
        (
            "application = { name = 'a.b', start = 'early' }", "application.start",
            "the table 'application' has no key 'start'; it has the keys 'action', 'close', 'name', 'open', 'parameter' and "
                + "'timeout'"
        ),
        ("presenter = { name = 1 }", "presenter.name", "this is an integer; it has to be a bus name"),
        ("presenter = { name = 'com' }", "presenter.name", badName),
        (
            "presenter = { name = 'a.b', path = 1 }", "presenter.path",
            "this is an integer; it has to be an object path, such as '/com/vendor/App'"
        ),
        ("presenter = { name = 'a.b', path = '' }", "presenter.path", badPath("")),
        ("presenter = { name = 'a.b', path = 'a/b' }", "presenter.path", badPath("a/b")),
        ("presenter = { name = 'a.b', path = '/a/' }", "presenter.path", badPath("/a/")),
        ("presenter = { name = 'a.b', path = '/a//b' }", "presenter.path", badPath("/a//b")),
        ("presenter = { name = 'a.b', path = '/a-b' }", "presenter.path", badPath("/a-b")),
        ("presenter = { name = 'a.b', path = '/é' }", "presenter.path", badPath("/é")),
        ("presenter = { name = 'a.b', path = '/org/freedesktop/DBus/Local' }", "presenter.path", reservedPath),
        ("presenter = 'org.freedesktop.DBus.Local'", "presenter", reservedPath),
        (
            "presenter = { name = 'a.b', timeout = 5 }", "presenter.timeout",
            "this is an integer; it has to be a time span, such as '60s' or '1min 30s'"
        ),
        (
            "presenter = { name = 'a.b', timeout = '9ms' }", "presenter.timeout",
            "'9ms' is too short; it has to be at least 10ms"
        ),
        (
            "presenter = { name = 'a.b', timeout = '61min' }", "presenter.timeout",
            "'61min' is too long; at most 1 hour is allowed"
        ),
        (
            "application = true", "application",
            "this is true or false; it has to be a bus name, or a table: { name = \"com.vendor.App\", open = \"$uri\" }"
        ),
        ("application = 'com'", "application", badName),
        (
            "application = { action = 'x' }", "application",
            "'application' has to give its bus name: name = \"com.vendor.App\""
        ),
        (
            "application = { name = 'a.b', path = '/a' }", "application.path",
            "the table 'application' has no key 'path'; it has the keys 'action', 'close', 'name', 'open', 'parameter' and 'timeout'"
        ),
        (
            "application = { name = 'a.b', open = 'x', action = 'y' }", "application.action",
            "'open' and 'action' are given; an application is called by one of them"
        ),
        (
            "application = { name = 'a.b', parameter = 1 }", "application.parameter",
            "'parameter' belongs to 'action', which is not given"
        ),
        (
            "application = { name = 'a.b', open = '$n' }, arguments = { n = 'int64' }", "application.open",
            "'$n' is of type int64; it has to be of type 'string' or 'as'"
        ),
        (
            "application = { name = 'a.b', open = '$uir' }, arguments = { uri = 'string' }", "application.open",
            "'$uir' refers to nothing (for the text itself write '$$uir'): screen 'my_page' has no argument 'uir'; did you "
                + "mean 'uri'?"
        ),
        (
            "application = { name = 'a.b', close = 'a_b' }", "application.close",
            "'a_b' can't be the name of an action: letters, digits, '-' and '.', at least one of them"
        ),
        (
            "application = { name = 'a.b', action = 1 }", "application.action",
            "this is an integer; it has to be the name of an action"
        ),
        (
            "application = { name = 'a.b', action = '' }", "application.action",
            "'' can't be the name of an action: letters, digits, '-' and '.', at least one of them"
        ),
        (
            "application = { name = 'a.b', action = 'my_page' }", "application.action",
            "'my_page' can't be the name of an action: letters, digits, '-' and '.', at least one of them"
        ),
        (
            "application = { name = 'a.b', action = 'x::y' }", "application.action",
            "'x::y' can't be the name of an action: letters, digits, '-' and '.', at least one of them"
        ),
        (
            "application = { name = 'a.b', timeout = 'soon' }", "application.timeout",
            "'soon' is no time span; it has to be whole numbers with units, such as '250ms', '60s', '5min', '2h' or "
                + "'1min 30s'"
        ),
        (
            "presenter = 'a.b', application = 'a.b'", "application",
            "'presenter' and 'application' are given; a screen has at most one of them"
        ),
        (
            "presenter = 'a.b', watchdog = '9ms'", "watchdog",
            "'9ms' is too short; it has to be at least 10ms"
        ),
        (
            "presenter = 'a.b', watchdog = '1h 1ms'", "watchdog", "'1h 1ms' is too long; at most 1 hour is allowed"
        ),
        (
            "presenter = 'a.b', watchdog = { kill = true }", "watchdog",
            "'watchdog' has to say how often its owner is asked: every = \"10s\""
        ),
        (
            "presenter = 'a.b', watchdog = { every = '3s', kil = true }", "watchdog.kil",
            "the table 'watchdog' has no key 'kil'; did you mean 'kill'?"
        ),
        (
            "presenter = 'a.b', watchdog = 10", "watchdog",
            "this is an integer; it has to be a time span, such as '60s' or '1min 30s'"
        ),
        (
            "application = 'a.b', watchdog = '10s'", "watchdog",
            "'watchdog' is not possible without 'presenter': only the object of a presenter can be asked; give a presenter, "
                + "or leave it out"
        ),
        (
            "whenOwnerGone = 'kep'", "whenOwnerGone",
            "'kep' is not allowed here; it has to be 'dismiss', 'keep' or 'present'; did you mean 'keep'?"
        ),
        (
            "whenOwnerGone = 'present'", "whenOwnerGone",
            "'present' is not possible without 'presenter' or 'application': there is nobody to ask again; give one of "
                + "them, or write 'dismiss' or 'keep'"
        ),
    ])
    func `one mistake in a screen is one error`(keys: String, place: String, message: String) {
        #expect(
            errors("[screens]\nmy_page = { \(keys) }") == ["a.toml:3: error: [screens.my_page.\(place)] \(message)"])
    }

    @Test func `a path as long as allowed`() throws {
        let path = "/" + String(repeating: "a", count: 511)
        #expect(try screen("presenter = { name = 'a.b', path = '\(path)' }").presenter?.service.path == path)
        #expect(errors("[screens]\np = { presenter = { name = 'a.b', path = '\(path)a' } }").count == 1)
    }

    @Test func `a screen without a presenter, among others`() throws {
        #expect(try warnings("[screens]\na = {}\nb = { whenOwnerGone = 'keep' }") == [])
        #expect(try warnings("[screens]\na = { presenter = 'a.b' }\nb = { application = 'a.b' }") == [])
        func warning(_ line: Int, _ name: String, _ other: String) -> String {
            "a.toml:\(line): warning: [screens.\(name)] nobody is asked to show the screen '\(name)': it has neither "
                + "'presenter' nor 'application', while others do, such as '\(other)'"
        }
        #expect(
            try warnings("[screens]\na = {}\nb = { presenter = 'a.b' }\nc = { application = 'a.b' }\nd = {}")
                == [warning(3, "a", "b"), warning(6, "d", "b")])
        #expect(try warnings("[screens]\nb = {}", "[screens]\na = { application = 'a.b' }") == [warning(3, "b", "a")])
    }
}
