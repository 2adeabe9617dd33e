/// What is counted for each client, by the client.
///
/// A client usually has several events in a row, so the place of the account that changed last is looked at first, without
/// hashing a name. A place counts only if its account is that client's: a place from before a removal finds nothing wrong.
struct AccountTable<Account: Sendable>: Sendable {
    /// The accounts; those of clients that were removed are free, and used again.
    private var places: [(client: Client, account: Account)?] = []
    private var placeOfClient: [Client: Int] = [:]
    private var free: [Int] = []
    /// Where the account is that changed last.
    private var latest = 0

    /// The account of a client.
    subscript(client: Client) -> Account? {
        find(client, at: latest) ?? placeOfClient[client].flatMap { find(client, at: $0) }
    }

    private func find(_ client: Client, at place: Int) -> Account? {
        guard place < places.count, let entry = places[place], entry.client == client else { return nil }
        return entry.account
    }

    /// The accounts with their clients.
    var all: some Sequence<(client: Client, account: Account)> { places.lazy.compactMap(\.self) }

    /// Adds or replaces the account of a client.
    mutating func put(_ account: Account, for client: Client) {
        if latest < places.count, places[latest]?.client == client {
            places[latest]?.account = account
            return
        }
        if let place = placeOfClient[client], place < places.count {
            latest = place
        } else if let place = free.popLast(), place < places.count {
            latest = place
        } else {
            latest = places.count
            places.append(nil)
        }
        placeOfClient[client] = latest
        places[latest] = (client, account)
    }

    /// Removes the account of a client.
    mutating func remove(_ client: Client) {
        guard let place = placeOfClient.removeValue(forKey: client), place < places.count else { return }
        places[place] = nil
        free.append(place)
    }
}
