/// What was asked of a guard, a navigator or a presenter.
enum Asked: Equatable, Sendable {
    /// A flow's guard, by its bus name, about this step. Definitions that came since may have another, or none.
    case `guard`(WaitingStep, of: String)
    /// A flow's navigator, by its bus name, where this step leads.
    case navigator(WaitingStep, of: String)
    /// A presenter, to show a screen.
    case presenter(AskedPresenter)

    /// The step that waits for the answer; nil: none does.
    var step: WaitingStep? {
        switch self {
        case .guard(let step, _), .navigator(let step, _): step
        case .presenter: nil
        }
    }

    /// How far that step is on its way.
    var stage: StepRecord.Stage {
        switch self {
        case .guard: .guard
        case .navigator: .navigator
        case .presenter: .blocked
        }
    }

    /// The same question about a step that new definitions declare.
    func about(_ step: WaitingStep) -> Asked {
        switch self {
        case .guard(_, let name): .guard(step, of: name)
        case .navigator(_, let name): .navigator(step, of: name)
        case .presenter: self
        }
    }
}

/// A presenter that was called.
struct AskedPresenter: Equatable, Sendable {
    let screen: NodeID
    let path: String
    /// The path of the presenter's object.
    let object: String
    /// The origin that contributed the screen: it has something waiting meanwhile (S-11).
    let origin: UInt64
    /// Why the screen is gone; nil: it is not.
    var withdrawn: Withdrawal.Reason?
    /// Whether the call has failed because its time was over; the presenter may still answer.
    var isLate = false
}

/// The open questions: what other processes were asked and have not answered.
///
/// It knows neither flows nor screens. Each answer, and whatever makes a question pointless, takes the question out and
/// gives back what waited for it; the coordinator decides how that goes on. An answer to a question that is not open is
/// benign: its flow or its time was over first.
struct Questions: Sendable {
    /// All of them.
    private(set) var open: [QuestionID: Asked] = [:]
    private var last: UInt64 = 0

    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }

    subscript(id: QuestionID) -> Asked? { open[id] }

    /// Opens a question.
    mutating func ask(_ asked: Asked) -> QuestionID {
        last += 1
        let id = QuestionID(last)
        open[id] = asked
        return id
    }

    // MARK: Answers

    /// A guard answered: the step that it was asked about, and the guard's bus name.
    mutating func closeGuard(_ id: QuestionID) -> (step: WaitingStep, name: String)? {
        guard case .guard(let step, let name)? = open[id] else { return nil }
        open[id] = nil
        return (step, name)
    }

    /// A navigator answered: the step that it was asked about, and the navigator's bus name.
    mutating func closeNavigator(_ id: QuestionID) -> (step: WaitingStep, name: String)? {
        guard case .navigator(let step, let name)? = open[id] else { return nil }
        open[id] = nil
        return (step, name)
    }

    /// A presenter answered, or its time was over for the first time: then it may still answer, and the question stays open.
    mutating func closePresenter(_ id: QuestionID, isTimeout: Bool) -> AskedPresenter? {
        guard case .presenter(let asked)? = open[id] else { return nil }
        open[id] = nil
        if isTimeout, !asked.isLate {
            var late = asked
            late.isLate = true
            open[id] = .presenter(late)
        }
        return asked
    }

    // MARK: Questions without an asker

    /// A flow needs no answer any more: the step that it asked about.
    mutating func withdraw(_ id: QuestionID) -> WaitingStep? {
        open.removeValue(forKey: id)?.step
    }

    /// A screen is gone while its presenter is called. The question stays open, so that a presenter that answers learns of it.
    ///
    /// - Returns: whether the question is open.
    mutating func withdraw(_ id: QuestionID, because reason: Withdrawal.Reason) -> Bool {
        guard case .presenter(var asked)? = open[id] else { return false }
        asked.withdrawn = reason
        open[id] = .presenter(asked)
        return true
    }

    /// The questions about steps, the oldest first.
    var aboutSteps: [(id: QuestionID, asked: Asked)] {
        open.filter { $0.value.step != nil }.sorted { $0.key.number < $1.key.number }.map { ($0.key, $0.value) }
    }

    /// The step of a question as new definitions declare it; nil: they don't, and the question is closed.
    mutating func renew(_ id: QuestionID, with step: WaitingStep?) {
        open[id] = step.flatMap { open[id]?.about($0) }
    }

    /// Who was asked about a flow's step: what it is to the flow, and its bus name.
    func service(asked id: QuestionID) -> (role: String, name: String)? {
        switch open[id] {
        case .guard(_, let name)?: ("guard", name)
        case .navigator(_, let name)?: ("navigator", name)
        case .presenter?, nil: nil
        }
    }
}
