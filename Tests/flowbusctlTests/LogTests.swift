import BusTestSupport
import Foundation
import Glibc
import Testing

@Suite("log")
struct LogTests {
    @Test func `a line has the time and the navigation`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("open", ["item": .int64(7), "note": "two words"], on: "/main")
        let run = try service.ctl("log")
        #expect(run.status == .status(0))
        let line = try #require(run.lines.last)
        #expect(
            line.wholeMatch(
                of:
                    /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d #2 did navigate flow=main step=open item=7 note="two words" → screen page/
            ) != nil, "\(line)")
        #expect(try service.ctl("log", environment: ["LC_ALL": "C"]).output.contains(" -> screen page\n"))
    }

    @Test func `--lines, --since and a node choose`() throws {
        let service = try Service(homeDefinitions)
        for item in 1...5 { try service.emit("open", ["item": .int64(Int64(item))], on: "/main") }
        try service.emit("left", on: "/main")
        func serials(_ arguments: String...) throws -> [Int] {
            let run = try Program.run(["--address", service.bus.address, "log", "--json"] + arguments)
            #expect(run.status == .status(0), "\(run.errors)")
            return try run.objects.compactMap { $0["serial"] as? Int }
        }
        #expect(try serials() == Array(1...8))
        #expect(try serials("--lines", "2") == [7, 8])
        #expect(try serials("-n", "0") == [])
        #expect(try serials("--since", "6") == [6, 7, 8])
        #expect(try serials("--since", "2", "--lines", "3") == [6, 7, 8])
        #expect(try serials("--since", "today", "main/side") == [8])
        #expect(try serials("main/side") == [8])
        // A screen's log is that of its flow.
        #expect(try serials("main/side/form") == [8])
        let (entries, _) = try service.history()
        let time = try #require(entries[0][5]["time"]?.number)
        let next = DateFormatter.utc.string(from: Date(timeIntervalSince1970: Double(time / 1_000_000 + 3600)))
        #expect(try serials("--since", next) == [])
        #expect(try serials("--since", "1h ago") == Array(1...8))
        #expect(try serials("--since", "2026-01-01") == Array(1...8))
    }

    @Test func `a removed flow still has its log`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("left", on: "/main")
        try service.dismiss("/main/side")
        #expect(try service.ctl("log", "main/side").lines.count == 1)
        #expect(try service.ctl("log", "main/sode").status == .status(66))
    }

    @Test(arguments: ["2026-13-01", "25:00", "soon", "-1", "1-2", "2026-01-01 7", "2026-02-30", " "])
    func `an invalid time is a 65`(text: String) throws {
        let service = try Service(homeDefinitions)
        let run = try service.ctl("log", "--since=\(text)")
        #expect(run.status == .status(65))
        #expect(run.errors.contains("is no time"))
    }

    @Test func `--follow has no gap and no duplicate, over a restart of the service`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("open", ["item": .int64(1)], on: "/main")
        let run = try service.startCtl("log", "--follow", "--json")
        try run.waitForLine { $0.contains("\"serial\":2,") }
        // The first are in the history, then come signals; a crash can lose the latest of the history.
        var serials = [1, 2]
        func emit(_ count: Int) throws {
            for item in 1...count {
                serials +=
                    try service.emit("open", ["item": .int64(Int64(item))], on: "/main")[0].number.map { [$0] } ?? []
            }
        }
        try emit(20)
        try run.waitForLine { $0.contains("\"serial\":22,") }
        for _ in 1...3 {
            try service.restart()
            try emit(5)
        }
        let last = try #require(serials.last)
        try run.waitForLine { $0.contains("\"serial\":\(last),") }
        let printed = try CommandRun(status: nil, output: run.output, errors: run.errors).objects
            .compactMap { $0["serial"] as? Int }
        #expect(printed == serials)
    }

    @Test func `signals of other senders are ignored`() throws {
        let service = try Service(homeDefinitions)
        let liar = try TestClient(service.bus)
        try liar.addMatch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'")
        let run = try service.startCtl("log", "--follow")
        try run.waitForLine { $0.contains(" #1 ") }
        // The latest connection is that of the program; it listens already.
        let name = try #require(try liar.waitForSignal("NameOwnerChanged").values[0].text)
        try liar.signal(
            to: name, Service.tree + "/main", "org.flowbus.Navigation1.Flow", "NavigationOccurred", .uint64(99),
            .uint64(0), "", "lie", .options(), .array(of: "(ssoa{sv})", []), .options())
        try liar.ping()
        try service.emit("open", ["item": .int64(1)], on: "/main")
        try run.waitForLine { $0.contains(" #2 ") }
        #expect(!run.output.contains("lie"))
    }

    @Test func `--follow continues after a restart without persistence, which counts from the beginning`() throws {
        let service = try Service(homeDefinitions, options: ["--runtime", "none", "--state", "none"])
        let run = try service.startCtl("log", "--follow")
        // There is no history: it prints navigations after its subscription.
        while !run.output.contains("item=3") { try service.emit("open", ["item": .int64(3)], on: "/main") }
        try service.restart()
        try run.waitForLine(in: .errors) { $0.contains("waiting") }
        try service.emit("open", ["item": .int64(9)], on: "/main")
        try run.waitForLine { $0.contains("item=9") }
    }

    @Test func `--follow prints failures that no caller waited for`() throws {
        let service = try Service(
            homeDefinitions + "\n[flows.wrong]\ninitial = \"nobody\"\n[flows.wrong.on]\nready = { none = true }\n")
        let run = try service.startCtl("log", "--follow", "--lines", "0")
        // It prints navigations from the first line on.
        while !run.output.contains("step=open") {
            try service.emit("open", ["item": .int64(1)], on: "/main")
        }
        try service.coordinate("wrong")
        try run.waitForLine { $0.contains(" did not navigate flow=wrong step=nobody: unhandled") }
    }
}

extension DateFormatter {
    fileprivate static var utc: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter
    }
}
