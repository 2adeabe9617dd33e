import FlowCore
import FlowWire
import Logging
import SdBus

// A call that leads to much goes on in slices (S-7). Between them those who only read are answered; what may change the tree
// waits in the order in which it came, so that no step of another client comes in between.

extension Daemon {
    /// How many of those that waited have their turn at once.
    private static let postponedAtOnce = 64

    /// Sets up what slices need; before there are messages.
    func prepareSlices() throws(SdError) {
        sliceTask = try loop.deferred(.amongMessages) { [unowned self] in askBus() }
    }

    /// Whether something goes on in slices, or waits for that.
    var isBusy: Bool { coordinator.hasMore || !backlog.isEmpty }

    /// Goes on when the bus is through with what it was given so far.
    func resumeSoon() {
        guard isBusy, sliceQuestion == nil else { return }
        do throws(SdError) { try sliceTask?.schedule() } catch {
            logger.error("Could not go on later: \(error)")
            goOn()
        }
    }

    /// Asks the bus for anything. It answers behind all that came of the last slice. So what others read never waits for more
    /// than the rest of that and one slice, in the bus as well as here, and what is unsent is bounded.
    private func askBus() {
        guard isBusy, !isLost, sliceQuestion == nil else { return }
        commit()
        do {
            // Whatever the answer is, and from whoever: a slice that comes early does no harm, one that never comes would.
            sliceQuestion = try call("\(BusNames.bus)", "\(BusNames.busPath)", BusNames.bus, "GetId").call {
                [unowned self] _ in
                sliceQuestion = nil
                goOn()
            }
        } catch {
            connectionFailed(error)
        }
    }

    /// Does the next slice, or what waited for the last one.
    private func goOn() {
        // When the connection is lost sd-bus answers what was asked before it tells of that.
        guard isBusy, !isLost, bus.isOpen else { return }
        commit()
        for call in backlog.takeOverdue(at: loop.now) { _ = refuse(call.message.message, because: Backlog.overdue) }
        if coordinator.hasMore { handle(.continued) } else { takePostponed() }
        resumeSoon()
    }

    private func takePostponed() {
        for _ in 0..<Self.postponedAtOnce where !coordinator.hasMore {
            guard let (call, event) = backlog.takeNext() else { return }
            event?()
            if let call { serve(call) }
        }
    }

    private func serve(_ call: Backlog.Call) {
        let message = call.message.message
        do {
            try call.body(self, message)
        } catch {
            _ = refuse(message, because: error)
        }
    }

    // MARK: What waits

    /// Does something in its turn: at once, unless something goes on in slices.
    func whenFree(_ body: @escaping () -> Void) {
        guard isBusy else { return body() }
        backlog.add(event: body)
        resumeSoon()
    }

    /// How many bytes an answer that waits may have, with room for more than what is taken of any.
    private static let postponedAnswerBytes = 8 * 1_024 * 1_024

    /// The same with what a call came to.
    func whenFree(_ conclusion: Outbox.Conclusion, _ body: @escaping (Outbox.Conclusion) -> Void) {
        switch conclusion {
        case .answered(let answer) where isBusy:
            let limit = Self.postponedAnswerBytes
            do throws(SdError) {
                guard try answer.byteCount(upTo: limit + 1) <= limit else {
                    return whenFree { body(.unreadable("its answer has more than \(limit) bytes")) }
                }
            } catch {
                return whenFree { body(.unreadable("its answer can't be read: \(error)")) }
            }
            let kept = RetainedMessage(answer)
            whenFree { body(.answered(kept.message)) }
        case .answered, .unreadable, .timedOut, .unsent: whenFree { body(conclusion) }
        }
    }

    /// Has a call wait for its turn; gives sd-bus the result.
    private func postpone(
        _ message: OpaquePointer?, _ body: @escaping (Daemon, MessageReader) throws -> Void
    ) -> Int32 {
        guard let message else { return 0 }
        let call = MessageReader(message)
        do {
            let bytes = try call.byteCount(upTo: Limits.postponedBytesPerClient + 1)
            try backlog.add(
                Backlog.Call(
                    message: RetainedMessage(call), client: call.client, bytes: bytes, since: loop.now, body: body))
        } catch {
            return refuse(call, because: error)
        }
        resumeSoon()
        return 1
    }

    /// Serves a call that may change the tree to the presentable that was looked up, in its turn; gives sd-bus its result.
    static func change(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: @escaping (Daemon, MessageReader, NodeID) throws -> Void
    ) -> Int32 {
        guard let daemon = from(context), daemon.isBusy else { return serve(message, context, body) }
        let found = daemon.found
        return daemon.postpone(message) { daemon, call in
            // The path means what was there when the call came (S-25).
            guard let found, daemon.coordinator.isLive(found) else {
                throw FlowError.presentableGone
            }
            try body(daemon, call, found)
        }
    }

    /// The same to a presentable that may be gone: also one that was there when the call came.
    static func changeRepeatable(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: @escaping (Daemon, MessageReader, NodeID?) throws -> Void
    ) -> Int32 {
        guard let daemon = from(context), daemon.isBusy else { return serveRepeatable(message, context, body) }
        let found = daemon.found
        return daemon.postpone(message) { daemon, call in try body(daemon, call, found) }
    }

    /// The same to the root object.
    static func changeRoot(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: @escaping (Daemon, MessageReader) throws -> Void
    ) -> Int32 {
        guard let daemon = from(context), daemon.isBusy else { return serveRoot(message, context, body) }
        return daemon.postpone(message, body)
    }
}

extension FlowError {
    /// The presentable went while the call waited (S-22).
    static var presentableGone: FlowError { FlowError(.presentableDismissed, "the presentable is gone") }
}
