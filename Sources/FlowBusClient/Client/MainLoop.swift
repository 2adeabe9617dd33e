#if OwnActor
    internal import FlowBus
#else
    public import FlowBus
#endif
internal import Dispatch
internal import SdBus

#if OwnActor
    /// Dispatch alone serves a bus of an actor of its own: the main loop of the program has nothing to do with it.
    enum MainLoop {
        case dispatch
    }
#else
    /// The main loop of a program, which has to serve its ``NavigationBus``.
    public enum MainLoop: Sendable {
        /// Dispatch's main queue. The program has nothing to do: programs with `@main` and `async`, with `dispatchMain()`,
        /// with Foundation's `RunLoop.main`, and those that use swift-nio serve that queue.
        case dispatch
        /// Another main loop, such as that of GLib, Qt or libuv, or a loop around poll(2). The program waits until
        /// ``NavigationBus/fileDescriptor`` is readable, and then calls ``NavigationBus/process()``, which also runs the
        /// jobs of the main actor, so that `async` code works. A program can have several connections, all of this kind.
        case embedded
    }

    /// Runs the main actor inside a main loop that is not Dispatch's, in a program without a ``NavigationBus``. A bus does
    /// the same.
    ///
    /// ```swift
    /// let actor = try MainActorSource()
    /// g_unix_fd_add(actor.fileDescriptor, G_IO_IN, { _, _, _ in … actor.process() … }, nil)
    /// ```
    @FlowActor
    public final class MainActorSource: Sendable {
        private let mainLoop: EmbeddedMainLoop

        /// Begins to serve the main actor, until the object is deallocated.
        ///
        /// - Throws: ``/FlowBus/NavigationError`` if the system has no file descriptors left.
        public init() throws(NavigationError) {
            do throws(SdError) { mainLoop = try EmbeddedMainLoop(.embedded) } catch { throw NavigationError(error) }
        }

        /// The file descriptor that is readable when ``process()`` has something to do.
        public var fileDescriptor: Int32 { mainLoop.loop.descriptor }

        /// Runs the pending jobs of the main actor, without waiting. Call it on the main thread.
        public func process() { mainLoop.process() }
    }
#endif

/// Serves a connection inside the main loop of the program.
///
/// Messages are queued while sd-event runs, and delivered when it does not. So callbacks may do anything, and run a
/// nested loop, such as that of a modal dialog.
@FlowActor
final class EmbeddedMainLoop {
    let loop: EventLoop
    private let wakeup: Wakeup
    private var source: (any DispatchSourceRead)?
    private var mainQueue: Input?
    private var hasJobs = false
    private var isRunningJobs = false
    /// Whether a task that calls ``process()`` is scheduled.
    private var isScheduled = false
    /// Whether sd-event is running.
    private var isTurning = false
    /// Callbacks to run, in order.
    private var queued: [() -> Void] = []
    private var done = 0

    /// The number of iterations before the main loop does its other work.
    private static var iterations: Int { 64 }

    init(_ kind: MainLoop) throws(SdError) {
        loop = try EventLoop()
        wakeup = try Wakeup(loop)
        switch kind {
        case .dispatch: serveByDispatch()
        #if !OwnActor
            case .embedded:
                mainQueue = try MainQueue.onJobs(in: loop) { [unowned self] in hasJobs = true }
                // There may be jobs already.
                hasJobs = true
        #endif
        }
        #if !OwnActor
            // systemd hears of this loop as long as the main loop of the program goes on. A connection works without that, too.
            _ = try? loop.enableWatchdog()
        #endif
        wakeup.signal()
    }

    isolated deinit { source?.cancel() }

    private func serveByDispatch() {
        #if OwnActor
            let source = DispatchSource.makeReadSource(
                fileDescriptor: loop.descriptor, queue: DispatchQueue(label: "org.flowbus.Navigation1"))
            source.setEventHandler { @Sendable [weak self] in
                // The descriptor stays readable until the actor has had its turn.
                let turn = DispatchSemaphore(value: 0)
                Task { @FlowActor in
                    self?.process()
                    turn.signal()
                }
                turn.wait()
            }
        #else
            let source = DispatchSource.makeReadSource(fileDescriptor: loop.descriptor, queue: .main)
            source.setEventHandler { [weak self] in FlowActor.assumeIsolated { self?.schedule() } }
        #endif
        // Dispatch needs the descriptor until the source is cancelled.
        let kept = KeptLoop(loop)
        source.setCancelHandler { @Sendable in withExtendedLifetime(kept) {} }
        source.activate()
        self.source = source
    }

    #if !OwnActor
        /// Schedules one task that calls ``process()``. `Task.immediate` starts an `adapt` at once only from a task of the
        /// main actor.
        private func schedule() {
            if isScheduled { return }
            isScheduled = true
            Task { [weak self] in
                self?.isScheduled = false
                self?.process()
            }
        }
    #endif

    /// Wakes the loop after something was queued or armed outside it.
    func wake() {
        if !isTurning { wakeup.signal() }
    }

    /// Enqueues a closure for the next turn.
    func enqueue(_ body: @escaping () -> Void) {
        queued.append(body)
        wake()
    }

    /// Processes everything that is pending, without waiting.
    func process() {
        guard !isTurning else { return }
        for _ in 0..<Self.iterations {
            isTurning = true
            // An iteration fails when a descriptor does; its connection reports that.
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
        // A job that runs a nested loop does not run other jobs.
        guard hasJobs, !isRunningJobs else { return }
        (hasJobs, isRunningJobs) = (false, true)
        MainQueue.run()
        isRunningJobs = false
    }
}

/// A loop that Dispatch needs for some time. Whoever releases it last, the loop is released on the actor.
@FlowActor
private final class KeptLoop {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    isolated deinit {}
}
