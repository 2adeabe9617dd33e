import BusTestSupport
import Foundation
import Glibc
import Testing

extension Service {
    /// Waits until the history's file has a text.
    func waitUntilInHistory(_ text: String) throws {
        // When it is written, it is in one of the two files.
        let files = try [storedFile("state/history.db"), storedFile("state/history.db-wal")]
        func isWritten() -> Bool {
            files.contains { file in
                guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else { return false }
                return data.range(of: Data(text.utf8)) != nil
            }
        }
        let bound = ContinuousClock.now + failureBound
        while !isWritten() {
            guard ContinuousClock.now < bound else { throw TestFailure("'\(text)' is never written") }
            try synchronize()
        }
    }
}

/// GetHistory, and its storage.
@Suite("History")
struct HistoryTests {
    private func serials(_ answer: (entries: [[BusValue]], more: Bool)) -> [Int] {
        answer.entries.compactMap { $0[0].number }
    }

    @Test func `an entry contains what NavigationOccurred contained, and the time`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        let before = UInt64(Date().timeIntervalSince1970 * 1e6)
        try service.emit("pick", ["item": .int64(7)], on: "/shop")
        let after = UInt64(Date().timeIntervalSince1970 * 1e6)
        let (entries, more) = try service.history(after: 1)
        #expect(entries.count == 1 && !more)
        let entry = try #require(entries.first)
        #expect(
            Array(entry[..<5]) == [
                .uint64(2), .objectPath(Service.tree + "/shop"), "shop", "pick", .options(["item": .int64(7)]),
            ])
        let details = entry[5]
        #expect(details.keys == ["time", "cause", "sender", "contributors"])
        #expect(details["cause"] == .uint64(0))
        #expect(details["sender"] == .string(service.client.uniqueName))
        let occurred = try #require(service.client.signals.last { $0.member == "NavigationOccurred" })
        #expect(details["contributors"] == occurred.values[5] && occurred.values[5].elements.count == 1)
        guard case .uint64(let time)? = details["time"] else { throw TestFailure("\(details)") }
        // The loop has the time of its turn, which began before the call was read.
        #expect(time > before - 10_000_000 && time <= after)
    }

    @Test func `D-2 answers contain all navigations signaled before the call, and all of them after a SIGTERM`() throws
    {
        let service = try Service(shopDefinitions)
        for number in 1...600 {
            try service.emit("closed", on: "/shop")
            guard number.isMultiple(of: 200) else { continue }
            #expect(try serials(service.history(after: UInt64(number))) == [number + 1])
        }
        let all = try service.history()
        #expect(serials(all) == Array(1...601) && !all.more)
        try service.emit("closed", on: "/shop")
        try service.restart(by: SIGTERM)
        #expect(try serials(service.history()) == Array(1...602))
    }

    @Test func `D-2 256 navigations are written at once, so that a SIGKILL costs fewer`() throws {
        let service = try Service(shopDefinitions)
        for _ in 0..<600 { try service.emit("closed", on: "/shop") }
        try service.restart()
        let kept = try serials(service.history()).filter { $0 <= 601 }
        #expect(kept.count > 601 - 256 && kept == Array(1...kept.count), "\(kept.count)")
    }

    @Test func `D-2 a single one is written soon, without a request`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("closed", on: "/shop")
        try service.waitUntilInHistory("closed")
        try service.restart()
        #expect(try serials(service.history()) == [1, 2])
    }

    @Test func `pages: the limit, more, and the highest limit`() throws {
        let service = try Service(shopDefinitions)
        for _ in 0..<1_004 { try service.emit("closed", on: "/shop") }
        let first = try service.history(limit: 2)
        #expect(serials(first) == [1, 2] && first.more)
        let second = try service.history(after: 2, limit: 3)
        #expect(serials(second) == [3, 4, 5] && second.more)
        for limit: UInt32 in [0, 1_000, 1_001, .max] {
            let most = try service.history(limit: limit)
            #expect(serials(most) == Array(1...1_000) && most.more)
        }
        let rest = try service.history(after: 1_000)
        #expect(serials(rest) == Array(1_001...1_005) && !rest.more)
        let none = try service.history(after: 1_005)
        #expect(serials(none) == [] && !none.more)
        #expect(try serials(service.history(after: .max)) == [])
    }

    @Test func `pages: a call is answered with 1 MiB at the most`() throws {
        let service = try Service(shopDefinitions)
        let text = BusValue.string(String(repeating: "x", count: 60_000))
        for _ in 0..<40 { try service.emit("closed", ["receipt": text], on: "/shop") }
        let first = try service.history(after: 1)
        #expect(first.more)
        let bytes = first.entries.reduce(0) { $0 + ($1[4]["receipt"]?.text?.utf8.count ?? 0) }
        #expect(bytes <= 1 << 20 && bytes > 1 << 19)
        let rest = try service.history(after: UInt64(first.entries.last?[0].number ?? 0))
        #expect(serials(first).count + serials(rest).count >= 32)
    }

    @Test func `the option flow selects one subtree`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        try service.coordinate("shop", options: ["id": "shop2"])
        func flows(_ path: String) throws -> [String?] {
            try service.history(["flow": .objectPath(Service.tree + path)]).entries.map {
                $0[1].text.map { String($0.dropFirst(Service.tree.count)) }
            }
        }
        #expect(try flows("/shop") == ["/shop", "/shop", "/shop/pay"])
        #expect(try flows("/shop/pay") == ["/shop/pay"])
        #expect(try flows("/shop2") == ["/shop2"])
        #expect(try flows("/none") == [])
    }

    @Test func `options that are not known, or not of their type, are refused`() throws {
        let service = try Service(shopDefinitions)
        for (options, text) in [
            (["folw": .objectPath("/x")] as KeyValuePairs<String, BusValue>, "'folw'; known are 'flow'"),
            (["flow": "/x"], "'flow' is of D-Bus type 's'; it has to be of type 'o'"),
        ] {
            let refusal = try service.refusal { _ = try service.history(options) }
            #expect(refusal.name == Service.name + ".Error.InvalidArguments")
            #expect(refusal.message.contains(text), "\(refusal.message)")
        }
    }

    @Test func `private arguments are not in it`() throws {
        let service = try Service(PresenterTests.definitions)
        try service.emit("secret", ["pin": "sesame"], on: "/main")
        #expect(try service.history().entries.last?[3...4] == ["secret", .options()])
    }

    @Test func `D-10 --history-entries limits the history, to whole batches`() throws {
        let service = try Service(shopDefinitions, options: ["--history-entries", "300"])
        for _ in 0..<3_000 { try service.emit("closed", on: "/shop") }
        // It goes in pieces, when there is nothing else to do.
        let bound = ContinuousClock.now + failureBound
        var kept: [Int] = []
        repeat {
            kept = try serials(service.history())
        } while kept.count > 600 && ContinuousClock.now < bound
        #expect((300...600).contains(kept.count) && kept == Array(3_002 - kept.count...3_001), "\(kept.count)")
    }

    @Test func `D-10 --history-entries 0 disables the history, and removes its entries`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("closed", on: "/shop")
        try service.process.terminate()
        try service.start("--history-entries", "0")
        #expect(try service.history().entries.isEmpty)
        try service.emit("closed", on: "/shop")
        #expect(try service.history().entries.isEmpty)
        try service.restart(by: SIGTERM)
        #expect(try service.history().entries.isEmpty)
    }
}
