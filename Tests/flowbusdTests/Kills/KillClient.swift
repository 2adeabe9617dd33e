import BusTestSupport
import FlowCore

/// A client that navigates at random in roots of its own, with several calls under way, and knows the expected results.
///
/// Its ``Oracle`` carries out each call first, and predicts the answer and the visible state. The daemon takes the
/// calls in order, so that, when it is killed, it has taken those that it answered, and perhaps some of the next: the
/// tree has to be the one after one of them. Calls with a token are then repeated, whether they were taken or not; the
/// others if they were not.
final class KillClient {
    /// A call.
    struct Call: CustomStringConvertible {
        let operation: ClientOperation
        let token: String?
        /// The expected answer.
        let callOutcome: CallOutcome
        /// The visible state after this call, and before any later one.
        var after: TreeSnapshot
        /// The call under way; nil if it got no answer, and has to be repeated.
        var pending: AwaitedReply?
        /// Whether it is repeated.
        var isAgain = false
        /// Whether it was taken the first time, as the tree shows.
        var isTaken = false

        var description: String {
            "\(operation) by \(token ?? "no token")\(isAgain ? ", again" : "")\(isTaken ? ", taken the first time" : "")"
        }
    }

    let client: TestClient
    /// The prefix of its roots' ids.
    let prefix: String
    private let oracle: Oracle
    private(set) var calls: [Call] = []
    /// The visible state without any of ``calls``.
    private var confirmed: TreeSnapshot = [:]
    /// The latest answered calls, with when they were answered, for a failure.
    private var latest: [(call: Call, at: ContinuousClock.Instant)] = []
    /// Answered calls with a token, with the answers.
    private var answered: [(call: Call, values: [BusValue])] = []
    /// The answered calls that were repeated.
    private var recalled: [AwaitedReply: (call: Call, values: [BusValue])] = [:]
    /// The daemon's instances of the oracle's.
    private var instances: [UInt64: UInt64] = [:]
    private var roots = 0
    private var tokens = 0
    /// When each of the latest tokens was used first, in a ring.
    private var tokenTimes: [ContinuousClock.Instant] = []
    var counts = KillCounts()
    /// The serials in its answers.
    private var acknowledged: [UInt64] = []

    init(_ bus: PrivateBus, prefix: String, _ definitions: Definitions) throws {
        client = try TestClient(bus)
        self.prefix = prefix
        oracle = Oracle(definitions, for: client)
    }

    /// Whether all its calls are answered, even if by the bus with an error.
    var isQuiet: Bool { recalled.isEmpty && calls.allSatisfy { $0.pending == nil } }
    /// Whether none of its calls is left.
    var isDone: Bool { recalled.isEmpty && calls.isEmpty }

    // MARK: Calling

    /// Makes another call, if at most this number are under way; or chooses one that ``send()`` makes.
    func go(_ random: inout SeededGenerator, window: Int, numbers: inout Int, isLater: Bool = false) throws {
        guard calls.count < window else { return }
        // A call without a token whose effect another call can undo is made alone: then the tree shows whether it was
        // taken.
        if let last = calls.last, !last.operation.takesToken || last.token == nil, !last.operation.isSwitch { return }
        guard let (operation, isAlone) = choose(&random, &numbers) else { return }
        let hasToken = operation.takesToken && !isAlone && mayUseToken
        guard hasToken || operation.isSwitch || calls.isEmpty else { return }
        let token = hasToken ? nextToken() : nil
        let before = oracle.state
        let callOutcome = try oracle.perform(operation)
        let call = Call(operation: operation, token: token, callOutcome: callOutcome, after: oracle.snapshot)
        guard isDistinct(call) else { return oracle.state = before }
        calls.append(call)
        if !isLater { try start(calls.count - 1) }
    }

    /// Whether the tree will show how many calls were taken, with this one, as far as that matters.
    ///
    /// A screen that is hidden, and then replaced by a visible one, looks as if neither call had been taken. The first one has no
    /// token: made again, it would hide the second screen.
    private func isDistinct(_ call: Call) -> Bool {
        let (calls, states) = (calls + [call], snapshots)
        var (hasTokens, isChanged) = (true, false)
        for place in calls.indices.reversed() {
            if calls[place].token == nil { hasTokens = false }
            if states[place].lines != call.after.lines {
                isChanged = true
            } else if isChanged, !hasTokens {
                return false
            }
        }
        return true
    }

    /// Makes the calls that were decided on.
    func send() throws {
        for index in calls.indices where calls[index].pending == nil { try start(index) }
    }

    private func start(_ index: Int) throws {
        calls[index].pending = try calls[index].operation.start(by: client, token: calls[index].token)
        counts.made += 1
    }

    /// Chooses the next operation, and whether it has to be alone.
    private func choose(_ random: inout SeededGenerator, _ numbers: inout Int) -> (ClientOperation, isAlone: Bool)? {
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

    /// Whether flowbusd has room for a token: it keeps each for a minute, and a limited number of a client's.
    private var mayUseToken: Bool {
        tokenTimes.count < Self.tokensPerMinute
            || tokenTimes[tokens % Self.tokensPerMinute].duration(to: .now) > .seconds(61)
    }

    /// Some are left for tokens whose age counts from when a call was repeated.
    private static let tokensPerMinute = Limits.tokensPerClient / 2

    private func nextToken() -> String {
        let place = tokens % Self.tokensPerMinute
        if place < tokenTimes.count { tokenTimes[place] = .now } else { tokenTimes.append(.now) }
        tokens += 1
        return "\(prefix)\(tokens)"
    }

    private func another(_ random: inout SeededGenerator) -> ClientOperation {
        roots += 1
        let kind = KillDefinitions.kinds.randomElement(using: &random) ?? "free"
        return .coordinate(kind, id: "\(prefix)_\(roots)")
    }

    /// Returns the presentables that no call under way switches: a double switch would look as if neither call had been
    /// taken.
    private func unswitched(_ paths: [String]) -> [String] {
        paths.filter { path in !calls.contains { $0.operation.isSwitch && $0.operation.path == path } }
    }

    // MARK: Receiving

    /// Handles a reply. Returns false if it is not to one of its calls.
    func take(_ message: ReceivedMessage, serials: inout Set<UInt64>) throws -> Bool {
        guard let replyTo = message.replyTo else { return false }
        if let first = recalled.removeValue(forKey: replyTo) {
            guard !message.reportsDeath else { return true }
            counts.recalled += 1
            guard message.values == first.values else {
                throw TestFailure("D-4: \(first.call) was answered \(first.values), and by the same token \(message)")
            }
            return true
        }
        guard let index = calls.firstIndex(where: { $0.pending == replyTo }) else { return false }
        guard !message.reportsDeath else {
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
        latest.append((call, .now))
        if latest.count > 20 { latest.removeFirst() }
        counts.answered += 1
        if call.isTaken { counts.firstOutcomes += 1 }
        confirmed = call.after
        let callOutcome = CallOutcome(message, to: call.operation)
        // Repeated without a token, it may find presentables that later calls have removed.
        let isLate =
            call.isAgain && call.token == nil && callOutcome == .error("org.freedesktop.DBus.Error.UnknownObject")
        guard callOutcome == call.callOutcome || isLate else {
            throw TestFailure("\(call) is answered \(callOutcome), not \(call.callOutcome)")
        }
        acknowledged += message.serials
        for serial in message.serials {
            guard serials.insert(serial).inserted else { throw TestFailure("S-10: serial \(serial) was there before") }
        }
        if call.token != nil, case .verdicts(["navigated"]) = callOutcome {
            answered.append((call, message.values))
            if answered.count > 6 { answered.removeFirst() }
        }
        return true
    }

    // MARK: After a death

    /// The possible visible states of its roots: with none, the first, the first two, … of the calls under way taken.
    var snapshots: [TreeSnapshot] { [confirmed] + calls.map(\.after) }

    /// Compares the state after a restart with the answers, and notes which calls were taken.
    func compare(_ snapshot: TreeSnapshot) throws {
        let seen = snapshot.filter { $0.key.hasPrefix("/\(prefix)_") }
        let snapshots = snapshots
        let alike = snapshots.indices.filter { snapshots[$0].lines == seen.lines }
        guard let first = alike.first else {
            let wanted = snapshots.map { difference(of: seen, from: $0) }.joined(separator: "\n  or ")
            throw TestFailure(
                "\(prefix): what is to be seen is neither what the answered calls led to nor what one of these leads to: "
                    + "\(calls.map(\.operation))\n  \(wanted)\n\(past)")
        }
        // A cleared screen that is contributed again looks the same, but is another one.
        guard let taken = alike.first(where: { problem(of: seen, as: snapshots[$0]) == nil }) else {
            throw TestFailure("\(prefix): \(problem(of: seen, as: snapshots[first]) ?? "")")
        }
        for (path, node) in snapshots[taken] where alike.allSatisfy({ snapshots[$0][path]?.instance == node.instance })
        {
            instances[node.instance] = seen[path]?.instance
        }
        confirmed = snapshots[taken]
        counts.lost += calls.count
        for index in calls.indices where index < taken {
            calls[index].isTaken = true
            calls[index].after = confirmed
        }
    }

    /// Returns the problem with the instances of the visible state, compared with this snapshot of the oracle.
    private func problem(of seen: TreeSnapshot, as snapshot: TreeSnapshot) -> String? {
        for (path, node) in snapshot.sorted(by: { $0.key < $1.key }) {
            guard let instance = seen[path]?.instance else { continue }
            if let before = instances[node.instance] {
                if before != instance { return "D-3: '\(path)' was instance \(before) and is \(instance)" }
            } else if instances.values.contains(instance) {
                return "S-1: instance \(instance) of '\(path)' was there before, as another's"
            }
        }
        return nil
    }

    /// Repeats the calls without an answer, and some of those with one.
    func again(_ random: inout SeededGenerator) throws {
        calls.removeAll { $0.isTaken && $0.token == nil }
        for (call, values) in answered where random.chance(30) {
            recalled[try call.operation.start(by: client, token: call.token)] = (call, values)
        }
        for index in calls.indices {
            calls[index].isAgain = true
            try start(index)
        }
    }

    /// Takes the serials of navigations in answers since the last call.
    func takeAcknowledged() -> [UInt64] {
        defer { acknowledged = [] }
        return acknowledged
    }

    /// Forgets answers that the daemon may forget, too.
    func forgetAnswers() { answered = [] }

    /// What was answered last.
    private var past: String {
        let now = ContinuousClock.now
        return latest.map { "  \($0.at.duration(to: now)) ago: \($0.call), answered \($0.call.callOutcome)" }.joined(
            separator: "\n")
    }

    private func difference(of seen: TreeSnapshot, from wanted: TreeSnapshot) -> String {
        let paths = Set(seen.keys).union(wanted.keys).sorted()
        // Instances tell a change that was lost from a presentable that was made anew.
        func state(_ node: NodeSnapshot?, _ instance: UInt64?) -> String {
            node.map { "'\($0.line)' (\(instance.map { "instance \($0)" } ?? "new"))" } ?? "nothing"
        }
        return paths.filter { seen[$0]?.line != wanted[$0]?.line }.map { path in
            let known = wanted[path].flatMap { instances[$0.instance] }
            return "\(path): \(state(seen[path], seen[path]?.instance)), not \(state(wanted[path], known))"
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

/// Statistics.
struct KillCounts {
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

    static func += (one: inout KillCounts, other: KillCounts) {
        one.made += other.made
        one.answered += other.answered
        one.lost += other.lost
        one.firstOutcomes += other.firstOutcomes
        one.recalled += other.recalled
    }
}
