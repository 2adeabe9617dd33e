import FlowCore
import FlowWire
import Logging
import SdBus

// A call that leads to much work is handled in slices (S-7). Between them, calls that only read are answered; calls that
// may change the tree wait in order, so that no step of another client comes in between.

extension Daemon {
    /// How many postponed calls and events are handled at once.
    private static let postponedAtOnce = 64

    /// Whether an event is handled in slices, or calls wait for that.
    var isBusy: Bool { pendingWork.hasMore || !backlog.isEmpty }

    /// Has the next slice, or what waits for the last one, follow.
    func resumeSoon() {
        guard isBusy else { return }
        do throws(SdError) { try slices.schedule() } catch {
            logger.error("Could not resume later: \(error)")
            resume()
        }
    }

    /// Sends what came of the last slice, behind which the bus answers; whether there is another slice.
    func prepareSlice() -> Bool {
        guard isBusy, !isLost else { return false }
        commit()
        return true
    }

    /// Handles the next slice, or what waited for the last one.
    func resume() {
        // sd-bus answers calls of a lost connection before it reports the loss.
        guard isBusy, !isLost, bus.isOpen else { return }
        commit()
        for call in backlog.takeOverdue(at: loop.now) { _ = refuse(call.message.message, because: Backlog.overdue) }
        if pendingWork.hasMore { handle(.continued) } else { takePostponed() }
        resumeSoon()
    }

    private func takePostponed() {
        for _ in 0..<Self.postponedAtOnce where !pendingWork.hasMore {
            guard let (call, event) = backlog.takeNext() else { return }
            event?()
            if let call { serve(call) }
        }
    }

    private func serve(_ call: Backlog.PostponedCall) {
        let message = call.message.message
        do {
            try call.body(self, message)
        } catch {
            _ = refuse(message, because: error)
        }
    }

    // MARK: Postponed events

    /// Runs a closure in its turn: at once, unless an event is handled in slices.
    func whenFree(_ body: @escaping () -> Void) {
        guard isBusy else { return body() }
        backlog.add(event: body)
        resumeSoon()
    }

    /// Runs a closure with the result of a call in its turn.
    func whenFree(_ conclusion: Outbox.CallResult, _ body: @escaping (Outbox.CallResult) -> Void) {
        guard isBusy else { return body(conclusion) }
        switch conclusion {
        case .answered(let answer):
            let limit = Limits.postponedAnswerBytes
            do throws(SdError) {
                guard try answer.byteCount(upTo: limit + 1) <= limit else {
                    return whenFree { body(.unreadable("its answer has more than \(limit) bytes")) }
                }
            } catch {
                return whenFree { body(.unreadable("its answer can't be read: \(error)")) }
            }
            let message = RetainedMessage(answer)
            whenFree { body(.answered(message.message)) }
        case .unreadable, .timedOut, .unsent: whenFree { body(conclusion) }
        }
    }

    /// Postpones a call; gives sd-bus the result.
    private func postpone(
        _ message: OpaquePointer?, _ body: @escaping (Daemon, MessageReader) throws -> Void
    ) -> Int32 {
        guard let message else { return 0 }
        let call = MessageReader(message)
        do {
            let bytes = try call.byteCount(upTo: Limits.postponedBytesPerClient + 1)
            try backlog.add(
                Backlog.PostponedCall(
                    message: RetainedMessage(call), client: call.client, bytes: bytes, since: loop.now, body: body))
        } catch {
            return refuse(call, because: error)
        }
        resumeSoon()
        return 1
    }

    /// Serves a call that may change the tree, to the presentable that the lookup found, in its turn; gives sd-bus its result.
    static func change(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: @escaping (Daemon, MessageReader, NodeID) throws -> Void
    ) -> Int32 {
        guard let daemon = from(context), daemon.isBusy else { return serve(message, context, body) }
        let found = daemon.lookup.found
        return daemon.postpone(message) { daemon, call in
            // The path means the presentable that was there when the call came (S-25).
            guard let found, daemon.coordinator.isLive(found) else {
                throw FlowError.presentableGone
            }
            try body(daemon, call, found)
        }
    }

    /// Serves such a call to a presentable that may be gone, even since the call came.
    static func changeRepeatable(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: @escaping (Daemon, MessageReader, NodeID?) throws -> Void
    ) -> Int32 {
        guard let daemon = from(context), daemon.isBusy else { return serveRepeatable(message, context, body) }
        let found = daemon.lookup.found
        return daemon.postpone(message) { daemon, call in try body(daemon, call, found) }
    }

    /// Serves such a call to the root object.
    static func changeRoot(
        _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
        _ body: @escaping (Daemon, MessageReader) throws -> Void
    ) -> Int32 {
        guard let daemon = from(context), daemon.isBusy else { return serveRoot(message, context, body) }
        return daemon.postpone(message, body)
    }
}

extension FlowError {
    /// The presentable was dismissed while the call was postponed (S-22).
    static var presentableGone: FlowError { FlowError(.presentableDismissed, "the presentable is gone") }
}
