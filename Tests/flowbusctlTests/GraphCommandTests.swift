import BusTestSupport
import Glibc
import Testing

/// `flowbusctl graph`, the program itself.
@Suite("flowbusctl graph")
struct GraphCommandTests {
    private func graph(_ arguments: String..., path: String? = nil) throws -> CommandRun {
        try Program.run(["graph"] + arguments, environment: path.map { ["PATH": $0] } ?? [:])
    }

    private let movies = Service.repository + "/examples/movies/flows.d"

    @Test func `the default is dot, which needs neither a bus nor Graphviz`() throws {
        let run = try graph(movies, path: "/nowhere")
        #expect(run.status == .status(0) && run.errors.isEmpty)
        #expect(run.output == (try Service.file("docs/movies.dot")))
        let mermaid = try graph(movies, "--format", "mermaid", "--flow", "watched")
        #expect(mermaid.output.hasPrefix("flowchart LR\n"))
        #expect(mermaid.output.contains("watched") && !mermaid.output.contains("wishlist"))
    }

    /// A folder with a substitute for Graphviz's program.
    private func folder(withDot program: String) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        let result = symlink(program, folder.path + "/dot")
        #expect(result == 0)
        return folder
    }

    @Test func `svg is drawn by Graphviz, which writes itself`() throws {
        let (fake, failing) = (try folder(withDot: "/bin/echo"), try folder(withDot: "/bin/false"))
        let drawn = try graph(movies, "--format", "svg", path: fake.path)
        #expect(drawn.status == .status(0))
        #expect(drawn.output == "-Tsvg\n")
        let failed = try graph(movies, "--format", "svg", path: failing.path)
        #expect(failed.status == .status(74))
        #expect(failed.errors == "flowbusctl: Graphviz failed: 'dot' ended with status 1\n")
        // They are removed with their last use.
        withExtendedLifetime((fake, failing)) {}
    }

    private static let hasGraphviz = ["/usr/bin/dot", "/usr/local/bin/dot"].contains { (path: String) in
        access(path, X_OK) == 0
    }

    @Test(.enabled(if: hasGraphviz, "Graphviz is not installed"))
    func `Graphviz can read it`() throws {
        for example in ["movies", "kiosk", "car", "processes"] {
            let run = try graph(
                Service.repository + "/examples/\(example)/flows.d", "--format", "svg", "--presenters")
            #expect(run.status == .status(0) && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output.contains("<svg") && run.output.hasSuffix("</svg>\n"))
        }
    }

    @Test func `without Graphviz it names the package, status 69`() throws {
        let run = try graph(movies, "--format", "svg", path: "/nowhere")
        #expect(run.status == .status(69))
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("'apt install graphviz'"), "\(run.errors)")
    }

    @Test func `errors on the command line, and in the files`() throws {
        let flow = try graph(movies, "--flow", "watchd")
        #expect(flow.status == .status(65))
        #expect(flow.errors == "flowbusctl: no flow 'watchd' is defined; did you mean 'watched'?\n")
        #expect(try graph("/nowhere/flows.d").status == .status(66))
        #expect(try graph(movies, "--format", "png").status == .status(64))
        #expect(try graph(movies, "--live").status == .status(69))
        let folder = try TemporaryDirectory()
        _ = try folder.write("version = 1\n[flows.main.on]\nopen = { screen = \"list\" }\n", to: "a.toml")
        let wrong = try graph(folder.path)
        #expect(wrong.status == .status(1))
        #expect(wrong.errors.contains("a.toml") && wrong.output.isEmpty, "\(wrong.errors)")
    }

    @Test func `--live marks the live presentables`() throws {
        let service = try Service(shopDefinitions)
        try service.show("/shop/list")
        let run = try service.ctl("graph", service.flows.path, "--live", "--format", "mermaid")
        #expect(run.status == .status(0), "\(run.errors)")
        let screen = run.lines.first { $0.contains("[\"list\"]") }
        #expect(screen?.hasSuffix(":::presented") == true, "\(run.output)")
        // No client opened the payment.
        #expect(run.output.contains("[\"basket\"]:::screen"))
    }

    @Test func `live without folders draws what the service uses, registered flows too`() throws {
        let service = try Service(shopDefinitions)
        let client = try TestClient(service.bus)
        let steps = BusValue.array(
            of: "{sa{ss}}", [.dictEntry("hello", .array(of: "{ss}", [.dictEntry("who", "string")]))])
        try client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine", .objectPath("/nav"),
            steps, .options())
        let run = try service.ctl("graph", "--live", "--format", "mermaid")
        #expect(run.status == .status(0), "\(run.errors)")
        #expect(run.output.contains("[\"basket\"]:::screen") && run.output.contains("hello"))
        #expect(run.output.contains("navigator: \(client.uniqueName)"))
        #expect(!run.output.contains("not defined here"))
        // Files alone do not know it.
        let files = try service.ctl("graph", service.flows.path, "--live", "--format", "mermaid")
        #expect(!files.output.contains("hello"))
        let flow = try service.ctl("graph", "--live", "--flow", "mien")
        #expect(flow.errors.contains("did you mean 'mine'?"))
    }

    @Test func `S-10 values that the service does not return are marked as private`() throws {
        let service = try Service(
            """
            [steps]
            pin = { code = "string" }
            [private]
            steps = ["pin"]
            [screens]
            page = {}
            [flows.main.on]
            pin = [{ when = { code = "4711" }, screen = "page" }]
            """)
        for folder in ["--presenters", service.flows.path] {
            let run = try service.ctl("graph", "--live", "--format", "mermaid", folder)
            #expect(run.status == .status(0), "\(run.errors)")
            #expect(run.output.contains("code = (private)") && !run.output.contains("4711"), "\(run.output)")
        }
    }

    @Test func `explain, by the service itself: nodes are called as on the command line`() throws {
        let service = try Service(shopDefinitions)
        let run = try service.ctl("explain", "shop/list", "pick", "item=7")
        #expect(run.status == .status(1))
        #expect(
            run.lines == [
                "hidden", "  step 'pick' (item = 7) on screen 'shop/list', for flow 'shop'",
                "    it is not presented: nobody shows 'shop/list' (SetVisible)",
                "    so it ignores steps (whenHidden = \"ignore\")",
            ])
        #expect(try service.ctl("explain", "shop", "pick", "item=7").lines.first == "navigated")
        #expect(try service.ctl("explain", "shop", "pikc").output.contains("did you mean 'pick'?"))
    }
}
