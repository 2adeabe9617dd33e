/// Waits for flows, to compose what they are shown as: RxFlow's Flows.
///
/// ```swift
/// Flows.use(wishlistFlow, watchedFlow, when: .ready) { wishlistRoot, watchedRoot in
///     tabBar.pages = [wishlistRoot, watchedRoot]
/// }
/// ```
public enum Flows {
    /// When the block runs: RxFlow's ExecuteStrategy.
    public enum ExecuteStrategy: Sendable {
        /// When all of them are ready: the initial step of each has ended, and the flows that it contributed are ready. At once,
        /// if they are; who asks late misses nothing (S-26).
        case ready
        /// At once: they are there, as they are at hand.
        case created
    }

    /// Runs a block with the roots of these flows, once.
    @MainActor
    public static func use<each F: Flow>(
        _ flows: repeat each F, when strategy: ExecuteStrategy,
        block: @escaping @MainActor (repeat (each F).RootPresentable) -> Void
    ) {
        var all: [any Flow] = []
        for flow in repeat each flows { all.append(flow) }
        // Not held: one that never gets ready can go.
        let held = (repeat Held(each flows))
        wait(for: all, strategy) {
            // All of them are there, as each has said that it is ready.
            guard let flows = try? (repeat (each held).get()) else { return }
            block(repeat (each flows).root)
        }
    }

    /// Runs a block with the roots of any number of flows, once.
    @MainActor
    public static func use<Root>(
        _ flows: [any Flow], when strategy: ExecuteStrategy, block: @escaping @MainActor ([Root]) -> Void
    ) where Root: Presentable {
        let held = flows.map { Held<AnyObject>($0) }
        wait(for: flows, strategy) { block(held.compactMap { ($0.object as? any Flow)?.root as? Root }) }
    }

    /// A flow that is waited for, as long as others hold it.
    private struct Held<Object: AnyObject> {
        weak let object: Object?

        init(_ object: Object) { self.object = object }

        func get() throws(GoneError) -> Object {
            guard let object else { throw GoneError() }
            return object
        }
    }

    private struct GoneError: Error {}

    @MainActor
    private static func wait(
        for flows: [any Flow], _ strategy: ExecuteStrategy, _ block: @escaping @MainActor () -> Void
    ) {
        switch strategy {
        case .created: block()
        case .ready:
            let waiting = Waiting(count: flows.count, block)
            for flow in flows { Readiness.of(flow).whenReady { waiting.arrived() } }
            if flows.isEmpty { block() }
        }
    }

    /// How many of the flows are not ready yet.
    @MainActor
    private final class Waiting {
        private var count: Int
        private let block: @MainActor () -> Void

        init(count: Int, _ block: @escaping @MainActor () -> Void) {
            self.count = count
            self.block = block
        }

        func arrived() {
            count -= 1
            if count == 0 { block() }
        }
    }
}

/// Whether a flow is ready, and who waits for that. A protocol has no place for it in the flow itself.
@MainActor
final class Readiness {
    private weak var flow: (any Flow)?
    private var isReady = false
    private var waiting: [@MainActor () -> Void] = []

    private static var all: [ObjectIdentifier: Readiness] = [:]
    /// How many there may be before those of flows that are gone are looked for.
    private static var most = 64

    private init(_ flow: any Flow) { self.flow = flow }

    /// Of this flow; what is kept of flows that are gone is forgotten.
    static func of(_ flow: any Flow) -> Readiness {
        if let known = all[ObjectIdentifier(flow)], known.flow === flow { return known }
        if all.count >= most {
            all = all.filter { $0.value.flow != nil }
            most = max(64, all.count * 2)
        }
        let new = Readiness(flow)
        all[ObjectIdentifier(flow)] = new
        return new
    }

    func whenReady(_ block: @escaping @MainActor () -> Void) {
        if isReady { block() } else { waiting.append(block) }
    }

    /// The flow is ready from now on.
    func becomeReady() {
        isReady = true
        let blocks = waiting
        waiting = []
        for block in blocks { block() }
    }

    /// The flow begins anew, or is gone: who waits, waits for the next time.
    func reset() { isReady = false }
}
