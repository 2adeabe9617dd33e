import FlowCore
import FlowWire
import SdBus

/// The sent calls of an ``Outbox``, their deadlines, and who may answer them.
struct SentCalls {
    /// How many successive owners of a name may answer a call to it.
    static let mostOwners = 16

    /// A call that was sent.
    final class SentCall {
        let call: Outbox.OutgoingCall
        let destination: Outbox.Destination
        fileprivate let number: UInt32
        fileprivate let deadline: UInt64
        /// The unique names of the destination's owners since the call was sent: the first one, and those that followed.
        private var owner: String?
        private var laterOwners: [String] = []
        /// Whether it was not answered in time.
        fileprivate(set) var isLate = false

        fileprivate init(
            _ call: Outbox.OutgoingCall, to destination: Outbox.Destination, _ number: UInt32, deadline: UInt64
        ) {
            (self.call, self.destination, self.number, self.deadline) = (call, destination, number, deadline)
            owner = destination.owner
        }

        fileprivate func ownerChanged(to new: String) {
            guard let owner else { return self.owner = new }
            guard new != owner, !laterOwners.contains(new) else { return }
            laterOwners.append(new)
            if laterOwners.count >= SentCalls.mostOwners { self.owner = laterOwners.removeFirst() }
        }

        /// Whether a message is from the callee, or an error of the bus.
        func mayBeAnswered(by message: MessageReader) -> Bool {
            let sender = message.sender
            if message.errorName != nil, BusNames.bus.isSpelled(sender) { return true }
            return owner?.isSpelled(sender) == true || laterOwners.contains { $0.isSpelled(sender) }
        }
    }

    private struct Deadline: Comparable {
        let time: UInt64
        let number: UInt32

        static func < (one: Deadline, other: Deadline) -> Bool {
            (one.time, one.number) < (other.time, other.number)
        }
    }

    /// By their numbers.
    private var entries: [UInt32: SentCall] = [:]
    /// The calls that were not answered in time, the oldest first.
    private var late: [UInt32] = []
    /// A heap of the deadlines of all calls, also of answered ones.
    private var deadlines: [Deadline] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The call with this number.
    subscript(number: UInt32) -> SentCall? { entries[number] }

    /// Adds a sent call.
    mutating func add(
        _ call: Outbox.OutgoingCall, to destination: Outbox.Destination, number: UInt32, deadline: UInt64
    ) {
        entries[number] = SentCall(call, to: destination, number, deadline: deadline)
        deadlines.append(Deadline(time: deadline, number: number))
        siftUp(deadlines.count - 1)
        // Most calls are answered long before their deadline.
        if deadlines.count > 2 * entries.count + 64 { dropDone() }
    }

    mutating func remove(_ sent: SentCall) {
        entries[sent.number] = nil
        if sent.isLate { late.removeAll { $0 == sent.number } }
    }

    /// A destination has a new owner, which may answer, too.
    func ownerChanged(of name: String, to owner: String) {
        for sent in entries.values where sent.destination.name == name { sent.ownerChanged(to: owner) }
    }

    /// Keeps a call that was not answered in time, as its answer may yet come.
    ///
    /// - Returns: another late call that is removed for it.
    mutating func keepLate(_ sent: SentCall) -> Outbox.OutgoingCall? {
        sent.isLate = true
        late.append(sent.number)
        guard late.count > Limits.lateCalls else { return nil }
        return entries.removeValue(forKey: late.removeFirst())?.call
    }

    // MARK: Time

    /// The next deadline; nil if there is none.
    var nextDeadline: UInt64? { deadlines.first.flatMap { $0.time == .max ? nil : $0.time } }

    /// Removes and returns the next deadline that has passed; nil if there is none.
    mutating func takeOverdue(at now: UInt64) -> SentCall? {
        while let first = deadlines.first {
            let sent = entries[first.number]
            let isDone = sent?.deadline != first.time
            guard isDone || first.time <= now else { return nil }
            deadlines.swapAt(0, deadlines.count - 1)
            deadlines.removeLast()
            siftDown(0)
            if !isDone { return sent }
        }
        return nil
    }

    private mutating func dropDone() {
        // A sorted list is a heap.
        deadlines = deadlines.filter { entries[$0.number].map { !$0.isLate } ?? false }.sorted()
    }

    private mutating func siftUp(_ place: Int) {
        var place = place
        while place > 0, deadlines[place] < deadlines[(place - 1) / 2] {
            deadlines.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func siftDown(_ place: Int) {
        var place = place
        while 2 * place + 1 < deadlines.count {
            var child = 2 * place + 1
            if child + 1 < deadlines.count, deadlines[child + 1] < deadlines[child] { child += 1 }
            guard deadlines[child] < deadlines[place] else { return }
            deadlines.swapAt(place, child)
            place = child
        }
    }
}
