/// The usage of each client, of each user other than the service's own, and in total, so that no client can fill the memory
/// or take the share of others (S-33).
///
/// What the daemon started itself counts in total alone. Usage of clients that are gone belongs to a common pool.
struct Accounting: Sendable {
    /// An amount of resources.
    struct Usage: Equatable, Sendable {
        var nodes = 0
        /// Waiting and deferred steps.
        var steps = 0
        /// Bytes of arguments: of nodes, of steps that wait at them or for their dismissal, and of latest navigations.
        var bytes = 0

        static func += (usage: inout Usage, more: Usage) {
            usage.nodes += more.nodes
            usage.steps += more.steps
            usage.bytes += more.bytes
        }

        static prefix func - (usage: Usage) -> Usage {
            Usage(nodes: -usage.nodes, steps: -usage.steps, bytes: -usage.bytes)
        }

        subscript(resource: Resource) -> Int {
            switch resource {
            case .nodes: nodes
            case .steps: steps
            case .bytes: bytes
            }
        }
    }

    /// A limited resource.
    enum Resource: CaseIterable, Sendable {
        case nodes
        case steps
        case bytes
    }

    /// The account of a client that has had usage since it connected, or since the process started.
    private struct Account: Sendable {
        var usage = Usage()
        /// Its user, if that is neither the service's own nor root; nil as well while it is not known.
        var user: UInt32?
        /// Whether the client is gone; its account stays as long as it has usage.
        var isGone = false
    }

    /// The limits.
    let quotas: Quotas
    private(set) var total = Usage()
    /// The usage of clients that are gone.
    private(set) var pool = Usage()
    private var accounts: [Client: Account] = [:]
    private var users: [UInt32: Usage] = [:]
    /// The number of those clients.
    private var goneCount = 0
    /// Clients that are gone, and had no usage at some moment since ``takeOpened()``.
    private var emptied: [Client] = []
    /// Clients whose accounts were opened since then.
    private var opened: [Client] = []

    /// Creates an accounting without usage.
    init(_ quotas: Quotas = .service) { self.quotas = quotas }

    // MARK: Counting

    /// Adds to a client's usage; numbers may be negative.
    mutating func count(_ change: Usage, for client: Client) {
        if change == Usage() { return }
        total += change
        guard client.isConnection else { return }
        if accounts[client] == nil { openAccount(of: client) }
        func counted(_ account: inout Account?) -> Account? {
            account?.usage += change
            return account
        }
        guard let account = counted(&accounts[client]) else { return }
        if account.isGone {
            pool += change
            if account.usage == Usage() { emptied.append(client) }
        } else if let user = account.user {
            count(change, ofUser: user)
        }
    }

    private mutating func count(_ change: Usage, ofUser user: UInt32) {
        var all = users[user] ?? Usage()
        all += change
        users[user] = all == Usage() ? nil : all
    }

    // MARK: Clients

    /// Opens an account, if there is none: the driver will report the client's user, and when the client is gone.
    mutating func open(_ client: Client) {
        if accounts[client] == nil, client.isConnection { openAccount(of: client) }
    }

    /// Opens the account of a client that has none.
    private mutating func openAccount(of client: Client) {
        let isGone = client == .former
        if isGone { goneCount += 1 } else { opened.append(client) }
        accounts[client] = Account(isGone: isGone)
    }

    /// Whether there may be such clients, or accounts to forget.
    var hasNews: Bool { !opened.isEmpty || !emptied.isEmpty }

    /// Takes the clients that the driver does not watch yet. Only at the end of an event, because during an event the usage
    /// of a client that is gone can become zero and grow again.
    mutating func takeOpened() -> [Client] {
        if !emptied.isEmpty { forgetEmptied() }
        if opened.isEmpty { return [] }
        defer { opened = [] }
        return opened
    }

    private mutating func forgetEmptied() {
        for client in emptied {
            guard let account = accounts[client], account.isGone, account.usage == Usage() else { continue }
            accounts[client] = nil
            goneCount -= 1
        }
        emptied = []
    }

    /// Notes the user of a client; the user has limits, too.
    mutating func identify(_ client: Client, as user: UInt32) {
        guard var account = accounts[client], !account.isGone, account.user != user else { return }
        if let former = account.user { count(-account.usage, ofUser: former) }
        account.user = user
        accounts[client] = account
        count(account.usage, ofUser: user)
    }

    /// A client is gone: its usage moves to the pool. Returns that usage.
    mutating func close(_ client: Client) -> Usage {
        guard let account = accounts[client], !account.isGone else { return Usage() }
        if let user = account.user { count(-account.usage, ofUser: user) }
        pool += account.usage
        accounts[client] = Account(usage: account.usage, isGone: true)
        goneCount += 1
        if account.usage == Usage() { emptied.append(client) }
        return account.usage
    }

    /// Whether a client is gone and has usage.
    func isGone(_ client: Client) -> Bool {
        goneCount > 0 && accounts[client]?.isGone ?? false
    }

    /// Whether a client has no limits of its own: the daemon, services with steppers, and clients that are gone.
    func isFree(_ client: Client) -> Bool { !client.isConnection || isGone(client) }

    /// The user of a client, if the user has limits.
    func user(of client: Client) -> UInt32? { accounts[client]?.user }

    /// The clients of a user with limits.
    func clients(of user: UInt32) -> [Client] { accounts.filter { $0.value.user == user }.map(\.key) }

    /// The connected clients that the driver watches.
    var presentClients: Set<Client> { Set(accounts.filter { !$0.value.isGone }.keys) }

    /// The usage of each client, connected or gone.
    var clients: [Client: Usage] { accounts.mapValues(\.usage).filter { $0.value != Usage() } }
}

extension Accounting: Equatable {
    /// Whether the usage is the same, for the same clients.
    static func == (one: Accounting, other: Accounting) -> Bool {
        one.total == other.total && one.clients == other.clients
    }
}

// MARK: - Limits

extension Accounting {
    /// Checks whether the limits allow more usage for a client; and in total, if that differs.
    ///
    /// - Throws: ``FlowError/Code/limitExceeded`` with the limit that is reached.
    func check(_ more: Usage, inTotal: Usage? = nil, for client: Client) throws(FlowError) {
        try checkShare(more, for: client)
        let inTotal = inTotal ?? more
        for resource in Resource.allCases where inTotal[resource] > 0 {
            let most = quotas[resource].total
            guard total[resource] + inTotal[resource] > most else { continue }
            throw FlowError(.limitExceeded, Self.inTotal(resource, total[resource], most))
        }
    }

    /// Checks the limits of the client and of its user alone.
    func checkShare(_ more: Usage, for client: Client) throws(FlowError) {
        guard client.isConnection else { return }
        let account = accounts[client]
        if account?.isGone == true { return }
        for resource in Resource.allCases where more[resource] > 0 {
            let quota = quotas[resource]
            let own = account?.usage[resource] ?? 0
            guard own + more[resource] <= quota.perClient else {
                throw FlowError(
                    .limitExceeded, Self.text(resource, own, of: "'\(client.name)'", "has", quota.perClient))
            }
            guard let user = account?.user else { continue }
            let all = users[user]?[resource] ?? 0
            guard all + more[resource] <= quota.share else {
                let clients = "the clients of user '\(user)'"
                throw FlowError(.limitExceeded, Self.text(resource, all, of: clients, "have", quota.share))
            }
        }
    }

    /// How much is missing in total for more usage; 0 if nothing is.
    func shortage(_ more: Usage) -> Usage {
        func wanting(_ resource: Resource) -> Int {
            more[resource] > 0 ? max(0, total[resource] + more[resource] - quotas[resource].total) : 0
        }
        return Usage(nodes: wanting(.nodes), steps: wanting(.steps), bytes: wanting(.bytes))
    }

    private static func inTotal(_ resource: Resource, _ count: Int, _ most: Int) -> String {
        switch resource {
        case .nodes: "there are \(count) live presentables of at most \(most) in total"
        case .steps: "there are \(count) steps waiting of at most \(most) in total"
        case .bytes: "arguments and saved states of live presentables take \(count) of at most \(most) bytes in total"
        }
    }

    private static func text(
        _ resource: Resource, _ count: Int, of who: String, _ has: String, _ most: Int
    ) -> String {
        switch resource {
        case .nodes: "\(who) \(has) made \(count) live presentables of at most \(most)"
        case .steps: "\(who) \(has) \(count) steps waiting of at most \(most)"
        case .bytes:
            "arguments and saved states of live presentables that \(who) \(has) made take \(count) of at most \(most) bytes"
        }
    }
}

extension Quotas {
    subscript(resource: Accounting.Resource) -> Quota {
        switch resource {
        case .nodes: nodes
        case .steps: steps
        case .bytes: bytes
        }
    }
}
