import FlowCore
import FlowWire
import Logging
import SdBus

/// Calls to other processes, whose answers come later.
///
/// At most ``FlowCore/Limits/callsUnderWay`` are under way to one destination; the rest wait, first come, first served, so
/// that one who answers nothing has no more of the bus's memory than that. A bus may let a connection wait for few answers
/// (dbus-daemon for 128, unless its configuration says otherwise): a destination has at most half of what the others leave,
/// so that there is always something left for one more. Each call is concluded exactly once, from the loop, never while it is
/// being sent.
///
/// sd-bus would take an answer from anybody who guesses the number of a call, and its own time limits look like what
/// dbus-broker says when who was called leaves. So both are done here: an answer is believed from who was called, and an
/// error also from the bus (S-31).
final class Outbox {
    /// What a call came to.
    enum Conclusion {
        /// It was answered, by values or by an error.
        case answered(MessageReader)
        /// It was answered by what is not looked at; why, for a person.
        case unreadable(String)
        /// Its time is over.
        case timedOut
        /// It could not be made or sent.
        case unsent(any Error)
    }

    /// Why a call was not sent whose answer nobody wants any more.
    struct Dropped: Error {}

    /// A call.
    struct Call {
        /// By which it can be dropped.
        let question: QuestionID
        /// The bus name of who is called.
        let destination: String
        /// How long the answer may take from when it is sent, in µs.
        let timeout: UInt64
        /// Makes the message, when its turn has come. What it throws comes back as ``Conclusion/unsent(_:)``.
        let message: () throws -> OutgoingMessage
        /// Gets what it came to.
        let conclude: (Conclusion) -> Void
        /// After ``Conclusion/timedOut``: gets the answer that came all the same, or nil where none is waited for any more.
        /// Without it a late answer is nobody's business.
        var concludeLate: ((MessageReader?) -> Void)?
        /// How often the bus had no room for it.
        var refusals = 0
    }

    /// Those who are called.
    private struct Destination {
        var underWay = 0
        /// In the order they came; those that were dropped are gone from ``calls`` alone.
        var order: [QuestionID] = []
        /// How many of those have been taken from the front.
        var taken = 0
        var calls: [QuestionID: Call] = [:]

        mutating func wait(_ call: Call) {
            order.append(call.question)
            calls[call.question] = call
        }

        /// Puts a call back that had its turn, before those that came after it.
        mutating func waitAgain(_ call: Call) {
            let place = order[taken...].firstIndex { $0.number > call.question.number }
            order.insert(call.question, at: place ?? order.count)
            calls[call.question] = call
        }

        mutating func takeNext() -> Call? {
            while taken < order.count {
                let next = calls.removeValue(forKey: order[taken])
                taken += 1
                if let next { return next }
            }
            (order, taken) = ([], 0)
            return nil
        }

        mutating func drop(_ question: QuestionID) -> Call? {
            let dropped = calls.removeValue(forKey: question)
            // What is done with is given back when it is most of the list.
            if order.count > 2 * calls.count + 64 {
                order = order[taken...].filter { calls[$0] != nil }
                taken = 0
            }
            return dropped
        }
    }

    /// Has the connection given up: a call could not be sent, for no reason of its own.
    var sendFailed: ((any Error) -> Void)?
    /// Somebody who was not called answered a call.
    var unexpectedSenderAnswered: ((_ stranger: String, _ called: String) -> Void)?

    private let bus: Bus
    private let loop: EventLoop
    /// How many calls may be under way in all, as far as the bus has not said otherwise.
    private var capacity: Int
    private var underWay = 0
    /// The destinations that calls wait for, in the order in which they began to.
    private var busy: [String] = []
    private var destinations: [String: Destination] = [:]
    /// Calls that were sent.
    private var sent = SentCalls()
    /// Sees the answers; only while there are calls.
    private var filter: Slot?
    private var timer: Timer?
    /// When the timer fires; nil: it does not.
    private var armed: UInt64?
    /// Calls that were not sent, and why; nil: they were dropped before their turn.
    private var unsent: [(call: Call, error: (any Error)?)] = []
    private var report: DeferredTask?

    /// An empty outbox of a connection, which tells from this loop what became of calls.
    ///
    /// - Parameter capacity: how many calls may be under way in all.
    init(_ bus: Bus, _ loop: EventLoop, capacity: Int = Limits.callsUnderWayInTotal) throws(SdError) {
        self.bus = bus
        self.loop = loop
        self.capacity = capacity
        report = try loop.deferred(.amongMessages) { [unowned self] in reportUnsent() }
        timer = try loop.timer { [unowned self] in timeIsOver() }
    }

    /// A bus name has this owner now, by its unique name; nil: none. Answers are known by that: before calls are sent to the
    /// name, and with each change, which the bus tells before it hands on what the new owner sends.
    func ownerChanged(of name: String, to owner: String?) { sent.ownerChanged(of: name, to: owner) }

    /// Sends a call, or has it wait for its turn.
    func send(_ call: Call) {
        let isBusy = !isIdle(call.destination)
        if !isBusy, hasRoom(for: call.destination) { return start(call) }
        if !isBusy { busy.append(call.destination) }
        destinations[call.destination, default: Destination()].wait(call)
    }

    /// Drops a call that nobody wants an answer to any more, if it waits: then it is concluded as unsent.
    func drop(_ question: QuestionID) {
        for name in busy {
            guard let call = destinations[name]?.drop(question) else { continue }
            unsent.append((call, nil))
            reportSoon()
            if isIdle(name) { busy.removeAll { $0 == name } }
            forgetIfDone(name)
            return
        }
    }

    /// Whether no call waits for a destination.
    private func isIdle(_ destination: String) -> Bool { destinations[destination]?.calls.isEmpty ?? true }

    /// Whether one more call may be under way to a destination.
    private func hasRoom(for destination: String) -> Bool {
        // Where nobody is called, one may be, however little room the bus has.
        underWay == 0
            || (destinations[destination]?.underWay ?? 0) < min(Limits.callsUnderWay, (capacity - underWay) / 2)
    }

    private func forgetIfDone(_ destination: String) {
        if destinations[destination]?.underWay == 0, isIdle(destination) { destinations[destination] = nil }
    }

    /// How many calls to a destination are under way, and how many wait.
    func load(of destination: String) -> (underWay: Int, waiting: Int) {
        guard let state = destinations[destination] else { return (0, 0) }
        return (state.underWay, state.calls.count)
    }

    private func start(_ call: Call) {
        destinations[call.destination, default: Destination()].underWay += 1
        underWay += 1
        do {
            if filter == nil { filter = try watchAnswers() }
            let cookie = try call.message().sendCall()
            let deadline = loop.now.addingReportingOverflow(call.timeout)
            sent.add(call, cookie: cookie, deadline: deadline.overflow ? .max : deadline.partialValue)
            try armTimer()
        } catch {
            if let error = error as? SdError, error.isSendFailure {
                sendFailed?(error)
                return
            }
            // It counts as under way until the failure is reported, so that many of them do not follow at once.
            unsent.append((call, error))
            reportSoon()
        }
    }

    private func reportSoon() {
        do { try report?.schedule() } catch { preconditionFailure("an event source of this loop: \(error)") }
    }

    /// The end of a call to a destination that is not under way any more.
    private func conclude(_ call: Call, _ conclusion: Conclusion) {
        proceed(call.destination)
        call.conclude(conclusion)
    }

    /// The bus has no room for a call: now it is known how much it has, and the call waits for the end of another.
    private func takeBack(_ call: Call) {
        var call = call
        call.refusals += 1
        if isIdle(call.destination) { busy.append(call.destination) }
        destinations[call.destination]?.underWay -= 1
        destinations[call.destination]?.waitAgain(call)
        underWay -= 1
        capacity = max(min(capacity, underWay), 16)
    }

    private func reportUnsent() {
        let told = unsent
        unsent = []
        guard bus.isOpen else { return }
        for (call, error) in told {
            guard let error else {
                call.conclude(.unsent(Dropped()))
                continue
            }
            conclude(call, .unsent(error))
        }
    }

    /// A call to a destination has ended: the turn of others has come.
    private func proceed(_ destination: String) {
        destinations[destination]?.underWay -= 1
        underWay -= 1
        for name in busy {
            while hasRoom(for: name), let next = destinations[name]?.takeNext() { start(next) }
        }
        busy.removeAll(where: isIdle)
        forgetIfDone(destination)
    }
}

// MARK: - Answers

extension Outbox {
    private func watchAnswers() throws(SdError) -> Slot {
        try bus.addFilter(userdata: Unmanaged.passUnretained(self).toOpaque()) { message, context, _ in
            guard let message, let context else { return 0 }
            let outbox = Unmanaged<Outbox>.fromOpaque(context).takeUnretainedValue()
            return outbox.take(MessageReader(message)) ? 1 : 0
        }
    }

    /// Takes a message that answers one of the calls.
    private func take(_ message: MessageReader) -> Bool {
        // On a connection that is lost all that is under way ends at once, and the service with it.
        guard let cookie = message.answeredCall, let call = sent[cookie], bus.isOpen else { return false }
        guard sent.mayAnswer(cookie, message) else {
            unexpectedSenderAnswered?(String(cString: message.sender), call.destination)
            return true
        }
        let isLate = sent.isLate(cookie)
        sent.remove(cookie)
        if isLate {
            call.concludeLate?(message)
        } else if message.isRefusalOfBus, underWay > 1, call.refusals < 8 {
            // The bus says the same where who is called reads nothing any more; trying again is of no use then.
            takeBack(call)
        } else {
            conclude(call, .answered(message))
        }
        if sent.isEmpty { filter = nil }
        return true
    }

    private func timeIsOver() {
        armed = nil
        guard bus.isOpen else { return }
        while let cookie = sent.takeOverdue(at: loop.now), let call = sent[cookie] {
            if call.concludeLate == nil {
                sent.remove(cookie)
            } else {
                sent.persistLater(cookie)?.concludeLate?(nil)
            }
            conclude(call, .timedOut)
        }
        if sent.isEmpty { filter = nil }
        do { try armTimer() } catch { preconditionFailure("an event source of this loop: \(error)") }
    }

    /// The timer fires when the next call's time is over, or earlier, for one that has been answered meanwhile.
    private func armTimer() throws(SdError) {
        guard let next = sent.nextDeadline else { return }
        if let armed, armed <= next { return }
        try timer?.arm(at: next)
        armed = next
    }
}

extension MessageReader {
    /// Whether the bus says that it has no room for the call, rather than who was called.
    fileprivate var isRefusalOfBus: Bool {
        guard let errorName else { return false }
        return "\(BusNames.StandardError.limitsExceeded)".isSpelled(errorName) && "\(BusNames.bus)".isSpelled(sender)
    }
}
