import BusTestSupport
import Testing

@testable import FlowBus
@testable import FlowBusClient

import struct FlowCore.Argument
import struct FlowCore.Parameter
import struct FlowCore.ScreenDeclaration
import struct FlowCore.StepDeclaration
import struct FlowCore.ScreenReport
import enum FlowCore.Value
import struct FlowCore.ValueType
import enum FlowCore.WhenHidden

/// Flows of this program in the service on the bus.
@Suite("BusHost", .fewAtOnce, .serialized)
@MainActor
struct BusHostTests {
    private let service: Service
    private let bus: NavigationBus
    private let host: BusHost
    private let flows = Recorder()
    private let log: Events<String>

    init() throws {
        service = try Service("[steps]\nother = {}")
        bus = try NavigationBus(service)
        host = try BusHost(bus, .program)
        host.delegate = flows
        log = Events(flows.lines)
    }

    private func step(_ name: String, _ arguments: [FlowCore.Argument] = []) -> StepMessage {
        StepMessage(name: name, arguments: arguments)
    }

    private func register(_ name: String, screens: [String] = [], isGuarded: Bool = false, by host: BusHost? = nil)
        async throws
    {
        let number = try #require(ValueType(signature: "x"))
        let registration = FlowRegistration(
            name: name,
            steps: [
                StepDeclaration("begin"), StepDeclaration("open", parameters: [Parameter("n", number)]),
                StepDeclaration("stop"),
            ],
            screens: screens.map { ScreenDeclaration($0) }, isGuarded: isGuarded, children: .free, timeout: 10_000_000)
        try await answer { (host ?? self.host).register(registration, $0) }
    }

    @discardableResult
    private func emit(
        _ name: String, _ arguments: [FlowCore.Argument] = [], on path: NodePath, instance: UInt64 = 0
    ) async throws -> StepOutcome {
        try await answer { host.emit(step(name, arguments), token: nil, on: path, instance: instance, $0) }
    }

    private func coordinate(_ name: String) async throws -> NodePath {
        try await answer { host.coordinate(name, step("begin"), allowsStepWhenNotPresented: true, $0) }
    }

    @Test func `a flow is asked where steps lead, and notified in the order of the wire`() async throws {
        flows.navigates = { question in
            question.step.name == "open"
                ? .contributors([.child(.screen, "Page", style: "modal", whenHidden: .allow)]) : .contributors([])
        }
        try await register("Watched", screens: ["Page"])
        #expect(try await coordinate("Watched") == "Watched")
        let outcome = try await emit("open", [Argument("n", .int64(4))], on: "Watched")
        #expect(outcome.isNavigated)
        // It has the object of the screen at once, and need not wait for the navigation.
        try await log.first { $0.hasPrefix("did Watched open") }
        #expect(
            log.all == [
                "added Watched", "Watched navigate begin [] own", "Watched ready", "did Watched begin []",
                "Watched navigate open [4] own", "present Watched/Page", "added Watched/Page",
                "did Watched open [screen Page Watched/Page]",
            ])
        #expect(try await bus.ownedPresentables().map(\.path) == ["Watched/Page"])
    }

    @Test func `S-10 a screen whose object is not there yet is presented once the navigation is reported`() async throws
    {
        flows.navigates = { question in
            question.step.name == "open" ? .contributors([.child(.screen, "Page")]) : .contributors([])
        }
        let other = try BusHost(bus, .program)
        let others = Recorder()
        others.presents = { _ in nil }
        other.delegate = others
        flows.presents = { [flows] _ in
            flows.contributed.contains("Watched/Page") ? ScreenReport(isVisible: true, title: "Page") : nil
        }
        try await register("Watched", screens: ["Page"])
        _ = try await coordinate("Watched")
        try await emit("open", [Argument("n", .int64(4))], on: "Watched")
        try await log.first { $0 == "present Watched/Page" }
        #expect(log.all.suffix(2) == ["did Watched open [screen Page Watched/Page]", "present Watched/Page"])
        #expect(try await bus.ownedPresentables().map(\.path) == ["Watched/Page"])
        #expect(try service.property("Visible", of: "/Watched/Page", "Presentable") == true)
        #expect(try service.property("Title", of: "/Watched/Page", "Presentable") == "Page")
    }

    @Test func `a screen that has no object here fails once the navigation is reported`() async throws {
        flows.navigates = { question in
            question.step.name == "open" ? .contributors([.child(.screen, "Page")]) : .contributors([])
        }
        flows.presents = { _ in nil }
        try await register("Watched", screens: ["Page"])
        _ = try await coordinate("Watched")
        try await emit("open", [Argument("n", .int64(4))], on: "Watched")
        try await log.first { $0 == "did Watched open [screen Page Watched/Page]" }
        // The host asks for the tree's serial before it gives up. This thread waits for the line, so the answer has to be here first.
        _ = try await bus.definitionNames()
        try service.process.waitForLine(in: .errors) { $0.contains("there is no object for the screen") }
    }

    @Test func `a guard lets pass, changes, refuses and fails`() async throws {
        flows.adapts = { question in
            switch question.step.arguments.first?.value {
            case .int64(1)?: .step(question.step)
            case .int64(2)?: .step(StepMessage(name: "stop", arguments: []))
            case .int64(3)?: .rejected("not now")
            case nil: .step(question.step)
            default: .failed("broken")
            }
        }
        flows.navigates = { _ in .contributors([]) }
        try await register("Guarded", isGuarded: true)
        _ = try await coordinate("Guarded")
        func emit(_ number: Int64) async throws -> StepOutcome {
            try await bus.emit("open", ["n": .int64(number)], on: "Guarded")
        }
        #expect(try await emit(1).isNavigated)
        #expect(try await emit(2).isNavigated)
        try await log.first { $0 == "did Guarded stop [] from open" }
        #expect(try await emit(3).verdict == .rejected)
        let failure = try await refusal { try await emit(4) }
        #expect(failure.code == .guardFailed && failure.message.contains("broken"))
    }

    @Test func `all kinds of contributors are understood`() async throws {
        flows.navigates = { question in
            switch (question.flow.text, question.step.name) {
            case ("Main", "begin"):
                .contributors([
                    .child(
                        .flow, "Child", step: StepMessage(name: "open", arguments: [Argument("n", .int64(1))])),
                    .step(.current, StepMessage(name: "stop", arguments: [])),
                ])
            case ("Main/Child", "open"):
                .contributors([.step(.parent, StepMessage(name: "open", arguments: [Argument("n", .int64(2))]))])
            case ("Main/Child", "stop"): .contributors([.step(.end, nil)])
            case ("Main", "open"): .contributors([])
            case ("Main", "stop"): .contributors([])
            default: .failed("\(question.flow) \(question.step.name)")
            }
        }
        try await register("Main")
        try await register("Child")
        _ = try await coordinate("Main")
        try await log.first { $0.hasPrefix("did Main open") }
        try await emit("stop", on: "Main/Child")
        try await log.first { $0 == "removed Main/Child" }
        #expect(
            log.all.filter { $0.hasPrefix("did") } == [
                "did Main begin [flow Child Main/Child, current stop Main]", "did Main/Child open [parent open Main]",
                "did Main stop []", "did Main open []", "did Main/Child stop [end  ]",
            ])
    }

    @Test func `a step on a flow that waits for this program is no deadlock`() async throws {
        var held: [@MainActor (AdaptAnswer) -> Void] = []
        flows.adapting = { question, answer in
            if question.step.name == "open" { held.append(answer) } else { answer(.step(question.step)) }
        }
        flows.navigates = { _ in .contributors([]) }
        try await register("Busy", isGuarded: true)
        _ = try await coordinate("Busy")
        async let first = emit("open", [Argument("n", .int64(1))], on: "Busy")
        try await log.first { $0.contains("adapt open") }
        async let second = emit("stop", on: "Busy")
        _ = try await bus.definitionNames()
        held.first?(.step(step("open", [Argument("n", .int64(1))])))
        #expect(try await first.isNavigated)
        #expect(try await second.isNavigated)
    }

    @Test func `screens are shown, dismissed, gone back from; another instance is refused`() async throws {
        flows.navigates = { question in
            .contributors(
                question.step.name == "begin" ? [.child(.screen, "Page")] : [])
        }
        try await register("Watched", screens: ["Page"])
        _ = try await coordinate("Watched")
        try await log.first { $0.hasPrefix("present") }
        try await answer { host.setVisible(true, at: "Watched/Page", instance: 0, $0) }
        try await log.first { $0 == "Watched/Page presented true" }
        #expect(try await answer { host.back(on: "Watched", instance: 0, $0) }.verdict == .unhandled)
        let stale = try await refusal { try await emit("stop", on: "Watched/Page", instance: 77) }
        #expect(stale.code == .unknownObject)
        try await answer { host.dismiss("Watched/Page", instance: 0, $0) }
        try await log.first { $0 == "removed Watched/Page" }
        #expect(try await answer { host.navigate(to: step("stop"), $0) }.map(\.path) == ["Watched"])
    }

    @Test func `S-25 calls for a removed instance do not affect another at its path`() async throws {
        flows.navigates = { question in
            .contributors(question.step.name == "stop" ? [] : [.child(.screen, "Page")])
        }
        try await register("Watched", screens: ["Page"])
        _ = try await coordinate("Watched")
        try await log.first { $0.hasPrefix("present") }
        let number = try service.property("Instance", of: "/Watched/Page", "Presentable").number
        let old = UInt64(try #require(number))
        try await answer { host.dismiss("Watched/Page", instance: old, $0) }
        try await emit("open", [Argument("n", .int64(1))], on: "Watched")
        try await log.first { $0.hasPrefix("present") }
        let calls: [(@escaping Done<Void>) -> Void] = [
            { host.dismiss("Watched/Page", instance: old, $0) },
            { host.setVisible(true, at: "Watched/Page", instance: old, $0) },
        ]
        for call in calls { #expect(try await refusal { try await answer { call($0) } }.code == .unknownObject) }
        let back = try await refusal { try await answer { host.back(on: "Watched", instance: old, $0) } }
        #expect(back.code == .unknownObject)
        #expect(try service.property("Visible", of: "/Watched/Page", "Presentable") == false)
        #expect(!log.all.suffix(2).contains("removed Watched/Page"))
    }

    @Test func `more screens are registered; the same again changes nothing`() async throws {
        try await register("Watched", screens: ["Page"])
        try await register("Watched", screens: ["Page"])
        try await register("Watched", screens: ["Page", "Other"])
        flows.navigates = { _ in .contributors([.child(.screen, "Other")]) }
        _ = try await coordinate("Watched")
        try await log.first { $0 == "present Watched/Other" }
    }

    @Test func `two coordinators of one program do not share names`() async throws {
        let other = try BusHost(bus, .program)
        try await register("One")
        try await register("Two", by: other)
        let refused = try await refusal { try await register("One", by: other) }
        #expect(refused.code == .alreadyRegistered)
        try await register("Three", by: other)
        other.close()
        // In the order of the calls: it is taken back by now.
        #expect(try await bus.definitionNames() == ["One"])
        let closed = try await refusal { try await register("Four", by: other) }
        #expect(closed.code == .flowEnded)
    }

    @Test func `the service restarts: flows are registered before the tree is read`() async throws {
        flows.navigates = { _ in .contributors([]) }
        try await register("Watched")
        _ = try await coordinate("Watched")
        try await log.first { $0.hasPrefix("did Watched begin") }
        try service.restart()
        // Its client is still connected, and so the flow is live.
        try await log.first { $0 == "restarted Watched" }
        #expect(try await bus.definitionNames() == ["Watched"])
        try await emit("stop", on: "Watched")
        try await log.first { $0 == "did Watched stop []" }
    }

    @Test func `the service restarts: its question is asked again, and the first answer is dropped`() async throws {
        var held: [@MainActor (AdaptAnswer) -> Void] = []
        flows.adapting = { question, answer in
            if question.step.name == "open" { held.append(answer) } else { answer(.step(question.step)) }
        }
        try await register("Busy", isGuarded: true)
        _ = try await coordinate("Busy")
        let client = try NavigationBus(service)
        let open = step("open", [Argument("n", .int64(1))])
        #expect(
            try await client.emit("open", ["n": .int64(1)], on: "Busy", options: EmitOptions(waits: false)).verdict
                == .pending)
        try await log.first { $0.contains("adapt open") }
        try service.restart()
        try await log.first { $0 == "restarted Busy" }
        try await log.first { $0.contains("adapt open") }
        held[0](.rejected("too late"))
        held[0](.rejected("twice"))
        held[1](.step(open))
        try await log.first { $0 == "did Busy open []" }
        #expect(held.count == 2)
    }

    @Test func `the bus restarts: flows are registered before the tree is read`() async throws {
        flows.navigates = { _ in .contributors([]) }
        try await register("Watched")
        _ = try await coordinate("Watched")
        try await log.first { $0.hasPrefix("did Watched begin") }
        try service.bus.kill()
        try service.bus.start()
        try await log.first { $0 == "restarted " }
        #expect(try await bus.definitionNames() == ["Watched"])
        _ = try await coordinate("Watched")
        try await log.first { $0.hasPrefix("did Watched begin") }
    }

    @Test func `questions for unknown flows fail, and pending ones end with the host`() async throws {
        flows.navigates = { _ in .contributors([]) }
        try await register("Watched")
        _ = try await coordinate("Watched")
        host.close()
        host.close()
        #expect(try await bus.definitionNames().isEmpty)
        #expect(try service.objects()["\(Service.tree)/Watched"] == nil)
    }
}

/// A delegate that logs the calls it gets.
@MainActor
private final class Recorder: HostDelegate {
    let lines: AsyncStream<String>
    private let line: AsyncStream<String>.Continuation
    var adapts: (HostQuestion) -> AdaptAnswer = { .step($0.step) }
    var adapting: ((HostQuestion, @escaping @MainActor (AdaptAnswer) -> Void) -> Void)?
    var navigates: (HostQuestion) -> NavigateAnswer = { _ in .contributors([]) }

    init() { (lines, line) = AsyncStream.makeStream() }

    private func text(_ question: HostQuestion) -> String {
        "\(question.step.name) [\(question.step.arguments.map(\.value.description).joined())]"
            + (question.isFromThisProcess ? " own" : "")
    }

    func adapt(_ question: HostQuestion, _ answer: @escaping @MainActor (AdaptAnswer) -> Void) {
        line.yield("\(question.flow) adapt \(text(question))")
        if let adapting { adapting(question, answer) } else { answer(adapts(question)) }
    }

    func navigate(_ question: HostQuestion, _ answer: @escaping @MainActor (NavigateAnswer) -> Void) {
        line.yield("\(question.flow) navigate \(text(question))")
        answer(navigates(question))
    }

    /// The paths that navigations contributed.
    private(set) var contributed: Set<NodePath> = []
    var presents: (Presentation) -> ScreenReport? = { _ in ScreenReport() }

    func present(_ presentation: Presentation, instance: UInt64, known: ScreenReport?) -> ScreenReport? {
        let report = presents(presentation)
        if report != nil { line.yield("present \(presentation.path)") }
        return report
    }

    func presented(_ path: NodePath, instance: UInt64, _ answers: [AskMessage]) {}
    func answered(instance: UInt64, _ answer: AskMessage) {}

    let isStartingRoots = false
    func serviceLost(_ error: NavigationError) {}
    func added(_ node: HostNode) { line.yield("added \(node.path)") }

    func changed(_ path: NodePath, _ change: HostChange) {
        switch change {
        case .presented(let isPresented): line.yield("\(path) presented \(isPresented)")
        case .ready: line.yield("\(path) ready")
        }
    }

    func removed(_ path: NodePath) { line.yield("removed \(path)") }

    func didNavigate(_ it: HostNavigation) {
        let list = it.contributions.map { "\($0.kind) \($0.name) \($0.path?.text ?? "")" }.joined(separator: ", ")
        contributed.formUnion(it.contributions.compactMap(\.path))
        line.yield("did \(it.flow) \(it.step?.name ?? "back") [\(list)]" + (it.adaptedFrom.map { " from \($0)" } ?? ""))
    }

    func failed(_ failure: NavigationFailure) {
        line.yield("failed \(failure.path) \(failure.step) \(failure.outcome)")
    }

    func registrationLost(_ definition: String) { line.yield("forgotten \(definition)") }

    func serviceRestarted(_ live: [HostNode]) {
        line.yield("restarted \(live.map(\.path.text).joined(separator: " "))")
    }
}
