import BusTestSupport
import FlowWire
import Foundation
import FoundationXML
import SdBus
import Testing

@testable import flowbusd

/// Presentables at the paths of their instances (S-25).
@Suite("Instance paths on the bus")
struct InstancePathTests {
    private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

    private let service: BusTestSupport.Service

    init() throws { service = try Service(shopDefinitions) }

    /// The path of a live presentable's instance.
    private func instancePath(of path: String) throws -> String {
        let instance = try service.property("Instance", of: path, "Presentable").number
        return "\(Service.root)/instance/\(try #require(instance))"
    }

    @discardableResult
    private func call(
        _ path: String, _ role: String, _ member: String, _ arguments: BusValue..., by other: TestClient? = nil
    ) throws -> [BusValue] {
        let client = other ?? service.client
        let interface = role.contains(".") ? role : "\(Service.name).\(role)"
        return try client.answer(to: client.start(Service.name, path, interface, member, arguments))
    }

    private func properties(_ path: String, _ role: String) throws -> BusValue {
        try call(path, "org.freedesktop.DBus.Properties", "GetAll", .string("\(Service.name).\(role)"))[0]
    }

    /// The names of interfaces and children in the introspection of an object.
    private func introspection(of path: String) throws -> (interfaces: Set<String>, children: [String]) {
        let xml = try call(path, "org.freedesktop.DBus.Introspectable", "Introspect")[0].text ?? ""
        let document = try XMLDocument(xmlString: xml)
        func names(_ query: String) throws -> [String] {
            try document.nodes(forXPath: query).compactMap(\.stringValue)
        }
        return (Set(try names("/node/interface/@name")), try names("/node/node/@name"))
    }

    // MARK: The same object

    @Test func `S-25 properties and introspection are those of the path in the tree`() throws {
        try service.emit("pick", ["item": .int64(7)], on: "/shop")
        for path in ["/shop", "/shop/detail"] {
            let (place, instance) = (Service.tree + path, try instancePath(of: path))
            #expect(try properties(instance, "Presentable") == properties(place, "Presentable"))
            #expect(try properties(instance, "Stepper") == properties(place, "Stepper"))
            #expect(try introspection(of: instance).interfaces == introspection(of: place).interfaces)
            #expect(try introspection(of: instance).children == [])
            #expect(try call(instance, "org.freedesktop.DBus.Peer", "Ping") == [])
        }
        #expect(try properties(instancePath(of: "/shop"), "Flow") == properties(Service.tree + "/shop", "Flow"))
        let refusal = try service.refusal {
            try call(instancePath(of: "/shop/detail"), "Flow", "Back")
        }
        #expect(refusal.name == "org.freedesktop.DBus.Error.UnknownMethod")
    }

    @Test func `S-25 every member acts as at the path in the tree`() throws {
        let (shop, list) = (try instancePath(of: "/shop"), try instancePath(of: "/shop/list"))
        try service.listen()
        #expect(try call(shop, "Stepper", "EmitStep", "check", .options()) == [.uint64(2), "navigated"])
        #expect(
            try call(shop, "Stepper", "EmitStepWithOptions", "closed", .options(), .options(["wait": false]))
                == [.uint64(4), "navigated"])
        let steps = BusValue.array(of: "(sa{sv})", [.structure(["closed", .options()])])
        #expect(try call(shop, "Stepper", "EmitSteps", steps)[0].outcomes == ["5 navigated"])
        #expect(try call(list, "Stepper", "EmitStep", "closed", .options()) == [.uint64(0), "hidden"])
        #expect(try call(shop, "Stepper", "Explain", "closed", .options())[0] == "navigated")
        #expect(
            try call(list, "Stepper", "GetAcceptedSteps") == call(Service.tree + "/shop", "Stepper", "GetAcceptedSteps")
        )
        #expect(try call(shop, "Flow", "GetLastNavigation") == [.uint64(5), "closed", .options()])
        #expect(try call(shop, "Flow", "WaitReady") == [])
        #expect(try call(shop, "Stepper", "PeekBack")[0] == "dismiss")
        #expect(try call(shop, "Flow", "Back") == [.uint64(6), "navigated"])
        #expect(try call(shop, "Stepper", "BackWithOptions", .options()) == [.uint64(0), "unhandled"])
        #expect(try call(list, "Stepper", "PeekBack") == ["hidden", .options()])
        #expect(try call(list, "Presentable", "SetVisible", true) == [])
        #expect(try call(list, "Presentable", "Claim") == [])
        #expect(try service.property("Owner", of: "/shop/list", "Presentable") == .string(service.client.uniqueName))
        #expect(try call(list, "Presentable", "Touch") == [])
        #expect(try call(list, "Presentable", "SetBackStep", "closed") == [])
        #expect(try call(list, "Stepper", "PeekBack") == ["step", .options(["step": "closed"])])
        #expect(try call(list, "Stepper", "BackWithOptions", .options()) == [.uint64(7), "navigated"])
        #expect(try call(list, "Presentable", "Release") == [])
        #expect(try call(list, "Presentable", "Dismiss") == [])
        #expect(try call(shop, "Presentable", "Dismiss") == [])
        // Broadcasts come from paths in the tree.
        let reported = service.client.signals
        #expect(reported.count > 8)
        #expect(!reported.contains { "\($0)".contains("/instance/") })
        let places = ["/shop", "/shop/list", "/shop/pay"].map { Service.tree + $0 }
        #expect(Set(reported.map(\.path)).isSubset(of: [Service.root] + places))
    }

    @Test func `S-25 instance paths are listed nowhere`() throws {
        try service.emit("check", on: "/shop")
        #expect(
            try service.objects().keys.sorted()
                == ["/shop", "/shop/list", "/shop/pay", "/shop/pay/basket"].map { Service.tree + $0 })
        #expect(try introspection(of: "\(Service.root)/instance").children == [])
        #expect(try introspection(of: Service.tree).children == ["shop"])
    }

    // MARK: Another one at the same path

    @Test func `S-25 a call to a removed instance is refused, and does not affect another at its path`() throws {
        try service.show("/shop/list")
        try service.emit("check", on: "/shop")
        let (flow, screen) = (try instancePath(of: "/shop/pay"), try instancePath(of: "/shop/pay/basket"))
        try service.dismiss("/shop/pay")
        try service.emit("check", on: "/shop")
        try service.show("/shop/pay/basket")
        #expect(try instancePath(of: "/shop/pay") != flow)
        let before = try service.objects()
        try service.listen()
        let serial = try service.coordinator("GetSerial")
        let emission: [BusValue] = ["done", .options()]
        let calls: [(String, String, [BusValue])] = [
            ("Presentable", "Dismiss", []), ("Presentable", "DismissWithOptions", [.options()]),
            ("Presentable", "SetVisible", [true]),
            ("Presentable", "SetVisible", [false]), ("Presentable", "Claim", []), ("Presentable", "Release", []),
            ("Presentable", "SetBackStep", [""]), ("Presentable", "Touch", []), ("Stepper", "PeekBack", []),
            ("Stepper", "BackWithOptions", [.options(["token": "new"])]),
            ("Flow", "Back", []), ("Flow", "WaitReady", []),
            ("Flow", "GetLastNavigation", []), ("Stepper", "EmitStep", emission),
            ("Stepper", "EmitStepWithOptions", emission + [.options(["token": "new"])]),
            ("Stepper", "EmitSteps", [.array(of: "(sa{sv})", [.structure(emission)])]),
            ("Stepper", "Explain", emission), ("Stepper", "GetAcceptedSteps", []),
            ("org.freedesktop.DBus.Properties", "GetAll", [.string("\(Service.name).Presentable")]),
            ("org.freedesktop.DBus.Properties", "Get", [.string("\(Service.name).Presentable"), "Name"]),
            ("org.freedesktop.DBus.Introspectable", "Introspect", []),
        ]
        for path in [flow, screen] {
            for (role, member, arguments) in calls {
                let interface = role.contains(".") ? role : "\(Service.name).\(role)"
                let sent = try service.client.start(Service.name, path, interface, member, arguments)
                let refusal = try service.refusal(of: sent)
                #expect(refusal.name == Self.unknownObject, "\(member)")
                #expect(refusal.message.contains("'\(path)'"), "\(member): \(refusal.message)")
            }
        }
        #expect(service.client.signals.isEmpty)
        #expect(try service.objects() == before)
        #expect(try service.coordinator("GetSerial") == serial)
    }

    @Test(arguments: ["/0", "/007", "/x", "/1x", "/1/2", "/18446744073709551616", "/99999999999999999999999", ""])
    func `S-25 an invalid instance path is an unknown object`(end: String) throws {
        try service.emitWithOptions("closed", on: "/shop", ["token": "known"])
        let path = "\(Service.root)/instance\(end)"
        for (role, member, arguments) in [
            ("Presentable", "Dismiss", []),
            ("Stepper", "EmitStep", ["closed", .options()]),
            ("Stepper", "EmitStepWithOptions", ["closed", .options(), .options(["token": "known"])]),
            ("Flow", "Back", []),
        ] as [(String, String, [BusValue])] {
            let sent = try service.client.start(Service.name, path, "\(Service.name).\(role)", member, arguments)
            #expect(try service.refusal(of: sent).name == Self.unknownObject, "\(member)")
        }
        #expect(try service.objects().keys.count == 2)
    }

    // MARK: Tokens

    @Test func `S-9 S-25 a token of a call to one path counts for the other, also where that is gone`() throws {
        try service.emit("check", on: "/shop")
        let flow = try instancePath(of: "/shop/pay")
        func emit(at path: String, _ token: String) throws -> [BusValue] {
            try call(path, "Stepper", "EmitStepWithOptions", "done", .options(), .options(["token": .string(token)]))
        }
        let first = try emit(at: flow, "one")
        #expect(first[1] == "navigated")
        // It took its own flow away; another one comes to its path.
        #expect(try emit(at: flow, "one") == first)
        try service.emit("check", on: "/shop")
        let next = try instancePath(of: "/shop/pay")
        for path in [flow, next, Service.tree + "/shop/pay", Service.tree + "/shop"] {
            #expect(try emit(at: path, "one") == first)
        }
        let second = try emit(at: Service.tree + "/shop/pay", "two")
        #expect(try emit(at: next, "two") == second)
        try service.restart()
        #expect(try emit(at: flow, "one") == first)
        #expect(try emit(at: next, "two") == second)
        let refusal = try service.refusal { _ = try emit(at: next, "three") }
        #expect(refusal.name == Self.unknownObject)
        #expect(refusal.message == "no flow or screen is live at '\(next)'")
    }

    @Test func `D-3 S-25 instance paths stay over a restart`() throws {
        try service.emit("check", on: "/shop")
        try service.dismiss("/shop/list")
        let paths = ["/shop", "/shop/pay", "/shop/pay/basket"]
        let before = try paths.map(instancePath)
        try service.restart()
        #expect(try paths.map(instancePath) == before)
        for (path, instance) in zip(paths, before) {
            #expect(try properties(instance, "Presentable") == properties(Service.tree + path, "Presentable"))
        }
        #expect(try call(before[2], "Presentable", "Dismiss") == [])
        // The flow above it is empty, and goes with it (S-36).
        #expect(try service.objects().keys == [Service.tree + "/shop"])
    }

    // MARK: Where a path of the tree is wanted

    @Test func `S-25 GetHistory requires a flow's path in the tree, and names it in the error`() throws {
        let flow = try instancePath(of: "/shop")
        for (path, text) in [
            (flow, "not '\(flow)': that is '\(Service.tree)/shop' now"),
            ("\(Service.root)/instance/999", "nothing with that instance is live"),
            ("\(Service.root)/instance/007", "nothing with that instance is live"),
        ] {
            let refusal = try service.refusal { _ = try service.history(["flow": .objectPath(path)]) }
            #expect(refusal.name == "\(Service.name).Error.InvalidArguments")
            #expect(refusal.message.contains(text), "\(refusal.message)")
        }
        #expect(try service.history(["flow": .objectPath(Service.tree + "/shop")]).entries.count == 1)
    }

    // MARK: Group commit

    @Test func `D-1 answers are in order when calls to both paths arrive together`() throws {
        let list = try instancePath(of: "/shop/list")
        let calls = try [
            (list, "Presentable", "SetVisible", [true]),
            (Service.tree + "/shop", "Stepper", "EmitStep", ["check", .options()]),
            (list, "Presentable", "Dismiss", []), (list, "Presentable", "Dismiss", []),
            (list, "Presentable", "Claim", []), (Service.tree + "/shop", "Flow", "Back", []),
        ].map { (path, role, member, arguments) in
            try service.client.start(Service.name, path, "\(Service.name).\(role)", member, arguments as [BusValue])
        }
        let last = try #require(calls.last)
        try service.client.answer(to: last)
        #expect(service.client.log.compactMap(\.replyTo).suffix(calls.count) == calls[...])
        #expect(try service.client.answer(to: calls[2]) == [])
        for call in calls[3...4] { #expect(try service.refusal(of: call).name == Self.unknownObject) }
    }
}

/// Steps that are emitted at the path of an instance, and not decided at once.
@Suite("Instance paths and pending steps")
struct InstanceConclusionTests {
    private let service: BusTestSupport.Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            go   = {}
            back = {}
            [screens]
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            initial = "back"
            onBack  = "go"
            guard   = { name = "com.example.Peer", steps = ["go"] }
            [flows.main.on]
            back = { screen = "page", whenHidden = "allow" }
            go   = { none = true }
            """)
        peer = try service.peer()
        peer.playGuard { _ in .later }
    }

    @Test(arguments: [false, true])
    func `S-9 S-25 D-4 StepConcluded comes from the path that was called, also after a restart`(
        isRestarted: Bool
    ) throws {
        let instance = try service.property("Instance", of: "/main/page", "Presentable").number
        let (flow, screen) = ("\(Service.root)/instance/1", "\(Service.root)/instance/\(try #require(instance))")
        let go: [BusValue] = ["go", .options()]
        let list = BusValue.array(of: "(sa{sv})", [.structure(go)])
        for (path, interface, member, arguments) in [
            (screen, "Stepper", "EmitStepWithOptions", go + [.options(["wait": false])]),
            (Service.tree + "/main/page", "Stepper", "EmitStepWithOptions", go + [.options(["wait": false])]),
            (flow, "Stepper", "EmitStep", go), (screen, "Stepper", "EmitSteps", [list]), (flow, "Flow", "Back", []),
            (flow, "Stepper", "BackWithOptions", [.options(["token": "t"])]),
        ] as [(String, String, String, [BusValue])] {
            // Without a restart a call has to be pending to be concluded: only this one is so at once.
            guard isRestarted || member == "EmitStepWithOptions" else { continue }
            _ = try service.client.start(Service.name, path, "\(Service.name).\(interface)", member, arguments)
            var question = try peer.waitForCall("Adapt")
            if isRestarted {
                try service.restart()
                question = try peer.waitForCall("Adapt")
            }
            try peer.reply(to: question, Peer.rejected)
            let reported = try service.client.waitForSignal("StepConcluded")
            #expect(reported.path == path, "\(member)")
            #expect(reported.values[2] == "rejected")
        }
    }
}
