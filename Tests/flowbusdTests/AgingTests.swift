import BusTestSupport
import Glibc
import Logging
import SdBus
import Synchronization
import Testing

@testable import FlowCore
@testable import Store
@testable import flowbusd

/// Old entries are deleted from the history: by witnessed time, a share at a time, with a log line (D-10).
@Suite("Old navigations")
final class AgingTests {
    private static let day: UInt64 = 86_400_000_000

    /// The lines of a log.
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])

        var lines: [String] {
            get { all.withLock { $0 } }
            set { all.withLock { $0 = newValue } }
        }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.lines.append("\(event.level) \(event.message)") }
    }

    private let folder: TemporaryDirectory
    private let clock = TestClock(now: AgingTests.day)
    private let lines = Lines()
    private var serial: UInt64 = 0

    init() throws { folder = try TemporaryDirectory() }

    private func persistence(entries: Int = 100_000) throws -> Persistence {
        let clock = clock
        let lines = lines
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        let bootClock = BootClock(boot: BootClock.Boot(high: 0, low: clock.boot)) { clock.now }
        let persistence = try Persistence(
            tree: nil, history: PersistedFile(folder.path + "/history.db", "history", logger: logger, clock: bootClock),
            retention: Persistence.Retention(entries: entries, days: 30), copiesTree: false, loop: try EventLoop(),
            logger: logger)
        persistence.open(whileLocked: { _ in false })
        return persistence
    }

    /// Adds batches of navigations, each at this time of day.
    private func navigate(_ batches: Int, _ persistence: Persistence, at time: UInt64 = 0) {
        for _ in 0..<batches {
            for _ in 0..<4 {
                serial += 1
                persistence.append(
                    Navigation(
                        flow: "/main", definition: "main", serial: serial, cause: 0, client: Client(":1.1"), step: "go",
                        arguments: [], contributions: [], isDeepLink: false, adaptedFrom: nil),
                    at: Instant(microseconds: time))
            }
            persistence.flushHistory()
        }
    }

    private func count(_ persistence: Persistence) -> Int {
        persistence.entries(after: 0, limit: .max, bytes: .max, below: nil).entries.count
    }

    /// Deletes all entries that are due.
    private func prune(_ persistence: Persistence) {
        repeat { persistence.prune() } while persistence.aging != nil
    }

    @Test func `D-10 a wrong time of day deletes nothing and hides nothing`() throws {
        var persistence = try persistence()
        // The time of day is the loop's time plus an offset.
        for time: UInt64 in [0, 31 * Self.day, 60 * 365 * Self.day, 5] {
            navigate(5, persistence, at: time)
            prune(persistence)
        }
        #expect(count(persistence) == 80)
        persistence.close()
        persistence = try self.persistence()
        prune(persistence)
        #expect(count(persistence) == 80)
        #expect(lines.lines.isEmpty)
    }

    @Test
    func
        `D-10 entries older than the limit are deleted, a quarter at a start and each day after, with a log line each`()
        throws
    {
        var persistence = try persistence()
        navigate(100, persistence)
        clock.now += 20 * Self.day
        navigate(20, persistence)
        persistence.close()
        clock.now += 11 * Self.day
        for left in [360, 276] {
            persistence = try self.persistence()
            prune(persistence)
            #expect(count(persistence) == left)
            // Not again before a day is over.
            navigate(1, persistence)
            prune(persistence)
            #expect(count(persistence) == left + 4)
            persistence.close()
        }
        persistence = try self.persistence()
        #expect(count(persistence) == 280)
        prune(persistence)
        #expect(count(persistence) == 280 - 68)
        clock.now += Self.day
        prune(persistence)
        #expect(count(persistence) == 212 - 52)
        #expect(
            lines.lines
                == [120, 88, 68, 52].map {
                    "notice Removed \($0) navigations from the history: the machine has run for more than 30 days since "
                        + "(--history-days)"
                })
    }

    @Test func `D-10 --history-entries counts at once, without a line`() throws {
        var persistence = try persistence()
        navigate(100, persistence)
        persistence.close()
        persistence = try self.persistence(entries: 40)
        for _ in 0..<10 { prune(persistence) }
        #expect(count(persistence) == 40)
        #expect(lines.lines.isEmpty)
    }

    @Test func `D-10 another start of the machine does not make anything old`() throws {
        var persistence = try persistence()
        navigate(10, persistence)
        persistence.close()
        for boot: UInt64 in 2...20 {
            (clock.boot, clock.now) = (boot, Self.day)
            persistence = try self.persistence()
            prune(persistence)
            persistence.close()
        }
        persistence = try self.persistence()
        #expect(count(persistence) == 40)
    }
}
