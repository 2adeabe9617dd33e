internal import FlowCore

/// A property of a ``Screen`` that outlives the process (S-44).
///
/// ```swift
/// final class Compose: Screen {
///     let presence = Presence()
///     @SavedState var draft = Draft()
/// }
/// ```
///
/// What is assigned is saved at once, with all other such properties of the screen. While one call that saves is under way, the
/// next one waits, and sends only the newest values. When the program crashes, or gives the screen away to free memory, the next
/// process that presents it has the values back before ``Presentable/present(_:)`` is called; a property without a saved value
/// keeps its initial one. `NavigationBus.present(as:at:screens:)` makes such screens.
///
/// Values have types that can be arguments of steps (<doc:StepsOnTheBus>); all of a screen may take 64 KiB. They are private: no
/// signal, property or log contains them. When a contributor with `reuse` gives the screen other arguments, what was saved is
/// dropped. Errors are reported by ``FlowCoordinator/failures`` or `ScreenPresenter.failures`: a value that can't be sent
/// (`invalidStep`), more than the limit (`limitExceeded`), and a saved value that does not fit the type any more
/// (`invalidStep`), in place of which the property keeps its initial value.
@FlowActor
@propertyWrapper
public final class SavedState<Value: Codable & Sendable> {
    /// The value.
    public var wrappedValue: Value { didSet { if !isRestoring { changes.notify(()) } } }
    private let changes = Listeners<Void>()
    private var isRestoring = false

    /// Creates a property.
    ///
    /// - Parameter wrappedValue: the initial value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// A ``SavedState`` of any type.
@FlowActor
protocol AnySavedState: AnyObject {
    func subscribe(_ changed: @escaping @FlowActor () -> Void) -> Subscription
    func encode(named name: String) throws(StepError) -> FlowCore.Value?
    func restore(_ value: FlowCore.Value?, named name: String) throws(StepError)
}

extension SavedState: AnySavedState {
    func subscribe(_ changed: @escaping @FlowActor () -> Void) -> Subscription {
        Subscription(changes.add { changed() })
    }

    func encode(named name: String) throws(StepError) -> FlowCore.Value? {
        try NamedValues.encode(single: wrappedValue, named: name, of: SavedProperties.subject)
    }

    func restore(_ value: FlowCore.Value?, named name: String) throws(StepError) {
        let restored = try NamedValues.decode(Value.self, single: value, named: name, of: SavedProperties.subject)
        isRestoring = true
        wrappedValue = restored
        isRestoring = false
    }
}

/// The ``SavedState`` properties of an object.
@FlowActor
package struct SavedProperties {
    package nonisolated static let subject = "the saved state"
    private static var finder = PropertyFinder<any AnySavedState>()

    private let properties: [(name: String, state: any AnySavedState)]

    /// None.
    init() { properties = [] }

    var isEmpty: Bool { properties.isEmpty }

    package init(of object: AnyObject) {
        properties = Self.finder.properties(of: object).map { (name: $0.name, state: $0.value) }
    }

    func subscribe(_ changed: @escaping @FlowActor () -> Void) -> [Subscription] {
        properties.map { $0.state.subscribe(changed) }
    }

    func encode() throws(StepError) -> FlowCore.Arguments {
        var arguments: FlowCore.Arguments = []
        for (name, state) in properties {
            if let value = try state.encode(named: name) { arguments.append(Argument(name, value)) }
        }
        return arguments
    }

    /// Restores the properties that have a saved value. Returns the errors of those that it does not fit.
    func restore(_ arguments: FlowCore.Arguments) -> [StepError] {
        var errors: [StepError] = []
        for (name, state) in properties {
            guard let value = arguments[name]?.value else { continue }
            do throws(StepError) { try state.restore(value, named: name) } catch { errors.append(error) }
        }
        return errors
    }
}
