import BusTestSupport
import Foundation
import Glibc
import Testing

@Suite("tree")
struct TreeTests {
    @Test func `a tree has lines, states, the current child, style and owner`() throws {
        let service = try Service(homeDefinitions)
        try service.show("/main/list")
        try service.emit("open", ["item": .int64(7)], on: "/main")
        try service.presentable("Claim", "/main/page")
        let run = try service.ctl("tree", "--arguments")
        #expect(run.status == .status(0))
        let owner = service.client.uniqueName
        let page = try #require(run.lines.last)
        #expect(run.lines[0] == "main      flow, presented")
        #expect(run.lines[1] == "├── list  screen, visible")
        #expect(page.hasPrefix("└── page  screen, hidden, current, style sheet, owner \(owner) (pid "))
        #expect(page.hasSuffix(")  item=7"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `S-55 --timers shows the timers of flows, and the time that is left`() throws {
        let service = try Service(
            """
            [steps]
            home = {}
            tick = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            idle = { after = "30d", step = "home" }
            timers = [{ every = "90min", step = "tick" }]
            on = { home = { none = true }, tick = { none = true } }
            """)
        #expect(try service.ctl("tree").lines == ["main  flow, presented"])
        let line = try #require(try service.ctl("tree", "--timers").lines.first)
        #expect(
            line.contains(/^main  flow, presented, idle home in (30d|29d 23h), every tick in 1h (30|29)min$/), "\(line)"
        )
        let object = try #require(try service.ctl("tree", "--timers", "--json").objects.first)
        let timers = try #require(object["timers"] as? [[String: Any]])
        #expect(timers.map { $0["kind"] as? String } == ["idle", "every"])
        #expect(timers.map { $0["step"] as? String } == ["home", "tick"])
        #expect((1...5_400_000_000).contains(try #require(timers[1]["left"] as? Int)))
        #expect(try service.ctl("tree", "--json").objects.first?["timers"] == nil)
        let wrong = try service.ctl("tree", "--timers", "--watch")
        #expect(wrong.status == .status(64) && wrong.errors.contains("--watch and --timers exclude each other"))
    }

    @Test func `a locale without UTF-8 has ASCII`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.ctl("tree", environment: ["LC_ALL": "C"])
        #expect(run.lines[1] == "`-- list  screen, hidden, current")
    }

    @Test func `a node's subtree; a missing node is a 66`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("left", on: "/main")
        let run = try service.ctl("tree", "main/side")
        #expect(run.lines == ["side      flow, presented", "└── form  screen, hidden"])
        let wrong = try service.ctl("tree", "main/sid")
        #expect(wrong.status == .status(66))
        #expect(wrong.errors == "flowbusctl: there is no live flow or screen 'main/sid'; did you mean 'main/side'?\n")
    }

    @Test func `S-37 siblings stand in the order in which they were made or last raised`() throws {
        let names = (1...20).map { "s\($0)" }
        let service = try Service(
            """
            [steps]
            start = {}
            \(names.map { "\($0) = {}" }.joined(separator: "\n"))
            [screens]
            \(names.map { "\($0) = {}" }.joined(separator: "\n"))
            [[autostart]]
            flow = "main"
            [flows.main]
            initial = "start"
            children = "stack"
            [flows.main.on]
            start = [\(names.map { "{ screen = \"\($0)\" }" }.joined(separator: ", "))]
            \(names.map { "\($0) = { screen = \"\($0)\", reuse = \"raise\" }" }.joined(separator: "\n"))
            """)
        for name in ["s3", "s17", "s1"] { try service.emit(name, on: "/main") }
        let order = names.filter { !["s3", "s17", "s1"].contains($0) } + ["s3", "s17", "s1"]
        let objects = try service.ctl("tree", "--json").objects
        #expect(objects.dropFirst().compactMap { $0["path"] as? String } == order.map { "main/\($0)" })
    }

    @Test func `S-44 stack and tree show titles, on one line`() throws {
        let service = try Service(homeDefinitions)
        try service.show("/main/list")
        try service.presentable("Claim", "/main/list")
        try service.client.call(
            Service.name, Service.tree + "/main/list", Service.name + ".Presentable", "SetTitle", "Two\nlines")
        let owner = service.client.uniqueName
        #expect(try service.ctl("stack").lines == ["main/list title=Two\\nlines owner=\(owner)"])
        #expect(try service.ctl("tree").lines[1].contains("current, title 'Two\\nlines', owner \(owner)"))
        #expect(try service.ctl("stack", "--json").objects.first?["title"] as? String == "Two\nlines")
        #expect(try service.ctl("tree", "--json").objects[1]["title"] as? String == "Two\nlines")
        #expect(try service.ctl("stack", "nowhere").lines == [])
    }

    @Test func `--json is an object a line`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("open", ["item": .int64(.max)], on: "/main")
        let run = try service.ctl("tree", "--json")
        let objects = try run.objects
        #expect(objects.map { $0["path"] as? String } == ["main", "main/list", "main/page"])
        #expect(objects.map { $0["kind"] as? String } == ["flow", "screen", "screen"])
        #expect(objects[0]["ready"] as? Bool == true)
        #expect(objects[2]["current"] as? Bool == true)
        #expect((objects[2]["arguments"] as? [String: Any])?["item"] as? Int64 == .max)
    }

    @Test(.enabled(if: PseudoTerminal.isThere, "there is no /dev/pts, as in some chroots"))
    func `colors: on a terminal, unless NO_COLOR; never and always are obeyed`() throws {
        let service = try Service(homeDefinitions)
        let terminal = PseudoTerminal()
        #expect(try service.ctl("tree", terminal: terminal).output.contains("\u{1B}[32mpresented\u{1B}[0m"))
        #expect(try !service.ctl("tree", environment: ["NO_COLOR": "1"], terminal: terminal).output.contains("\u{1B}"))
        #expect(try service.ctl("tree", environment: ["NO_COLOR": ""], terminal: terminal).output.contains("\u{1B}"))
        #expect(try !service.ctl("tree", environment: ["TERM": "dumb"], terminal: terminal).output.contains("\u{1B}"))
        #expect(try !service.ctl("tree", "--color", "never", terminal: terminal).output.contains("\u{1B}"))
        #expect(try service.ctl("--color", "always", "tree").output.contains("\u{1B}"))
    }

    @Test func `--watch prints each new tree, over a restart of the service`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.startCtl("tree", "--watch")
        try run.waitForLine { $0 == "└── list  screen, hidden, current" }
        try service.show("/main/list")
        try run.waitForLine { $0 == "└── list  screen, presented, current" }
        try service.emit("open", ["item": .int64(1)], on: "/main")
        try run.waitForLine { $0 == "└── page  screen, hidden, current, style sheet" }
        try service.restart()
        try run.waitForLine(in: .errors) { $0.contains("the service is gone; waiting") }
        try service.show("/main/page")
        try run.waitForLine { $0 == "└── page  screen, presented, current, style sheet" }
        #expect(run.exit == nil)
        run.send(signal: SIGINT)
        try run.waitForExit()
        #expect(run.exit == .signal(SIGINT))
        // Whole trees, each once.
        let trees = run.output.components(separatedBy: "\n\n")
        #expect(trees.count == 4)
        #expect(trees.allSatisfy { $0.hasPrefix("main      flow, presented\n") })
    }

    @Test func `--watch of a node follows its removal and return`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("left", on: "/main")
        let run = try service.startCtl("tree", "--watch", "main/side")
        try run.waitForLine { $0.hasPrefix("side ") }
        try service.dismiss("/main/side")
        try run.waitForLine { $0 == "(nothing is live)" }
        try service.emit("left", on: "/main")
        try run.waitForLine { line in
            line == "side      flow, presented" && run.output.contains("(nothing is live)\n\nside")
        }
    }

    @Test(.enabled(if: PseudoTerminal.isThere, "there is no /dev/pts, as in some chroots"))
    func `--watch on a terminal draws in place, as much as fits`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.startCtl("tree", "--watch", terminal: PseudoTerminal(columns: 40, rows: 4))
        try run.waitForLine { $0.hasPrefix("\u{1B}[H\u{1B}[2J") }
        for item in 1...4 { try service.emit("open", ["item": .int64(Int64(item))], on: "/main") }
        try run.waitForLine { $0.hasPrefix("(4 more; the window is too small)") }
    }

    @Test func `--watch --json is a tree a line`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.startCtl("tree", "--watch", "--json")
        try run.waitForLine { $0.hasPrefix("{\"time\":") && $0.contains("\"path\":\"main/list\"") }
        try service.show("/main/list")
        try run.waitForLine { $0.contains("\"visible\":true,\"presented\":true,\"current\":true") }
    }

    @Test func `it ends with the bus: 69`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.startCtl("tree", "--watch")
        try run.waitForLine { $0.hasPrefix("main") }
        try service.bus.stop()
        try run.waitForExit()
        #expect(run.exit == .status(69))
        #expect(run.errors.contains("is lost"))
    }
}
