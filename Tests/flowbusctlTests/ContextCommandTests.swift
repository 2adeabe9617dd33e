import BusTestSupport
import Testing

@Suite("context")
struct ContextCommandTests {
    private static let definitions = """
        [context]
        language = { type = "string", initial = "en", setters = ["com.example.Settings"] }
        pin = { type = "int64", initial = 1, setters = ["com.example.Settings"], private = true }
        [[autostart]]
        flow = "main"
        [flows.main.context]
        volume = { type = "byte", initial = 5, setters = ["com.example.Settings"] }
        """

    @Test func `values are shown and set, with their types`() throws {
        let service = try Service(Self.definitions)
        let settings = "com.example.Settings"
        #expect(try service.ctl("context").output == "language=en\n")
        #expect(try service.ctl("context", "--flow", "main", "--json").output == "{\"volume\":5}\n")
        #expect(try service.ctl("context", "language=de", "pin=2", "--as", settings).status == .status(0))
        #expect(try service.ctl("context").output == "language=de\n")
        #expect(try service.ctl("context", "volume=7", "--flow", "main", "--as", settings).status == .status(0))
        #expect(try service.property("Context", of: "/main", "Flow") == .options(["volume": .byte(7)]))
    }

    @Test(arguments: [
        (["volume=256", "--flow", "main"], 65, "volume"), (["langage=de"], 2, "did you mean 'language'?"),
        (["language"], 64, "name=value"), (["language=x"], 2, "com.example.Settings"),
    ])
    func `what can't be set is refused`(words: [String], status: Int32, text: String) throws {
        let service = try Service(Self.definitions)
        let run = try Program.run(["--address", service.bus.address, "context"] + words)
        #expect(run.status == .status(status) && run.errors.contains(text), "\(run)")
    }
}
