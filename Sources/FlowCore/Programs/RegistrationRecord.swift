/// The record of a registered flow.
struct RegistrationRecord: RecordBody, Equatable, Sendable {
    var registration = Registration("", at: .unread, steps: [], by: .daemon)
    /// Whether its client is gone, and the bus can start another one.
    var isLeft = false

    static var unread: RegistrationRecord { RegistrationRecord() }
    var expectedByteCount: Int { 256 }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&registration.flow)
        try coder.code(&registration.service)
        try coder.code(&registration.steps)
        try coder.code(&registration.hasGuard)
        try coder.code(choice: &registration.children)
        try coder.code(&registration.initial)
        try coder.code(&registration.client)
        try coder.code(&registration.isActivatable)
        try coder.code(&isLeft)
        var (screens, path) = (registration.screens, registration.presenterPath ?? "")
        try coder.code(&screens)
        try coder.code(&path)
        if Coder.reads, !screens.isEmpty { registration.bring(screens, presentedAt: path) }
        try coder.code(&registration.whenEmpty)
        try coder.code(&registration.result)
    }
}

extension Service: RecordPart {
    static var unread: Service { Service("", path: "", timeout: 0) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, path, timeout) = (name, path, timeout)
        try coder.code(&name)
        try coder.code(&path)
        try coder.code(&timeout)
        self = Service(name, path: path, timeout: timeout)
    }
}

extension StepDeclaration: RecordPart {
    static var unread: StepDeclaration { StepDeclaration("") }

    /// The steps of a registration are never private.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, parameters) = (name, parameters)
        try coder.code(&name)
        try coder.code(&parameters)
        self = StepDeclaration(name, parameters: parameters)
    }
}

extension ScreenDeclaration: RecordPart {
    static var unread: ScreenDeclaration { ScreenDeclaration("") }

    /// What a client can register.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var name = name
        try coder.code(&name)
        if Coder.reads { self = ScreenDeclaration(name) }
        try coder.code(&parameters)
        try coder.code(&result)
        try coder.code(&keepsAwake)
        try coder.code(&isPresentedOnReturn)
        try coder.code(&budget)
        try coder.code(&watchdog)
        try coder.code(&key)
    }
}

extension Parameter: RecordPart {
    static var unread: Parameter { Parameter("", .unread) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, type, isOptional) = (name, type, isOptional)
        try coder.code(&name)
        try coder.code(&type)
        try coder.code(&isOptional)
        self = Parameter(name, type, isOptional: isOptional)
    }
}

extension ValueType: RecordPart {
    static var unread: ValueType { ValueType() }

    private init() { (signature, acceptance) = ("v", .any) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var signature = signature
        try coder.code(&signature)
        guard Coder.reads else { return }
        let read = ValueType(signature: signature)
        try coder.check(read != nil, "'\(signature)' is no type")
        self = read ?? self
    }
}

extension WhenEmpty: RecordPart {
    static var unread: WhenEmpty { .go }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &self)
    }
}
