/// Why a presentable is dismissed by something other than its flow (S-23).
struct Dismissal {
    let reason: DismissalReason
    /// The error that led to it; nil if none did.
    let fault: Fault?
    /// Whether the user closed the window of a program that knows nothing of flowbus: a root does not begin again then (S-48).
    let isClosed: Bool

    init(_ reason: DismissalReason, _ fault: Fault? = nil, isClosed: Bool = false) {
        self.reason = reason
        self.fault = fault
        self.isClosed = isClosed
    }
}

/// What a flow can have a step for: how a child went.
enum Departure {
    /// It was dismissed: `onDismissed` (S-23).
    case dismissal(Dismissal)
    /// It answered with these values: `onResult` (S-45).
    case answer(Arguments)

    /// Its result; nil if there is none.
    var result: Arguments? { if case .answer(let result) = self { result } else { nil } }
    /// The error that led to it; nil if none did.
    var fault: Fault? { if case .dismissal(let why) = self { why.fault } else { nil } }
    /// The reason in `onDismissed`.
    var reason: String { if case .dismissal(let why) = self { why.reason.rawValue } else { "" } }
}
