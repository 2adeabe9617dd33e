import BusTestSupport
import Foundation
import Testing

/// The programs of the distribution that the tests show, unchanged, on a display that nobody sees.
private enum Desktop {
    static let missing = ["Xvfb", "xwininfo", "gnome-font-viewer", "gnome-text-editor", "gnome-characters"].filter {
        !FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
    }
}

@Suite("Applications as they are", .enabled(if: Desktop.missing.isEmpty, "missing: \(Desktop.missing)"))
struct ApplicationTests {
    private static let definitions = """
        [steps]
        fonts     = {}
        fontFile  = { uri = "string" }
        about     = {}
        editor    = {}
        textFile  = { uri = "string" }
        newWindow = {}
        letters   = {}
        nobody    = {}
        lost      = { why = "string" }
        [screens]
        fonts     = { application = { name = "org.gnome.font-viewer", close = "quit" } }
        fontFile  = { application = { name = "org.gnome.font-viewer", open = "$uri" }, arguments = { uri = "string" } }
        about     = { application = { name = "org.gnome.font-viewer", action = "about" } }
        editor    = { application = "org.gnome.TextEditor" }
        textFile  = { application = { name = "org.gnome.TextEditor", open = "$uri" }, arguments = { uri = "string" } }
        newWindow = { application = { name = "org.gnome.TextEditor", action = "new-window" } }
        letters   = { application = "org.gnome.Characters" }
        nobody    = { application = "org.gnome.Calculator" }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        fonts     = { screen = "fonts" }
        fontFile  = { screen = "fontFile" }
        about     = { screen = "about" }
        editor    = { screen = "editor" }
        textFile  = { screen = "textFile" }
        newWindow = { screen = "newWindow" }
        letters   = { screen = "letters" }
        nobody    = { screen = "nobody", onDismissed = { step = "lost", arguments = { why = "$reason" } } }
        lost      = { none = true }
        """

    private let home: TemporaryDirectory
    private let services: TemporaryDirectory
    private let display: ChildProcess
    private let name: String
    private let service: Service

    init() throws {
        home = try TemporaryDirectory()
        // Xvfb chooses a display that is free, and prints its number when it is ready.
        display = try ChildProcess(
            "Xvfb", ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"])
        name = ":" + (try display.waitForLine { Int($0) != nil }).trimmingCharacters(in: .whitespacesAndNewlines)
        try home.write("text", to: "a.txt")
        services = try TemporaryDirectory()
        for (name, program) in [
            ("org.gnome.font-viewer", "gnome-font-viewer"), ("org.gnome.TextEditor", "gnome-text-editor"),
            ("org.gnome.Characters", "gnome-characters"),
        ] {
            // As in the file of the package, with the display and a home of the test's own.
            let variables = [
                "HOME=\(home.path)", "XDG_RUNTIME_DIR=\(home.path)", "DISPLAY=\(self.name)", "GDK_BACKEND=x11",
                "GSETTINGS_BACKEND=memory", "GSK_RENDERER=cairo", "GTK_A11Y=none",
            ]
            try services.write(
                "[D-BUS Service]\nName=\(name)\n"
                    + "Exec=/usr/bin/env \(variables.joined(separator: " ")) /usr/bin/\(program) --gapplication-service\n",
                to: name + ".service")
        }
        service = try Service(
            Self.definitions, bus: PrivateBus(.daemon, serviceDirectories: [services.path]))
        try service.listen()
    }

    /// The titles of the windows on the display.
    private func windows() throws -> [String] {
        let list = try ChildProcess("xwininfo", ["-root", "-tree", "-display", name])
        try list.waitForExit()
        return list.output.split(separator: "\n").map(String.init)
    }

    private func show(_ screen: String, _ arguments: KeyValuePairs<String, BusValue> = [:]) throws {
        #expect(try service.emit(screen, arguments, on: "/main")[1] == "navigated")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/main/" + screen && $0.values[1]["Visible"] == true
        }
    }

    private func waitForWindow(_ title: String, count: Int = 1) throws {
        try service.poll(for: "\(count) windows '\(title)'") { try windows().count { $0.contains(title) } >= count }
    }

    @Test func `S-40 gnome-font-viewer: Activate, Open, quit when the screen goes, and its action about`() throws {
        try show("fonts")
        try waitForWindow("gnome-font-viewer")
        let font = FileManager.default.enumerator(atPath: "/usr/share/fonts")?.first { "\($0)".hasSuffix(".ttf") }
        if let font { try show("fontFile", ["uri": .string("file:///usr/share/fonts/\(font)")]) }
        let owner = try service.property("Owner", of: "/main/fonts", "Presentable").text ?? ""
        #expect(owner.hasPrefix(":"))
        try service.dismiss("/main/fonts")
        try service.client.waitForEnd(of: owner)
        // In the next process: version 48 does not quit while this dialog is open.
        try show("about")
    }

    @Test func `S-40 gnome-text-editor: Activate, Open, its action new-window`() throws {
        try show("editor")
        try waitForWindow("gnome-text-editor")
        try show("textFile", ["uri": .string("file://\(home.path)/a.txt")])
        try waitForWindow("a.txt")
        try show("newWindow")
    }

    @Test func `S-40 gnome-characters: Activate`() throws {
        try show("letters")
        try waitForWindow("org.gnome.Characters")
    }

    @Test func `S-40 a program without a service file fails at once`() throws {
        #expect(try service.emit("nobody", on: "/main")[1] == "navigated")
        let lost = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "lost" }
        #expect(lost.values[4]["why"] == "presentFailed")
        #expect(try service.process.waitForLine(in: .errors) { $0.contains("ServiceUnknown") } != "")
    }
}
