/// A connection to the simulated bus. What it sends arrives in order, and so does what it gets.
final class Peer {
    let number: Int
    let name: String
    /// The number of its latest message.
    var latest: UInt32 = 0
    var isGone = false
    /// Calls of flowbusd that it has not answered.
    var questions: Set<UInt32> = []
    /// Tokens that it can repeat.
    var tokens: [String] = []
    private var lastToBus: UInt64 = 0
    private var lastFromBus: UInt64 = 0

    init(number: Int) {
        self.number = number
        name = Self.name(number)
    }

    static func name(_ number: Int) -> String { ":1.\(number)" }

    /// When the next message reaches the bus that takes until this time.
    func nextToBus(_ time: UInt64) -> UInt64 {
        lastToBus = max(lastToBus, time)
        return lastToBus
    }

    func nextFromBus(_ time: UInt64) -> UInt64 {
        lastFromBus = max(lastFromBus, time)
        return lastFromBus
    }
}

/// A call to flowbusd, by its caller and number.
struct CallKey: Hashable, Comparable {
    let peer: Int
    let number: UInt32

    static func < (one: CallKey, other: CallKey) -> Bool { (one.peer, one.number) < (other.peer, other.number) }
}

/// A call to flowbusd that has no answer.
struct PendingCall {
    enum Kind {
        case any
        /// GetManagedObjects.
        case objects
        /// GetHistory after a serial.
        case history
        /// EmitStepWithOptions with a token.
        case token(TokenLedger.Key)
        /// CancelStep by the token of such a call.
        case cancel(TokenLedger.Key)
    }

    let member: String
    let kind: Kind
    let sent: UInt64
    /// The life of flowbusd that it was delivered to; nil while it was not.
    var life: Int?
    /// When it was delivered, without the time that passed while flowbusd had work at hand.
    var delivered: UInt64 = 0
}
