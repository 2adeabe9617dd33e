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
        lastOrigin = other.lastOrigin
        serial = other.serial
        originAtHand = other.originAtHand
        effects = other.effects
        request = other.request
        answer = other.answer
        token = other.token
        calledPath = other.calledPath
        calls = other.calls
        deepLinks = other.deepLinks
        suspended = other.suspended
        resumable = other.resumable
        slice = other.slice
        lateAnswers = other.lateAnswers
        questions = other.questions
        lastQuestion = other.lastQuestion
        blocked = other.blocked
        readers = other.readers
        activationTokens = other.activationTokens
        watched = other.watched
        fileDefinitions = other.fileDefinitions
        registrations = other.registrations
        unsaved = other.unsaved
        restoredRoots = other.restoredRoots
        now = other.now
        tokens = other.tokens
        nameOwners = other.nameOwners
        alarms = other.alarms
        timer = other.timer
    }
}
