/// The result of a dry run of a step, with reasons: the answer of ``Coordinator/explain(_:_:on:by:at:)``.
///
/// It holds as long as nothing else happens.
public struct Explanation: Equatable, Sendable {
    /// The outcome of the step; `pending` if another process would be asked. The serial is a guess: the next one.
    public internal(set) var outcome: Outcome
    /// The outcome and the reasons, as text for a caller that may know the step's arguments. Lines that belong to the line
    /// before are indented by two spaces. There are at most ``Limits/explanationLines``, and one more with the number of
    /// lines left out and the error that ended the cascade.
    public var lines: [String] {
        guard leftOut > 0 else { return text }
        return text + ["… and \(leftOut) more line\(leftOut == 1 ? "" : "s")"] + (last.map { [$0] } ?? [])
    }
    /// The effects in order, as ``Coordinator/handle(_:at:upTo:)`` would return them, without the answer, timers, and what is in sight at the end. They
    /// contain private arguments.
    public internal(set) var effects: [Effect] = []

    private var text: [String] = []
    private var leftOut = 0
    /// The line that is kept beyond the limit.
    private var last: String?

    /// Creates an explanation without lines.
    init(_ outcome: Outcome) { self.outcome = outcome }

    /// Creates the explanation of a refusal.
    public init(refusal: FlowError) {
        outcome = .refused(refusal)
        add(refusal.message)
    }

    /// Adds a line, or counts it beyond the limit; the first line that matters is kept anyway.
    mutating func add(_ line: String, indented: Bool = false, matters: Bool = false) {
        guard text.count < Limits.explanationLines else {
            if matters, last == nil { last = line } else { leftOut += 1 }
            return
        }
        text.append(indented ? "  " + line : line)
    }

    /// Whether the latest line has this text.
    func hasJustExplained(_ line: String) -> Bool { text.last.map { $0 == line || $0 == "  " + line } ?? false }
}
