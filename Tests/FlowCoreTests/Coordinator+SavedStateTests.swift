import Testing

@testable import FlowCore

/// What owners of screens set for those who come after them: the saved state and the title (S-44).
@Suite("Flow coordinator: saved states and titles")
struct SavedStateTests {
    private let state: Arguments = [Argument("text", .string("half a sen")), Argument("at", .uint32(10))]

    /// A screen `/main/note` that was presented and is owned by `:1.7`.
    private func makeWorld(isStateOnDisk: Bool = false) throws -> World {
        let world = try World(root: "main", builder(isStateOnDisk: isStateOnDisk))
        try present(world, as: ":1.7")
        return world
    }

    private func builder(isStateOnDisk: Bool = false) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.screen(
            "note", ["item": "int64?"], presenter: "com.note", whenOwnerGone: .present, isStateOnDisk: isStateOnDisk)
        builder.flow(
            "main", initial: "open", children: .stack,
            on: [
                "open": [.screen("note", .init(reuses: true))], "cover": [.screen("page")],
                "uncover": [.pop("note")],
            ])
        return builder
    }

    /// The call of Present among the effects of the latest event.
    private func presentation(_ world: World) -> Presentation? {
        world.effects.lazy.compactMap { if case .present(let presentation) = $0 { presentation } else { nil } }.last
    }

    /// Answers the call of Present, and shows the screen.
    private func present(_ world: World, as client: String) throws {
        let call = try #require(presentation(world))
        world.handle(.presenterReplied(call.id, .presented(by: Client(client))))
        try world.show(call.path, by: client)
    }

    @Test func `S-44 what the owner saved is in each further call of Present`() throws {
        let world = try makeWorld()
        #expect(try world.saveState("/main/note", state, by: ":1.7") == ["= done"])
        world.handle(.clientVanished(Client(":1.7")))
        #expect(presentation(world)?.reason == .recover && presentation(world)?.state == state)
        try present(world, as: ":1.8")
        // The latest state counts, as a whole.
        try world.saveState("/main/note", [Argument("at", .uint32(11))], by: ":1.8")
        try world.emit("cover", on: "/main")
        try world.show("/main/page")
        try world.emit("uncover", on: "/main")
        #expect(presentation(world)?.reason == .return)
        #expect(presentation(world)?.state == [Argument("at", .uint32(11))])
        // An empty one takes it back.
        #expect(try world.saveState("/main/note", [], by: ":1.8") == ["= done"])
        world.handle(.clientVanished(Client(":1.8")))
        world.wait(Limits.firstPause)
        #expect(presentation(world)?.state == [])
    }

    @Test func `S-44 other arguments by reuse drop it, equal ones keep it`() throws {
        let world = try makeWorld()
        try world.emit("open", ["item": .int64(1)], on: "/main")
        try present(world, as: ":1.7")
        try world.saveState("/main/note", state, by: ":1.7")
        try world.emit("open", ["item": .int64(1)], on: "/main")
        #expect(try world.forestNode("/main/note").savedState == state)
        try world.emit("open", ["item": .int64(2)], on: "/main")
        #expect(try world.forestNode("/main/note").savedState == [])
    }

    @Test func `S-44 S-38 the order of the arguments does not count, nor whether they are private`() throws {
        var builder = builder()
        for (step, isPrivate) in [("open", false), ("enter", true)] {
            builder.step(step, ["item": "int64?", "at": "int64?"], isPrivate: isPrivate)
        }
        builder.screen("note", ["item": "int64?", "at": "int64?"], presenter: "com.note", whenOwnerGone: .present)
        let raised = DefinitionsBuilder.Part.screen("note", .init(raises: true))
        builder.flow(
            "main", initial: "open", children: .free,
            on: ["open": [raised], "enter": [raised], "cover": [.screen("page")]])
        let world = try World(root: "main", builder)
        try world.emit("open", ["item": .int64(1), "at": .int64(2)], on: "/main")
        try present(world, as: ":1.7")
        try world.saveState("/main/note", state, by: ":1.7")
        for step in ["open", "enter"] {
            try world.emit(step, ["at": .int64(2), "item": .int64(1)], on: "/main")
            #expect(presentation(world)?.state == state && presentation(world)?.arguments.count == 2, "\(step)")
            try present(world, as: ":1.7")
        }
        try world.emit("open", ["at": .int64(1), "item": .int64(2)], on: "/main")
        #expect(presentation(world)?.state == [])
    }

    @Test func `S-44 S-45 what belongs to arguments before a reuse is refused until its owner knows`() throws {
        var builder = builder()
        builder.screen(
            "note", ["item": "int64?"], presenter: "com.note", whenOwnerGone: .present, result: ["ok": "bool"])
        let world = try World(root: "main", builder)
        try present(world, as: ":1.7")
        try world.emit("open", ["item": .int64(2)], on: "/main")
        let call = try #require(presentation(world))
        #expect(call.reason == .update)
        for isRestarted in [false, true] {
            if isRestarted { world.restart() }
            try world.saveState("/main/note", state, by: ":1.7")
            #expect(try world.refusal().code == .staleArguments)
            try world.finish("/main/note", ["ok": .bool(true)], by: ":1.7")
            #expect(try world.refusal().code == .staleArguments)
            #expect(try world.refusal().message.contains("'/main/note' was reused with other arguments"))
        }
        let again = try #require(world.coordinator.copy().questions.numbers.max())
        world.presented(again, by: ":1.7")
        #expect(try world.saveState("/main/note", state, by: ":1.7") == ["= done"])
        try world.emit("open", ["item": .int64(2)], on: "/main")
        #expect(try world.finish("/main/note", ["ok": .bool(true)], by: ":1.7").last == "= done")
    }

    @Test func `S-44 S-33 it counts for the client that the arguments of the screen count for`() throws {
        let world = try makeWorld()
        try world.emit("open", ["item": .int64(1)], on: "/main", by: ":1.3")
        try present(world, as: ":1.7")
        func usage(_ client: String) -> Int {
            world.coordinator.copy().forest.accounting.clients[Client(client)]?.bytes ?? 0
        }
        let before = usage(":1.3")
        try world.saveState("/main/note", state, by: ":1.7")
        #expect(usage(":1.3") == before + state.byteCount && usage(":1.7") == 0)
        try world.saveState("/main/note", [], by: ":1.7")
        #expect(usage(":1.3") == before)
        // It moves with the arguments.
        try world.saveState("/main/note", state, by: ":1.7")
        try world.emit("open", ["item": .int64(1)], on: "/main", by: ":1.4")
        #expect(usage(":1.4") - usage(":1.3") > state.byteCount)
    }

    @Test func `S-44 only the owner of a screen sets them, and a refused call changes nothing`() throws {
        let world = try makeWorld()
        try world.saveState("/main/note", state, by: ":1.7")
        let standing = world.standing
        for client in [":1.1", ":1.8"] {
            #expect(try world.saveState("/main/note", [], by: client) == ["! NotOwner"])
            #expect(try world.setTitle("/main/note", "Notes", by: client) == ["! NotOwner"])
        }
        #expect(try world.saveState("/main", state, by: ":1.7") == ["! NotSupported"])
        #expect(try world.setTitle("/main", "Main", by: ":1.7") == ["! NotSupported"])
        #expect(world.standing == standing)
        #expect(try world.forestNode("/main/note").savedState == state)
    }

    @Test func `S-44 S-33 a state can take 64 KiB, a title 256 bytes, and not one more`() throws {
        let world = try makeWorld()
        func state(of bytes: Int) -> Arguments {
            let empty: Arguments = [Argument("text", .string(""))]
            return [Argument("text", .string(String(repeating: "x", count: bytes - empty.byteCount)))]
        }
        #expect(try world.saveState("/main/note", state(of: Limits.argumentBytes), by: ":1.7") == ["= done"])
        try expectRefusal(world, .limitExceeded, with: "\(Limits.argumentBytes + 1)") {
            try world.saveState("/main/note", state(of: Limits.argumentBytes + 1), by: ":1.7")
        }
        #expect(try world.forestNode("/main/note").savedState.byteCount == Limits.argumentBytes)
        let title = String(repeating: "ä", count: Limits.titleLength / 2)
        #expect(try world.setTitle("/main/note", title, by: ":1.7").last == "= done")
        try expectRefusal(world, .limitExceeded, with: "\(Limits.titleLength + 1)") {
            try world.setTitle("/main/note", title + "x", by: ":1.7")
        }
        #expect(try world.forestNode("/main/note").title == title)
    }

    @Test func `S-44 S-33 a client whose share is used up can save no more, beside others that can`() throws {
        var quotas = Quotas.service
        quotas.bytes = Quotas.Quota(perClient: 1_000, total: 100_000)
        let world = World(builder(), quotas: quotas)
        for (client, owner) in [(":1.3", ":1.7"), (":1.4", ":1.8")] {
            try world.coordinate("main", by: client)
            let call = try #require(presentation(world))
            world.handle(.presenterReplied(call.id, .presented(by: Client(owner))))
        }
        let large = [Argument("text", .string(String(repeating: "x", count: 900)))]
        try expectRefusal(world, .limitExceeded, with: "':1.3'") {
            try world.saveState("/main/note", large + large.map { Argument("more", $0.value) }, by: ":1.7")
        }
        #expect(try world.saveState("/main/note", large, by: ":1.7") == ["= done"])
        #expect(try world.saveState("/main_2/note", large, by: ":1.8") == ["= done"])
    }

    @Test(arguments: [true, false])
    func `S-44 D-3 a restart keeps the state, another bus only if it may be on a disk`(isOnDisk: Bool) throws {
        let world = try makeWorld(isStateOnDisk: isOnDisk)
        try world.saveState("/main/note", state, by: ":1.7")
        try world.setTitle("/main/note", "Notes", by: ":1.7")
        world.restart()
        #expect(try world.forestNode("/main/note").savedState == state)
        #expect(try world.forestNode("/main/note").title == "Notes")
        world.handle(.clientVanished(Client(":1.7")))
        #expect(presentation(world)?.state == state)
        world.restart(onSameBus: false)
        #expect(try world.forestNode("/main/note").savedState == (isOnDisk ? state : []))
        #expect(presentation(world)?.reason == .restore)
        #expect(presentation(world)?.state == (isOnDisk ? state : []))
    }

    @Test func `S-44 a reload decides from then on whether the state may be on a disk`() throws {
        let world = try makeWorld()
        try world.saveState("/main/note", state, by: ":1.7")
        func isOnDisk() -> Bool {
            world.records.contains { $0.key.kind == .savedState && $0.withoutPrivateArguments.body != nil }
        }
        #expect(!isOnDisk())
        world.reload(builder(isStateOnDisk: true))
        #expect(isOnDisk())
        world.reload(builder())
        #expect(!isOnDisk())
        try world.saveState("/main/note", [], by: ":1.7")
        #expect(!world.records.contains { $0.key.kind == .savedState })
    }

    @Test func `S-44 no signal, property or explanation has the state`() throws {
        let world = try makeWorld()
        let pin: Arguments = [Argument("pin", .string("secret"))]
        let events = [
            { try world.saveState("/main/note", pin, by: ":1.7") }, { try world.emit("cover", on: "/main") },
            { try world.emit("uncover", on: "/main") }, { try world.saveState("/main/note", pin, by: ":1.8") },
        ]
        for event in events {
            _ = try event()
            for effect in world.effects {
                if case .present = effect { continue }
                #expect(!String(reflecting: effect).contains("secret"))
            }
        }
        let coordinator = world.coordinator.copy()
        let node = try world.node("/main/note")
        for property in NodeProperty.allCases {
            #expect(!String(reflecting: coordinator.value(of: property, at: node)).contains("secret"))
        }
        let open = try world.id(ofStep: "open")
        let explanation = coordinator.explain(
            open, [], on: node, by: Client(":1.7"), at: Instant(microseconds: world.now))
        #expect(explanation.lines.count > 1 && !"\(explanation.lines)".contains("secret"))
    }

    @Test func `S-44 the title is a property of the screen and in the stack, and stays when its owner goes`() throws {
        let world = try makeWorld()
        #expect(try world.setTitle("/main/note", "Notes", by: ":1.7") == ["~ /main/note title=Notes", "= done"])
        #expect(try world.setTitle("/main/note", "Notes", by: ":1.7") == ["= done"])
        world.handle(.clientVanished(Client(":1.7")))
        let (call, stack) = (presentation(world), try world.coordinator.copy().stack(on: ""))
        #expect(stack.map(\.title) == ["Notes"])
        world.handle(.presenterReplied(try #require(call).id, .presented(by: Client(":1.8"))))
        #expect(try world.setTitle("/main/note", "", by: ":1.8") == ["~ /main/note title=-", "= done"])
    }
}
