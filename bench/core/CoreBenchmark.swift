import FlowCore
import FlowFile
import Glibc

/// Runs the state machine alone, for `make bench`, which counts its instructions: the difference of two runs with different
/// counts is what one event costs.
///
/// ```
/// core-bench none|contribute|forward|deep-link COUNT
/// ```
@main
struct CoreBenchmark: ~Copyable {
    private var coordinator: Coordinator
    private let definitions: Definitions
    private let client = Client(":1.42")
    private var requests: UInt64 = 0
    /// The effects of the event at hand; the memory is used again, as by flowbusd.
    private var effects: [Effect] = []

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let call = arguments.first.flatMap(Call.init), arguments.count == 2,
            let count = arguments.last.flatMap({ Int($0) })
        else {
            print("usage: core-bench \(Call.allCases.map(\.rawValue).joined(separator: "|")) COUNT")
            return
        }
        var benchmark = CoreBenchmark(try exampleDefinitions())
        try benchmark.run(call, count)
        // To take apart what the events have made is no part of them.
        exit(0)
    }

    private enum Call: String, CaseIterable {
        /// A step that changes no node.
        case none
        /// The same beside 1,000 flows.
        case noneAmongFlows = "none-among-flows"
        /// A step that adds a screen to a flow that has 450 children.
        case contribute
        /// The same with 10 children: each step is for another flow.
        case contributeAmongFew = "contribute-among-few"
        /// A step that a flow forwards to its parent: two navigations.
        case forward
        /// A deep link to 1,001 flows.
        case deepLink = "deep-link"
    }

    // Not in an initializer: Swift 6.2 can't compile one that throws, of a type that can't be copied.
    private static func exampleDefinitions() throws -> Definitions {
        try DefinitionFiles.definitions(
            in: """
                version = 1
                [steps]
                none = { number = "int64" }
                add  = { number = "int64" }
                open = { number = "int64" }
                up   = { number = "int64" }
                [screens]
                page = { arguments = { number = "int64" } }
                [[autostart]]
                flow = "main"
                [flows.main.on]
                none = { none = true }
                add  = { screen = "page" }
                open = { flow = "sub" }
                up   = { none = true }
                [flows.sub.on]
                none = { none = true }
                add  = { screen = "page" }
                up   = { parent = "up" }
                """)
    }

    private init(_ definitions: Definitions) {
        self.definitions = definitions
        coordinator = Coordinator(definitions: definitions, basePath: "/tree", isRecorded: false)
        _ = coordinator.handle(.started, at: Instant(microseconds: 0))
    }

    private mutating func run(_ call: Call, _ count: Int) throws {
        switch call {
        case .none:
            try emit("none", on: "/tree/main", count)
        case .noneAmongFlows:
            try emit("open", on: "/tree/main", 1_000)
            try emit("none", on: "/tree/main", count)
        case .contribute:
            try emit("add", on: "/tree/main", 450)
            try emit("add", on: "/tree/main", count)
        case .contributeAmongFew:
            try emit("open", on: "/tree/main", 100)
            let flows = try (1...100).map { try node(at: $0 == 1 ? "/tree/main/sub" : "/tree/main/sub_\($0)") }
            let add = try step(named: "add")
            for flow in flows { try emit(add, on: flow, 10) }
            for flow in flows.prefix(count) { try emit(add, on: flow, 1) }
        case .forward:
            try emit("open", on: "/tree/main", 1)
            try emit("up", on: "/tree/main/sub", count)
        case .deepLink:
            try emit("open", on: "/tree/main", 1_000)
            let step = try step(named: "none")
            for number in 0..<count {
                try handle(.deepLinkOpened(request(), step: step, arguments: arguments(number), by: client))
            }
        }
    }

    private mutating func emit(_ name: String, on path: String, _ count: Int) throws {
        try emit(step(named: name), on: node(at: path), count)
    }

    private mutating func emit(_ step: StepID, on node: NodeID, _ count: Int) throws {
        for number in 0..<count {
            try handle(.stepEmitted(request(), on: node, step: step, arguments: arguments(number), by: client))
        }
    }

    private enum Failure: Error {
        case noStep
        case noNode
        case refused(FlowError)
    }

    private func node(at path: String) throws -> NodeID {
        guard let node = coordinator.node(at: path) else { throw Failure.noNode }
        return node
    }

    private func step(named name: String) throws -> StepID {
        guard let step = definitions.step(named: name) else { throw Failure.noStep }
        return step
    }

    private func arguments(_ number: Int) -> Arguments { [Argument("number", .int64(Int64(number)))] }

    private mutating func request() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    /// Handles an event, as a service does that carries out the effects at once.
    private mutating func handle(_ event: consuming Event) throws {
        coordinator.handle(consume event, at: Instant(microseconds: requests), into: &effects)
        for place in effects.indices {
            if case .fail(_, let error) = effects[place] { throw Failure.refused(error) }
        }
        effects.clear()
    }
}
