import Logging
import SdBus

/// Writes those lines of the log that others can cause as often as they like: so many in a time of each peer and message,
/// then their number in one line.
///
/// There is a timer only while something is left out, and what is remembered is bounded: where too many peers cause lines,
/// the rest counts as one.
final class LogLimiter {
    /// How many lines of one peer and message are written in ``time``.
    static let lines = 5
    /// In which time, in µs.
    static let time: UInt64 = 30_000_000
    /// How many pairs of peer and message have a window of their own at one time.
    static let mostKeys = 64

    private struct Key: Hashable, Comparable {
        let peer: String
        let message: String

        /// All that there is no room for.
        static let others = Key(peer: "", message: "Others")

        static func < (one: Key, other: Key) -> Bool { (one.peer, one.message) < (other.peer, other.message) }
    }

    /// What one peer caused since a time.
    private struct Window {
        let end: UInt64
        var written = 0
        var leftOut = 0
        /// The gravest of what was left out.
        var level = Logger.Level.trace
    }

    private let logger: Logger
    private let now: () -> UInt64
    private let startTimer: (UInt64) -> Void
    /// When the timer fires; nil: it does not.
    private var armed: UInt64?
    private var windows: [Key: Window] = [:]

    /// Writes to this log.
    ///
    /// - Parameters:
    ///   - now: the time in µs.
    ///   - startTimer: has ``timeIsOver()`` called at this time, and no longer at an earlier one.
    init(_ logger: Logger, now: @escaping () -> UInt64, startTimer: @escaping (UInt64) -> Void) {
        self.logger = logger
        self.now = now
        self.startTimer = startTimer
    }

    /// Writes to this log, by the time of this loop.
    convenience init(_ logger: Logger, _ loop: EventLoop) throws(SdError) {
        final class Box { var timer: Timer? }
        let box = Box()
        // A timer that can't be started leaves the number to the next line, or to the end.
        self.init(logger, now: { loop.now }, startTimer: { time in try? box.timer?.arm(at: time) })
        box.timer = try loop.timer { [unowned self] in timeIsOver() }
    }

    /// Writes a line, unless there were too many like it of late.
    ///
    /// - Parameters:
    ///   - message: what happened; lines with the same message are like each other.
    ///   - peer: who caused it, or whom it is about.
    ///   - why: more, which can be different each time.
    func log(
        _ level: Logger.Level, _ message: String, of peer: String, _ why: String? = nil,
        metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logger.logLevel <= level, admits(level, message, of: peer) else { return }
        logger.log(level: level, "\(message)\(why.map { ": " + $0 } ?? "")", metadata: metadata())
    }

    /// Counts a line that the caller writes, or several that belong together.
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

    /// Tells what was left out, as the time of one has come.
    func timeIsOver() {
        armed = nil
        end(at: now())
        if let next = windows.values.filter({ $0.leftOut > 0 }).map(\.end).min() { arm(at: next) }
    }

    /// Tells what was left out so far, and begins anew.
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
