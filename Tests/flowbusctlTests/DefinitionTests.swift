import BusTestSupport
import Testing

@Suite("steps, flows, reload, check")
struct DefinitionTests {
    @Test func `steps: all, of a node, of a flow`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("left", on: "/main")
        let all = try service.ctl("steps")
        #expect(all.lines.contains("open item=int64 note=string?"))
        #expect(all.lines.contains("asked"))
        #expect(try service.ctl("steps", "main/side").output == "ready\n")
        #expect(try service.ctl("steps", "side").output == "ready\n")
        let objects = try service.ctl("steps", "main", "--json").objects
        #expect(objects.map { $0["step"] as? String } == ["begin", "every", "left", "open"])
        let arguments = try #require(objects.last?["arguments"] as? [[String: Any]])
        #expect(arguments.map { $0["name"] as? String } == ["item", "note"])
        #expect(arguments.map { $0["optional"] as? Bool } == [false, true])
    }

    @Test func `flows: all, and where they are live`() throws {
        let service = try Service(homeDefinitions)
        #expect(try service.ctl("flows").lines == ["asking", "main    live: main", "side"])
        #expect(try service.ctl("flows", "--json").objects[1]["live"] as? [String] == ["main"])
    }

    @Test func `reload prints warnings; errors are a 2, each in a line`() throws {
        let service = try Service(homeDefinitions)
        try service.write(homeDefinitions + "\n[flows.new.on]\n")
        let run = try service.ctl("reload")
        #expect(run.status == .status(0))
        #expect(run.errors.contains("warning: [flows.new]"))
        let warnings = try service.ctl("reload", "--json").objects
        #expect(warnings.contains { ($0["warning"] as? String)?.contains("[flows.new]") == true })
        try service.write("nonsense = 1\nmore = 2\n")
        let bad = try service.ctl("reload")
        #expect(bad.status == .status(2))
        #expect(bad.errors.contains("flows.toml:2: error: "))
        #expect(bad.errors.contains("flows.toml:3: error: "))
        #expect(
            bad.errors.hasSuffix(
                "flowbusctl: not reloaded, as the definition files have errors; the definitions in use stay\n"))
        #expect(try service.ctl("flows").lines.contains { $0.hasPrefix("new") })
    }

    @Test func `check notes once for each file that it needs TOML 1.1, and where`() throws {
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n[screens]\na = {\n}\nb = {\n}\n[flows.main.on]\n", to: "a.toml")
        try flows.write("version = 1\n", to: "b.toml")
        let run = try Program.run("check", flows.path)
        #expect(run.status == .status(0))
        #expect(run.output.hasSuffix("; no errors, 1 warning\n"))
        let notes = run.errors.split(separator: "\n").filter { $0.contains(": note: ") }.map(String.init)
        #expect(
            notes == [
                "\(flows.path)/a.toml:3:6: note: the file needs TOML 1.1, first for a line end in an inline table; many programs "
                    + "read only TOML 1.0, among them taplo 0.9, by which editors check files, and Python up to 3.14"
            ])
        let objects = try Program.run("check", "--json", flows.path).objects.filter {
            $0["severity"] as? String == "note"
        }
        #expect(objects.map { $0["line"] as? Int } == [3])
        try flows.write("version = 2\n", to: "b.toml")
        let bad = try Program.run("check", flows.path)
        #expect(bad.status == .status(1))
        #expect(bad.errors.contains("a.toml:3:6: note: ") && bad.errors.contains("b.toml:1: error: "))
    }

    @Test func `check prints what flowbusd --check prints`() throws {
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n[steps]\nalone = { n = 'string',\n}\n", to: "a.toml")
        for (file, status) in [("version = 1\n", Int32(0)), ("version = 2\nflows = 3\n", 1)] {
            try flows.write(file, to: "b.toml")
            let ours = try Program.run("check", flows.path)
            let process = try Service.start(["--check", "--flows", flows.path])
            try process.waitForExit()
            #expect(ours.status == .status(status))
            #expect(process.exit == .status(status))
            #expect(ours.output == process.output)
            #expect(ours.errors == process.errors)
        }
        let objects = try Program.run("check", "--json", flows.path).objects
        #expect(objects.contains { $0["severity"] as? String == "error" && $0["line"] as? Int == 1 })
        let missing = try Program.run("check", "/nowhere/at/all")
        #expect(missing.status == .status(66))
        #expect(missing.errors == "flowbusctl: there is no folder '/nowhere/at/all'\n")
    }
}
