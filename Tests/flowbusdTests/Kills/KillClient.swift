import BusTestSupport
import FlowCore

/// A client that navigates at random in roots of its own, with several calls under way, and knows what has to come of it.
///
/// Each call is first done by its ``Oracle``, which says what it is to be answered and what is to be seen then. The daemon
/// takes the calls in their order, so that, when it is killed, it has taken those that it answered, and perhaps some of the
/// next: the tree has to be the one after one of them. Calls with a token are made again then, whether they were taken or
/// not; the others if they were not.
final class KillClient {
    /// A call.
    struct Call: CustomStringConvertible {
        let deed: ClientOperation
        let token: String?
        /// What it is to be answered.
        let told: Told
        /// What is to be seen when it was taken, and no call after it.
        var after: Look
        /// Nil: it got no answer, and is to be made again.
        var pending: AwaitedReply?
        /// Whether it is made again.
        var isAgain = false
        /// Whether it was taken the first time, as the tree shows.
        var isTaken = false

        var description: String {
            "\(deed) by \(token ?? "no token")\(isAgain ? ", again" : "")\(isTaken ? ", taken the first time" : "")"
        }
    }

    let client: TestClient
    /// What the ids of its roots begin with.
    let prefix: String
    private let oracle: Oracle
    private(set) var calls: [Call] = []
    /// What is to be seen without any of ``calls``.
    private var settled: Look = [:]
    /// Calls with a token that were answered, and those answers.
    private var answered: [(call: Call, values: [BusValue])] = []
    /// Those of them that were made once more.
    private var recalled: [AwaitedReply: (call: Call, values: [BusValue])] = [:]
    /// The daemon's instances of the oracle's.
    private var instances: [UInt64: UInt64] = [:]
    private var roots = 0
    private var tokens = 0
    var tally = KillTally()
    /// The serials of navigations that it was answered.
    private var acknowledged: [UInt64] = []

    init(_ bus: PrivateBus, prefix: String, _ definitions: Definitions) throws {
        client = try TestClient(bus)
        self.prefix = prefix
        oracle = Oracle(definitions, for: client)
    }

    /// Whether all it asked is answered, be it by the bus that nobody answers.
    var isQuiet: Bool { recalled.isEmpty && calls.allSatisfy { $0.pending == nil } }
    /// Whether none of its calls is left.
    var isDone: Bool { recalled.isEmpty && calls.isEmpty }

    // MARK: Calling

    /// Makes another call, if no more than this are under way; or decides on one that ``send()`` makes.
    func go(_ random: inout Seeded, window: Int, numbers: inout Int, isLater: Bool = false) throws {
        guard calls.count < window else { return }
        // What has no token, and does something that another call may undo, is alone: then the tree shows whether it was
        // taken.
        if let last = calls.last, !last.deed.takesToken || last.token == nil, !last.deed.isSwitch { return }
        guard let (deed, isAlone) = choose(&random, &numbers), !isAlone || calls.isEmpty else { return }
        var token: String?
        if deed.takesToken, !isAlone {
            tokens += 1
            token = "\(prefix)\(tokens)"
        }
        let told = try oracle.do(deed)
        calls.append(Call(deed: deed, token: token, told: told, after: oracle.look))
        if !isLater { try start(calls.count - 1) }
    }

    /// Makes the calls that were decided on.
    func send() throws {
        for index in calls.indices where calls[index].pending == nil { try start(index) }
    }

    private func start(_ index: Int) throws {
        calls[index].pending = try calls[index].deed.start(by: client, token: calls[index].token)
        tally.made += 1
    }

    /// What to do next, and whether it has to be alone.
    private func choose(_ random: inout Seeded, _ numbers: inout Int) -> (ClientOperation, isAlone: Bool)? {
        let paths = oracle.paths
        let own = paths.filter { !$0.dropFirst().contains("/") }
        guard let root = own.randomElement(using: &random) else { return (another(&random), false) }
        if paths.count > 40 {
            return own.count > 1 ? (.dismiss(root), true) : (.emit(.init(name: "wipe"), on: root), false)
        }
        let screens = paths.filter { !oracle.isFlow($0) }
        let nested = paths.filter { oracle.isFlow($0) && $0.dropFirst().contains("/") }
        numbers += 1
        let number = numbers
        func emit(_ name: String, _ path: String?) -> (ClientOperation, isAlone: Bool)? {
            path.map { (.emit(.init(name: name, number: number), on: $0), false) }
        }
        switch random.number(1...100) {
        case ...20: return emit("add", root)
        case ...32: return emit("add", screens.filter { $0.contains("/page") }.randomElement(using: &random))
        case ...40: return emit("swap", random.chance(50) ? root : screens.randomElement(using: &random))
        case ...47: return emit("nest", root)
        case ...56:
            let leaves = screens.filter { $0.contains("/leaf") }
            return emit("more", (nested + leaves).randomElement(using: &random))
        case ...62: return emit("finish", nested.randomElement(using: &random))
        case ...64: return (.emit(.init(name: "drop"), on: root), false)
        case ...65: return (.emit(.init(name: "wipe"), on: root), false)
        case ...68: return emit("note", root)
        case ...80:
            return unswitched(screens).randomElement(using: &random).map { (.show($0, !oracle.isVisible($0)), false) }
        case ...82:
            return unswitched(nested).randomElement(using: &random).map { (.show($0, !oracle.isVisible($0)), false) }
        case ...85:
            return unswitched(screens).filter { !oracle.isOwned($0) }.randomElement(using: &random).map {
                (.claim($0), false)
            }
        case ...87:
            return unswitched(screens).filter { oracle.isOwned($0) }.randomElement(using: &random).map {
                (.release($0), false)
            }
        case ...90: return own.count < 3 ? (another(&random), false) : nil
        case ...93: return (.back(on: root), true)
        case ...95: return screens.randomElement(using: &random).map { (.dismiss($0), true) }
        case ...98:
            let steps = ["add", "swap", "nest", "note"].shuffled(using: &random).enumerated().map {
                ClientOperation.Step(name: $1, number: number * 10 + $0)
            }
            return (.emitAll(steps, on: root), true)
        default: return (.emit(.init(name: "add", number: number), on: root), true)
        }
    }

    private func another(_ random: inout Seeded) -> ClientOperation {
        roots += 1
        let kind = KillDefinitions.kinds.randomElement(using: &random) ?? "free"
        return .coordinate(kind, id: "\(prefix)_\(roots)")
    }

    /// Those that no call under way switches: switched twice, it would look as if neither call had been taken.
    private func unswitched(_ paths: [String]) -> [String] {
        paths.filter { path in !calls.contains { $0.deed.isSwitch && $0.deed.path == path } }
    }

    // MARK: Hearing

    /// Takes an answer; false where it is to none of its calls.
    func take(_ message: ReceivedMessage, serials: inout Set<UInt64>) throws -> Bool {
        guard let replyTo = message.replyTo else { return false }
        if let first = recalled.removeValue(forKey: replyTo) {
            guard !message.tellsOfDeath else { return true }
            tally.recalled += 1
            guard message.values == first.values else {
                throw TestFailure("D-4: \(first.call) was answered \(first.values), and by the same token \(message)")
            }
            return true
        }
        guard let index = calls.firstIndex(where: { $0.pending == replyTo }) else { return false }
        guard !message.tellsOfDeath else {
            calls[index].pending = nil
            return true
        }
        let call = calls[index]
        guard index == 0 else {
            let first = calls[0]
            throw TestFailure(
                "\(call) is answered by \(message) before this, which came first: \(first)")
        }
        calls.removeFirst()
        tally.answered += 1
        if call.isTaken { tally.firstOutcomes += 1 }
        settled = call.after
        let told = Told(message, to: call.deed)
        // Made again without a token it may come too late for what is gone by the calls after it.
        let isLate = call.isAgain && call.token == nil && told == .error("org.freedesktop.DBus.Error.UnknownObject")
        guard told == call.told || isLate else {
            throw TestFailure("\(call) is answered \(told), not \(call.told)")
        }
        acknowledged += message.serials
        for serial in message.serials {
            guard serials.insert(serial).inserted else { throw TestFailure("S-10: serial \(serial) was there before") }
        }
        if call.token != nil, case .verdicts(["navigated"]) = told {
            answered.append((call, message.values))
            if answered.count > 6 { answered.removeFirst() }
        }
        return true
    }

    // MARK: After a death

    /// What may be to be seen of its roots: no call under way was taken, or the first one was, or the first two, ….
    var looks: [Look] { [settled] + calls.map(\.after) }

    /// Compares what is to be seen after a restart with what the answers say, and notes which calls were taken.
    func compare(_ look: Look) throws {
        let seen = look.filter { $0.key.hasPrefix("/\(prefix)_") }
        let looks = looks
        let alike = looks.indices.filter { looks[$0].lines == seen.lines }
        guard let first = alike.first else {
            let wanted = looks.map { difference(of: seen, from: $0) }.joined(separator: "\n  or ")
            throw TestFailure(
                "\(prefix): what is to be seen is neither what the answered calls led to nor what one of these leads to: "
                    + "\(calls.map(\.deed))\n  \(wanted)")
        }
        // What was cleared and is there again looks the same, and is another.
        guard let taken = alike.first(where: { problem(of: seen, as: looks[$0]) == nil }) else {
            throw TestFailure("\(prefix): \(problem(of: seen, as: looks[first]) ?? "")")
        }
        for (path, sight) in looks[taken] where alike.allSatisfy({ looks[$0][path]?.instance == sight.instance }) {
            instances[sight.instance] = seen[path]?.instance
        }
        settled = looks[taken]
        tally.lost += calls.count
        for index in calls.indices where index < taken {
            calls[index].isTaken = true
            calls[index].after = settled
        }
    }

    /// What is wrong with the instances of what is to be seen, if it is this look of the oracle's.
    private func problem(of seen: Look, as look: Look) -> String? {
        for (path, sight) in look.sorted(by: { $0.key < $1.key }) {
            guard let instance = seen[path]?.instance else { continue }
            if let before = instances[sight.instance] {
                if before != instance { return "D-3: '\(path)' was instance \(before) and is \(instance)" }
            } else if instances.values.contains(instance) {
                return "S-1: instance \(instance) of '\(path)' was there before, as another's"
            }
        }
        return nil
    }

    /// Makes the calls once more that got no answer, and some that got one.
    func again(_ random: inout Seeded) throws {
        calls.removeAll { $0.isTaken && $0.token == nil }
        for (call, values) in answered where random.chance(30) {
            recalled[try call.deed.start(by: client, token: call.token)] = (call, values)
        }
        for index in calls.indices {
            calls[index].isAgain = true
            try start(index)
        }
    }

    /// Gives the serials of navigations that it was answered since.
    func takeAcknowledged() -> [UInt64] {
        defer { acknowledged = [] }
        return acknowledged
    }

    /// Forgets answers that the daemon may forget, too.
    func forgetAnswers() { answered = [] }

    private func difference(of seen: Look, from wanted: Look) -> String {
        let paths = Set(seen.keys).union(wanted.keys).sorted()
        return paths.filter { seen[$0]?.line != wanted[$0]?.line }.map {
            "\($0): '\(seen[$0]?.line ?? "nothing")', not '\(wanted[$0]?.line ?? "nothing")'"
        }.joined(separator: "; ")
    }
}

extension ClientOperation {
    /// Whether it switches a property of a presentable.
    fileprivate var isSwitch: Bool {
        switch self {
        case .show, .claim, .release: true
        case .emit, .emitAll, .back, .dismiss, .coordinate: false
        }
    }
}

/// What happened, in numbers.
struct KillTally {
    /// Calls made.
    var made = 0
    /// Calls answered.
    var answered = 0
    /// Calls under way when the daemon was killed.
    var lost = 0
    /// Those of them that had been taken, and got the first outcome by their token.
    var firstOutcomes = 0
    /// Calls that had been answered and got the same answer by their token.
    var recalled = 0

    static func += (one: inout KillTally, other: KillTally) {
        one.made += other.made
        one.answered += other.answered
        one.lost += other.lost
        one.firstOutcomes += other.firstOutcomes
        one.recalled += other.recalled
    }
}
