/// Waits for flows, to compose their roots: RxFlow's Flows.
///
/// ```swift
/// Flows.use(wishlistFlow, watchedFlow, when: .ready) { wishlistRoot, watchedRoot in
///     tabBar.pages = [wishlistRoot, watchedRoot]
/// }
/// ```
public enum Flows {
    /// The moment at which the block runs: RxFlow's ExecuteStrategy.
    public enum ExecuteStrategy: Sendable {
        /// Once all flows are ready: the initial step of each is done, and the flows that it contributed are ready. If
        /// they are ready already, the block runs immediately (S-26).
        case ready
        /// Immediately.
        case created
    }

    /// Runs a block once, with the roots of the flows.
    ///
    /// - Parameters:
    ///   - flows: the flows.
    ///   - strategy: the moment at which the block runs.
    ///   - block: the block.
    @FlowActor
    public static func use<each F: Flow>(
        _ flows: repeat each F, when strategy: ExecuteStrategy,
        block: @escaping @FlowActor (repeat (each F).RootPresentable) -> Void
    ) {
        var all: [any Flow] = []
        for flow in repeat each flows { all.append(flow) }
        // Weak references, so that a flow that never becomes ready can be deallocated.
        let references = (repeat WeakReference(each flows))
        wait(for: all, strategy) {
            // Each flow reported that it is ready, so none was deallocated.
            guard let flows = try? (repeat (each references).get()) else { return }
            block(repeat (each flows).root)
        }
    }

    /// Runs a block once, with the roots of any number of flows.
    ///
    /// Each root has to be of the type that the block takes; a root of another type is a programming error, which ends the program, as
    /// in RxFlow. Roots of several types have a type in common, such as `any Presentable`, or are passed one by one to
    /// `use(_:when:block:)-(F...,_,_)`.
    ///
    /// - Parameters:
    ///   - flows: the flows.
    ///   - strategy: the moment at which the block runs.
    ///   - block: the block.
    @FlowActor
    public static func use<Root>(
        _ flows: [any Flow], when strategy: ExecuteStrategy, block: @escaping @FlowActor ([Root]) -> Void
    ) {
        // Found out now, at the call that is wrong.
        for flow in flows where !(flow.root is Root) {
            preconditionFailure(
                "Flows.use: the root of the flow '\(type(of: flow))' is of the type '\(type(of: flow.root as Any))', and the block "
                    + "takes roots of the type '\(Root.self)'")
        }
        let references = flows.map { WeakReference<AnyObject>($0) }
        wait(for: flows, strategy) { block(references.compactMap { ($0.object as? any Flow)?.root as? Root }) }
    }

    /// A weak reference to a flow.
    private struct WeakReference<Object: AnyObject> {
        weak let object: Object?

        init(_ object: Object) { self.object = object }

        func get() throws(DeallocatedError) -> Object {
            guard let object else { throw DeallocatedError() }
            return object
        }
    }

    private struct DeallocatedError: Error {}

    @FlowActor
    private static func wait(
        for flows: [any Flow], _ strategy: ExecuteStrategy, _ block: @escaping @FlowActor () -> Void
    ) {
        switch strategy {
        case .created: block()
        case .ready:
            let waiting = ReadinessCountdown(count: flows.count, block)
            for flow in flows { FlowReadiness.of(flow).whenReady { waiting.arrived() } }
            if flows.isEmpty { block() }
        }
    }

    /// Counts the flows that are not ready yet.
    @FlowActor
    private final class ReadinessCountdown {
        private var count: Int
        private let block: @FlowActor () -> Void

        init(count: Int, _ block: @escaping @FlowActor () -> Void) {
            self.count = count
            self.block = block
        }

        func arrived() {
            count -= 1
            if count == 0 { block() }
        }
    }
}

/// Whether a flow is ready, and the blocks that wait for it. The protocol ``Flow`` has no storage for this.
@FlowActor
final class FlowReadiness {
    private weak var flow: (any Flow)?
    private(set) var isReady = false
    private var waiting: [@FlowActor () -> Void] = []

    private static var all: [ObjectIdentifier: FlowReadiness] = [:]
    /// The number of entries at which those of deallocated flows are removed.
    private static var cleanupThreshold = 64

    private init(_ flow: any Flow) { self.flow = flow }

    /// Returns the readiness of a flow.
    static func of(_ flow: any Flow) -> FlowReadiness {
        if let known = all[ObjectIdentifier(flow)], known.flow === flow { return known }
        if all.count >= cleanupThreshold {
            all = all.filter { $0.value.flow != nil }
            cleanupThreshold = max(64, all.count * 2)
        }
        let new = FlowReadiness(flow)
        all[ObjectIdentifier(flow)] = new
        return new
    }

    func whenReady(_ block: @escaping @FlowActor () -> Void) {
        if isReady { block() } else { waiting.append(block) }
    }

    /// Marks the flow as ready, and runs the waiting blocks.
    func markReady() {
        isReady = true
        let blocks = waiting
        waiting = []
        for block in blocks { block() }
    }

    /// Marks the flow as not ready; waiting blocks stay.
    func reset() { isReady = false }
}
