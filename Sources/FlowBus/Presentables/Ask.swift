internal import FlowCore

/// What a ``Screen`` asks: a property whose answers arrive even after the process that asked has ended (S-45).
///
/// ```swift
/// final class Compose: Screen {
///     let presence = Presence()
///     @SavedState var draft = Draft()
///     let recipient = Ask<Contact>()
///
///     init() {
///         recipient.onAnswer = { [unowned self] in
///             if let contact = $0.answer { draft.to = contact.name }
///         }
///     }
///
///     func chooseRecipient() throws { try recipient.ask(MailStep.pickContact) }
/// }
/// ```
///
/// The step is emitted on the screen. The answer is that of the first screen or flow with a `result` to which the step leads. It
/// belongs to the screen: if the program crashes before the answer, the next process that presents the screen gets it, at the
/// property of the same name. So set ``onAnswer`` in the initializer of the screen.
///
/// When ``onAnswer`` has returned, and what it changed is saved (``SavedState``), the answer is acknowledged, and does not come
/// again. If the process ends before that, or ``onAnswer`` throws, it comes again with the next presentation, so it must not matter
/// that one comes twice. Errors are reported by
/// ``FlowCoordinator/failures`` or `ScreenPresenter.failures`: of the step; `limitExceeded` if 16 asks of the screen are open
/// or not acknowledged; `invalidStep` if the answer does not fit the type.
@FlowActor
public final class Ask<Answer: Sendable> {
    /// Called with each answer, or with the reason why there is none.
    public var onAnswer: (@FlowActor (AskResult<Answer>) async throws -> Void)? { didSet { bind() } }
    private var binding: (asks: ScreenAsks, name: String)?
    /// Steps that were asked before the screen was live.
    private var waiting: [any Step] = []

    /// Creates a property that has asked nothing.
    public init() {}

    /// Emits a step on the screen, and has ``onAnswer`` called with the answer. The step is sent once this program is the owner of
    /// the screen, which it is when it has presented the screen.
    ///
    /// - Parameter step: the step.
    /// - Throws: ``NavigationError`` with the code `invalidStep` if the step can't be sent. Before the screen is live, the error is
    ///   reported by ``FlowCoordinator/failures`` or `ScreenPresenter.failures` instead.
    public func ask(_ step: any Step) throws(NavigationError) {
        if let binding { try binding.asks.ask(step, named: binding.name) } else { waiting.append(step) }
    }

    private func bind() {
        guard let (asks, name) = binding, let onAnswer else { return }
        asks.handle(name) { answer in try await onAnswer(try answer.decoded(as: Answer.self)) }
    }
}

/// An ``Ask`` of any type.
@FlowActor
protocol AnyAsk: AnyObject {
    func bind(to asks: ScreenAsks, named name: String)
}

extension Ask: AnyAsk {
    func bind(to asks: ScreenAsks, named name: String) {
        binding = (asks, name)
        bind()
        let steps = waiting
        waiting = []
        for step in steps {
            do throws(NavigationError) { try asks.ask(step, named: name) } catch { asks.failed(error) }
        }
    }
}

extension ScreenAsks {
    /// Binds the ``Ask`` properties of an object, by their names.
    package func bind(_ object: AnyObject) {
        for (name, ask) in Self.finder.properties(of: object) { ask.bind(to: self, named: name) }
    }
}

/// The stored properties of screens that are of one type.
@FlowActor
struct PropertyFinder<Property> {
    /// Classes without such properties, which most screens are: to look for them costs more than all else that a screen does.
    private var without: Set<ObjectIdentifier> = []

    /// Returns the properties of an object, by name, and without the underscore of wrapped ones.
    mutating func properties(of object: AnyObject) -> [(name: String, value: Property)] {
        let identity = ObjectIdentifier(type(of: object))
        if without.contains(identity) { return [] }
        var found: [(name: String, value: Property)] = []
        var hasOptionals = false
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            for child in current.children {
                guard let value = child.value as? Property, let label = child.label else {
                    // Another object can have it.
                    if Mirror(reflecting: child.value).displayStyle == .optional { hasOptionals = true }
                    continue
                }
                found.append((label.hasPrefix("_") ? String(label.dropFirst()) : label, value))
            }
            mirror = current.superclassMirror
        }
        if found.isEmpty, !hasOptionals { without.insert(identity) }
        return found
    }
}
