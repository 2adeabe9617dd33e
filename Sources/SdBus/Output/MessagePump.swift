internal import CSdBus
internal import Glibc

/// Serves a connection in a loop, with a ``MessageOutput`` beside sd-bus, which goes on to connect, to receive, and to answer
/// for the standard interfaces.
///
/// sd_bus_attach_event(3) handles one message in a turn of the loop. This handles all that are at hand, up to a number, and
/// writes once for them, before the loop waits.
///
/// While the socket is full, nothing is read: what the messages would lead to could not be sent either.
public final class MessagePump {
    /// How many messages are handled in a turn of the loop at the most, before other events have theirs.
    static let messagesAtOnce = 64

    /// Where messages leave.
    public let output: MessageOutput
    /// Gets each call before sd-bus does; whether it is handled.
    public var handleCall: (MessageReader) -> Bool = { _ in false }
    /// Gets each answer to a call of ``output`` that no closure awaits; whether it is handled.
    public var handleAnswer: (_ answer: MessageReader, _ number: UInt32) -> Bool = { _, _ in false }
    /// Runs before sd-bus handles a call, which it may answer at once.
    public var beforeOthers: () -> Void = {}
    private var isStopped = false
    private let bus: Bus
    private var filter: Slot?
    private var input: OpaquePointer?
    private var timer: Timer?
    /// What the loop waits for on the socket.
    private var awaitedEvents: UInt32 = 0
    /// What the timer is set to; nil if it is off.
    private var deadline: UInt64?
    /// Messages that are handled when the socket takes bytes again: a call that sd-bus would answer, and what came after it.
    private var heldBack: [RetainedMessage] = []
    /// The first of the messages that were held back, while it is in the queue of sd-bus. What is before it there came later.
    private var firstReleased: OpaquePointer?

    /// Serves a connection, instead of ``Bus/attach(to:)``.
    public init(_ bus: Bus, _ loop: EventLoop) throws(SdError) {
        self.bus = bus
        output = try MessageOutput(bus.handle)
        bus.output = output
        let context = Unmanaged.passUnretained(self).toOpaque()
        filter = try bus.addFilter(userdata: context) { message, context, _ in
            guard let message, let context else { return 0 }
            return MessagePump.from(context).receive(MessageReader(message)) ? 1 : 0
        }
        try addInput(to: loop, context)
        timer = try loop.timer(accuracy: 1) { [unowned self] in
            deadline = nil
            run()
        }
    }

    deinit { end() }

    /// Ends its part in the loop.
    private func end() {
        sd_event_source_disable_unref(input)
        (input, timer) = (nil, nil)
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> MessagePump {
        Unmanaged<MessagePump>.fromOpaque(context).takeUnretainedValue()
    }

    private func addInput(to loop: EventLoop, _ context: UnsafeMutableRawPointer) throws(SdError) {
        let descriptor = try check("sd_bus_get_fd", sd_bus_get_fd(bus.handle))
        let result = sd_event_add_io(
            loop.handle, &input, descriptor, 0,
            { _, _, _, context in
                if let context { MessagePump.from(context).run() }
                return 0
            }, context)
        try check("sd_event_add_io", result)
        try check(
            "sd_event_source_set_prepare",
            sd_event_source_set_prepare(input) { _, context in
                if let context { MessagePump.from(context).prepare() }
                return 0
            })
    }

    // MARK: Turns of the loop

    /// Runs before the loop waits, each time.
    private func prepare() {
        output.flush()
        let wanted = sd_bus_get_events(bus.handle)
        // The connection is closed.
        guard wanted >= 0 else { return end() }
        let events = output.isBlocked ? EPOLLOUT.rawValue : UInt32(bitPattern: wanted)
        if events != awaitedEvents {
            // The kernel may have no memory for it (epoll_ctl(2)); without it nothing would be received any more.
            let result = tryingAgain { sd_event_source_set_io_events(input, events) }
            if result < 0 { return fail(result, of: "sd_event_source_set_io_events") }
            awaitedEvents = events
        }
        setTimer(nextTime)
    }

    /// When messages have their turn although nothing comes from the socket; nil if there are none.
    private var nextTime: UInt64? {
        if output.isBlocked { return nil }
        if !heldBack.isEmpty { return 0 }
        var time = UInt64.max
        guard sd_bus_get_timeout(bus.handle, &time) > 0, time < .max else { return nil }
        return time
    }

    private func setTimer(_ time: UInt64?) {
        guard time != deadline else { return }
        deadline = time
        do throws(SdError) {
            if let time { try timer?.arm(at: time) } else { try timer?.disarm() }
        } catch {
            preconditionFailure("an event source of this loop: \(error)")
        }
    }

    /// Handles no more messages. The loop ends with this turn.
    public func stop() { isStopped = true }

    private func run() {
        if output.isBlocked { unblock() }
        release()
        var handled = 0
        // Nothing else happens until the messages that were held back come first again.
        while !isStopped, !output.isBlocked, handled < Self.messagesAtOnce || firstReleased != nil {
            let result = sd_bus_process(bus.handle, nil)
            guard result > 0 else {
                if result < 0 { fail(result) }
                return
            }
            handled += 1
        }
    }

    /// Writes what the socket takes now.
    private func unblock() {
        if output.hasUnsentOfSdBus {
            let result = sd_bus_process(bus.handle, nil)
            if result < 0 { return fail(result) }
        }
        output.flush()
    }

    /// Has the messages handled that were held back, once the socket has taken what was before their answers.
    private func release() {
        guard !output.isBlocked, let first = heldBack.first else { return }
        firstReleased = first.message.handle
        let messages = heldBack
        heldBack = []
        for message in messages { putBack(message.message) }
    }

    /// Puts a message at the end of the queue of sd-bus.
    private func putBack(_ message: MessageReader) {
        let result = tryingAgain { sd_bus_enqueue_for_read(bus.handle, message.handle) }
        if result < 0 { fail(result) }
    }

    private func fail(_ result: Int32, of call: StaticString = "sd_bus_process") {
        end()
        // sd-bus has reported the end of the connection to its handlers.
        guard bus.isOpen else { return }
        output.failed(SdError(call, result: result))
    }

    // MARK: Messages

    /// Whether a message is handled, so that sd-bus has nothing to do with it.
    private func receive(_ message: MessageReader) -> Bool {
        if !heldBack.isEmpty || firstReleased != nil, !isInTurn(message) { return true }
        if message.isCall { return handleCall(message) || holdBackIfBlocked(message) }
        guard let number = message.answeredCall, let number = UInt32(exactly: number) else { return false }
        return output.take(message, answering: number) || handleAnswer(message, number)
    }

    /// Holds back a call that sd-bus would answer, if its answer could not be sent.
    private func holdBackIfBlocked(_ call: MessageReader) -> Bool {
        beforeOthers()
        return output.flush() ? false : holdBack(call)
    }

    /// Whether a message has its turn while others are held back, or were until now. If not, it is held back, too.
    private func isInTurn(_ message: MessageReader) -> Bool {
        // The end of the connection is a message of sd-bus, which nothing holds up.
        guard bus.isOpen else { return true }
        guard let firstReleased else { return !holdBack(message) }
        if message.handle == firstReleased {
            self.firstReleased = nil
            return true
        }
        putBack(message)
        return false
    }

    private func holdBack(_ message: MessageReader) -> Bool {
        heldBack.append(RetainedMessage(message))
        return true
    }
}
