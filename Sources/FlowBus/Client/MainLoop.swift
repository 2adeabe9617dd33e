internal import Dispatch
internal import SdBus

/// Who runs the main thread of a program, and so has to serve a ``NavigationBus``.
public enum MainLoop: Sendable {
    /// Dispatch's main queue: there is nothing more to do. Programs with `@main` and `async`, `dispatchMain()`, Foundation's
    /// `RunLoop.main`, and those of swift-nio have it.
    case dispatch
    /// Another loop: GLib's, Qt's, libuv's, or a plain poll(2). It waits until ``NavigationBus/fileDescriptor`` can be read,
    /// and then calls ``NavigationBus/process()``. That runs the jobs of the main actor as well, so that `async` code
    /// works in such a program. There may be several connections in one program, all of them this way.
    case embedded
}

/// Serves the main actor in a loop that is not Dispatch's, for a program without a ``NavigationBus``, which does that, too.
///
/// ```swift
/// let actor = try MainActorSource()
/// g_unix_fd_add(actor.fileDescriptor, G_IO_IN, { _, _, _ in … actor.process() … }, nil)
/// ```
@MainActor
public final class MainActorSource: Sendable {
    private let mainLoop: EmbeddedMainLoop

    /// Serves it as long as this lives.
    ///
    /// - Throws: ``NavigationError``: the system has no descriptors left.
    public init() throws(NavigationError) {
        do throws(SdError) { mainLoop = try EmbeddedMainLoop(.embedded) } catch { throw NavigationError(error) }
    }

    /// Can be read when there is something to do, for ``process()``.
    public var fileDescriptor: Int32 { mainLoop.loop.descriptor }

    /// Runs the jobs of the main actor that there are, and does not wait. On the main thread.
    public func process() { mainLoop.process() }
}

/// Serves a connection in the main thread's loop.
///
/// What the bus brings is noted while sd-event runs, and told when it does not: so whoever is told may do anything, and run a
/// loop of its own, such as that of a modal dialog.
@MainActor
final class EmbeddedMainLoop {
    let loop: EventLoop
    private let wakeup: Wakeup
    private var source: (any DispatchSourceRead)?
    private var mainQueue: Input?
    private var hasJobs = false
    private var isRunningJobs = false
    /// Whether a task will process.
    private var isScheduled = false
    /// Whether sd-event runs.
    private var isTurning = false
    /// What is to be told, in order.
    private var queued: [() -> Void] = []
    private var done = 0

    /// How many messages are taken before the main loop's other work has its turn.
    private static var turns: Int { 64 }

    init(_ kind: MainLoop) throws(SdError) {
        loop = try EventLoop()
        wakeup = try Wakeup(loop)
        switch kind {
        case .dispatch: serveByDispatch()
        case .embedded:
            mainQueue = try MainQueue.onJobs(in: loop) { [unowned self] in hasJobs = true }
            // There may be some already.
            hasJobs = true
        }
        wakeup.signal()
    }

    isolated deinit { source?.cancel() }

    private func serveByDispatch() {
        let source = DispatchSource.makeReadSource(fileDescriptor: loop.descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.schedule() } }
        // Dispatch needs the descriptor until then.
        let loop = loop
        source.setCancelHandler { withExtendedLifetime(loop) {} }
        source.activate()
        self.source = source
    }

    /// Has a task process, once: elsewhere than in one Swift does not know the main actor's thread well enough to begin an
    /// `adapt` at once.
    private func schedule() {
        if isScheduled { return }
        isScheduled = true
        Task { [weak self] in
            self?.isScheduled = false
            self?.process()
        }
    }

    /// Has the loop take a turn: something was queued or armed, which it does not know of.
    func wake() {
        if !isTurning { wakeup.signal() }
    }

    /// Calls the closure in the next turn, after all that were queued before.
    func enqueue(_ body: @escaping () -> Void) {
        queued.append(body)
        wake()
    }

    /// Does what there is to do, without waiting.
    func process() {
        guard !isTurning else { return }
        for _ in 0..<Self.turns {
            isTurning = true
            // A turn fails where a descriptor does, which its connection is told of.
            let hasMoved = (try? loop.runOnce(timeout: 0)) ?? false
            isTurning = false
            runQueued()
            runJobs()
            if !hasMoved { return }
        }
        wakeup.signal()
    }

    private func runQueued() {
        while done < queued.count {
            let body = queued[done]
            done += 1
            body()
        }
        queued.removeAll(keepingCapacity: true)
        done = 0
    }

    private func runJobs() {
        // A job that runs a loop of its own does not run others.
        guard hasJobs, !isRunningJobs else { return }
        (hasJobs, isRunningJobs) = (false, true)
        MainQueue.run()
        isRunningJobs = false
    }
}
