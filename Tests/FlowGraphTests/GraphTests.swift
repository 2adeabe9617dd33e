import FlowCore
import FlowFile
import Foundation
import Testing

@testable import FlowGraph

/// What a picture shows, and how it is written.
@Suite("Graph")
struct GraphTests {
    private func definitions(_ text: String) throws -> Definitions {
        let folder = NSTemporaryDirectory() + "graph-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ("version = 1\n" + text).write(toFile: folder + "/a.toml", atomically: true, encoding: .utf8)
        return try DefinitionFiles.load(from: DefinitionFolders(named: [folder], environment: [:])).definitions
    }

    private static let shop = """
        [steps]
        open = {}
        pick = { item = "int64" }
        note = { text = "string?" }
        pay  = {}
        done = {}
        gone = {}
        home = {}
        [screens]
        list   = {}
        detail = { presenter = "com.example.Shop" }
        [[autostart]]
        flow = "shop"
        [flows.shop]
        initial  = "open"
        children = "stack"
        idle     = { after = "90s", step = "home" }
        guard    = { name = "com.example.Guard", steps = ["pay"] }
        [flows.shop.on]
        open = [{ screen = "list" }]
        home = { current = "open" }
        pick = [{ when = { item = 7 }, screen = "detail", style = "modal" }, { pop = "list" }]
        pay  = { flow = "pay", onDismissed = { step = "gone" } }
        gone = { none = true }
        [[flows.shop.on.note]]
        unless = { alive = "pay" }
        do     = [{ pop = "root" }, { screen = "list", clear = true }]
        [flows.pay]
        onBack = "gone"
        [flows.pay.on]
        open = { end = "done" }
        note = { parent = "home" }
        gone = { end = true }
        """

    @Test func `S-37 a flow shows its layers, and each edge the layer of the child`() throws {
        let graph = FlowGraph(
            try definitions(
                """
                [steps]
                open  = {}
                close = {}
                call  = {}
                [[autostart]]
                flow = "device"
                [flows.device]
                initial  = "open"
                children = "layers"
                layers   = ["apps", { name = "banner", covers = false }, "call"]
                [flows.device.on]
                open  = [{ flow = "home" }, { flow = "home", layer = "banner" }, { show = "home" }, { dismiss = "call" }]
                call  = { flow = "call", layer = "call", reuse = true }
                close = { hide = "call" }
                [flows.home]
                whenEmpty = "go"
                [flows.call]
                whenEmpty = "stay"
                emitters = ["com.vendor.Call"]
                """))
        let dot = graph.dot
        for text in [
            "layers, the lowest first: apps, banner (covers nothing), call", "reuse, layer call", "layer banner",
            "show home", "dismiss call", "hide call",
        ] { #expect(dot.contains(text), "\(text) in \(dot)") }
    }

    @Test func `S-42 steppers enter the flow by their steps`() throws {
        let stepper = "[[steppers]]\nflow = 'shop'\nname = 'a.b'\ninterface = 'a.b'\nstep = 'home'\n"
        let graph = FlowGraph(
            try definitions(
                Self.shop + "\n" + stepper + "signal = 'S'\n" + stepper
                    + "path = '/a'\nproperty = 'P'\nbus = 'system'\n"
                    + stepper + "signal = 'S'\npath = '/x'\n"))
        #expect(graph.steppers.map(\.name) == ["S", "P"])
        #expect(graph.steppers.map(\.notes) == [["a.b"], ["a.b, system bus"]])
        let home = try #require(graph.boxes.flatMap(\.steps).first { $0.name == "home" }).id
        #expect(
            graph.edges.filter { $0.kind == .stepper }.map { "\($0.from) \($0.to)" } == ["p1 \(home)", "p2 \(home)"])
        #expect(graph.dot.contains("p2 [label=<P<BR/>") && graph.dot.contains("p1 -> \(home) [style=dotted]"))
        #expect(graph.mermaid.contains("p1[/\"S<br/>") && graph.mermaid.contains("p2 -.-> \(home)"))
        // Those of flows outside the picture are left out.
        #expect(
            FlowGraph(try definitions(Self.shop + "\n" + stepper + "signal = 'S'\n"), .init(root: "pay")).steppers
                .isEmpty)
    }

    private struct Unnamed: Error {}

    /// Edges by names: `shop.pick -[1: when item = 7, modal]-> shop/detail`.
    private func edges(_ graph: FlowGraph) -> [String] {
        var names = [FlowGraph.autostartNode: "start"]
        for box in graph.boxes {
            for step in box.steps { names[step.id] = "\(box.name).\(step.name)" }
            for screen in box.screens { names[screen.id] = "\(box.name)/\(screen.name)" }
            names[FlowGraph.initialNode(box.id)] = "\(box.name) begin"
            names[FlowGraph.endNode(box.id)] = "\(box.name) end"
            names[FlowGraph.backNode(box.id)] = "\(box.name) back"
            names[FlowGraph.timersNode(box.id)] = "\(box.name) idle"
        }
        return graph.edges.map { edge in
            "\(edge.kind): \(names[edge.from] ?? "?") -> \(names[edge.to] ?? "?")"
                + (edge.label.isEmpty ? "" : " [\(edge.label)]")
        }
    }

    @Test func `S-51 a picture shows keys, and by which values one of several is meant`() throws {
        let text = """
            [steps]
            go = { n = "int64" }
            [screens]
            page = { arguments = { n = "int64" }, key = ["n"] }
            [flows.chat]
            arguments = { n = "int64" }
            key = ["n"]
            [flows.f.on]
            go = [
                { when = { alive = { screen = "page", n = "$n" } }, do = [{ dismiss = { screen = "page", n = "$n" } }] },
                { do = [{ pop = { flow = "chat", n = 1 } }, { show = { flow = "chat" } }] },
            ]
            """
        let graph = FlowGraph(try definitions(text))
        let box = try #require(graph.boxes.first { $0.name == "f" })
        #expect(
            box.steps.first?.notes == [
                "1: when page [n] is live: dismiss page [n]", "2: else: pop to chat [n]", "2: else: show chat",
            ])
        #expect(graph.boxes.first { $0.name == "chat" }?.notes == ["key: n"])
        let shown = FlowGraph(
            try definitions(text.replacing("{ show = { flow = \"chat\" } }", with: "{ screen = \"page\" }")))
        #expect(shown.boxes.flatMap(\.screens).map(\.notes) == [["key: n"]])
    }

    @Test func `each flow is a box with its steps and screens, and each contributor an edge or a note`() throws {
        let graph = FlowGraph(try definitions(Self.shop))
        #expect(graph.boxes.map(\.name) == ["pay", "shop"])
        let shop = try #require(graph.boxes.last)
        #expect(shop.notes == ["stack: the newest in front", "guard: com.example.Guard"])
        #expect(shop.timers == "idle 90 s")
        #expect(shop.screens.map(\.name) == ["detail", "list"] || shop.screens.map(\.name) == ["list", "detail"])
        #expect(shop.steps.filter(\.isGuarded).map(\.name) == ["pay"])
        let notes = Dictionary(uniqueKeysWithValues: shop.steps.map { ($0.name, $0.notes) })
        #expect(
            notes == [
                "gone": ["nothing"], "home": [], "open": [], "pay": [], "done": ["no rule"],
                "pick": ["2: else: pop to list"], "note": ["unless pay is live", "pop to the oldest"],
            ])
        #expect(
            edges(graph).sorted() == [
                "autostart: start -> shop begin",
                "back: pay back -> pay.gone",
                "current: shop.home -> shop.open",
                "dismissed: pay begin -> shop.gone [dismissed]",
                "end: pay.gone -> pay end [end]",
                "end: pay.open -> shop.done [end]",
                "initial: shop begin -> shop.open",
                "opens: shop.note -> shop/list [clear]",
                "opens: shop.open -> shop/list",
                "opens: shop.pay -> pay begin",
                "opens: shop.pick -> shop/detail [1: when item = 7, modal]",
                "parent: pay.note -> shop.home [to the parent]",
                "timer: shop idle -> shop.home",
            ])
    }

    @Test func `S-45 a result returns from the child to the step that it triggers`() throws {
        let graph = FlowGraph(
            try definitions(
                """
                [steps]
                ask = {}
                picked = { contact = "int64?" }
                typed = {}
                [screens]
                pad = { result = {} }
                [[autostart]]
                flow = "main"
                [flows.main]
                initial = "ask"
                [flows.main.on]
                ask = [{ screen = "pad", onResult = { step = "typed" } }, { flow = "picker", onResult = { step = "picked" } }]
                picked = { none = true }
                typed = { none = true }
                [flows.picker]
                result = { contact = "int64" }
                [flows.picker.on]
                ask = { end = true, result = { contact = 5 } }
                """))
        #expect(
            edges(graph).filter { $0.hasPrefix("result") || $0.hasPrefix("end") } == [
                "result: main/pad -> main.typed [result: typed]",
                "result: picker begin -> main.picked [result: picked]",
                "end: picker.ask -> picker end [result, end]",
            ])
        let lines = graph.dot.split(separator: "\n").filter { $0.contains("<result: ") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("style=dashed") })
        #expect(graph.mermaid.contains("-.->|\"result: picked\"|"))
    }

    @Test func `S-10 the values of a private step are marked, not drawn`() throws {
        let graph = FlowGraph(
            try definitions(
                """
                [steps]
                pin  = { code = "string" }
                pick = { item = "int64" }
                [private]
                steps = ["pin"]
                [screens]
                page = {}
                [flows.main.on]
                pin  = [{ when = { code = "4711", alive = "page" }, screen = "page" }]
                pick = [{ unless = { item = 7 }, screen = "page" }]
                """))
        let notes = graph.boxes.flatMap(\.steps).flatMap(\.notes)
        #expect(notes.sorted() == ["unless item = 7", "when page is live and code = (private)"])
        #expect(!graph.dot.contains("4711") && !graph.mermaid.contains("4711"))
    }

    @Test func `a part: a flow, and what it leads to`() throws {
        let definitions = try definitions(Self.shop)
        let part = FlowGraph(definitions, FlowGraph.Options(root: "pay"))
        #expect(part.boxes.map(\.name) == ["pay"])
        // Nobody is there that could take what it ends with.
        #expect(edges(part).contains("end: pay.open -> pay end [end: done]"))
        #expect(edges(part).contains("parent: pay.note -> pay end [to the parent: home]"))
        #expect(FlowGraph(definitions, FlowGraph.Options(root: "shop")).boxes.map(\.name) == ["pay", "shop"])
        #expect(FlowGraph(definitions, FlowGraph.Options(root: "sho")).boxes.isEmpty)
    }

    @Test func `presenters on demand`() throws {
        let definitions = try definitions(Self.shop)
        #expect(!FlowGraph(definitions).dot.contains("com.example.Shop"))
        let graph = FlowGraph(definitions, FlowGraph.Options(showsPresenters: true))
        #expect(graph.dot.contains("com.example.Shop"))
        #expect(graph.mermaid.contains("com.example.Shop"))
    }

    @Test func `live presentables are marked if defined, otherwise listed`() throws {
        let base = "/org/flowbus/Navigation1/tree"
        func live(_ path: String, _ name: String, isFlow: Bool = false, _ isPresented: Bool)
            -> FlowGraph.LivePresentable
        {
            FlowGraph.LivePresentable(path: base + path, name: name, isFlow: isFlow, isPresented: isPresented)
        }
        let graph = FlowGraph(
            try definitions(Self.shop),
            FlowGraph.Options(live: [
                live("/shop", "shop", isFlow: true, true), live("/shop/list", "list", false),
                live("/shop/list_2", "list", false), live("/shop/detail", "detail", true),
                live("/x", "x", isFlow: true, true),
                live("/x/list", "list", true),
            ]))
        let shop = try #require(graph.boxes.last)
        #expect(shop.mark == .presented(1))
        #expect(graph.boxes.first?.mark == FlowGraph.LiveMark.none)
        let marks = Dictionary(uniqueKeysWithValues: shop.screens.map { ($0.name, $0.mark) })
        #expect(marks == ["list": .live(2), "detail": .presented(1)])
        #expect(graph.undefinedPaths == [base + "/x", base + "/x/list"])
        // A defined presentable that is left out is not listed as unknown; a screen that only a navigator can contribute gets a
        // place.
        let part = FlowGraph(
            try definitions(Self.shop),
            FlowGraph.Options(
                root: "pay",
                live: [
                    live("/shop", "shop", isFlow: true, true), live("/shop/list", "list", true),
                    live("/pay", "pay", isFlow: true, false), live("/pay/till", "till", false),
                ]))
        #expect(part.undefinedPaths.isEmpty)
        #expect(part.boxes.first?.mark == .live(1))
        #expect(part.boxes.first?.screens.map(\.name) == ["till"])
        #expect(part.boxes.first?.screens.first?.mark == .live(1))
        for text in [graph.dot, graph.mermaid] { #expect(text.contains("list ×2") && text.contains("/x/list")) }
        #expect(graph.mermaid.contains(":::presented") && graph.mermaid.contains(":::live"))
    }

    @Test func `a navigator's steps, another initial step, a screen with an initial step`() throws {
        let graph = FlowGraph(
            try definitions(
                """
                [steps]
                a = {}
                b = {}
                [screens]
                page = {}
                [flows.far]
                initial   = "a"
                navigator = { name = "com.example.Far", steps = ["a", "b"] }
                [flows.main.on]
                a = { flow = "far", step = "b" }
                b = { screen = "page", step = "a" }
                """))
        #expect(graph.boxes.first?.notes == ["navigator: com.example.Far"])
        #expect(graph.boxes.first?.steps.map(\.name) == ["a", "b"])
        #expect(
            edges(graph) == [
                "initial: far begin -> far.a", "opens: main.a -> far.b", "opens: main.b -> main/page",
                "current: main/page -> main.a [when shown]",
            ])
        #expect(!graph.hasAutostart)
    }

    @Test func `the same definitions give the same text, whatever their files are called`() throws {
        let (one, other) = (FlowGraph(try definitions(Self.shop)), FlowGraph(try definitions(Self.shop)))
        #expect(one.dot == other.dot)
        #expect(one.mermaid == other.mermaid)
    }

    @Test func `texts of rules are no markup`() throws {
        let graph = FlowGraph(
            try definitions(
                #"""
                [steps]
                say = { text = "string" }
                [flows.main]
                [[flows.main.on.say]]
                when = { text = "a<b>\"&]|\\\n#end;" }
                none = true
                [[flows.main.on.say]]
                none = true
                """#))
        #expect(graph.dot.contains(#"text = a&lt;b&gt;&quot;&amp;]|\\n#end;: nothing"#))
        let line = try #require(graph.mermaid.split(separator: "\n").first { $0.contains("say") })
        #expect(line.contains("text = a#60;b#62;#34;#38;#93;#124;#92;#92;n#35;end#59;: nothing"), "\(line)")
        #expect(line.split(separator: "\"", omittingEmptySubsequences: false).count == 3)
    }

    @Test(arguments: ["car", "kiosk", "movies", "movies-2", "phone", "processes", "restart", "tabs", "ten-screens"])
    func `each example has a picture that Mermaid and Graphviz can read`(example: String) throws {
        let folder = (#filePath as NSString).deletingLastPathComponent + "/../../examples/\(example)/flows.d"
        let definitions = try DefinitionFiles.load(from: DefinitionFolders(named: [folder], environment: [:]))
            .definitions
        let graph = FlowGraph(definitions)
        #expect(graph.boxes.count == definitions.flows.count)
        let nodes = Set(
            graph.boxes.flatMap { box in
                box.steps.map(\.id) + box.screens.map(\.id)
                    + [FlowGraph.initialNode, FlowGraph.endNode, FlowGraph.backNode, FlowGraph.timersNode].map {
                        $0(box.id)
                    }
            } + graph.steppers.map(\.id) + [FlowGraph.autostartNode])
        for edge in graph.edges { #expect(nodes.contains(edge.from) && nodes.contains(edge.to), "\(edge)") }
        // One statement a line, each of a form that Mermaid's grammar has.
        let node = #/[a-z0-9_]+(\(\[|\[|\(\(|\(\(\(|\[\/)"[^"]*"(\]\)|\]|\)\)|\)\)\)|\/\])(:::[a-z]+)?/#
        let edge = #/[a-z0-9_]+ (-->|==>|-\.->)(\|"[^"]*"\|)? [a-z0-9_]+/#
        let rest = #/flowchart LR|subgraph f[0-9]+\["[^"]*"\]|end|classDef [a-z]+ [a-z0-9:#,. -]+|style f[0-9]+ .*/#
        for line in graph.mermaid.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            let fits = try node.wholeMatch(in: line) != nil || edge.wholeMatch(in: line) != nil
            #expect(try fits || rest.wholeMatch(in: line) != nil, "\(line)")
        }
    }

    @Test func `the picture of the movies that is committed is that of their definitions`() throws {
        let top = (#filePath as NSString).deletingLastPathComponent + "/../.."
        let definitions = try DefinitionFiles.load(
            from: DefinitionFolders(named: [top + "/examples/movies/flows.d"], environment: [:])
        ).definitions
        let committed = try String(contentsOfFile: top + "/docs/movies.dot", encoding: .utf8)
        #expect(committed == FlowGraph(definitions).dot, "'make docs' makes it anew")
    }
}
