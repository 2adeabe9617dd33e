/// The record of the value of a property that a root got last (S-42): after a restart it gets the property only if that
/// differs.
struct StepperRecord: RecordBody, Equatable, Sendable {
    /// The instance of the root.
    var root: UInt64 = 0
    /// The identity of the stepper's definition.
    var stepper: UInt64 = 0
    var value = StepperValue.absent
    /// Whether the step is private, and so the value.
    var isPrivate = false

    static var unread: StepperRecord { StepperRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&root)
        try coder.code(&stepper)
        try coder.code(&value)
        try coder.code(&isPrivate)
    }
}

extension StepperValue: RecordPart {
    static var unread: StepperValue { .absent }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var cases = try coder.cases(of: self)
        try coder.code(&cases, 0, .absent)
        try coder.code(&cases, 1, Self.value) { if case .value(let value) = $0 { value } else { nil } }
        self = try coder.end(cases)
    }
}
