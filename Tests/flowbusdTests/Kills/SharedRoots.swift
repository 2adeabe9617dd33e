import BusTestSupport

/// The roots that all clients share: steps that wait for a guard, and screens for a presenter, both of which answer
/// late, even to a daemon that has ended by then.
///
/// The results depend on the order of events and are not predicted; but each step has to be taken exactly once.
final class SharedRoots {
    /// A step that a guard is asked about.
    private struct Ask {
        let number: Int
        let client: TestClient
        let token: String
        var pending: AwaitedReply?
        /// Whether it was answered `pending`, so that `StepConcluded` has to follow.
        var isPending = false
        var verdict: String?
    }

    let `guard`: TestClient
    let presenter: TestClient
    private var asks: [Int: Ask] = [:]
    private var questions: [ReceivedMessage] = []
    private var presents: [ReceivedMessage] = []
    /// The Presents of each daemon.
    private var asked: Set<String> = []
    /// The screens that were seen to be owned.
    private var owned: Set<UInt64> = []
    private var failure: TestFailure?
    /// The number of Presents and questions that another daemon repeated.
    private(set) var repeats = 0
    private(set) var taken = 0
    /// The number of pending steps whose outcome came from another daemon.
    private(set) var concludedLate = 0
    /// Pending steps whose daemon is gone.
    private var late: Set<Int> = []

    init(_ bus: PrivateBus) throws {
        `guard` = try TestClient(bus)
        presenter = try TestClient(bus)
        `guard`.onCall = { [unowned self] call in
            if questions.contains(where: { $0.values[2] == call.values[2] && $0.sender != call.sender }) {
                repeats += 1
            }
            questions.append(call)
            return .later
        }
        presenter.onCall = { [unowned self] call in
            if call.member == "Present" { note(call) }
            return .later
        }
        try `guard`.requestName("org.example.Guard")
        try presenter.requestName("org.example.Ui")
    }

    /// The guard lets others pass.
    private static func isRejected(_ number: Int) -> Bool { number % 5 == 0 }

    private func note(_ call: ReceivedMessage) {
        let instance = UInt64(call.values[3]["instance"]?.number ?? 0)
        if presents.contains(where: { $0.values[0] == call.values[0] && $0.sender != call.sender }) { repeats += 1 }
        if !asked.insert("\(call.sender) \(instance)").inserted {
            failure = TestFailure("S-31: one daemon has asked for \(call.values[0]) twice: \(call)")
        }
        if owned.contains(instance) {
            failure = TestFailure("D-3: \(call.values[0]) is to be presented, and it is owned already: \(call)")
        }
        presents.append(call)
    }

    /// Emits a step that the guard is asked about.
    func ask(_ number: Int, by client: TestClient) throws {
        asks[number] = Ask(number: number, client: client, token: "ask\(number)")
        try start(number)
    }

    private func start(_ number: Int) throws {
        guard let ask = asks[number] else { return }
        // Half of the callers don't wait for the guard.
        let call = try ClientOperation.emit(.init(name: "ask", number: number), on: "/shared").start(
            by: ask.client, token: ask.token, waits: number.isMultiple(of: 2))
        asks[number]?.pending = call
    }

    /// The number of unanswered ones.
    var openCount: Int { asks.values.count { $0.verdict == nil } }
    /// Whether no caller waits for an answer, not even for one that will not arrive.
    var isQuiet: Bool { asks.values.allSatisfy { $0.pending == nil } }

    /// Answers some of the questions to the guard and the presenter, or all.
    func answer(_ random: inout SeededGenerator, all: Bool = false) throws {
        if let failure { throw failure }
        while let question = questions.first, all || random.chance(30) {
            questions.removeFirst()
            let number = question.values[2]["number"]?.number ?? 0
            if Self.isRejected(number) {
                try `guard`.reply(to: question, BusError(Service.name + ".Error.Rejected", "five"))
            } else {
                try `guard`.reply(to: question, [question.values[1], question.values[2]])
            }
        }
        while all || random.chance(20), let index = presents.indices.randomElement(using: &random) {
            try presenter.reply(to: presents.remove(at: index))
        }
    }

    /// Handles a reply, or a StepConcluded. Returns false if it is not for one of its calls.
    func take(_ message: ReceivedMessage, by client: TestClient) throws -> Bool {
        if message.kind == .signal, message.member == "StepConcluded" { return try conclude(message, by: client) }
        guard let call = message.replyTo,
            let number = asks.values.first(where: { $0.client === client && $0.pending == call })?.number
        else { return false }
        asks[number]?.pending = nil
        guard !message.reportsDeath else { return true }
        let verdict = message.values.last?.text ?? "\(message)"
        if verdict == "pending" {
            asks[number]?.isPending = true
            return true
        }
        try end(number, verdict, message)
        return true
    }

    private func conclude(_ message: ReceivedMessage, by client: TestClient) throws -> Bool {
        let token = message.values[0].text
        guard let ask = asks.values.first(where: { $0.client === client && $0.token == token }) else {
            throw TestFailure("S-9 D-4: the token '\(token ?? "")' is none of a step that is pending: \(message)")
        }
        // It may have asked again by the token, and have its answer, or get it yet.
        if ask.verdict == nil { try end(ask.number, message.values[2].text ?? "", message) }
        return true
    }

    private func end(_ number: Int, _ verdict: String, _ message: ReceivedMessage) throws {
        guard verdict == (Self.isRejected(number) ? "rejected" : "navigated") else {
            throw TestFailure("step \(number) of /shared is answered \(message)")
        }
        if let earlier = asks[number]?.verdict {
            guard earlier == verdict else { throw TestFailure("S-9: step \(number) is \(verdict), and was \(earlier)") }
            return
        }
        asks[number]?.verdict = verdict
        asks[number]?.isPending = false
        taken += 1
        if late.remove(number) != nil { concludedLate += 1 }
    }

    /// Repeats the calls without an answer, in order.
    func again() throws {
        for number in asks.keys.sorted() where asks[number]?.verdict == nil && asks[number]?.pending == nil {
            if asks[number]?.isPending == true { late.insert(number) }
            try start(number)
        }
    }

    /// Compares the visible state with the answers. If everything is answered, everything has to be there.
    func compare(_ snapshot: TreeSnapshot, isDecided: Bool = false) throws {
        let cards = snapshot.filter { $0.key.hasPrefix("/shared/card") }.sorted {
            $0.value.instance < $1.value.instance
        }
        let numbers = cards.map { Int($0.value.line.split(separator: " ")[1]) ?? 0 }
        guard Set(numbers).count == numbers.count else {
            throw TestFailure("D-4: a step was taken twice: \(numbers)")
        }
        for ask in asks.values {
            let isThere = numbers.contains(ask.number)
            if isThere, Self.isRejected(ask.number) { throw TestFailure("the rejected \(ask.number) is there") }
            if ask.verdict == "navigated", !isThere {
                throw TestFailure("D-1: \(ask.number) was answered, and is not there")
            }
        }
        if let unknown = numbers.first(where: { asks[$0] == nil }) {
            throw TestFailure("nobody asked for \(unknown)")
        }
        for client in Set(asks.values.map { ObjectIdentifier($0.client) }) {
            let own = numbers.filter { asks[$0].map { ObjectIdentifier($0.client) } == client }
            guard own == own.sorted() else { throw TestFailure("S-6: steps of one client were overtaken: \(own)") }
        }
        for (path, node) in cards {
            let isOwned = node.line.contains("owner=\(presenter.uniqueName)")
            if node.line.contains("owner="), !isOwned {
                throw TestFailure("'\(path)' is owned by whom? \(node.line)")
            }
            if owned.contains(node.instance), !isOwned { throw TestFailure("D-3: '\(path)' has lost its owner") }
            if isOwned { owned.insert(node.instance) }
            if isDecided, !isOwned { throw TestFailure("S-31: '\(path)' is not owned, and its Present was answered") }
        }
    }

    /// Whether all that was asked for is answered.
    var isDecided: Bool { openCount == 0 && questions.isEmpty && presents.isEmpty }

    /// Removes decided entries, after the screens were cleared.
    func forget() {
        asks = [:]
        asked = []
        owned = []
        late = []
    }
}
