import BusTestSupport
import Foundation
import Glibc
import Testing

/// The restored state after the daemon ended in any way.
@Suite("Restarts")
struct RestoreTests {
    private static let definitions =
        shopDefinitions + """

            [screens.kept]
            whenOwnerGone = "keep"
            [steps.keep]
            [flows.shop.on.keep]
            screen = "kept"
            whenHidden = "queue"
            [flows.guest]
            restore = false
            [flows.guest.on]
            pick = { none = true }
            """

    /// Builds a tree with some of everything that a client can see.
    private func grow(_ service: Service) throws {
        try service.show("/shop/list")
        try service.emit("pick", ["item": .int64(7)], on: "/shop/list")
        try service.emit("check", on: "/shop")
        try service.show("/shop/pay/basket")
        try service.coordinate("shop", options: ["id": "second"])
        try service.presentable("Claim", "/second")
    }

    @Test(arguments: [SIGKILL, SIGTERM]) func `D-3 the same tree on the same bus, however it ended`(signal: Int32)
        throws
    {
        let service = try Service(shopDefinitions)
        try grow(service)
        let before = try service.objects()
        let serial = try service.coordinator("GetSerial")[0].number ?? 0
        try service.restart(by: signal)
        #expect(try service.objects() == before)
        #expect(service.process.errors.contains("Restored 3 flows and 4 screens from '\(try service.storedFile())'"))
        #expect(try service.property("Owner", of: "/second", "Presentable").text == service.client.uniqueName)
        let after = try service.emit("pick", ["item": .int64(1)], on: "/shop")[0].number ?? 0
        #expect(after > serial)
    }

    @Test func `D-3 S-15 steps that wait for their screen are taken after the restart, in order`() throws {
        let service = try Service(Self.definitions)
        try service.emit("keep", on: "/shop")
        for item in 1...3 {
            #expect(try service.emit("pick", ["item": .int64(Int64(item))], on: "/shop/kept")[1] == "deferred")
        }
        try service.restart()
        try service.listen()
        try service.show("/shop/kept")
        let items = try (1...3).map { _ in
            try service.client.waitForSignal("NavigationOccurred").values[4]["item"]?.number
        }
        #expect(items == [1, 2, 3])
    }

    @Test func `D-3 S-30 owners that left meanwhile count as gone, connected ones keep their presentables`() throws {
        let service = try Service(Self.definitions)
        let (stays, goes) = (try service.peer(nil), try service.peer(nil))
        try service.emit("keep", on: "/shop")
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        try service.emit("pick", ["item": .int64(2)], on: "/shop")
        try service.presentable("Claim", "/shop/kept", by: goes)
        try service.presentable("Claim", "/shop/detail", by: goes)
        try service.presentable("Claim", "/shop/detail_2", by: stays)
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        goes.disconnect()
        try service.listen()
        try service.start()
        if try service.property("Owner", of: "/shop/kept", "Presentable") != "" {
            try service.client.waitForSignal("PropertiesChanged") { $0.values[1]["Owner"]?.text == "" }
        }
        try service.synchronize()
        #expect(try service.property("Visible", of: "/shop/kept", "Presentable") == false)
        #expect(try service.property("Owner", of: "/shop/detail_2", "Presentable").text == stays.uniqueName)
        let gone = try service.refusal { try service.show("/shop/detail") }
        #expect(gone.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func `D-3 S-31 an unanswered Present is called again`() throws {
        let service = try Service(PresenterTests.definitions)
        let peer = try service.peer()
        peer.playPresenter { _ in .later }
        try service.emit("open", on: "/main")
        let first = try peer.waitForCall("Present")
        try service.restart()
        peer.playPresenter()
        let second = try peer.waitForCall("Present")
        #expect(second.values[0] == first.values[0])
        #expect(second.values[3]["instance"] == first.values[3]["instance"])
        try service.synchronize(peer)
        #expect(try service.property("Owner", of: "/main/page", "Presentable").text == peer.uniqueName)
    }

    @Test func `D-4 a call repeated with its token gets the first outcome`() throws {
        let service = try Service(shopDefinitions)
        func call() throws -> [BusValue] {
            try service.emitWithOptions("pick", ["item": .int64(1)], on: "/shop", ["token": "one"])
        }
        let first = try call()
        try service.restart()
        #expect(try call() == first)
        #expect(try service.refusal { try service.show("/shop/detail_2") }.name.hasSuffix("UnknownObject"))
    }

    @Test func `D-5 a flow whose definition is gone is dismissed, the others stay`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let paying = try #require(shopDefinitions.range(of: "[flows.pay]"))
        try service.write(
            String(shopDefinitions[..<paying.lowerBound]).replacing(
                "check  = { flow = \"pay\", style = \"modal\" }\n", with: ""))
        try service.start()
        #expect(try service.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"])
        #expect(
            service.process.errors.split(separator: "\n").contains {
                $0.contains("warning") && $0.contains("/shop/pay")
            })
    }

    @Test func `D-1 D-3 --restore always: on the same bus an empty tree stays empty`() throws {
        let unstarted = Self.definitions.replacing("[[autostart]]\nflow = \"shop\"\n", with: "")
        let service = try Service(unstarted, options: ["--restore", "always"])
        try service.coordinate("shop")
        // The copy in the history has it.
        try service.restart(by: SIGTERM)
        try service.dismiss("/shop")
        try service.restart()
        #expect(try service.objects().keys == [])
    }

    @Test func `D-3 --restore always: the copy follows, also where there is no history and no navigation`() throws {
        let service = try Service(Self.definitions, options: ["--restore", "always", "--history-entries", "0"])
        try service.emit("check", on: "/shop")
        try service.waitUntilInHistory("basket")
        // Nothing but this changes now.
        let peer = try service.peer(nil)
        try service.presentable("Claim", "/shop/pay", by: peer)
        try service.waitUntilInHistory(peer.uniqueName)
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let other = try Service(Self.definitions, options: ["--restore", "always"], stores: service.stores)
        #expect(try other.objects().keys.contains(Service.tree + "/shop/pay/basket"))
    }

    // MARK: Another bus

    /// The same daemon's folders on another bus.
    private func onAnotherBus(_ service: Service, _ definitions: String, _ option: String) throws -> Service {
        try service.process.terminate()
        return try Service(definitions, options: ["--restore", option], stores: service.stores)
    }

    @Test(arguments: ["bus", "never"]) func `D-3 on another bus: a fresh start, with serials that go on`(
        option: String
    ) throws {
        let service = try Service(Self.definitions, options: ["--restore", option])
        try grow(service)
        let serial = try service.coordinator("GetSerial")[0].number ?? 0
        let other = try onAnotherBus(service, Self.definitions, option)
        #expect(try other.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"])
        #expect(try other.coordinator("GetSerial")[0].number ?? 0 > serial)
        #expect(!other.process.errors.contains("Restored"))
    }

    @Test func `D-3 --restore always: another bus, too; unowned and hidden, without flows that are not to be restored`()
        throws
    {
        let service = try Service(Self.definitions, options: ["--restore", "always"])
        try grow(service)
        try service.coordinate("guest")
        let before = try service.objects()
        let other = try onAnotherBus(service, Self.definitions, "always")
        let line = "Restored 3 flows and 4 screens from '\(other.stores.path)/state/history.db'"
        #expect(other.process.errors.contains(line))
        let after = try other.objects()
        #expect(after.keys == before.keys.filter { $0 != Service.tree + "/guest" })
        for path in ["/second", "/shop/list", "/shop/pay/basket"] {
            #expect(try other.property("Owner", of: path, "Presentable") == "")
            #expect(
                try other.property("Instance", of: path, "Presentable")
                    == before[Service.tree + path]?[Service.name + ".Presentable"]?["Instance"])
        }
        #expect(try other.property("Visible", of: "/shop/list", "Presentable") == false)
        #expect(try other.property("Arguments", of: "/shop/detail", "Presentable")["item"] == .int64(7))
    }

    @Test func `D-3 --restore never: fresh on the same bus, too, with serials that go on`() throws {
        let service = try Service(shopDefinitions, options: ["--restore", "never"])
        try grow(service)
        let serial = try service.coordinator("GetSerial")[0].number ?? 0
        let instance = try service.property("Instance", of: "/second", "Presentable").number ?? 0
        try service.restart()
        #expect(try service.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"])
        #expect(try service.coordinator("GetSerial")[0].number ?? 0 > serial)
        #expect(try service.property("Instance", of: "/shop", "Presentable").number ?? 0 > instance)
    }

    @Test func `D-3 without a folder for the tree a restart is a fresh start; serials go on by the history's file`()
        throws
    {
        let service = try Service(shopDefinitions, options: ["--runtime", "none"])
        try grow(service)
        let serial = try service.coordinator("GetSerial")[0].number ?? 0
        try service.restart()
        #expect(try service.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"])
        #expect(try service.coordinator("GetSerial")[0].number ?? 0 > serial)
    }

    @Test func `private arguments are in the tree's file, for its owner alone, and never in the history's`() throws {
        let service = try Service(PresenterTests.definitions, options: ["--restore", "always"])
        let peer = try service.peer()
        peer.playPresenter { _ in .later }
        try service.emit("secret", ["pin": "sesame-4711"], on: "/main")
        try service.emit("open", ["pin": "public-4711"], on: "/main")
        try service.process.terminate()
        func files(_ folder: String) throws -> [(name: String, data: Data)] {
            try FileManager.default.contentsOfDirectory(atPath: service.stores.path + "/" + folder).map { name in
                let path = service.stores.path + "/" + folder + "/" + name
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(path)")
                return (name, try Data(contentsOf: URL(fileURLWithPath: path)))
            }
        }
        func contain(_ files: [(name: String, data: Data)], _ text: String) -> Bool {
            files.contains { $0.data.range(of: Data(text.utf8)) != nil }
        }
        let (tree, history) = (try files("run"), try files("state"))
        #expect(contain(tree, "sesame-4711") && contain(tree, "public-4711"))
        #expect(contain(history, "public-4711"))
        #expect(!contain(history, "sesame-4711"))
    }
}
