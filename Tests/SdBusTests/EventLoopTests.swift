import BusTestSupport
import Glibc
import Platform
import SdBus
import Testing

@Suite("Event loop")
struct EventLoopTests {
    @Test func `the loop ends with the code it is given`() throws {
        let loop = try EventLoop()
        let task = try loop.deferred { try? loop.exit(7) }
        try task.schedule()
        #expect(try loop.run() == 7)
    }

    @Test func `a deferred task runs once however often it is scheduled`() throws {
        let loop = try EventLoop()
        var runs = 0
        let task = try loop.deferred { runs += 1 }
        #expect(try !loop.runOnce(timeout: 0))
        for _ in 0..<5 { try task.schedule() }
        while try loop.runOnce(timeout: 0) {}
        #expect(runs == 1)
        try task.schedule()
        while try loop.runOnce(timeout: 0) {}
        #expect(runs == 2)
    }

    @Test func `a deferred task waits for more urgent ones`() throws {
        let loop = try EventLoop()
        var order: [String] = []
        let idle = try loop.deferred { order.append("idle") }
        let timer = try loop.timer { order.append("timer") }
        try idle.schedule()
        try timer.arm(at: 0)
        while try loop.runOnce(timeout: 0) {}
        #expect(order == ["timer", "idle"])
    }

    @Test func `an urgent one takes turns with the rest`() throws {
        let loop = try EventLoop()
        var order: [String] = []
        var busy: DeferredTask?
        // It has itself.
        defer { busy = nil }
        let idle = try loop.deferred { order.append("idle") }
        let urgent = try loop.deferred(.amongMessages) { order.append("urgent") }
        busy = try loop.deferred(.amongMessages) {
            order.append("busy")
            if !order.contains("urgent") { try? busy?.schedule() }
        }
        for task in [idle, busy, urgent] { try task?.schedule() }
        while order.count < 20, try loop.runOnce(timeout: 0) {}
        #expect(order.contains("urgent") && order.last == "idle" && order.count < 20)
    }

    @Test func `a deferred task may end itself while it runs`() throws {
        final class Holder { var task: DeferredTask? }
        let loop = try EventLoop()
        let holder = Holder()
        var text = "not run"
        holder.task = try loop.deferred {
            holder.task = nil
            text += ", then run"
        }
        try holder.task?.schedule()
        while try loop.runOnce(timeout: 0) {}
        #expect(text == "not run, then run")
        #expect(holder.task == nil)
    }

    @Test func `timers fire in the order of their times`() throws {
        let loop = try EventLoop()
        var order: [Int] = []
        let now = MonotonicClock.now
        let timers = try (0..<3).map { number in
            try loop.timer(accuracy: 1) {
                order.append(number)
                if order.count == 2 { try? loop.exit(0) }
            }
        }
        try timers[0].arm(at: now + 4000)
        try timers[1].arm(at: now + 2000)
        try timers[2].arm(at: now + 1000)
        try timers[2].disarm()
        #expect(try loop.run() == 0)
        #expect(order == [1, 0])
        #expect(MonotonicClock.now >= now + 4000)
        #expect(loop.now >= now)
    }

    @Test func `a blocked signal ends up in the loop`() throws {
        try UnixSignal.block([.terminate])
        let loop = try EventLoop()
        var count = 0
        try loop.onSignal(.terminate) {
            count += 1
            try? loop.exit(0)
        }
        // To this thread, as the others of the test's process don't block it.
        #expect(pthread_kill(pthread_self(), UnixSignal.terminate.number) == 0)
        #expect(try loop.run() == 0)
        #expect(count == 1)
    }

    @Test func `a signal that is not blocked is refused`() throws {
        // The test's own thread may have all signals blocked.
        var set = sigset_t()
        var old = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, UnixSignal.hangUp.number)
        #expect(pthread_sigmask(SIG_UNBLOCK, &set, &old) == 0)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        let loop = try EventLoop()
        #expect(throws: SdError("sd_event_add_signal", errno: EBUSY)) { try loop.onSignal(.hangUp) {} }
    }

    @Test func `without a manager there is no watchdog`() throws {
        let loop = try EventLoop()
        #expect(try loop.enableWatchdog() == false)
    }
}
