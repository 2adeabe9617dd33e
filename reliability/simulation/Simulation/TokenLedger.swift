/// Calls with tokens: each is taken once at the most, and its repetitions get the same outcome (S-9, D-4).
struct TokenLedger {
    struct Key: Hashable {
        let peer: Int
        let token: String
    }

    struct Entry {
        let path: String
        let step: String
        /// A number that no other step has as its argument.
        let number: Int64
        let first: UInt64
        var serial: UInt64?
        /// The serial of its navigation, as signalled.
        var signalled: UInt64?
        /// Whether its peer took the step back.
        var isCancelled = false
    }

    private(set) var entries: [Key: Entry] = [:]
    private var keys: [Int64: Key] = [:]
    private var latest: Int64 = 1_000

    mutating func make(_ peer: Int, _ token: String, _ path: String, _ step: String, at time: UInt64) -> Entry {
        latest += 1
        let entry = Entry(path: path, step: step, number: latest, first: time)
        entries[Key(peer: peer, token: token)] = entry
        keys[latest] = Key(peer: peer, token: token)
        return entry
    }

    /// The answer to such a call. Returns what is wrong.
    mutating func answered(_ key: Key, serial: UInt64, verdict: String) -> String? {
        guard var entry = entries[key] else { return nil }
        if verdict == "pending" { return nil }
        if let known = entry.serial, verdict != "navigated" || known != serial {
            return
                "the token '\(key.token)' of \(Peer.name(key.peer)) had the serial \(known), and now '\(verdict)' \(serial)"
        }
        guard verdict == "navigated" else { return nil }
        entry.serial = serial
        entries[key] = entry
        if let signalled = entry.signalled, signalled != serial {
            return "the step with the number \(entry.number) was signalled as \(signalled), and answered as \(serial)"
        }
        return nil
    }

    /// The peer has taken the step back (S-16).
    mutating func cancelled(_ key: Key) { entries[key]?.isCancelled = true }

    /// A navigation by a step from outside with this number. Later ones are those of steps that got the number from it.
    /// Returns what is wrong.
    mutating func navigated(_ number: Int64, by sender: String, _ step: String, serial: UInt64) -> String? {
        guard let key = keys[number], var entry = entries[key], entry.signalled == nil, step == entry.step,
            sender == Peer.name(key.peer)
        else { return nil }
        entry.signalled = serial
        entries[key] = entry
        return entry.isCancelled ? "the step with the number \(number) is taken, and was taken back before" : nil
    }
}
