/// What belongs to the event at hand and ends with it: the call that brought it, how far it has come, and what it leads to.
///
/// It is passed to whatever takes part in the event, never stored: between two events there is none.
struct Turn: ~Copyable, Sendable {
    /// The call at hand.
    struct Call: Sendable {
        /// nil: the event is no call that can be answered later.
        var request: RequestID?
        /// What it is to be remembered by.
        var token: Tokens.Key?
        /// Its object path, where that is not the path of the presentable that takes its step: a step that comes to wait has
        /// its record before the call has one.
        var path: String?
    }

    /// The time of the event.
    let now: Instant
    /// About how much to do, in effects and steps, before the rest is left to the next slice (S-7).
    var size: Int
    /// Steps that were taken.
    var taken = 0
    var call = Call()
    /// The answer to the call: it goes out when the cascade is done, or waits (S-9).
    var answer: Effect?
    /// The origin of the step at hand; 0: none is.
    var origin: UInt64 = 0
    /// What the event leads to so far.
    var effects: [Effect] = []
    /// Answers to calls that came before; they go out when the cascade of this origin is done, or waits (S-9).
    private var lateAnswers: (origin: UInt64, answers: [Effect]) = (0, [])

    init(at now: Instant, upTo size: Int = .max) {
        self.now = now
        self.size = size
        effects.reserveCapacity(2)
    }

    /// Whether so much was done that the rest goes on later.
    var isOver: Bool { taken + effects.count >= size }

    /// A step is taken.
    mutating func begin(_ step: WaitingStep) {
        if !lateAnswers.answers.isEmpty, lateAnswers.origin != step.origin { sendLateAnswers() }
        origin = step.origin
        taken += 1
    }

    /// Answers a call that came before.
    mutating func answerLate(_ effect: Effect, origin: UInt64) {
        lateAnswers.origin = origin
        lateAnswers.answers.append(effect)
    }

    mutating func sendLateAnswers() {
        if lateAnswers.answers.isEmpty { return }
        effects += lateAnswers.answers
        lateAnswers.answers = []
    }

    /// Takes out what the event has led to so far.
    mutating func takeEffects() -> [Effect] {
        let done = effects
        effects = []
        return done
    }
}
