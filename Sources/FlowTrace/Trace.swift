public import FlowCore

/// The events and effects of a coordinator, from its creation on, as text. If a file continues with another
/// coordinator, the first line is repeated.
///
/// ```
/// flowbus-trace 1 /org/flowbus/Navigation1/tree
/// > 81250 emitted 4 /org/flowbus/Navigation1/tree/main open 1 "item" x 5 ":1.7"
/// < did /org/flowbus/Navigation1/tree/main 3 0 ":1.7" open 1 "item" x 5 0
/// < reply 4 navigated 3
/// ```
///
/// A line `>` is an event with its time in µs, the lines `<` below it are its effects. The same events on the same
/// definitions give the same effects, which ``replay(_:definitions:)`` checks. A trace contains no definitions, but it
/// contains all arguments, including private ones, and activation tokens.
public enum Trace {
    /// Returns the first line of a trace of presentables below a path.
    public static func header(basePath: String) -> String { "flowbus-trace 1 \(basePath)" }

    /// Returns the line of an event that is about to be handled.
    public static func line(of event: Event, at now: Instant, in coordinator: borrowing Coordinator) -> String {
        "> " + TraceLine(event, at: now, in: coordinator).text
    }

    /// Returns the line of an effect.
    public static func line(of effect: Effect) -> String { "< " + TraceLine(effect).text }

    /// Reads the event of a line that begins with `> `, and its time.
    static func event(
        of line: Substring, for coordinator: borrowing Coordinator, reading definitions: Definitions
    ) throws(TraceScanner.Failure) -> (Event, Instant) {
        var scanner = TraceScanner(line.dropFirst(2), reading: definitions)
        return try scanner.event(for: coordinator)
    }

    /// Replays the events of a trace with a new coordinator.
    ///
    /// - Parameters:
    ///   - text: the trace.
    ///   - definitions: the definitions of the run.
    /// - Returns: The number of events.
    /// - Throws: ``Mismatch`` for the first line that can't be read, and for the first effect that differs.
    public static func replay(_ text: String, definitions: Definitions) throws(Mismatch) -> Int {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        if lines.last == "" { lines.removeLast() }
        let opening = header(basePath: "")
        guard let first = lines.popFirst(), first.hasPrefix(opening) else {
            throw Mismatch(line: 1, "this is no trace: it has to begin with '\(opening)PATH'")
        }
        var coordinator = Coordinator(
            definitions: definitions, basePath: String(first.dropFirst(opening.count)))
        var count = 0
        while let line = lines.popFirst() {
            if line == first {
                coordinator = Coordinator(
                    definitions: definitions, basePath: String(first.dropFirst(opening.count)))
                continue
            }
            guard line.hasPrefix("> ") else {
                throw Mismatch(line: lines.startIndex, "'> ' and an event are expected here")
            }
            let event: Event
            let now: Instant
            do throws(TraceScanner.Failure) {
                (event, now) = try Self.event(of: line, for: coordinator, reading: definitions)
            } catch {
                throw Mismatch(line: lines.startIndex, error.message)
            }
            count += 1
            for effect in coordinator.handle(event, at: now, upTo: Limits.slice) {
                let expected = Self.line(of: effect)
                guard let line = lines.popFirst() else {
                    throw Mismatch(line: lines.startIndex + 1, "the trace ends where now follows: \(expected)")
                }
                guard line == expected else {
                    throw Mismatch(line: lines.startIndex, "the trace has: \(line)\nnow follows:   \(expected)")
                }
            }
            if let line = lines.first, line.hasPrefix("< ") {
                throw Mismatch(line: lines.startIndex + 1, "the trace has: \(line)\nnow follows nothing")
            }
        }
        return count
    }

    /// A difference between a trace and its replay.
    public struct Mismatch: Error, Equatable, CustomStringConvertible {
        /// The line, counted from 1.
        public let line: Int
        /// The line in the trace, and the expected one.
        public let message: String

        init(line: Int, _ message: String) {
            self.line = line
            self.message = message
        }

        /// The line number and the message.
        public var description: String { "line \(line): \(message)" }
    }
}
