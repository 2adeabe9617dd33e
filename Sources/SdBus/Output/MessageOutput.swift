internal import CSdBus
internal import Glibc
internal import Platform

/// Messages that are marshalled here rather than by sd-bus, which takes several times as long for them, and that leave
/// together: with one write to the connection's socket in each turn of the loop.
///
/// All messages leave in the order in which they are made. sd-bus writes to the same socket, for the messages that it makes
/// itself, so neither writes while the other has unsent messages: ``flush()`` comes before anything that makes sd-bus send, and
/// ``Bus`` waits for ``drain()`` before it calls the bus itself. ``MessagePump`` sees to both.
///
/// The numbers of its messages are from the upper half of all numbers; those of sd-bus begin at 1.
public final class MessageOutput {
    /// What a message takes at the most; D-Bus specification, "Message Format".
    static let mostMessageBytes = 1 << 27
    /// How many bytes are gathered before a write, while there are messages to handle.
    static let mostGathered = 1 << 16
    /// How long sd-bus waits for an answer by default, in µs; sd_bus_get_method_call_timeout(3).
    private static let answerTimeout: UInt64 = 25_000_000
    /// The room for bytes that is kept between writes.
    private static let room = 2 * mostGathered
    private static let firstNumber: UInt32 = 1 << 31

    /// Runs when the connection is lost, or nothing more can be kept. No message leaves after that.
    public var failed: (SdError) -> Void = { _ in }
    /// Whether a call with this number, other than those with a closure, waits for its answer.
    public var isAwaited: (UInt32) -> Bool = { _ in false }
    private let handle: OpaquePointer
    /// How many bytes of a full socket are kept, before the connection is given up.
    private let mostUnsent: Int
    private let descriptor: Int32
    private let marshaller: Marshaller
    /// How many of the bytes are written.
    private var written = 0
    /// Whether bytes are left because the socket is full, or because sd-bus has unsent messages, which came first.
    private(set) var isBlocked = false
    private var isClosed = false
    private var isMarshalling = false
    var latestNumber = MessageOutput.firstNumber
    /// Whether each number was used, so that a call may still wait with the next one.
    private var numbersAreUsed = false
    private var awaited: [UInt32: Waiting] = [:]
    /// Registrations whose end makes sd-bus send a message, which comes after those that are unsent.
    private var endedSlots: [OpaquePointer] = []

    private struct Waiting {
        unowned let answer: AwaitedAnswer
    }

    /// An empty output of a connection that the bus has accepted.
    init(_ handle: OpaquePointer, mostUnsent: Int = 1 << 28) throws(SdError) {
        (self.handle, self.mostUnsent) = (handle, mostUnsent)
        descriptor = try check("sd_bus_get_fd", sd_bus_get_fd(handle))
        marshaller = Marshaller(capacity: Self.room)
    }

    deinit {
        for slot in endedSlots { sd_bus_slot_unref(slot) }
        marshaller.deallocate()
    }

    /// How many bytes are not written yet.
    public var unsentBytes: Int { marshaller.state.pointee.count - written }

    // MARK: Making messages

    /// Makes a message, from its header to its last value. Nothing of it is left if the body throws.
    ///
    /// - Returns: its number.
    @discardableResult
    func make(
        _ type: MessageType, flags: UInt8, _ signature: StaticString, header: (MessageHeader) -> Void,
        body: (Marshaller) throws -> Void
    ) throws -> UInt32 {
        guard !isClosed else { throw SdError("MessageOutput", errno: ENOTCONN) }
        assert(!isMarshalling, "a message is made while another one is")
        isMarshalling = true
        let start = marshaller.state.pointee.count
        let number = nextNumber()
        let message = MessageHeader(marshaller, type, flags: flags, number, signature)
        header(message)
        do {
            let first = message.beginBody(signature)
            try body(marshaller)
            try message.endBody(first, mostBytes: Self.mostMessageBytes)
            isMarshalling = false
        } catch {
            isMarshalling = false
            marshaller.state.pointee.count = start
            throw error
        }
        if isBlocked {
            if unsentBytes > mostUnsent { fail(SdError("MessageOutput", errno: ENOBUFS)) }
        } else if unsentBytes >= Self.mostGathered {
            flush()
        }
        return number
    }

    private func nextNumber() -> UInt32 {
        repeat {
            numbersAreUsed = numbersAreUsed || latestNumber == .max
            latestNumber = latestNumber == .max ? Self.firstNumber : latestNumber + 1
        } while numbersAreUsed && (awaited[latestNumber] != nil || isAwaited(latestNumber))
        return latestNumber
    }

    // MARK: Answers

    func wait(for answer: AwaitedAnswer) { awaited[answer.number] = Waiting(answer: answer) }

    func forget(_ number: UInt32) { awaited[number] = nil }

    /// Hands an answer to the closure that waits for it.
    ///
    /// - Returns: whether one does.
    func take(_ message: MessageReader, answering number: UInt32) -> Bool {
        guard let waiting = awaited.removeValue(forKey: number) else { return false }
        // The closure may drop the last reference to its registration.
        withExtendedLifetime(waiting.answer) { answer in answer.handler(message) }
        return true
    }

    // MARK: Writing

    /// Writes what the socket takes, and never waits.
    ///
    /// - Returns: whether nothing is left.
    @discardableResult
    public func flush() -> Bool {
        let state = marshaller.state
        assert(!isMarshalling, "a part of a message is written")
        while state.pointee.count > written {
            guard sd_bus_is_open(handle) > 0 else {
                // Another file may have the descriptor by now. sd-bus reports the end of the connection.
                close()
                return true
            }
            guard !hasUnsentOfSdBus else { return block() }
            let result = tryingAgain {
                let count = send(
                    descriptor, state.pointee.bytes + written, state.pointee.count - written,
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                guard count < 0 else {
                    written += count
                    return 0
                }
                // A full socket is no failure.
                return errno == EAGAIN ? 1 : -errno
            }
            if result > 0 { return block() }
            if result < 0 {
                fail(SdError("send", result: result))
                return true
            }
        }
        empty()
        return true
    }

    /// Ends a registration, for which sd-bus sends a message when that is possible. Its handler gets no more messages with its
    /// userdata.
    func end(_ slot: OpaquePointer) {
        if flush() {
            sd_bus_slot_unref(slot)
        } else {
            sd_bus_slot_set_userdata(slot, nil)
            endedSlots.append(slot)
        }
    }

    /// Writes everything, and waits until that is done, as long as sd-bus waits for an answer. For what waits for the bus anyway.
    ///
    /// - Throws: ``SdError``: ETIMEDOUT; then sd-bus must not write.
    @usableFromInline
    func drain() throws(SdError) {
        guard drain(until: MonotonicClock.now + Self.answerTimeout) else {
            throw SdError("sd_bus_flush", errno: ETIMEDOUT)
        }
    }

    /// Writes everything, and waits until that is done, or until a time in µs of the monotonic clock.
    ///
    /// - Returns: whether it is done.
    func drain(until end: UInt64?) -> Bool {
        while !flush() {
            guard waitForRoom(until: end) else { return false }
            guard hasUnsentOfSdBus else { continue }
            let result = sd_bus_flush(handle)
            if result < 0 { fail(SdError("sd_bus_flush", result: result)) }
        }
        return !hasUnsentOfSdBus || waitForRoom(until: end)
    }

    /// Waits until the socket takes bytes; false if the time is over before.
    private func waitForRoom(until end: UInt64?) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            var left: Int32 = -1
            if let end {
                let now = MonotonicClock.now
                left = now < end ? Int32(clamping: (end - now) / 1000 + 1) : 0
            }
            let result = poll(&wait, 1, left)
            if result == 0 { return false }
            if result > 0 || errno != EINTR { return true }
        }
    }

    /// Drops what is not written, and makes no more messages.
    func close() {
        isClosed = true
        empty()
    }

    var hasUnsentOfSdBus: Bool {
        var count: UInt64 = 0
        return sd_bus_get_n_queued_write(handle, &count) >= 0 && count > 0
    }

    private func block() -> Bool {
        isBlocked = true
        return false
    }

    private func empty() {
        (marshaller.state.pointee.count, written) = (0, 0)
        isBlocked = false
        // A large message does not keep its room.
        if marshaller.state.pointee.capacity > Self.room { marshaller.resize(to: Self.room) }
        if !endedSlots.isEmpty, !isClosed { releaseSlots() }
    }

    private func releaseSlots() {
        let slots = endedSlots
        endedSlots = []
        for slot in slots { sd_bus_slot_unref(slot) }
    }

    private func fail(_ error: SdError) {
        close()
        failed(error)
    }
}

/// A call whose answer is awaited; see ``MessageOutput/call(_:_:_:_:answered:)``.
public final class AwaitedAnswer {
    let number: UInt32
    let handler: (MessageReader) -> Void
    private weak var output: MessageOutput?

    init(_ output: MessageOutput, _ number: UInt32, _ handler: @escaping (MessageReader) -> Void) {
        (self.output, self.number, self.handler) = (output, number, handler)
    }

    deinit { output?.forget(number) }
}
