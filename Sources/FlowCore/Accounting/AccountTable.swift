/// What is counted for each client, by the client.
///
/// A client usually has several events in a row, so the place of the account that changed last is looked at first, without
/// hashing a name. A place counts only if its account is that client's: a place from before a removal finds nothing wrong.
struct AccountTable<Account: Sendable>: Sendable {
    /// An account that can be changed where it is stored.
    private struct Entry: Sendable {
        let client: Client
        var account: Account

        @inline(__always)
        mutating func update<Result>(_ change: (inout Account) -> Result) -> Result { change(&account) }
    }

    /// The accounts; those of clients that were removed are free, and used again.
    private var places: [Entry?] = []
    private var placeOfClient: [Client: Int] = [:]
    private var free: [Int] = []
    /// Where the account is that changed last.
    private var latest = 0

    /// The account of a client.
    subscript(client: Client) -> Account? { find(client).flatMap { places[$0]?.account } }

    private func find(_ client: Client) -> Int? {
        if isAccount(of: client, at: latest) { return latest }
        guard let place = placeOfClient[client], isAccount(of: client, at: place) else { return nil }
        return place
    }

    @inline(__always)
    private func isAccount(of client: Client, at place: Int) -> Bool {
        place < places.count && places[place]?.client == client
    }

    /// The accounts with their clients.
    var all: some Sequence<(client: Client, account: Account)> {
        places.lazy.compactMap { entry in entry.map { ($0.client, $0.account) } }
    }

    /// Changes the account of a client, if it has one, where it is.
    @inline(__always)
    mutating func update<Result>(_ client: Client, _ change: (inout Account) -> Result) -> Result? {
        guard let place = find(client) else { return nil }
        latest = place
        // Without the coroutine by which an array has its elements changed.
        var all = places.mutableSpan
        return all[place]?.update(change)
    }

    /// Adds or replaces the account of a client.
    mutating func put(_ account: Account, for client: Client) {
        if update(client, { $0 = account }) != nil { return }
        if let place = free.popLast(), place < places.count {
            latest = place
        } else {
            latest = places.count
            places.append(nil)
        }
        placeOfClient[client] = latest
        places[latest] = Entry(client: client, account: account)
    }

    /// Removes the account of a client.
    mutating func remove(_ client: Client) {
        guard let place = placeOfClient.removeValue(forKey: client), place < places.count else { return }
        places[place] = nil
        free.append(place)
    }
}
