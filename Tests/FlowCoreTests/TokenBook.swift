@testable import FlowCore

/// The calls with a token as clients know them: a client that got `pending`, or lost flowbusd, gets the outcome by a
/// conclusion with the token; and a repeated call gets the same outcome (S-9, D-4).
struct TokenBook {
    struct Key: Hashable, Comparable {
        var client: Client
        var token: String

        static func < (one: Key, other: Key) -> Bool {
            (one.client.name, one.token) < (other.client.name, other.token)
        }
    }

    /// The latest call with a token.
    private struct Entry {
        let request: RequestID
        var outcome: String?
    }

    private var entries: [Key: Entry] = [:]
    /// Unanswered calls with a token.
    private var calls: [RequestID: Key] = [:]
    /// Calls that have to be concluded.
    private(set) var owed: [RequestID: Key] = [:]
    /// The calls that a restart interrupted.
    private var late: Set<RequestID> = []
    /// The number of interrupted calls that were concluded.
    private(set) var concludedLate = 0
    private(set) var faults: [String] = []

    mutating func call(_ request: RequestID, _ token: String, by client: Client, isRepeated: Bool) {
        let key = Key(client: client, token: token)
        calls[request] = key
        if !isRepeated { entries[key] = Entry(request: request) }
    }

    /// The client took the step back (S-16).
    mutating func cancel(_ token: String, by client: Client, wasKnown: Bool) {
        let key = Key(client: client, token: token)
        if !wasKnown || entries[key]?.outcome == "\(Verdict.deferred) 0" {
            entries[key]?.outcome = "\(Verdict.hidden) 0"
        }
    }

    mutating func take(_ answer: Answer, to request: RequestID) {
        guard case .verdict(let verdict, let serial) = answer else { return }
        take("\(verdict) \(serial)", isPending: verdict == .pending, to: request)
    }

    mutating func take(_ error: FlowError, to request: RequestID) {
        // A limit is the repeated call's own.
        if error.code != .limitExceeded { take("\(error.code)", isPending: false, to: request) }
    }

    private mutating func take(_ text: String, isPending: Bool, to request: RequestID) {
        guard let key = calls.removeValue(forKey: request), let entry = entries[key] else { return }
        if let outcome = entry.outcome {
            if outcome != text { faults.append("\(key) is \(text), and was \(outcome)") }
        } else if !isPending {
            if owed[entry.request] != nil { faults.append("\(key) is \(text) before it is concluded") }
            entries[key]?.outcome = text
        } else if entry.request == request {
            owed[request] = key
        } else if owed[entry.request] == nil {
            faults.append("\(key) is pending, and its first call was not reported so")
        }
    }

    mutating func take(_ conclusion: Conclusion) {
        if conclusion.token.isEmpty { return }
        let key = Key(client: conclusion.client, token: conclusion.token)
        let candidates = owed.filter { $0.value == key }.keys.sorted { $0.number < $1.number }
        guard let request = candidates.first else {
            return faults.append("\(key) is concluded, and nobody waits for that")
        }
        owed[request] = nil
        // Two calls used the same token after it expired; the root can belong to either.
        if candidates.count > 1 { entries[key] = nil }
        if late.remove(request) != nil { concludedLate += 1 }
        guard entries[key]?.request == request else { return }
        entries[key]?.outcome =
            switch conclusion.outcome {
            case .navigated(let serial): "\(Verdict.navigated) \(serial)"
            case .ignored(let verdict): "\(verdict) 0"
            case .refused(let error): "\(error.code)"
            }
    }

    /// The process is gone: its callers count as having got `pending`.
    mutating func restart(_ waiting: [RequestID: Call]) {
        for (request, key) in calls where waiting[request]?.isAnswered == false { owed[request] = key }
        calls = [:]
        late = Set(owed.keys)
    }
}
