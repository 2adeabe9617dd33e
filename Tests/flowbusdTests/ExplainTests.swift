import BusTestSupport
import Testing

/// Explanations of steps over the bus.
@Suite("Explain")
struct ExplainTests {
    private func explain(
        _ step: String, _ arguments: BusValue = .options(), on path: String, of service: Service
    ) throws -> (verdict: String, errorName: String, lines: [String]) {
        let answer = try service.client.call(
            Service.name, Service.tree + path, Service.name + ".Stepper", "Explain", .string(step), arguments)
        return (answer[0].text ?? "", answer[1].text ?? "", answer[2].elements.compactMap(\.text))
    }

    private func signalCount(_ service: Service) -> Int { service.client.log.count { $0.kind == .signal } }

    @Test func `a dry run explains what then happens, and leaves no trace`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        let (before, start) = (try service.objects(), signalCount(service))
        let dry = try explain("pick", .options(["item": .byte(7)]), on: "/shop", of: service)
        #expect(dry.verdict == "navigated" && dry.errorName.isEmpty)
        #expect(
            dry.lines == [
                "step 'pick' (item = 7) on flow '\(Service.tree)/shop'",
                "  screen '\(Service.tree)/shop/detail' is made (item = 7), style 'slide'",
                "  '\(Service.tree)/shop' has '\(Service.tree)/shop/detail' in front",
            ])
        #expect(try explain("check", on: "/shop/list", of: service).verdict == "hidden")
        #expect(try explain("done", on: "/shop", of: service).verdict == "unhandled")
        #expect(try service.objects() == before)
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
        // Its signals would have come before its answer.
        #expect(signalCount(service) == start)
        #expect(try service.emit("pick", ["item": .byte(7)], on: "/shop") == [.uint64(2), "navigated"])
    }

    @Test func `S-3 an error of the step is its outcome; an error of the call is an error`()
        throws
    {
        let service = try Service(shopDefinitions)
        let unknown = try explain("pikc", .options(["item": .variant(.options())]), on: "/shop", of: service)
        #expect(unknown.verdict.isEmpty && unknown.errorName == Service.name + ".Error.UnknownStep")
        #expect(unknown.lines == ["no definition declares a step 'pikc'; did you mean 'pick'?"])
        let mistyped = try explain("pick", .options(["item": "seven"]), on: "/shop", of: service)
        #expect(mistyped.errorName == Service.name + ".Error.InvalidArguments")
        #expect(mistyped.lines.last?.hasSuffix("it has to be of type int64") == true, "\(mistyped.lines)")
        let large = try explain(
            "pick", .options(["item": .string(String(repeating: "x", count: 70_000))]), on: "/shop", of: service)
        #expect(large.errorName == Service.name + ".Error.LimitExceeded")
        #expect(large.lines.count == 1)

        let refusal = try service.refusal {
            _ = try service.client.call(
                Service.name, Service.tree + "/shop", Service.name + ".Stepper", "Explain", .string("pick"))
        }
        #expect(refusal.name == "org.freedesktop.DBus.Error.InvalidArgs")
        let gone = try service.refusal { _ = try explain("pick", on: "/nowhere", of: service) }
        #expect(gone.name == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func `S-5 a guard is not asked`() throws {
        let service = try Service(
            shopDefinitions.replacing(
                "[flows.pay]", with: "[flows.pay]\nguard = { name = \"com.example.Peer\", steps = [\"done\"] }"))
        let peer = try service.peer()
        peer.playGuard { .pass($0) }
        try service.emit("check", on: "/shop")
        let dry = try explain("done", on: "/shop/pay", of: service)
        #expect(dry.verdict == "pending")
        #expect(dry.lines.last?.contains("the guard 'com.example.Peer' is asked about it") == true, "\(dry.lines)")
        try service.emit("done", ["receipt": "r"], on: "/shop/pay")
        // The first question is about the emitted step.
        #expect(try peer.waitForCall("Adapt").values[2]["receipt"] == "r")
    }
}
