/// Makes a call and returns its answer.
/// A task that is cancelled before the call makes no call. One that is cancelled later stops waiting at once; the call
/// is still carried out.
///
/// - Throws: ``NavigationError``, or `CancellationError`.
@FlowActor
package func answer<Success: Sendable>(to call: (@escaping Done<Success>) -> Void) async throws -> Success {
    try Task.checkCancellation()
    let waiting = WaitingCall<Success>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            waiting.begin(continuation)
            call { result in waiting.end(result.mapError { $0 as any Error }) }
        }
    } onCancel: {
        Task { @FlowActor in waiting.end(.failure(CancellationError())) }
    }
}

/// A call whose caller waits for the answer. The first result ends it.
@FlowActor
private final class WaitingCall<Success: Sendable> {
    private var continuation: CheckedContinuation<Success, any Error>?
    private var ended: Result<Success, any Error>?

    package nonisolated init() {}

    package func begin(_ continuation: CheckedContinuation<Success, any Error>) {
        if let ended { return continuation.resume(with: ended) }
        self.continuation = continuation
    }

    package func end(_ result: Result<Success, any Error>) {
        if ended != nil { return }
        ended = result
        continuation?.resume(with: result)
        continuation = nil
    }
}
