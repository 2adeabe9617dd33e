/// What a step would come to, and why: the answer of ``Coordinator/explain(_:_:on:by:at:)``.
///
/// Nothing of it is promised: it is so as long as nothing else happens.
public struct Explanation: Equatable, Sendable {
    /// How the step would end: `pending` where another process is asked first. The serial would be that one if nothing else
    /// is navigated meanwhile.
    public internal(set) var outcome: Outcome
    /// The same in words, for a person who may know the step's arguments; what belongs to another line is indented by two
    /// spaces. At most ``Limits/explanationLines``, then one that says how many are left out, and what cut the chain.
    public var lines: [String] {
        guard leftOut > 0 else { return text }
        return text + ["… and \(leftOut) more line\(leftOut == 1 ? "" : "s")"] + (last.map { [$0] } ?? [])
    }
    /// What would have to be done, in order: as ``Coordinator/handle(_:at:)`` would give it, without the answer and
    /// timers. Private arguments are in there.
    public internal(set) var effects: [Effect] = []

    private var text: [String] = []
    private var leftOut = 0
    /// What is said though there are lines enough.
    private var last: String?

    /// An explanation without words yet.
    init(_ outcome: Outcome) { self.outcome = outcome }

    /// The explanation of a refusal.
    public init(refusal: FlowError) {
        outcome = .refused(refusal)
        add(refusal.message)
    }

    /// Adds a line, or counts it where there are enough; the first that matters is added all the same.
    mutating func add(_ line: String, indented: Bool = false, matters: Bool = false) {
        guard text.count < Limits.explanationLines else {
            if matters, last == nil { last = line } else { leftOut += 1 }
            return
        }
        text.append(indented ? "  " + line : line)
    }

    /// Whether the latest line says just this.
    func hasJustExplained(_ line: String) -> Bool { text.last.map { $0 == line || $0 == "  " + line } ?? false }
}
