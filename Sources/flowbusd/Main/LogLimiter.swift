import Logging
import SdBus

/// Writes log lines that other processes can cause: for each peer and message a few in a while, and then one with the number
/// of those left out.
///
/// There is a timer only while lines are left out, and memory is bounded: if too many peers cause lines, the rest counts as
/// one.
final class LogLimiter {
    /// How many lines of a peer and message are written in ``time``.
    static let lines = 5
    /// The length of a window, in µs.
    static let time: UInt64 = 30_000_000
    /// How many pairs of peer and message have windows of their own at a time.
    static let mostKeys = 64

    private struct Key: Hashable, Comparable {
        let peer: String
        let message: String

        /// All others.
        static let others = Key(peer: "", message: "Others")

        static func < (one: Key, other: Key) -> Bool { (one.peer, one.message) < (other.peer, other.message) }
    }

    /// The lines of a peer and message since a time.
    private struct Window {
        let end: UInt64
        var written = 0
        var leftOut = 0
        /// The highest level of the lines left out.
        var level = Logger.Level.trace
    }

    private let logger: Logger
    private let now: () -> UInt64
    private let startTimer: (UInt64) -> Void
    /// When the timer fires; nil if it is not armed.
    private var armed: UInt64?
    private var windows: [Key: Window] = [:]

    /// A limiter for a log.
    ///
    /// - Parameters:
    ///   - logger: the log.
    ///   - now: the time in µs.
    ///   - startTimer: arms the timer for ``timerFired()`` at this time, instead of an earlier one.
    init(_ logger: Logger, now: @escaping () -> UInt64, startTimer: @escaping (UInt64) -> Void) {
        self.logger = logger
        self.now = now
        self.startTimer = startTimer
    }

    /// A limiter for a log, with the clock of a loop.
    convenience init(_ logger: Logger, _ loop: EventLoop) throws(SdError) {
        final class TimerBox { var timer: Timer? }
        let box = TimerBox()
        // Without the timer the number is written with the next line, or at the end.
        self.init(logger, now: { loop.now }, startTimer: { time in try? box.timer?.arm(at: time) })
        box.timer = try loop.timer { [unowned self] in timerFired() }
    }

    /// Writes a line, unless there were too many like it recently.
    ///
    /// - Parameters:
    ///   - level: the level.
    ///   - message: the event; lines with the same message count together.
    ///   - peer: the process that caused it, or that it is about.
    ///   - why: details, which do not count.
    ///   - metadata: the fields.
    func log(
        _ level: Logger.Level, _ message: String, of peer: String, _ why: String? = nil,
        metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logger.logLevel <= level, admits(level, message, of: peer) else { return }
        logger.log(level: level, "\(message)\(why.map { ": " + $0 } ?? "")", metadata: metadata())
    }

    /// Counts a line, or a group of lines, that the caller writes.
    ///
    /// - Returns: whether to write it.
    func admits(_ level: Logger.Level, _ message: String, of peer: String) -> Bool {
        let now = now()
        var key = Key(peer: peer, message: message)
        if let window = windows[key], window.end <= now { conclude(key, window) }
        if windows[key] == nil, windows.count >= Self.mostKeys {
            end(at: now)
            if windows.count >= Self.mostKeys { key = .others }
        }
        var window = windows[key] ?? Window(end: now + Self.time)
        defer { windows[key] = window }
        if window.written < Self.lines {
            window.written += 1
            return true
        }
        if window.leftOut == 0 { arm(at: window.end) }
        window.leftOut += 1
        window.level = max(window.level, level)
        return false
    }

    /// Writes the numbers of windows that have ended.
    func timerFired() {
        armed = nil
        end(at: now())
        if let next = windows.values.filter({ $0.leftOut > 0 }).map(\.end).min() { arm(at: next) }
    }

    /// Writes all numbers, and ends all windows.
    func finish() { end(at: .max) }

    private func arm(at time: UInt64) {
        if let armed, armed <= time { return }
        armed = time
        startTimer(time)
    }

    private func end(at time: UInt64) {
        for (key, window) in windows.filter({ $0.value.end <= time }).sorted(by: { $0.key < $1.key }) {
            conclude(key, window)
        }
    }

    private func conclude(_ key: Key, _ window: Window) {
        windows[key] = nil
        guard window.leftOut > 0 else { return }
        logger.log(
            level: window.level, "\(key.message): \(window.leftOut) more, not logged",
            metadata: key.peer.isEmpty ? [:] : [LogField.peer: "\(key.peer)"])
    }
}
