public import FlowBus
internal import FlowCore

/// A screen that this program shows for the service: what its owner can do with it.
///
/// A program owns a screen once it has presented it, which is when the closure of
/// ``NavigationBus/present(as:at:_:withdraw:)`` has returned.
@FlowActor
public final class PresentedScreen: Sendable {
    /// The path of the screen.
    public let path: NodePath
    /// The instance number, never used again (S-1).
    public let instance: UInt64
    /// The values of the context that the declaration of the screen names, as they are now (S-57).
    public private(set) var context: [String: DBusValue] = [:]
    private let contexts = Broadcast<[String: DBusValue]>()
    private let link: BusLink
    private let saver: StateSaver
    /// What the screen asks.
    let asks: ScreenAsks
    private(set) var isOwned = false
    /// Calls of the service under way that ask for the screen, and what the answer is to say of it.
    private var requests = 0
    private var report = ScreenReport()
    private var sightHandler: (@FlowActor (Bool) -> Void)?
    /// What waits until this program is the owner.
    private var waiting: [@FlowActor () -> Void] = []

    init(_ link: BusLink, _ path: NodePath, _ instance: UInt64) {
        (self.link, self.path, self.instance) = (link, path, instance)
        let object = path.objectPath(of: instance)
        saver = StateSaver { [weak link] state, done in
            guard let link else { return done(.failure(NavigationError(.disconnected, "the connection was closed"))) }
            link.saveState(state, at: object, done)
        }
        let calls = ScreenAsks.Calls { [weak link] step throws(NavigationError) in
            guard let link else { throw NavigationError(.disconnected, "the connection was closed") }
            return try link.names.message(of: step)
        } ask: { [weak link] step, token, done in
            var emission = Emission(step: step, path: path, token: token, instance: instance)
            (emission.asks, emission.waits) = (true, false)
            link?.emit(emission, done)
        } acknowledge: { [weak link] token, done in
            link?.acknowledge(token, of: object, done)
        }
        asks = ScreenAsks(calls) { _ in }
        asks.whenSaved = { [saver] in saver.whenSaved($0) }
    }

    private var object: String { path.objectPath(of: instance) }

    /// Saves what the user would lose with this process, such as text that was typed (S-44). The next process that presents the
    /// screen has it as ``PresentationRequest/state``. The latest call counts, as a whole.
    ///
    /// While another call is under way, this one waits; if a newer one comes meanwhile, only that is sent. So it can be called
    /// after each key that is pressed.
    ///
    /// - Parameter state: a struct; its properties have types that can be arguments of steps (<doc:/FlowBus/StepsOnTheBus>).
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner` if this program does not own the screen, `limitExceeded` if the state takes more
    ///   than 64 KiB, `invalidStep` if it can't be sent, `unknownObject` if the screen is gone, … What was saved before stays.
    public func save(_ state: some Encodable) async throws {
        let encoded = try KeptValues.state(state)
        try await answer { saver.save({ encoded }, $0) }
    }

    /// Saves values that have no Swift type, as ``save(_:)-(Encodable)``.
    ///
    /// - Parameter state: the values by name.
    /// - Throws: ``/FlowBus/NavigationError``, as ``save(_:)-(Encodable)``.
    public func save(_ state: [String: DBusValue]) async throws {
        let encoded = Arguments(state)
        try await answer { saver.save({ encoded }, $0) }
    }

    /// Sets the title, which task switchers show (S-44).
    ///
    /// Before this program owns the screen, in the closure that presents it, it returns at once, and the title goes with the answer.
    ///
    /// - Parameter title: the title, of at most 256 bytes; empty for none.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `notOwner`.
    public func setTitle(_ title: String) async throws {
        guard isAnswered else {
            guard ScreenReport.takes(title: title) else { throw Self.refusal(of: title) }
            return report.title = title
        }
        try await answer { link.setTitle(title, at: object, $0) }
    }

    /// Reports whether the screen is visible.
    ///
    /// Before this program owns the screen, in the closure that presents it, it returns at once, and the visibility goes with the answer.
    ///
    /// - Parameter isVisible: whether it is visible.
    /// - Throws: ``/FlowBus/NavigationError``, for instance `unknownObject`.
    public func setVisible(_ isVisible: Bool) async throws {
        guard isAnswered else { return report.isVisible = isVisible }
        try await answer { link.setVisible(isVisible, at: object, $0) }
    }

    /// Has a handler called when the screen goes out of sight, and when it comes back: a program that does not draw what nobody sees
    /// learns by it when to begin again (S-38). A screen that is presented is in sight.
    ///
    /// Set it in the closure that presents the screen: the service is told with the answer. It sends the signal to this program alone.
    ///
    /// - Parameter handler: called with whether the screen is in sight.
    public func onSightChange(_ handler: @escaping @FlowActor (_ isInSight: Bool) -> Void) { sightHandler = handler }

    private var isAnswered: Bool { isOwned || requests == 0 }

    private static func refusal(of title: String) -> NavigationError {
        let (count, limit) = (title.utf8.count, Limits.titleLength)
        guard count <= limit else {
            return NavigationError(.limitExceeded, "the title has \(count) bytes; it can have at most \(limit)")
        }
        return NavigationError(
            .invalidArguments,
            "the title '\(title)' has a character that can't be sent on the bus: U+0000, or a noncharacter")
    }

    /// Dismisses the screen without an answer.
    ///
    /// - Throws: ``/FlowBus/NavigationError``, for instance `unknownObject`.
    public func dismiss() async throws { try await answer { link.dismiss(object, $0) } }

    /// Dismisses the screen because the program has to give up, and says what failed (S-22).
    ///
    /// - Parameters:
    ///   - error: the name of an error, such as `com.example.Pay.Error.Declined`; the flow gets it as `$error`.
    ///   - message: its text, which the flow gets as `$message`; the service keeps 1,024 bytes.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner`; `invalidArguments` for a name that no error can have; …
    public func fail(_ error: String, _ message: String = "") async throws {
        try await answer { link.fail(object, error, message, $0) }
    }

    /// Dismisses the screen with an answer to whoever asked for it (S-45).
    ///
    /// - Parameter answer: a struct whose properties are the values that the definition of the screen has as its `result`.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner`; `notSupported` if the screen declares no `result`; `invalidArguments` if the
    ///   values do not fit it; `limitExceeded` if they take more than 64 KiB; `invalidStep` if they can't be sent; … The screen
    ///   stays then.
    public func finish(with answer: some Encodable) async throws {
        let encoded = try KeptValues.result(answer)
        try await FlowBus.answer { link.finish(object, encoded, $0) }
    }

    /// Dismisses the screen with an answer that has no Swift type, as ``finish(with:)-(Encodable)``.
    ///
    /// - Parameter answer: the values by name.
    /// - Throws: ``/FlowBus/NavigationError``, as ``finish(with:)-(Encodable)``.
    public func finish(with answer: [String: DBusValue]) async throws {
        let encoded = Arguments(answer)
        try await FlowBus.answer { link.finish(object, encoded, $0) }
    }

    /// Emits a step on the screen, and has the handler of ``onAnswer(to:as:_:)`` called with the answer, in the process that owns the
    /// screen by then (S-45).
    ///
    /// - Parameters:
    ///   - step: the step. The answer is that of the first screen or flow with a `result` to which it leads.
    ///   - name: what is asked, as ``onAnswer(to:as:_:)`` has it.
    /// - Throws: ``/FlowBus/NavigationError`` with the code `invalidStep` if the step can't be sent. Later errors are reported by
    ///   ``ScreenPresenter/failures``.
    public func ask(_ step: any BusStep, named name: String) throws(NavigationError) {
        try asks.ask(step, named: name)
    }

    /// Has the answers to asks of a name handled, including those of a process that has ended since.
    ///
    /// When the handler has returned, and what was saved meanwhile has reached the service, the answer is acknowledged, and does not
    /// come again. If the handler throws, or the process ends before that, it comes again with the next request to present the
    /// screen. So set the handler whenever the screen is presented, and hold the screen as long as it is live.
    ///
    /// - Parameters:
    ///   - name: what is asked, as ``ask(_:named:)`` has it.
    ///   - type: the type of the answer, a struct.
    ///   - handler: called with each answer, or with the reason why there is none.
    public func onAnswer<Answer: Decodable & Sendable>(
        to name: String, as type: Answer.Type = Answer.self,
        _ handler: @escaping @FlowActor (AskResult<Answer>) async throws -> Void
    ) {
        asks.handle(name) { answer in try await handler(try answer.decoded(as: Answer.self)) }
    }

    /// The values of ``context`` whenever one is another one, from now on.
    public var contextChanges: NavigationEvents<[String: DBusValue]> { contexts.values() }

    /// The service says what the values of the context are; it can say so again.
    func take(_ context: [String: DBusValue]) {
        guard context != self.context else { return }
        self.context = context
        contexts.send(context)
    }

    /// Calls the block once this program owns the screen.
    func whenOwned(_ block: @escaping @FlowActor () -> Void) {
        if isOwned { block() } else { waiting.append(block) }
    }

    /// The service asks for the screen.
    func beginPresenting(_ reason: FlowBus.Presentation.Reason) {
        requests += 1
        // It is asked for as a screen that nobody owns.
        if reason != .update, reason != .return { isOwned = false }
    }

    /// What the answer is to say of the screen.
    func takeReport() -> ScreenReport {
        requests -= 1
        var said = report
        report = ScreenReport()
        if sightHandler != nil { said.wantsSight = true }
        return said
    }

    /// Adds to what the answer is to say.
    func say(_ more: ScreenReport) { report = more }

    func sightChanged(_ isInSight: Bool) { sightHandler?(isInSight) }

    /// The service was told that the screen is presented.
    func becomeOwned() {
        isOwned = true
        asks.becomeOwner()
        let blocks = waiting
        waiting = []
        for block in blocks { block() }
    }
}

extension PresentationRequest {
    /// Returns what an owner of the screen saved last, for instance in a process that ended since (S-44).
    ///
    /// - Parameter type: the type with which it was saved.
    /// - Returns: The value; nil if there is nothing.
    /// - Throws: ``/FlowBus/NavigationError`` with the code `invalidStep` if what was saved does not fit the type.
    public func restoredState<State: Decodable>(as type: State.Type) throws(NavigationError) -> State? {
        state.isEmpty ? nil : try KeptValues.decode(type, from: state, as: SavedProperties.subject)
    }
}

extension PresentationRequest {
    /// What the service knows of the screen.
    var known: ScreenReport { ScreenReport(isVisible: isVisible, title: title) }
}

extension FlowBus.Presentation {
    init(_ request: PresentationRequest) {
        self.init(
            path: request.path, arguments: request.arguments, reason: request.reason, isRepeated: request.isRepeated,
            state: request.state, activationToken: request.activationToken)
    }
}
