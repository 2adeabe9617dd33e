/// A question to a guard, a navigator, a presenter or an owner, with what waits for the answer.
enum Asked: Equatable, Sendable {
    /// A step, and the bus name of the guard that was asked. New definitions may have another guard, or none.
    case `guard`(WaitingStep, of: String)
    /// A step, and the bus name of the navigator that was asked.
    case navigator(WaitingStep, of: String)
    /// A screen.
    case presenter(AskedPresenter)
    /// A screen whose owner was asked whether it is alive.
    case owner(AskedOwner)

    /// The step that waits for the answer, if there is one.
    var step: WaitingStep? {
        switch self {
        case .guard(let step, _), .navigator(let step, _): step
        case .presenter, .owner: nil
        }
    }

    /// The stage of that step.
    var stage: StepRecord.Stage {
        switch self {
        case .guard: .guard
        case .navigator: .navigator
        case .presenter, .owner: .blocked
        }
    }

    /// The same question about the step as new definitions declare it.
    func about(_ step: WaitingStep) -> Asked {
        switch self {
        case .guard(_, let name): .guard(step, of: name)
        case .navigator(_, let name): .navigator(step, of: name)
        case .presenter, .owner: self
        }
    }
}

/// A call of `Present` under way.
struct AskedPresenter: Equatable, Sendable {
    let screen: NodeID
    let path: String
    /// The path of the presenter's object.
    let object: String
    /// How it was called, if it knows nothing of flowbus (S-40).
    var application: ApplicationCall?
    /// The origin that contributed the screen; the cascade waits for the answer (S-11).
    let origin: UInt64
    /// The reason if the screen is gone; nil if it is live.
    var withdrawn: Withdrawal.Reason?
    /// Whether the call has reached its time limit; the presenter may still answer.
    var isLate = false
    /// Whether the screen returned to sight; nothing depends on the answer (S-38).
    var isReturn = false
    /// The values of the context that the call has (S-57).
    var context: Arguments = []
}

/// A call of `Alive` under way.
struct AskedOwner: Equatable, Sendable {
    let screen: NodeID
    let client: Client
}

/// Whether the programs of presenters implement `Alive`, by the bus names of those.
struct WatchedPrograms: Equatable, Sendable {
    /// Presenters that have answered. The silence of such a one means that it hangs.
    private(set) var answering: Set<String> = []
    /// Others that did not answer. They are not asked again, as each call that is never answered takes room in the bus.
    private(set) var silent: Set<String> = []

    mutating func noteAnswer(of name: String) {
        answering.insert(name)
        silent.remove(name)
    }

    mutating func noteSilence(of name: String) { silent.insert(name) }

    /// Another program has the name.
    mutating func exchange(_ name: String) { silent.remove(name) }

    /// Keeps what is known of these presenters.
    mutating func keep(_ names: Set<String>) {
        answering.formIntersection(names)
        silent.formIntersection(names)
    }
}

/// The open questions to other processes.
///
/// It knows neither flows nor screens. Each answer, and all that makes a question pointless, closes the question and
/// returns what waited for it; the coordinator decides how that continues. An answer to a question that is not open does no
/// harm: the flow is gone, or the time limit was reached.
struct Questions: Sendable {
    /// The open questions.
    private var table: [UInt64: Asked] = [:]
    private var last: UInt64 = 0
    /// What is known of the programs of presenters (S-44).
    var programs = WatchedPrograms()

    var isEmpty: Bool { table.isEmpty }
    var count: Int { table.count }
    /// The numbers of the open questions, in no order.
    var numbers: [UInt64] { Array(table.keys) }
    /// The open questions.
    var open: [QuestionID: Asked] {
        Dictionary(uniqueKeysWithValues: table.map { (QuestionID($0.key), $0.value) })
    }

    subscript(id: QuestionID) -> Asked? { table[id.number] }

    /// Opens a question.
    mutating func ask(_ asked: Asked) -> QuestionID {
        last += 1
        let id = QuestionID(last)
        table[id.number] = asked
        return id
    }

    // MARK: Answers

    /// A guard answered. Returns the step, and the guard's bus name.
    mutating func closeGuard(_ id: QuestionID) -> (step: WaitingStep, name: String)? {
        let asked = table.removeValue(forKey: id.number)
        if case .guard(let step, let name)? = asked { return (step, name) }
        table[id.number] = asked
        return nil
    }

    /// Whether a guard or navigator is asked about a step of one of these origins.
    func haveSteps(of origins: Range<UInt64>) -> Bool {
        table.values.contains { $0.step.map { origins.contains($0.origin) } ?? false }
    }

    /// A navigator answered. Returns the step, and the navigator's bus name.
    mutating func closeNavigator(_ id: QuestionID) -> (step: WaitingStep, name: String)? {
        let asked = table.removeValue(forKey: id.number)
        if case .navigator(let step, let name)? = asked { return (step, name) }
        table[id.number] = asked
        return nil
    }

    /// A presenter answered, or reached its time limit. In the second case the question stays open, because it may still
    /// answer.
    mutating func closePresenter(_ id: QuestionID, isTimeout: Bool) -> AskedPresenter? {
        guard case .presenter(let asked)? = table[id.number] else { return nil }
        table[id.number] = nil
        if isTimeout, !asked.isLate, !asked.isReturn {
            var late = asked
            late.isLate = true
            table[id.number] = .presenter(late)
        }
        return asked
    }

    /// An owner answered whether it is alive, or did not.
    @discardableResult mutating func closeOwner(_ id: QuestionID) -> AskedOwner? {
        guard case .owner(let asked)? = table[id.number] else { return nil }
        table[id.number] = nil
        return asked
    }

    // MARK: Questions whose asker is gone

    /// A flow that asked is gone. Returns the step.
    mutating func withdraw(_ id: QuestionID) -> WaitingStep? {
        table.removeValue(forKey: id.number)?.step
    }

    /// A screen is gone while its presenter is called. The question stays open, so that the presenter gets `Withdraw` when
    /// it answers.
    ///
    /// - Returns: whether the question is open.
    mutating func withdraw(_ id: QuestionID, because reason: Withdrawal.Reason) -> Bool {
        guard case .presenter(var asked)? = table[id.number] else { return false }
        asked.withdrawn = reason
        table[id.number] = .presenter(asked)
        return true
    }

    /// The questions about steps, the oldest first.
    var aboutSteps: [(id: QuestionID, asked: Asked)] {
        open.filter { $0.value.step != nil }.sorted { $0.key.number < $1.key.number }.map { ($0.key, $0.value) }
    }

    /// Replaces the step of a question after the definitions have changed; nil closes the question.
    mutating func renew(_ id: QuestionID, with step: WaitingStep?) {
        table[id.number] = step.flatMap { table[id.number]?.about($0) }
    }

    /// The role and the bus name of the process that was asked about a step.
    func service(asked id: QuestionID) -> (role: String, name: String)? {
        switch table[id.number] {
        case .guard(_, let name)?: ("guard", name)
        case .navigator(_, let name)?: ("navigator", name)
        case .presenter?, .owner?, nil: nil
        }
    }
}
