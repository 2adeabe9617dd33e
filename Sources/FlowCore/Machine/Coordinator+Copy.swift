// A copy for a dry run. The machine itself can't be copied by accident: it is large, and there is one of it.

extension Coordinator {
    /// A coordinator in the same state, which goes its own way from here.
    borrowing func copy() -> Coordinator { Coordinator(copying: self) }

    private init(copying other: borrowing Coordinator) {
        definitions = other.definitions
        forest = other.forest
        queue = other.queue
        accounting = other.accounting
        evictionCandidates = other.evictionCandidates
        origins = other.origins
        serial = other.serial
        originAtHand = other.originAtHand
        effects = other.effects
        request = other.request
        answer = other.answer
        token = other.token
        calledPath = other.calledPath
        calls = other.calls
        slice = other.slice
        lateAnswers = other.lateAnswers
        questions = other.questions
        blocked = other.blocked
        activationTokens = other.activationTokens
        watches = other.watches
        registrations = other.registrations
        unsaved = other.unsaved
        restoredRoots = other.restoredRoots
        now = other.now
        tokens = other.tokens
        nameOwners = other.nameOwners
        alarms = other.alarms
    }
}
