import Logging
import Testing

@testable import flowbusd

/// The limit on log lines that other processes can cause.
@Suite("Suppressed log lines")
struct LogLimiterTests {
    /// A log, a clock and a timer that the test controls.
    private final class World {
        var lines: [String] = []
        var now: UInt64 = 1_000
        var timer: UInt64?
        var timersStarted = 0
        private(set) lazy var limiter = LogLimiter(
            Logger(label: "test") { [unowned self] _ in Handler(world: self) }, now: { [unowned self] in now },
            startTimer: { [unowned self] time in
                timer = time
                timersStarted += 1
            })

        func log(_ message: String, of peer: String, times: Int = 1) {
            for number in 1...times { limiter.log(.info, message, of: peer, "\(number)") }
        }

        /// Advances the time.
        func pass(_ seconds: UInt64) {
            now += seconds * 1_000_000
            guard let due = timer, due <= now else { return }
            timer = nil
            limiter.timerFired()
        }

        /// Returns the lines since the last call.
        func read() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    private struct Handler: LogHandler {
        nonisolated(unsafe) unowned let world: World
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        init(world: World) { self.world = world }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let peer = event.metadata?[LogField.peer].map { " \($0)" } ?? ""
            world.lines.append("\(event.level) \(event.message)\(peer)")
        }
    }

    @Test func `five lines of each peer and message, then their number at the end of the period`() {
        let world = World()
        world.log("It failed", of: "a", times: 5)
        #expect(world.timer == nil)
        world.log("It failed", of: "a", times: 1_000)
        world.log("It failed", of: "b", times: 2)
        world.log("It broke", of: "a", times: 2)
        #expect(
            world.read() == (1...5).map { "info It failed: \($0)" } + (1...2).map { "info It failed: \($0)" }
                + (1...2).map { "info It broke: \($0)" })
        #expect(world.timersStarted == 1)
        world.pass(29)
        #expect(world.read() == [])
        world.pass(1)
        #expect(world.read() == ["info It failed: 1000 more, not logged a"])
        // No line is left out any more, so no number has to be logged later.
        #expect(world.timer == nil)
        world.log("It failed", of: "a")
        #expect(world.read() == ["info It failed: 1"])
    }

    @Test func `a continuing flood is reported in each period`() {
        let world = World()
        for _ in 0..<3 {
            world.log("It failed", of: "a", times: 100)
            world.pass(30)
            #expect(world.read().count == 6)
        }
        #expect(world.timersStarted == 3)
    }

    @Test func `the next line, and the end of the service, report the number if no timer did`() {
        let world = World()
        world.log("It failed", of: "a", times: 6)
        world.now += 40_000_000
        world.log("It failed", of: "a")
        #expect(world.read().suffix(2) == ["info It failed: 1 more, not logged a", "info It failed: 1"])
        world.log("It failed", of: "a", times: 6)
        world.log("It failed", of: "b", times: 7)
        world.lines = []
        world.limiter.finish()
        #expect(world.read() == ["info It failed: 2 more, not logged a", "info It failed: 2 more, not logged b"])
    }

    @Test func `the highest level counts, and lines below the log level are not counted`() {
        let world = World()
        world.log("It failed", of: "a", times: 5)
        world.limiter.log(.warning, "It failed", of: "a")
        for _ in 0..<10 { world.limiter.log(.debug, "It failed", of: "a") }
        world.lines = []
        world.pass(30)
        #expect(world.read() == ["warning It failed: 1 more, not logged a"])
    }

    @Test func `with many peers, the rest counts as one, and there is room again later`() {
        let world = World()
        for number in 0..<(LogLimiter.mostKeys + 100) { world.log("It failed", of: "p\(number)") }
        #expect(world.read().count == LogLimiter.mostKeys + LogLimiter.lines)
        world.pass(30)
        #expect(world.read() == ["info Others: 95 more, not logged"])
        for number in 0..<20 { world.log("It failed", of: "q\(number)") }
        #expect(world.read().count == 20)
    }
}
