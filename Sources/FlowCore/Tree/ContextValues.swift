/// The values of the coordinator's context, or of a flow's (S-57), in the order of their declarations.
struct ContextValues: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        /// The value; private by its declaration, or because it came from a private argument.
        var argument: Argument
        /// Whether somebody has set it. Other values are the initial ones of any definitions.
        var isSet = false
        /// Whether it is kept on a disk.
        var isForDisk = false
    }

    private(set) var entries: [Entry] = []

    init() {}

    /// The values as they begin.
    init(_ declared: [ContextDeclaration]) {
        entries = declared.map {
            Entry(argument: Argument($0.name, $0.initial, isPrivate: $0.isPrivate), isForDisk: $0.isForDisk)
        }
    }

    var isEmpty: Bool { entries.isEmpty }
    /// The values.
    var arguments: Arguments { entries.map(\.argument) }
    /// Those that everyone can read.
    var published: Arguments { arguments.broadcastable }

    subscript(name: String) -> Argument? { entries.first { $0.argument.name == name }?.argument }

    /// Sets a value that is declared.
    mutating func set(_ argument: Argument) {
        guard let place = entries.firstIndex(where: { $0.argument.name == argument.name }) else { return }
        entries[place].argument = argument
        entries[place].isSet = true
    }

    /// The values by these declarations: those that were set stay if they have the type, and are times where that is asked
    /// for (S-55); all others begin.
    func renewed(by declared: [ContextDeclaration], _ definitions: Definitions) -> ContextValues {
        var renewed = ContextValues(declared)
        for (place, declaration) in declared.enumerated() {
            guard let own = entries.first(where: { $0.isSet && $0.argument.name == declaration.name }),
                own.argument.value.hasSignature(declaration.type.signature) || declaration.type.acceptance == .any,
                definitions.fault(ofSpan: declaration.name, own.argument.value) == nil
            else { continue }
            renewed.entries[place].argument.value = own.argument.value
            renewed.entries[place].argument.isPrivate = own.argument.isPrivate || declaration.isPrivate
            renewed.entries[place].isSet = true
        }
        return renewed
    }

    /// Those that were set, for a record; nil if none was.
    var recorded: ContextValues? {
        var recorded = self
        recorded.entries.removeAll { !$0.isSet }
        return recorded.isEmpty ? nil : recorded
    }

    /// Those that a disk may have, for another bus; nil if there are none.
    var forDisk: ContextValues? {
        var kept = self
        kept.entries.removeAll { !$0.isForDisk || $0.argument.isPrivate }
        return kept.isEmpty ? nil : kept
    }
}

/// The record of values that were set, by the instance of the flow that has them; 0 stands for the coordinator.
extension ContextValues: RecordBody {
    static var unread: ContextValues { ContextValues() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) { try coder.code(&entries) }
}

extension ContextValues.Entry: RecordPart {
    static var unread: Self { Self(argument: .unread, isSet: true) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&argument)
        try coder.code(&isForDisk)
    }
}

/// The number of signals of changed values is limited: at most one in ``Limits/contextPause``, and the last value always arrives.
struct ContextPace: Equatable, Sendable {
    private var next = Instant(microseconds: 0)
    private var isDue = false

    /// A value has changed. Returns whether it is reported now; if not, the time at which an alarm has to be set, unless one is.
    mutating func change(at now: Instant) -> (isNow: Bool, alarm: Instant?) {
        if now >= next {
            report(at: now)
            return (true, nil)
        }
        defer { isDue = true }
        return (false, isDue ? nil : next)
    }

    /// The time of the alarm has come. Returns whether there is something to report.
    mutating func fire(at now: Instant) -> Bool {
        guard isDue, next <= now else { return false }
        report(at: now)
        return true
    }

    private mutating func report(at now: Instant) { (next, isDue) = (now.advanced(by: Limits.contextPause), false) }
}
