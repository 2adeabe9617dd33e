import FlowCore
import FlowWire
import Logging
import SdBus

/// Calls to other processes, whose answers come later.
///
/// At most ``FlowCore/Limits/callsUnderWay`` are under way to one destination; the others wait in order, so a destination that
/// never answers takes a limited part of the bus's memory. A bus can limit the answers for which a connection waits
/// (dbus-daemon to 128 by default): a destination gets at most half of what the others leave, so there is always room for one
/// more. Each call ends exactly once, from the loop, never while it is being sent.
///
/// sd-bus would accept an answer from any connection that guesses the number of a call, and its own timeout looks like the
/// error that dbus-broker sends when the callee leaves. So both are handled here: an answer is accepted from the callee, and
/// an error also from the bus (S-31).
final class Outbox {
    /// The result of a call.
    enum CallResult {
        /// An answer: values or an error.
        case answered(MessageReader)
        /// An answer that is not read, with the reason.
        case unreadable(String)
        /// No answer came in time.
        case timedOut
        /// The call could not be made or sent.
        case unsent(any Error)
    }

    /// The call was dropped before it was sent.
    struct Dropped: Error {}

    /// A call.
    struct OutgoingCall {
        /// Identifies it for ``drop(_:)``.
        let question: QuestionID
        /// The bus name of the callee.
        let destination: String
        /// How long the answer may take after the call is sent, in µs.
        let timeout: UInt64
        /// Sends it in its turn, and returns its number. An error becomes ``CallResult/unsent(_:)``.
        let send: () throws -> UInt32
        /// Gets the result.
        let conclude: (CallResult) -> Void
        /// Gets an answer after ``CallResult/timedOut``, or nil when none is accepted any more. Without it late answers are
        /// ignored.
        var concludeLate: ((MessageReader?) -> Void)?
        /// How often the bus refused it for lack of room.
        var refusals = 0
    }

    /// The calls to one name. The calls under way refer to it, so that the name is looked up once for a call.
    final class Destination {
        let name: String
        /// The unique name of its owner, as far as it is known.
        fileprivate(set) var owner: String?
        fileprivate(set) var underWay = 0
        /// Whether it is among ``Outbox/busy``.
        fileprivate var isBusy = false
        /// The waiting calls in order; dropped ones are removed from ``calls`` alone.
        private var order: [QuestionID] = []
        /// How many were removed from the front.
        private var taken = 0
        private var calls: [QuestionID: OutgoingCall] = [:]

        fileprivate init(_ name: String, owner: String?) { (self.name, self.owner) = (name, owner) }

        /// How many calls wait.
        var waiting: Int { calls.count }

        fileprivate func wait(_ call: OutgoingCall) {
            order.append(call.question)
            calls[call.question] = call
        }

        /// Returns a call to its place among the waiting ones.
        fileprivate func waitAgain(_ call: OutgoingCall) {
            let place = order[taken...].firstIndex { $0.number > call.question.number }
            order.insert(call.question, at: place ?? order.count)
            calls[call.question] = call
        }

        fileprivate func takeNext() -> OutgoingCall? {
            while taken < order.count {
                let next = calls.removeValue(forKey: order[taken])
                taken += 1
                if let next { return next }
            }
            (order, taken) = ([], 0)
            return nil
        }

        fileprivate func drop(_ question: QuestionID) -> OutgoingCall? {
            let dropped = calls.removeValue(forKey: question)
            // The list is compacted when most of it is done with.
            if order.count > 2 * calls.count + 64 {
                order = order[taken...].filter { calls[$0] != nil }
                taken = 0
            }
            return dropped
        }
    }

    /// Runs when a call could not be sent, whatever its contents: the connection has to be given up.
    var sendFailed: ((any Error) -> Void)?
    /// Runs when a call was answered by another than the callee.
    var unexpectedSenderAnswered: ((_ sender: String, _ called: String) -> Void)?

    private let bus: Bus
    private let loop: EventLoop
    /// How many calls may be under way in all; lowered when the bus refuses one for lack of room.
    private var capacity: Int
    private var underWay = 0
    /// The destinations with waiting calls, in the order in which the first came.
    private var busy: [Destination] = []
    private var destinations: [String: Destination] = [:]
    /// The one that was called last, and often is the next one, too.
    private var latest: Destination?
    /// The owners of bus names.
    private var owners: [String: String] = [:]
    /// How many destinations are known when those without calls are forgotten.
    private var mostDestinations = Outbox.fewDestinations
    private static let fewDestinations = 64
    /// Calls that were sent.
    private var sent = SentCalls()
    private var timer: Timer?
    /// When the timer fires; nil if it is not armed.
    private var armed: UInt64?
    /// Calls that were not sent, and why; nil if they were dropped before their turn.
    private var unsent: [(call: OutgoingCall, destination: Destination, error: (any Error)?)] = []
    private var report: DeferredTask?

    /// An empty outbox of a connection, which reports the results of calls from this loop.
    ///
    /// - Parameter capacity: how many calls may be under way in all.
    init(_ bus: Bus, _ loop: EventLoop, capacity: Int = Limits.callsUnderWayInTotal) throws(SdError) {
        self.bus = bus
        self.loop = loop
        self.capacity = capacity
        report = try loop.deferred(.amongMessages) { [unowned self] in reportUnsent() }
        timer = try loop.timer { [unowned self] in timerFired() }
    }

    /// Notes the owner of a bus name, by its unique name; nil for none. Answers are accepted by it: so this comes before calls
    /// to the name, and with each change, which the bus reports before it delivers messages of the new owner.
    func ownerChanged(of name: String, to owner: String?) {
        owners[name] = owner
        destinations[name]?.owner = owner
        if let owner { sent.ownerChanged(of: name, to: owner) }
    }

    /// Sends a call, or queues it.
    func send(_ call: OutgoingCall) {
        let destination = destination(call.destination)
        if destination.waiting == 0, hasRoom(for: destination) { return start(call, destination) }
        wait(for: destination)
        destination.wait(call)
    }

    private func destination(_ name: String) -> Destination {
        if let latest, latest.name == name { return latest }
        let destination = known(name)
        latest = destination
        return destination
    }

    private func known(_ name: String) -> Destination {
        if let known = destinations[name] { return known }
        if destinations.count >= mostDestinations {
            destinations = destinations.filter { $0.value.underWay > 0 || $0.value.waiting > 0 }
            latest = nil
            // So that this takes no more time, in the end, than the calls that made them.
            mostDestinations = max(Self.fewDestinations, 2 * destinations.count)
        }
        let new = Destination(name, owner: name.hasPrefix(":") ? name : owners[name])
        destinations[name] = new
        return new
    }

    /// Puts a destination among those with waiting calls.
    private func wait(for destination: Destination) {
        guard !destination.isBusy else { return }
        destination.isBusy = true
        busy.append(destination)
    }

    /// Removes destinations from those with waiting calls that have none any more.
    private func dropIdle() {
        guard !busy.isEmpty else { return }
        for destination in busy where destination.waiting == 0 { destination.isBusy = false }
        busy.removeAll { !$0.isBusy }
    }

    /// Drops a waiting call whose answer is not needed any more; its result is unsent.
    func drop(_ question: QuestionID) {
        for destination in busy {
            guard let call = destination.drop(question) else { continue }
            unsent.append((call, destination, nil))
            reportSoon()
            return dropIdle()
        }
    }

    /// Whether one more call may be under way to a destination.
    private func hasRoom(for destination: Destination) -> Bool {
        // One call is always possible, however little room the bus has.
        underWay == 0 || destination.underWay < min(Limits.callsUnderWay, (capacity - underWay) / 2)
    }

    /// How many calls to a destination are under way, and how many wait.
    func load(of name: String) -> (underWay: Int, waiting: Int) {
        destinations[name].map { ($0.underWay, $0.waiting) } ?? (0, 0)
    }

    private func start(_ call: OutgoingCall, _ destination: Destination) {
        destination.underWay += 1
        underWay += 1
        do {
            let number = try call.send()
            let deadline = loop.now.addingReportingOverflow(call.timeout)
            sent.add(
                call, to: destination, number: number, deadline: deadline.overflow ? .max : deadline.partialValue)
            try armTimer()
        } catch {
            if let error = error as? SdError, error.isSendFailure {
                sendFailed?(error)
                return
            }
            // It counts as under way until the failure is reported, so that not many calls fail at once.
            unsent.append((call, destination, error))
            reportSoon()
        }
    }

    private func reportSoon() {
        do { try report?.schedule() } catch { preconditionFailure("an event source of this loop: \(error)") }
    }

    /// Ends a call.
    private func conclude(_ call: OutgoingCall, to destination: Destination, _ conclusion: CallResult) {
        proceed(destination)
        call.conclude(conclusion)
    }

    /// Queues a call again that the bus had no room for. Now its room is known.
    private func requeue(_ call: OutgoingCall, to destination: Destination) {
        var call = call
        call.refusals += 1
        wait(for: destination)
        destination.underWay -= 1
        destination.waitAgain(call)
        underWay -= 1
        capacity = max(min(capacity, underWay), 16)
    }

    private func reportUnsent() {
        let failed = unsent
        unsent = []
        guard bus.isOpen else { return }
        for (call, destination, error) in failed {
            guard let error else {
                call.conclude(.unsent(Dropped()))
                continue
            }
            conclude(call, to: destination, .unsent(error))
        }
    }

    /// Sends waiting calls after the end of one.
    private func proceed(_ destination: Destination) {
        destination.underWay -= 1
        underWay -= 1
        for destination in busy {
            while hasRoom(for: destination), let next = destination.takeNext() { start(next, destination) }
        }
        dropIdle()
    }
}

// MARK: - Answers

extension Outbox {
    /// Whether a call with this number waits for its answer, or may get a late one.
    func awaits(_ number: UInt32) -> Bool { sent[number] != nil }

    /// Handles the answer to a call with this number, if it is one of these.
    ///
    /// - Returns: whether it is.
    func take(_ message: MessageReader, answering number: UInt32) -> Bool {
        guard let entry = sent[number], bus.isOpen else { return false }
        guard entry.mayBeAnswered(by: message) else {
            unexpectedSenderAnswered?(String(cString: message.sender), entry.call.destination)
            return true
        }
        sent.remove(entry)
        if entry.isLate {
            entry.call.concludeLate?(message)
        } else if message.isRefusalOfBus, underWay > 1, entry.call.refusals < 8 {
            // The bus sends the same error if the callee reads nothing any more; then repeating is of no use.
            requeue(entry.call, to: entry.destination)
        } else {
            proceed(entry.destination)
            entry.call.conclude(.answered(message))
        }
        return true
    }

    private func timerFired() {
        armed = nil
        guard bus.isOpen else { return }
        while let entry = sent.takeOverdue(at: loop.now) {
            if entry.call.concludeLate == nil {
                sent.remove(entry)
            } else {
                sent.keepLate(entry)?.concludeLate?(nil)
            }
            conclude(entry.call, to: entry.destination, .timedOut)
        }
        do { try armTimer() } catch { preconditionFailure("an event source of this loop: \(error)") }
    }

    /// Arms the timer for the next deadline; it may belong to a call that is answered by then.
    private func armTimer() throws(SdError) {
        guard let next = sent.nextDeadline else { return }
        if let armed, armed <= next { return }
        try timer?.arm(at: next)
        armed = next
    }
}

extension MessageReader {
    /// Whether the bus, rather than the callee, has no room for the call.
    fileprivate var isRefusalOfBus: Bool {
        guard let errorName else { return false }
        return BusNames.BusError.limitsExceeded.isSpelled(errorName) && BusNames.bus.isSpelled(sender)
    }
}
