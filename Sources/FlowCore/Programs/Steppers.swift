/// What is known of the properties and signals of other services that emit steps (S-42): the state of each property, and the
/// value that each root got last.
struct Steppers: Sendable {
    /// The state of a stepper, by its number in the definitions.
    private struct State: Sendable {
        /// The state of the property; nil until it is known, and for a signal.
        var known: StepperValue?
        /// When the property may emit again.
        var next = Instant(microseconds: 0)
        /// Whether an alarm is set for that time.
        var isDue = false
        /// When it counts as absent if it is not known by then; nil for one whose value no screen waits for.
        var firstDue: Instant?
        /// The origins of the steps that follow from its first value, if screens waited for that.
        var firstOrigins = 0..<UInt64(0)
    }

    /// A root and a stepper.
    struct Key: Hashable, Sendable {
        let root: UInt64
        let stepper: UInt64
    }

    /// The value that a root got last.
    private struct Emitted: Sendable {
        let number: UInt64
        var value: StepperValue
        var isPrivate: Bool
    }

    /// The identities of the steppers, by their numbers.
    private var identities: [UInt64]
    private var states: [State]
    private var emitted: [Key: Emitted] = [:]
    /// The number of the latest record.
    private var lastNumber: UInt64 = 0
    private(set) var book = RecordBook<Key>(.stepper)
    /// The screens whose presenters are called once the properties of their roots have led where they lead (S-49).
    private var held: Set<NodeID> = []

    init(_ definitions: Definitions) {
        identities = definitions.steppers.map(definitions.identity)
        states = identities.map { _ in State() }
    }

    /// Whether no definition has a stepper.
    var isEmpty: Bool { states.isEmpty && emitted.isEmpty }

    /// The state of a property; nil if it is not known.
    func known(_ stepper: StepperID) -> StepperValue? { states[stepper.index].known }

    // MARK: Properties

    /// Whether a property may emit its new value now, or else when it may.
    enum Admission: Equatable, Sendable {
        case now
        /// At this time; the alarm has to be set.
        case at(Instant)
        /// It does not emit now: an alarm is set for it, or it has had this value before.
        case no
    }

    /// A property has this value now.
    mutating func change(_ stepper: StepperID, to value: StepperValue, at now: Instant) -> Admission {
        if states[stepper.index].known == value { return .no }
        states[stepper.index].known = value
        guard now < states[stepper.index].next else { return .now }
        if states[stepper.index].isDue { return .no }
        states[stepper.index].isDue = true
        return .at(states[stepper.index].next)
    }

    /// A property emits now.
    mutating func begin(_ stepper: StepperID, at now: Instant) {
        states[stepper.index].next = now.advanced(by: Limits.stepperPause)
        states[stepper.index].isDue = false
    }

    // MARK: First values

    /// Screens wait for the first value of a property, until this time.
    mutating func awaitFirst(_ stepper: StepperID, until time: Instant) { states[stepper.index].firstDue = time }

    /// Whether screens wait for the first value of a property.
    func isAwaited(_ stepper: StepperID) -> Bool {
        states[stepper.index].known == nil && states[stepper.index].firstDue != nil
    }

    /// Whether the first value of a property had to come until this time, and did not.
    func isOverdue(_ stepper: StepperID, at time: Instant) -> Bool {
        guard stepper.index < states.count, isAwaited(stepper), let due = states[stepper.index].firstDue else {
            return false
        }
        return due <= time
    }

    /// A property emitted its value by these origins.
    mutating func noteFirst(_ stepper: StepperID, origins: Range<UInt64>) {
        guard states[stepper.index].firstDue != nil else { return }
        (states[stepper.index].firstDue, states[stepper.index].firstOrigins) = (nil, origins)
    }

    /// The origins of the steps that follow from the first value of a property.
    func firstOrigins(_ stepper: StepperID) -> Range<UInt64> { states[stepper.index].firstOrigins }

    mutating func hold(_ screen: NodeID) { held.insert(screen) }

    /// Whether screens wait.
    var hasHeld: Bool { !held.isEmpty }

    /// Takes the screens that wait, the oldest first.
    mutating func takeHeld() -> [NodeID] {
        if held.isEmpty { return [] }
        defer { held = [] }
        return held.sorted { $0.instance < $1.instance }
    }

    /// Whether a property waits for this time to emit.
    func isDue(_ stepper: StepperID, at time: Instant) -> Bool {
        stepper.index < states.count && states[stepper.index].isDue && states[stepper.index].next <= time
    }

    /// The steppers that wait to emit, and when they may.
    var due: [(stepper: StepperID, at: Instant)] {
        states.indices.compactMap { place in
            let stepper = StepperID(place)
            if isAwaited(stepper) { return states[place].firstDue.map { (stepper, $0) } }
            return states[place].isDue ? (stepper, states[place].next) : nil
        }
    }

    // MARK: What roots got

    /// The number for a root and a stepper, for the step with a state of the property; nil if the root got that state last.
    mutating func number(for value: StepperValue, of stepper: StepperID, at root: UInt64) -> UInt64? {
        if let last = emitted[Key(root: root, stepper: identities[stepper.index])] {
            return last.value == value ? nil : last.number
        }
        lastNumber += 1
        return lastNumber
    }

    /// Notes the state of a property as that which a root got last; nil if it is not known what the root got.
    mutating func note(
        _ value: StepperValue?, _ number: UInt64, of stepper: StepperID, at root: UInt64, isPrivate: Bool
    ) {
        let key = Key(root: root, stepper: identities[stepper.index])
        guard let value else { return forget { $0 == key } }
        emitted[key] = Emitted(number: number, value: value, isPrivate: isPrivate)
        book.touch(key)
    }

    /// A root is gone.
    mutating func forget(root: UInt64) { forget { $0.root == root } }

    private mutating func forget(where isGone: (Key) -> Bool) {
        for (key, last) in emitted where isGone(key) {
            emitted[key] = nil
            book.remove(key, last.number)
        }
    }

    // MARK: Definitions

    /// The definitions are others now. Steppers that are the same go on.
    mutating func exchange(_ definitions: Definitions) {
        let before = Dictionary(zip(identities, states)) { first, _ in first }
        identities = definitions.steppers.map(definitions.identity)
        states = identities.map { before[$0] ?? State() }
        let present = Set(identities)
        forget { !present.contains($0.stepper) }
    }

    // MARK: Records

    /// Takes the changed records, or all.
    mutating func takeRecords(all: Bool = false) -> [Record] {
        book.take(all: all ? Array(emitted.keys) : []) { [emitted] key in
            emitted[key].map { last in
                Record(
                    .stepper, last.number,
                    StepperRecord(root: key.root, stepper: key.stepper, value: last.value, isPrivate: last.isPrivate))
            }
        }
    }

    /// Restores a record of a root that is live again. One of a stepper that no definition has is dropped.
    mutating func restore(_ record: StepperRecord, _ number: UInt64, isLive: Bool) {
        lastNumber = max(lastNumber, number)
        let key = Key(root: record.root, stepper: record.stepper)
        book.restore(number)
        guard isLive, identities.contains(record.stepper) else { return book.remove(key, number) }
        emitted[key] = Emitted(number: number, value: record.value, isPrivate: record.isPrivate)
    }
}
