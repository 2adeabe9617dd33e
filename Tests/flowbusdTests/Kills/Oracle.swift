import BusTestSupport
@testable import FlowCore
import FlowFile

/// The visible state of presentables, by path.
typealias TreeSnapshot = [String: NodeSnapshot]

/// The visible state of a presentable.
struct NodeSnapshot: Equatable {
    /// Its kind and state.
    var line: String
    /// Its instance, as the daemon or the oracle counts.
    var instance: UInt64
}

extension TreeSnapshot {
    /// The lines without the instances.
    var lines: [String: String] { mapValues(\.line) }
}

/// Predicts the effects of one client's calls without interference: a machine that is never killed.
final class Oracle {
    private var coordinator: Coordinator
    private var requests: UInt64 = 0
    private let client: Client

    init(_ definitions: Definitions, for client: TestClient) {
        coordinator = Coordinator(definitions: definitions, basePath: Service.tree)
        self.client = Client(client.uniqueName)
    }

    /// The paths of live presentables, parents before children, in creation order.
    var paths: [String] { coordinator.paths.map { String($0.dropFirst(Service.tree.count)) } }

    func isFlow(_ path: String) -> Bool { node(path).map { coordinator.isFlow($0) } ?? false }
    func isVisible(_ path: String) -> Bool { node(path).map { isVisible($0) } ?? false }
    func isOwned(_ path: String) -> Bool { node(path).flatMap { owner(of: $0) } != nil }

    private func isVisible(_ node: NodeID) -> Bool { coordinator.value(of: .visible, at: node) == .flag(true) }

    private func owner(of node: NodeID) -> String? {
        text(of: .owner, at: node).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text or path that a property has; nil if it is none.
    private func text(of property: NodeProperty, at node: NodeID) -> String? {
        switch coordinator.value(of: property, at: node) {
        case .text(let text): text
        case .path(let path): path
        default: nil
        }
    }

    /// The visible state.
    var snapshot: TreeSnapshot {
        var snapshot: TreeSnapshot = [:]
        for path in paths {
            guard let node = node(path) else { continue }
            var number: Int?
            if case .arguments(let arguments) = coordinator.value(of: .arguments, at: node),
                case .int64(let value)? = arguments["number"]?.value
            {
                number = Int(value)
            }
            snapshot[path] = NodeSnapshot(
                line: Self.line(
                    name: text(of: .name, at: node) ?? "", number: number, isVisible: isVisible(node),
                    isPresented: coordinator.value(of: .presented, at: node) == .flag(true), owner: owner(of: node),
                    current: text(of: .current, at: node),
                    isReady: coordinator.isFlow(node)
                        ? coordinator.value(of: .ready, at: node) == .flag(true) : nil),
                instance: node.instance)
        }
        return snapshot
    }

    /// The visible state of flowbusd's objects.
    static func snapshot(at objects: BusValue) -> TreeSnapshot {
        var snapshot: TreeSnapshot = [:]
        for case .dictEntry(let key, let roles) in objects.elements {
            guard let path = key.text, path.hasPrefix(Service.tree + "/"),
                let presentable = roles[Service.name + ".Presentable"]
            else { continue }
            let flow = roles[Service.name + ".Flow"]
            var current = flow?["Current"]?.text
            if current == "/" { current = nil }
            snapshot[String(path.dropFirst(Service.tree.count))] = NodeSnapshot(
                line: line(
                    name: presentable["Name"]?.text ?? "", number: presentable["Arguments"]?["number"]?.number,
                    isVisible: presentable["Visible"] == true, isPresented: presentable["Presented"] == true,
                    owner: presentable["Owner"]?.text, current: current, isReady: flow?["Ready"]?.truth),
                instance: UInt64(presentable["Instance"]?.number ?? 0))
        }
        return snapshot
    }

    private static func line(
        name: String, number: Int?, isVisible: Bool, isPresented: Bool, owner: String?, current: String?,
        isReady: Bool?
    ) -> String {
        var line = name
        if let number { line += " \(number)" }
        if isVisible { line += " visible" }
        if isPresented { line += " presented" }
        if let owner, !owner.isEmpty { line += " owner=\(owner)" }
        if let current { line += " current=\(current.dropFirst(Service.tree.count))" }
        if isReady == true { line += " ready" }
        return line
    }

    // MARK: Operations

    /// Its state, to undo an operation.
    var state: Machine {
        get { coordinator.machine }
        set { coordinator.machine = newValue }
    }

    /// Carries out an operation. Returns its answer.
    func perform(_ operation: ClientOperation) throws -> CallOutcome {
        requests += 1
        let request = RequestID(requests)
        guard let event = try event(operation, request) else {
            return .error("org.freedesktop.DBus.Error.UnknownObject")
        }
        for effect in coordinator.handle(event, at: Instant(microseconds: 0)) {
            switch effect {
            case .reply(request, let answer): return callOutcome(answer)
            case .fail(request, let error): return .error(Service.name + ".Error." + error.code.rawValue)
            default: continue
            }
        }
        throw TestFailure("the oracle has no answer to \(operation)")
    }

    private func callOutcome(_ answer: Answer) -> CallOutcome {
        switch answer {
        case .done: .done
        case .verdict(let verdict, _): .verdicts([verdict.rawValue])
        case .flow(let path): .flow(path)
        case .outcomes: .verdicts([])
        case .verdicts(let outcomes): .verdicts(outcomes.map(text))
        }
    }

    private func text(_ outcome: Outcome) -> String {
        switch outcome {
        case .navigated: Verdict.navigated.rawValue
        case .ignored(let verdict): verdict.rawValue
        case .refused(let error): Service.name + ".Error." + error.code.rawValue
        }
    }

    /// Nil: nothing is live there.
    private func event(_ operation: ClientOperation, _ request: RequestID) throws -> Event? {
        if case .coordinate(let flow, let id) = operation {
            guard let flow = coordinator.definitions.flow(named: flow) else { throw TestFailure("no flow \(flow)") }
            return .flowRequested(request, FlowRequest(flow, id: id, by: client))
        }
        guard let node = node(operation.path) else { return nil }
        switch operation {
        case .emit(let step, _):
            return .stepEmitted(request, on: node, step: try id(of: step), arguments: arguments(of: step), by: client)
        case .emitAll(let steps, _):
            let list = try steps.map { EmittedStep.step(try id(of: $0), arguments(of: $0)) }
            return .stepsEmitted(request, on: node, list, by: client)
        case .back: return .backPressed(request, on: node, by: client)
        case .show(_, let isVisible):
            return .visibilityChanged(request, of: node, isVisible: isVisible, by: client)
        case .claim: return .presentableClaimed(request, node, by: client)
        case .release: return .presentableReleased(request, node, by: client)
        case .dismiss: return .presentableDismissed(request, node, by: client)
        case .coordinate: return nil
        }
    }

    private func node(_ path: String) -> NodeID? { coordinator.node(at: Service.tree + path) }

    private func id(of step: ClientOperation.Step) throws -> StepID {
        guard let id = coordinator.definitions.step(named: step.name) else { throw TestFailure("no step \(step)") }
        return id
    }

    private func arguments(of step: ClientOperation.Step) -> Arguments {
        step.number.map { [Argument("number", .int64(Int64($0)))] } ?? []
    }
}
