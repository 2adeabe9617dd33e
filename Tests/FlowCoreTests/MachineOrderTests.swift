import Foundation
import Testing

/// The functions of `Machine` call those of files above their own in the lists of docs/architecture.md, and none below.
@Suite("Order of the machine")
struct MachineOrderTests {
    /// A file that extends the machine.
    private struct File {
        /// `X` of `Machine+X.swift`, the event in `Events`, or the file in `Queries`.
        let name: String
        let folder: String
        /// The names of its functions: members of an extension are indented by four blanks.
        let functions: Set<String>
        let calls: Set<String>

        var isShared: Bool { folder != "Events" && folder != "Queries" }
    }

    private let order: [String]
    /// The events, each with those that it goes on with.
    private let events: [String: Set<String>]
    private let files: [File]

    init() throws {
        let shared = try Documented.rows(after: "| extension | what it does |")
        order = shared.flatMap { Documented.names(in: $0[0]) }
        var events: [String: Set<String>] = [:]
        for row in try Documented.rows(after: "| event | what happens | goes on with |") {
            for name in Documented.names(in: row[0]) { events[name] = Set(Documented.names(in: row[2])) }
        }
        self.events = events
        files = try CoreFile.all.filter { $0.code.contains("\nextension Machine ") }.map { file in
            let functions = file.code.matches(of: #/\n    [@a-z ]*func ([A-Za-z]+)/#).map { String($0.output.1) }
            let code = file.code.replacing(#/\bcase [a-z]+/#, with: "")
            let calls = code.matches(of: #/(^|[^.A-Za-z])([a-z][A-Za-z]*)\(/#)
            return File(
                name: file.name.components(separatedBy: "Machine+").last?.components(separatedBy: "+")[0] ?? "",
                folder: file.folder, functions: Set(functions), calls: Set(calls.map { String($0.output.2) }))
        }
    }

    @Test func `the lists name each file once`() {
        #expect(order.sorted() == files.filter(\.isShared).map(\.name).sorted())
        #expect(events.keys.sorted() == Set(files.filter { $0.folder == "Events" }.map(\.name)).sorted())
        #expect(files.flatMap(\.functions).count > 300)
    }

    @Test func `no file calls one below it`() {
        for file in files {
            for call in file.calls {
                // Of a name that several files have, one is above.
                let callees = files.filter { $0.functions.contains(call) }
                let isAbove = callees.isEmpty || callees.contains { mayCall($0, from: file) }
                #expect(isAbove, "\(file.name) calls \(call) of \(callees.map(\.name).sorted())")
            }
        }
    }

    private func mayCall(_ callee: File, from caller: File) -> Bool {
        if callee.name == caller.name { return true }
        switch (callee.folder, caller.folder) {
        case (_, "Queries"): return true
        case ("Queries", _): return false
        case ("Events", "Events"): return events[caller.name]?.contains(callee.name) == true
        case ("Events", _): return false
        case (_, "Events"): return true
        default:
            guard let place = order.firstIndex(of: callee.name), let own = order.firstIndex(of: caller.name) else {
                return false
            }
            return place < own
        }
    }
}
