/// Makes a call and waits for its answer. Who is cancelled stops to wait at once; what was asked for happens all the same. Who
/// is cancelled already makes none.
///
/// - Throws: ``NavigationError``, or `CancellationError`.
@MainActor
func answer<Success: Sendable>(to call: (@escaping Done<Success>) -> Void) async throws -> Success {
    try Task.checkCancellation()
    let waiting = WaitingCall<Success>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            waiting.begin(continuation)
            call { result in waiting.end(result.mapError { $0 as any Error }) }
        }
    } onCancel: {
        Task { @MainActor in waiting.end(.failure(CancellationError())) }
    }
}

/// Somebody waits for the answer to a call. It comes once, whatever ends it first.
@MainActor
private final class WaitingCall<Success: Sendable> {
    private var continuation: CheckedContinuation<Success, any Error>?
    private var ended: Result<Success, any Error>?

    nonisolated init() {}

    func begin(_ continuation: CheckedContinuation<Success, any Error>) {
        if let ended { return continuation.resume(with: ended) }
        self.continuation = continuation
    }

    func end(_ result: Result<Success, any Error>) {
        if ended != nil { return }
        ended = result
        continuation?.resume(with: result)
        continuation = nil
    }
}
