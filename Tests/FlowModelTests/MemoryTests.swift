import FlowCore
import Foundation
import Testing

/// Added and removed presentables leave no memory behind. The test runs in a process of its own.
@Suite(
    "Memory",
    .enabled(
        if: ProcessInfo.processInfo.environment["FLOWBUS_SANITIZE"] == nil,
        "a sanitizer keeps freed memory for a while"))
struct MemoryTests {
    @Test func `S-25 S-33 presentables are added and removed a million times without growth`() async {
        await #expect(processExitsWith: .success) {
            let cycles = ProcessInfo.processInfo.environment["FLOWBUS_CYCLES"].flatMap(Int.init) ?? 1_000_000
            var life = BusyLife()
            // Longer than the lifetime of a token: from here on as many are dropped as are added.
            for _ in 0..<20_000 { life.turn() }
            let before = try residentBytes()
            for _ in 0..<cycles { life.turn() }
            let growth = try residentBytes() - before
            print("memory: \(growth) bytes more after \(cycles) cycles, \(life.events) events")
            // 4 bytes a cycle would be more than this.
            if growth > 4 * 1_024 * 1_024 || life.liveCount != 1 { exit(EXIT_FAILURE) }
        }
    }
}

/// How much memory the process has: `statm` counts pages.
private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
}

/// A root with all kinds of state, which is added and removed in each turn.
private struct BusyLife: ~Copyable {
    private var coordinator: Coordinator
    private(set) var events: UInt64 = 0
    private var turns: UInt64 = 0

    var liveCount: Int { coordinator.flowCount + coordinator.screenCount }

    private enum Step: Int, CaseIterable {
        case back, gone, hello, open, stop

        var id: StepID { StepID(rawValue) }
    }

    init() {
        let text = ValueType(name: "string").map { [Parameter("t", $0, isOptional: true)] } ?? []
        let steps = Step.allCases.map { StepDeclaration("\($0)", parameters: text) }
        let gone = StepTemplate(Step.gone.id)
        let main = FlowDefinition(
            "main", children: .stack, idle: [TimedStep(after: 3_000, step: Step.hello.id)],
            rules: [
                Rule(Step.gone.id, [] as [FlowContributor]), Rule(Step.hello.id, [] as [FlowContributor]),
                Rule(
                    Step.open.id,
                    [
                        .child(ChildTemplate(.flow(FlowID(1)), whenHidden: .queue, onDismissed: gone)),
                        .child(ChildTemplate(.screen(ScreenID(0)), step: Step.hello.id, onDismissed: gone)),
                    ]),
            ])
        let sub = FlowDefinition(
            "sub", parameters: text, initial: Step.open.id,
            rules: [
                Rule(Step.open.id, [.child(ChildTemplate(.screen(ScreenID(0)), step: Step.hello.id))]),
                Rule(Step.stop.id, [.end(StepTemplate(Step.gone.id))]),
            ])
        coordinator = Coordinator(
            definitions: Definitions(
                steps: steps, screens: [ScreenDeclaration("list", parameters: text)], flows: [main, sub]),
            basePath: "")
        handle { .flowRequested($0, FlowRequest(FlowID(0), by: Client(":1.1"))) }
    }

    /// Opens a flow and a screen, lets steps wait at both, and removes them in one of several ways.
    mutating func turn() {
        turns += 1
        let text = [Argument("t", .string("turn \(turns)"))]
        emit(.open, on: "/main", text, token: "\(turns)")
        emit(.hello, on: "/main/sub", text)
        switch turns % 4 {
        case 0:
            dismiss("/main/sub")
            dismiss("/main/list")
        case 1:
            if let main = coordinator.node(at: "/main") { handle { .backPressed($0, on: main, by: Client(":1.1")) } }
            emit(.stop, on: "/main/sub")
        case 2:
            if let list = coordinator.node(at: "/main/list") {
                handle { .visibilityChanged($0, of: list, isVisible: true, by: Client(":1.1")) }
            }
            dismiss("/main/list")
            emit(.stop, on: "/main/sub")
        default:
            dismiss("/main")
            handle { .flowRequested($0, FlowRequest(FlowID(0), by: Client(":1.1"))) }
        }
        if turns % 8 == 0 { handle { _ in .timerFired } }
    }

    private mutating func emit(_ step: Step, on path: String, _ arguments: Arguments = [], token: String? = nil) {
        guard let node = coordinator.node(at: path) else { return }
        handle {
            .stepEmitted(
                $0, on: node, step: step.id, arguments: arguments, by: Client(":1.1"),
                options: token.map { EmissionOptions(token: $0) })
        }
    }

    private mutating func dismiss(_ path: String) {
        guard let node = coordinator.node(at: path) else { return }
        handle { .presentableDismissed($0, node, by: Client(":1.1")) }
    }

    private mutating func handle(_ event: (RequestID) -> Event) {
        events += 1
        _ = coordinator.handle(event(RequestID(events)), at: Instant(microseconds: turns * 10_000))
    }
}
