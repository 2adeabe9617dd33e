/// What lets windows come to the front: each is given on once by the chain that it came with, or forgotten with that.
///
/// Thousands may wait with their steps, so only those are looked at of whose chain or call something has ended.
struct ActivationTokens: Sendable {
    private struct Entry {
        let token: String
        let request: RequestID
    }

    /// By the origin that may give it on.
    private var entries: [UInt64: Entry] = [:]
    /// The origins by the calls that began them.
    private var origins: [RequestID: UInt64] = [:]
    /// Origins that may be over.
    private var touched: [UInt64] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Keeps a token for an origin, which the call began.
    mutating func insert(_ token: String, for origin: UInt64, of request: RequestID) {
        entries[origin] = Entry(token: token, request: request)
        origins[request] = origin
        touched.append(origin)
    }

    /// Takes out the token that an origin may give on.
    mutating func take(for origin: UInt64) -> String? {
        guard let entry = entries.removeValue(forKey: origin) else { return nil }
        if origins[entry.request] == origin { origins[entry.request] = nil }
        return entry.token
    }

    /// Something of an origin has ended.
    mutating func touch(_ origin: UInt64) {
        if entries[origin] != nil { touched.append(origin) }
    }

    /// A call has ended.
    mutating func touch(_ request: RequestID) {
        if let origin = origins[request] { touched.append(origin) }
    }

    /// Forgets the tokens of those origins of which something has ended, and that are over.
    mutating func forget(where isOver: (_ origin: UInt64, _ request: RequestID) -> Bool) {
        let touched = touched
        self.touched = []
        for origin in touched {
            if let entry = entries[origin], isOver(origin, entry.request) { _ = take(for: origin) }
        }
    }
}
