package import FlowCore

/// Saves a state, one call at a time: what is saved while one is under way waits, and only the newest is sent then.
@FlowActor
package final class StateSaver {
    private let send: (FlowCore.Arguments, @escaping Done<Void>) -> Void
    private var isSending = false
    private var whenDone: [@FlowActor () -> Void] = []
    private var next: (make: @FlowActor () throws(NavigationError) -> FlowCore.Arguments, done: [Done<Void>])?

    /// - Parameter send: makes the call.
    package init(_ send: @escaping (FlowCore.Arguments, @escaping Done<Void>) -> Void) { self.send = send }

    /// Saves a state.
    ///
    /// - Parameters:
    ///   - make: returns the state when it is sent.
    ///   - done: receives the result of the call that saves this state, or a newer one in its place.
    package func save(
        _ make: @escaping @FlowActor () throws(NavigationError) -> FlowCore.Arguments, _ done: @escaping Done<Void>
    ) {
        next = (make, (next?.done ?? []) + [done])
        sendNext()
    }

    /// Calls the block when nothing is to be saved any more.
    package func whenSaved(_ block: @escaping @FlowActor () -> Void) {
        if isSending { whenDone.append(block) } else { block() }
    }

    private func sendNext() {
        if isSending { return }
        guard let (make, done) = next else {
            let blocks = whenDone
            whenDone = []
            for block in blocks { block() }
            return
        }
        next = nil
        let finish: Done<Void> = { [weak self] result in
            for done in done { done(result) }
            self?.isSending = false
            self?.sendNext()
        }
        isSending = true
        do throws(NavigationError) { send(try make(), finish) } catch { finish(.failure(error)) }
    }
}
