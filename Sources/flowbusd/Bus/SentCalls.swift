import FlowCore
import FlowWire
import SdBus

/// The sent calls of an ``Outbox``, their deadlines, and who may answer them.
struct SentCalls {
    /// How many successive owners of a name may answer a call to it.
    static let mostOwners = 16

    private struct Entry {
        let call: Outbox.OutgoingCall
        let destination: Outbox.Destination
        let deadline: UInt64
        /// The unique names of the destination's owners since the call was sent.
        var owners: [String]
        var isLate = false
    }

    private struct Deadline: Comparable {
        let time: UInt64
        let number: UInt32

        static func < (one: Deadline, other: Deadline) -> Bool {
            (one.time, one.number) < (other.time, other.number)
        }
    }

    /// By their numbers.
    private var entries: [UInt32: Entry] = [:]
    /// The calls that were not answered in time, the oldest first.
    private var late: [UInt32] = []
    /// A heap of the deadlines of all calls, also of answered ones.
    private var deadlines: [Deadline] = []
    /// The owners of bus names.
    private var owners: [String: String] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// The call with this number, and where it went.
    subscript(number: UInt32) -> (Outbox.OutgoingCall, Outbox.Destination)? {
        entries[number].map { ($0.call, $0.destination) }
    }

    /// Adds a sent call.
    mutating func add(
        _ call: Outbox.OutgoingCall, to destination: Outbox.Destination, number: UInt32, deadline: UInt64
    ) {
        let name = call.destination
        let owner = name.hasPrefix(":") ? name : owners[name]
        entries[number] = Entry(
            call: call, destination: destination, deadline: deadline, owners: owner.map { [$0] } ?? [])
        deadlines.append(Deadline(time: deadline, number: number))
        siftUp(deadlines.count - 1)
        // Most calls are answered long before their deadline.
        if deadlines.count > 2 * entries.count + 64 { dropDone() }
    }

    mutating func remove(_ number: UInt32) {
        if entries.removeValue(forKey: number)?.isLate == true { late.removeAll { $0 == number } }
    }

    mutating func ownerChanged(of name: String, to owner: String?) {
        owners[name] = owner
        guard let owner else { return }
        for (number, entry) in entries where entry.call.destination == name && !entry.owners.contains(owner) {
            entries[number]?.owners.append(owner)
            if entry.owners.count >= Self.mostOwners { entries[number]?.owners.removeFirst() }
        }
    }

    // MARK: Answers

    /// Whether a message is from the callee, or an error of the bus.
    func mayAnswer(_ number: UInt32, _ message: MessageReader) -> Bool {
        let sender = message.sender
        if message.errorName != nil, BusNames.bus.isSpelled(sender) { return true }
        return entries[number]?.owners.contains { $0.isSpelled(sender) } ?? false
    }

    /// Whether a call was not answered in time.
    func isLate(_ number: UInt32) -> Bool { entries[number]?.isLate ?? false }

    /// Keeps a call that was not answered in time, as its answer may yet come.
    ///
    /// - Returns: another late call that is removed for it.
    mutating func keepLate(_ number: UInt32) -> Outbox.OutgoingCall? {
        entries[number]?.isLate = true
        late.append(number)
        guard late.count > Limits.lateCalls else { return nil }
        return entries.removeValue(forKey: late.removeFirst())?.call
    }

    // MARK: Time

    /// The next deadline; nil if there is none.
    var nextDeadline: UInt64? { deadlines.first.flatMap { $0.time == .max ? nil : $0.time } }

    /// Removes and returns the next deadline that has passed; nil if there is none.
    mutating func takeOverdue(at now: UInt64) -> UInt32? {
        while let first = deadlines.first {
            let isDone = entries[first.number]?.deadline != first.time
            guard isDone || first.time <= now else { return nil }
            deadlines.swapAt(0, deadlines.count - 1)
            deadlines.removeLast()
            siftDown(0)
            if !isDone { return first.number }
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
