/// How many values a sequence keeps for its reader that were not read yet, as `AsyncStream` has it. Each sequence counts what it has
/// lost: `lostCount`.
public enum BufferingPolicy: Hashable, Sendable {
    /// It keeps all, however many.
    case unbounded
    /// It keeps the oldest, up to a number; those that come while there are so many are lost.
    case bufferingOldest(Int)
    /// It keeps the newest, up to a number; the oldest of more are lost.
    case bufferingNewest(Int)

    /// The number that a sequence keeps if its reader says nothing else: 4,096. A reader that is so far behind does not keep up, or has
    /// stopped.
    public static var standardCount: Int { 4_096 }

    /// The number that is kept; nil if all are.
    var limit: Int? {
        switch self {
        case .unbounded: nil
        case .bufferingOldest(let limit), .bufferingNewest(let limit): max(limit, 0)
        }
    }
}
