import BusTestSupport
import Testing

@Suite("Types of arguments")
struct TypeTests {
    /// A value of every type, by the D-Bus signature that declares it.
    private static let samples: [(String, BusValue)] = [
        ("b", true), ("y", .byte(255)), ("n", .int16(.min)), ("q", .uint16(.max)), ("i", .int32(.min)),
        ("u", .uint32(.max)), ("x", .int64(.min)), ("t", .uint64(.max)), ("d", .double(-0.5)), ("s", "é\u{1F3AC}"),
        ("o", .objectPath("/a/b")), ("g", .signature("a{sv}")), ("as", .strings(["a", ""])), ("as", .strings([])),
        ("ay", .array(of: "y", [.byte(1), .byte(2)])), ("(sx)", .structure(["a", .int64(1)])),
        ("a{sv}", .options(["k": .variant(.variant(.byte(1)))])),
        ("a{us}", .array(of: "{us}", [.dictEntry(.uint32(1), "x")])),
        (
            "aa(ib)",
            .array(of: "a(ib)", [.array(of: "(ib)", [.structure([.int32(1), true])]), .array(of: "(ib)", [])])
        ),
        ("v", .structure([.uint16(1), "any"])), ("v", .variant(.byte(3))),
    ]

    @Test func `a value keeps its D-Bus type from emitter to signal, screen and latest navigation`() throws {
        for (signature, value) in Self.samples {
            let service = try Service(
                """
                [steps]
                go = { a = "\(signature)" }
                [screens]
                s = { arguments = { a = "\(signature)" } }
                [[autostart]]
                flow = "main"
                [flows.main.on]
                go = { screen = "s" }
                """)
            try service.listen()
            try service.emit("go", ["a": .variant(value)], on: "/main")
            let reported = BusValue.options(["a": .variant(value)])
            let signal = try service.client.waitForSignal("NavigationOccurred")
            #expect(signal.values[4] == reported)
            #expect(signal.values[5].elements[0].elements[3]["arguments"] == reported)
            #expect(try service.property("Arguments", of: "/main/s", "Presentable") == reported)
            let last = try service.client.call(
                Service.name, Service.tree + "/main", Service.name + ".Flow", "GetLastNavigation")
            #expect(last == [.uint64(1), "go", reported])
        }
    }

    @Test func `S-3 an integer of any type that fits becomes the declared one`() throws {
        let service = try Service(
            """
            [steps]
            go = { a = "uint16" }
            [[autostart]]
            flow = "main"
            [flows.main.on]
            go = { none = true }
            """)
        try service.listen()
        let fitting: [BusValue] = [
            .byte(7), .int16(7), .uint16(7), .int32(7), .uint32(7), .int64(7), .uint64(7),
        ]
        for value in fitting {
            try service.emit("go", ["a": value], on: "/main")
            #expect(try service.client.waitForSignal("NavigationOccurred").values[4]["a"] == .uint16(7))
        }
    }

    @Test func `arguments of private steps are in no signal`() throws {
        let service = try Service(
            """
            [steps]
            pin = { code = "string" }
            [private]
            steps = ["pin"]
            [screens]
            s = { arguments = { code = "string" } }
            [[autostart]]
            flow = "main"
            [flows.main.on]
            pin = { screen = "s" }
            """)
        try service.listen()
        try service.emit("pin", ["code": "secret"], on: "/main")
        #expect(!"\(service.client.log)\(try service.objects())".contains("secret"))
        let last = try service.client.call(
            Service.name, Service.tree + "/main", Service.name + ".Flow", "GetLastNavigation")
        #expect(last == [.uint64(1), "pin", .options()])
    }
}
