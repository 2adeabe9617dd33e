/// The activation tokens of cascades. Each is passed on once, or removed with its cascade.
///
/// Thousands may wait with their steps, so only those are checked whose cascade or call has ended in part.
struct ActivationTokens: Sendable {
    private struct Entry {
        let token: String
        let request: RequestID
    }

    /// By the origin that may pass it on.
    private var entries: [UInt64: Entry] = [:]
    /// The origins, by the calls that began them.
    private var origins: [RequestID: UInt64] = [:]
    /// Origins that may be over.
    private var touched: [UInt64] = []
    /// The origin with a token whose steps were taken last, since presenters were called.
    private var current: UInt64?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Stores a token for an origin that a call began.
    mutating func insert(_ token: String, for origin: UInt64, of request: RequestID) {
        entries[origin] = Entry(token: token, request: request)
        origins[request] = origin
        touched.append(origin)
    }

    /// A call continues with another origin.
    mutating func move(_ request: RequestID, to origin: UInt64) {
        if let former = origins[request], let token = take(for: former) { insert(token, for: origin, of: request) }
    }

    /// A step of an origin is taken.
    mutating func begin(_ origin: UInt64) {
        if entries[origin] != nil { current = origin }
    }

    /// Takes the token of the origin whose steps were taken last.
    mutating func takeCurrent() -> String? { current.flatMap { take(for: $0) } }

    /// All screens that came in sight by the steps so far had their turn.
    mutating func endCurrent() { current = nil }

    /// Takes the token that an origin may pass on.
    mutating func take(for origin: UInt64) -> String? {
        guard let entry = entries.removeValue(forKey: origin) else { return nil }
        if origins[entry.request] == origin { origins[entry.request] = nil }
        return entry.token
    }

    /// Notes that a part of an origin's cascade has ended.
    mutating func touch(_ origin: UInt64) {
        if entries[origin] != nil { touched.append(origin) }
    }

    /// Notes that a call has ended.
    mutating func touch(_ request: RequestID) {
        if let origin = origins[request] { touched.append(origin) }
    }

    /// Removes the tokens of noted origins that are over.
    mutating func forget(where isOver: (_ origin: UInt64, _ request: RequestID) -> Bool) {
        let touched = touched
        self.touched = []
        for origin in touched {
            if let entry = entries[origin], isOver(origin, entry.request) { _ = take(for: origin) }
        }
    }
}
