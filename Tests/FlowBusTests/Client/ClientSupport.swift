import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// The steps of `shopDefinitions`.
@Step
enum ShopStep {
    case begin
    case pick(item: Int)
    case check
    case card
    case done(receipt: String?)
    case closed(receipt: String?)
    case nobody
}

extension NavigationBus {
    /// A client on a test's bus.
    convenience init(_ service: Service) throws { try self.init(.address(service.bus.address)) }
}

extension Service {
    /// A service with the definitions of the shop, whose root is live.
    static func shop() throws -> Service { try Service(shopDefinitions) }
}

/// Returns the error of a call; fails if there is none.
@MainActor
func refusal<Success>(
    _ call: () async throws -> Success, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> NavigationError {
    do {
        _ = try await call()
    } catch let error as NavigationError {
        return error
    }
    throw TestFailure("the call at \(sourceLocation) was not refused")
}

/// Returns when the condition holds; the suite's time limit ends the wait.
@MainActor
func until(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// Lets a test wait for the elements of an async sequence one by one, with a time limit.
@MainActor
final class Events<Element: Sendable> {
    private(set) var all: [Element] = []
    private var next = 0
    private(set) var isFinished = false
    private var wakes: [CheckedContinuation<Void, Never>] = []
    private var task: Task<Void, Never>?

    init(_ sequence: some AsyncSequence<Element, Never> & Sendable) {
        task = Task { [weak self] in
            for await element in sequence { self?.take(element) }
            self?.finish()
        }
    }

    isolated deinit { task?.cancel() }

    /// Stops the iteration.
    func stop() { task?.cancel() }

    private func take(_ element: Element) {
        all.append(element)
        wake()
    }

    private func finish() {
        isFinished = true
        wake()
    }

    private func wake() {
        let waiting = wakes
        wakes = []
        for wake in waiting { wake.resume() }
    }

    /// Returns the next element that matches; the search begins after the last one that was waited for.
    @discardableResult
    func first(where matches: (Element) -> Bool = { _ in true }) async throws -> Element {
        try await wait {
            while self.next < self.all.count {
                self.next += 1
                if matches(self.all[self.next - 1]) { return self.all[self.next - 1] }
            }
            return nil
        }
    }

    /// Waits for its end.
    func end() async throws { try await wait { self.isFinished ? () : nil } }

    private func wait<Found>(_ find: () -> Found?) async throws -> Found {
        var isOver = false
        let bound = Task { @MainActor in
            do { try await Task.sleep(for: failureBound) } catch { return }
            isOver = true
            wake()
        }
        defer { bound.cancel() }
        while true {
            if let found = find() { return found }
            if isOver { throw TestFailure("waited in vain; there were \(all)") }
            await withCheckedContinuation { wakes.append($0) }
        }
    }
}

extension Events<TreeEvent> {
    /// Follows the tree of a service: what happens from now on is no part of the snapshot.
    static func following(_ bus: NavigationBus) async throws -> Events<TreeEvent> {
        let tree = Events(bus.watch())
        try await tree.first { if case .snapshot = $0 { true } else { false } }
        return tree
    }
}
