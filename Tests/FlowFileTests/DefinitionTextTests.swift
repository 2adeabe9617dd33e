import BusTestSupport
import FlowCore
import Foundation
import Testing

@testable import FlowFile

/// Definitions as a text: reading it gives the same ones. `definitions(_:)` of these tests looks at each good text so, too.
@Suite("Definitions as text")
struct DefinitionTextTests {
    private static let folders = [
        "car", "kiosk", "movies", "movies-2", "phone", "processes", "restart", "tabs", "ten-screens",
    ]

    private func load(_ folder: String) throws -> Definitions {
        let path = Service.repository + "/examples/" + folder + "/flows.d"
        return try DefinitionFiles.load(from: DefinitionFolders(named: [path], environment: [:])).definitions
    }

    @Test(arguments: folders) func `an example is the same when it was written and read`(folder: String) throws {
        let definitions = try load(folder)
        let text = try definitions.fileText(hidesPrivateValues: false)
        #expect(try DefinitionFiles.definitions(in: text) == definitions)
        // It is a definition file.
        #expect(errors(text.replacing("version = 1\n", with: "")) == [])
    }

    @Test func `everything that the format has is written`() throws {
        let loaded = try DefinitionFiles.check([("example.toml", .success(example))]).definitions
        let text = try loaded.fileText(hidesPrivateValues: false)
        #expect(try DefinitionFiles.definitions(in: text) == loaded)
        #expect(text == (try loaded.fileText(hidesPrivateValues: false)))
    }

    @Test func `what is short stands on a line, what is long in tables of its own`() throws {
        let loaded = try DefinitionFiles.check([("example.toml", .success(example))]).definitions
        let text = try loaded.fileText(hidesPrivateValues: false)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= TomlText.width })
        #expect(
            text.contains(
                """

                [flows.session]
                initial = "touched"
                children = "stack"
                arguments = { lang = "string" }
                idle = { after = "90s", step = "goHome" }
                [flows.session.on]
                goHome = [
                    { screen = "welcome", id = "one", style = "modal", whenHidden = "allow", clear = true },
                    { current = "touched" },
                ]
                paymentDone = [
                    { when = { result = "paid" }, do = [{ screen = "receipt", arguments = { receipt = "none, $0" } }] },
                    { do = [{ none = true }] },
                ]
                touched = { screen = "welcome" }
                [[flows.session.on.itemPicked]]
                unless = { alive = "payment", item = 0 }
                do = [{ screen = "detail", arguments = { item = "$item", lang = "$flow.lang" }, reuse = true }]
                [[flows.session.on.itemPicked]]
                when = { lang = "en" }
                do = [{ pop = "root" }, { screen = "welcome" }, { pop = "detail" }, { parent = "touched" }]
                [flows.session.on."media.play"]
                screen = "player"
                arguments = { at = [1, -2], more = { a = 1, b = ["x", 2] }, rate = 2.0, tags = ["a", "$b"] }
                onResult = { step = "paymentDone", arguments = { receipt = "$result.why", result = "$name" } }
                [flows.session.on.payAsked]
                flow = "payment"
                step = "payAsked"
                style = "modal"
                onDismissed = { step = "paymentDone", arguments = { receipt = "$flow.lang", result = "$reason" } }

                [flows.settings]
                """), "\(text)")
    }

    @Test func `values that are longer than a line`() {
        let word = String(repeating: "é", count: 60)
        let (short, long) = (WrittenToml.table([("n", .string("a"))]), WrittenToml.table([("n", .string(word + word))]))
        var text = TomlText()
        text.begin(["a", "b c"])
        text.add([
            ("fits", .list([.string(word), .string(String(word.prefix(34)))])),
            ("over", .list([.string(word), .string(String(word.prefix(35)))])),
            ("bytes", .list((1...40).map { .plain("\($0)") })),
            ("lists", .list([.list([.string(word + word), short]), .list([short, long])])),
            ("mixed", .list([.plain("1"), .plain("2"), long, .plain("3")])),
            ("tables", .list([short, long, .table([])])),
            ("table", .table([("x", .table([("y", long)])), ("z", .bool(true))])),
            ("string", .string(word + word)),
        ])
        #expect(
            text.text == """
                [a."b c"]
                fits = ["\(word)", "\(word.prefix(34))"]
                over = [
                    "\(word)", "\(word.prefix(35))",
                ]
                bytes = [
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                    30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
                ]
                lists = [
                    [
                        "\(word)\(word)",
                        { n = "a" },
                    ],
                    [
                        { n = "a" },
                        { n = "\(word)\(word)" },
                    ],
                ]
                mixed = [
                    1, 2,
                    { n = "\(word)\(word)" },
                    3,
                ]
                string = "\(word)\(word)"
                [[a."b c".tables]]
                n = "a"
                [[a."b c".tables]]
                n = "\(word)\(word)"
                [[a."b c".tables]]
                [a."b c".table]
                z = true
                [a."b c".table.x]
                [a."b c".table.x.y]
                n = "\(word)\(word)"

                """)
        let source = TomlSource(text.text)
        #expect(source.problem == nil && source.newer == nil)
    }

    @Test func `texts and names that TOML has to quote`() throws {
        let loaded = try definitions(
            """
            [steps]
            "media.play" = { text = "string", any = "v", raw = "ay", map = "a{ib}", path = "o" }
            next = {}
            [screens]
            page = { arguments = { text = "string", any = "v", raw = "ay", map = "a{ib}", path = "o" } }
            [[autostart]]
            flow = "main"
            output = "HDMI-A-1"
            [flows.main.on]
            next = { current = "media.play", arguments = { text = "$$a\\"\\\\\\n\\u0001é", any = { b = [1, "x"], "c d" = -0.5 }, raw = [0, 255], map = { "-1" = true }, path = "/a" } }
            [[flows.main.on."media.play"]]
            when = { text = "$$x", raw = [] }
            screen = "page"
            arguments = { text = "$text", any = [], raw = "$raw", map = {}, path = "$path" }
            [[flows.main.on."media.play"]]
            none = true
            """)
        #expect(loaded.flows.count == 1)
    }

    @Test func `S-10 the values of private steps' arguments are left out, their types are not`() throws {
        let loaded = try definitions(
            """
            [steps]
            open = { n = "int64" }
            pin = { code = "string", tries = "int64", more = "as?" }
            [private]
            steps = ["pin"]
            [screens]
            page = { arguments = { code = "string" } }
            [[autostart]]
            flow = "main"
            step = "pin"
            stepArguments = { code = "secret0", tries = 77 }
            [flows.asked]
            result = { code = "string" }
            [flows.asked.on]
            open = { end = true, result = { code = "secret6" } }
            [flows.shop]
            result = { code = "string", public = true }
            [flows.shop.on]
            open = { end = true, result = { code = "sold" } }
            [flows.main]
            initial = "pin"
            [flows.main.on]
            open = [{ current = "pin", arguments = { code = "secret1", tries = 77 } }, { flow = "main", stepArguments = { code = "secret2", tries = 77, more = ["secret3"] } }, { screen = "page", arguments = { code = "told" }, onDismissed = { step = "pin", arguments = { code = "secret4", tries = "$n" } } }]
            [[flows.main.on.pin]]
            when = { code = "secret5" }
            screen = "page"
            [[flows.main.on.pin]]
            none = true
            """.replacing("tries = \"$n\"", with: "tries = 77"))
        let text = try loaded.fileText(hidesPrivateValues: true)
        #expect(!text.contains("secret") && !text.contains("77"))
        #expect(text.contains("told") && text.contains("sold") && text.hasPrefix("# "))
        // It reads, and has the same shape.
        let read = try DefinitionFiles.definitions(in: text)
        #expect(read != loaded && read.steps == loaded.steps && read.screens == loaded.screens)
        #expect(try read.fileText(hidesPrivateValues: true) == text)
    }

    @Test func `S-32 a registered flow has its client's unique name, which no file may have`() throws {
        let service = FlowCore.Service(":1.7", path: "/nav", timeout: 1_500)
        let definitions = Definitions(
            steps: [StepDeclaration("go")],
            screens: [ScreenDeclaration("page", presenter: .service(service))],
            flows: [
                FlowDefinition("main", guard: Guard(service), navigator: Navigator(service, steps: [StepID(0)])),
                FlowDefinition("other", navigator: Navigator(service, steps: [])),
            ])
        let text = try definitions.fileText(hidesPrivateValues: false)
        #expect(text.contains("\"1500us\""))
        #expect(try DefinitionFiles.definitions(in: text.replacing("1500us", with: "15ms")).flows.count == 2)
        #expect(errors(text.replacing("version = 1\n", with: "")).contains { $0.contains("':1.7'") })
    }

    @Test func `a text that is too long for an answer is refused`() throws {
        let definitions = Definitions(steps: [StepDeclaration("go")])
        let size = try definitions.fileText(hidesPrivateValues: true).utf8.count
        #expect(throws: Never.self) { try definitions.fileText(hidesPrivateValues: true, limit: size) }
        let error = #expect(throws: FlowError.self) {
            try definitions.fileText(hidesPrivateValues: true, limit: size - 1)
        }
        #expect(error?.code == .limitExceeded)
    }
}
