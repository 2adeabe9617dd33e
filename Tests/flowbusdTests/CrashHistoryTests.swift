import BusTestSupport
import Foundation
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// Navigations that changed the tree are in the history, whenever flowbusd ends (D-2).
@Suite("The history after a crash")
struct CrashHistoryTests {
    /// Adds a number of screens, each answered, and kills it immediately.
    private func makeAndKill(_ service: Service, _ count: Int = 30) throws -> [Int] {
        let serials = try (1...count).map { item in
            let answer = try service.emit("pick", ["item": .int64(Int64(item))], on: "/shop")
            #expect(answer[1] == "navigated")
            return answer[0].number ?? 0
        }
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        return serials
    }

    private func history(_ service: Service) throws -> [(serial: Int, step: String)] {
        try service.history().entries.map { ($0[0].number ?? 0, $0[3].text ?? "") }
    }

    private func screens(_ service: Service) throws -> Int {
        try service.objects().keys.count { $0.contains("/detail") }
    }

    private func picks(_ service: Service) throws -> [Int] {
        try history(service).filter { $0.step == "pick" }.map(\.serial)
    }

    @Test(arguments: [[], ["--restore", "always"]])
    func `D-2 30 answered steps that each add a screen, and SIGKILL: 30 screens, and 30 entries`(options: [String])
        throws
    {
        let service = try Service(shopDefinitions, options: options)
        var serials: [Int] = []
        for round in 1...3 {
            serials += try makeAndKill(service)
            try service.start()
            #expect(try screens(service) == 30 * round)
            #expect(try picks(service) == serials)
        }
        // None is stored twice, and later ones follow.
        try service.emit("closed", on: "/shop")
        #expect(try history(service).map(\.step) == ["begin"] + serials.map { _ in "pick" } + ["closed"])
        try service.restart(by: SIGTERM)
        #expect(try history(service).count == 92)
    }

    @Test func `D-2 without restoring the tree, the history is complete`() throws {
        let service = try Service(shopDefinitions, options: ["--restore", "never"])
        let serials = try makeAndKill(service)
        try service.start()
        #expect(try screens(service) == 0)
        #expect(try picks(service) == serials)
    }

    @Test func `D-2 without a file for the tree, entries go to the history immediately`() throws {
        let service = try Service(shopDefinitions, options: ["--runtime", "none"])
        let serials = try makeAndKill(service)
        try service.start()
        #expect(try picks(service) == serials)
    }

    @Test func `D-2 D-7 entries wait in the tree's file while the history can't be written, also over a SIGKILL`()
        throws
    {
        let stores = try TemporaryDirectory()
        try stores.write("", to: "state")
        let service = try Service(shopDefinitions, stores: stores)
        var serials = try makeAndKill(service)
        try service.start()
        serials += try makeAndKill(service)
        try FileManager.default.removeItem(atPath: stores.path + "/state")
        try service.start()
        #expect(try picks(service) == serials)
        #expect(try screens(service) == 60)
    }

    @Test func `D-2 they wait for a start that has a history again`() throws {
        let service = try Service(shopDefinitions)
        let serials = try makeAndKill(service)
        try service.start("--state", "none")
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        try service.restart()
        #expect(try picks(service) == serials)
    }

    @Test func `D-10 without a history no entries are stored anywhere`() throws {
        let service = try Service(shopDefinitions)
        _ = try makeAndKill(service)
        try service.start("--history-entries", "0")
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        #expect(try StoreFile(service.storedFile()).takePending().isEmpty)
        try service.start()
        #expect(try picks(service) == [])
    }

    @Test func `D-2 a step that changes no presentable is written into the history's file alone`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        _ = try service.history()
        for _ in 0..<300 { try service.emit("closed", on: "/shop") }
        _ = try service.history()
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let pending = try StoreFile(service.storedFile()).takePending()
        // Those that contributed the first screens may still be there.
        #expect(pending.reduce(0) { $0 + $1.count } <= 2)
    }

    /// Emits a number of steps in one call; the last adds a screen and the others have 60 KB of arguments.
    private func emitLarge(_ service: Service, _ count: Int) throws -> Int {
        let text = BusValue.string(String(repeating: "x", count: 60_000))
        let large = BusValue.structure(["closed", .options(["receipt": text])])
        let pick = BusValue.structure(["pick", .options(["item": .int64(1)])])
        let answer = try service.client.call(
            Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitSteps",
            .array(of: "(sa{sv})", Array(repeating: large, count: count) + [pick]))
        return try #require(answer[0].elements.last?.elements.first?.number)
    }

    @Test func `D-2 more than 256 KiB at once does not wait, but goes into the history before it is signaled`()
        throws
    {
        let service = try Service(shopDefinitions)
        let serials = try (1...3).map { _ in try emitLarge(service, 10) }
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let pending = try StoreFile(service.storedFile()).takePending()
        #expect(pending.reduce(0) { $0 + $1.byteCount } < 1 << 18)
        try service.start()
        var found: [Int] = []
        for serial in serials {
            found += try service.history(after: UInt64(serial - 1)).entries.prefix(1).map { $0[0].number ?? 0 }
        }
        #expect(found == serials)
    }

    @Test
    func `D-2 D-7 no more than 4 MiB wait for a history that can't be written, the newest, also in the tree's file`()
        throws
    {
        let stores = try TemporaryDirectory()
        try stores.write("", to: "state")
        let service = try Service(shopDefinitions, stores: stores)
        let serials = try (1...8).map { _ in try emitLarge(service, 20) }
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let pending = try StoreFile(service.storedFile()).takePending()
        let bytes = pending.reduce(0) { $0 + $1.byteCount }
        #expect(bytes > 2 << 20 && bytes < 6 << 20, "\(bytes)")
        try FileManager.default.removeItem(atPath: stores.path + "/state")
        try service.start()
        let first = try #require(try service.history().entries.first?[0].number)
        #expect(first > serials[0])
        #expect(try service.history(after: UInt64(serials[7] - 1)).entries.map { $0[0].number } == [serials[7]])
    }

    @Test func `D-2 private arguments don't wait anywhere either`() throws {
        let service = try Service(PresenterTests.definitions)
        let peer = try service.peer()
        peer.playPresenter()
        try service.emit("secret", ["pin": "sesame-4711"], on: "/main")
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        try service.start()
        #expect(try service.history().entries.last?[3...4] == ["secret", .options()])
    }

    @Test func `D-2 waiting entries that are in the history already are not added again`() throws {
        let service = try Service(shopDefinitions)
        _ = try makeAndKill(service)
        let tree = try service.storedFile()
        let suffixes = ["", "-wal", "-commit"]
        let old = try suffixes.map { try Data(contentsOf: URL(fileURLWithPath: tree + $0)) }
        try service.start()
        let before = try history(service).map(\.serial)
        try service.process.terminate()
        for (suffix, data) in zip(suffixes, old) { try data.write(to: URL(fileURLWithPath: tree + suffix)) }
        try service.start()
        #expect(try history(service).map(\.serial) == before)
        #expect(service.process.warnings.isEmpty)
    }

    @Test func `D-2 a history with later entries is left as it is, and the gap is logged`() throws {
        let service = try Service(shopDefinitions)
        _ = try makeAndKill(service)
        try service.start()
        // After a gap.
        try service.emit("closed", on: "/shop")
        let before = try history(service).map(\.serial)
        try service.process.terminate()
        var batch = HistoryBatch()
        batch.append(
            Navigation(
                flow: "/a", definition: "a", serial: 100, cause: 0, client: Client(""), step: "a", arguments: [],
                contributions: [], isDeepLink: false, adaptedFrom: nil), at: 1)
        try StoreFile(service.storedFile()).write([], pending: [try #require(batch.pending)])
        try service.start()
        #expect(try history(service).map(\.serial) == before)
        #expect(service.process.warnings.count { $0.contains("The history lacks 1 navigation, found in") } == 1)
    }
}
