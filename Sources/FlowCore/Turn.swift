/// The state of the event at hand: its call, its effects, and how far it has been handled.
///
/// It is passed to all that take part in the event, and never stored: between two events there is none.
struct Turn: ~Copyable, Sendable {
    /// The call at hand.
    struct CurrentCall: Sendable {
        /// nil if the event is not a call that can be answered later.
        var request: RequestID?
        /// The token of the call.
        var token: Tokens.Key?
        /// The object path of the call, if it is not that of the presentable that takes the step. A step that begins to
        /// wait needs it for its record before the call has one.
        var path: String?
    }

    /// The time of the event.
    let now: Instant
    /// About how many effects and steps to handle before the rest is left to the next slice (S-7).
    var size: Int
    /// How many steps were taken.
    var taken = 0
    var call = CurrentCall()
    /// The answer to the call. It is sent when the cascade has ended or waits (S-9).
    var answer: CallAnswer?
    /// Whether it walks along a path, so that presenters are called at its end (S-38).
    var isOnPath = false
    /// The effects so far.
    var effects: [Effect]
    /// Answers to asks. They are sent after the answer to the call (S-45).
    private var answersToAsks: [Effect] = []
    /// Answers to earlier calls. They are sent when the cascade of this origin has ended or waits (S-9).
    private var lateAnswers: [Effect] = []
    private var lateOrigin: UInt64 = 0

    /// Begins a turn, whose effects follow those of earlier ones.
    init(at now: Instant, upTo size: Int = .max, after earlier: [Effect] = []) {
        self.now = now
        self.size = size < .max - earlier.count ? size + earlier.count : .max
        effects = earlier
    }

    /// Whether the slice is full, and the rest continues later.
    var isOver: Bool { taken + effects.count >= size }

    /// Counts a step.
    mutating func begin(_ step: WaitingStep) {
        if lateOrigin != step.origin { sendLateAnswers() }
        taken += 1
    }

    /// Answers an earlier call.
    mutating func answerLate(_ answer: CallAnswer, origin: UInt64) {
        lateOrigin = origin
        lateAnswers.append(answer.asEffect())
    }

    mutating func sendLateAnswers() {
        effects += lateAnswers
        lateAnswers = []
    }

    /// Answers an ask, after the answer to the call.
    mutating func answerAsk(_ answered: Answered) { answersToAsks.append(.emitAnswered(answered)) }

    mutating func sendAnswersToAsks() { effects += takeAnswersToAsks() }

    /// Takes the answers to asks.
    mutating func takeAnswersToAsks() -> [Effect] {
        let answers = answersToAsks
        answersToAsks = []
        return answers
    }

    /// Takes the effects so far.
    mutating func takeEffects() -> [Effect] {
        let done = effects
        effects = []
        return done
    }
}

/// The answer to a call. It is an effect that is not sent yet, and much smaller than others.
enum CallAnswer: Sendable {
    case reply(RequestID, Answer)
    case fail(RequestID, FlowError)

    /// The effect that sends it.
    func asEffect() -> Effect {
        switch self {
        case .reply(let request, let answer): .reply(request, answer)
        case .fail(let request, let error): .fail(request, error)
        }
    }
}
