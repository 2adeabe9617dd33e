import FlowBus
import FlowBusClient
import Testing

/// The host of a test's flows.
enum HostKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inProcess
    case onTheBus

    var testDescription: String { rawValue }
}

/// A coordinator, with its navigations and failures.
@MainActor
final class CoordinatorFixture {
    let coordinator: FlowCoordinator
    private let host: HostKind
    private var navigations: NavigationEvents<FlowNavigation>.Iterator
    private var failures: NavigationEvents<NavigationFailure>.Iterator
    /// The service and its bus, which end with this; nil in process.
    let serviceFixture: ServiceFixture?
    /// The coordinator's connection; nil in process.
    let bus: NavigationBus?

    init(_ host: HostKind) throws {
        self.host = host
        switch host {
        case .inProcess:
            (serviceFixture, bus) = (nil, nil)
            coordinator = FlowCoordinator()
        case .onTheBus:
            let serviceFixture = try ServiceFixture()
            self.serviceFixture = serviceFixture
            let bus = try serviceFixture.connect()
            self.bus = bus
            coordinator = try FlowCoordinator(bus: bus)
        }
        navigations = coordinator.didNavigate.makeAsyncIterator()
        failures = coordinator.failures.makeAsyncIterator()
    }

    /// The next navigations, as `flow step`.
    func navigations(_ count: Int) async -> [String] {
        var all: [String] = []
        for _ in 0..<count {
            guard let navigation = await navigation() else { return all + ["the end"] }
            all.append("\(navigation.path) \(navigation.step.map { "\($0)" } ?? "back")")
        }
        return all
    }

    func navigation() async -> FlowNavigation? {
        var iterator = navigations
        defer { navigations = iterator }
        return await iterator.next(isolation: #isolation)
    }

    /// The next failures, as `place step reason`.
    func failures(_ count: Int) async -> [String] {
        var all: [String] = []
        for _ in 0..<count {
            guard let failure = await failure() else { return all + ["the end"] }
            all.append("\(failure.path) \(failure.step) \(failure.outcome)")
        }
        return all
    }

    func failure() async -> NavigationFailure? {
        var iterator = failures
        defer { failures = iterator }
        return await iterator.next(isolation: #isolation)
    }

    /// Returns when a flow is ready.
    func ready(_ flow: some Flow) async {
        await withCheckedContinuation { done in Flows.use(flow, when: .ready) { _ in done.resume() } }
    }
}

extension CoordinatorFixture {
    /// Starts a flow and waits until it is ready.
    @discardableResult
    func begin(_ flow: some Flow, with stepper: any Stepper = NoneStepper()) async throws -> NodePath {
        let path = try await coordinator.coordinate(flow: flow, with: stepper)
        await ready(flow)
        return path
    }
}

extension NavigationFailure {
    /// Its verdict, or its error's name.
    var outcome: String { verdict?.rawValue ?? error?.code.rawValue ?? "" }
}
