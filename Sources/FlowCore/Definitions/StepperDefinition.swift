/// A stepper of a definition file, by its index in ``Definitions/steppers``.
public struct StepperID: Hashable, Sendable {
    /// The index.
    public let index: Int

    /// Creates an id from an index.
    public init(_ index: Int) { self.index = index }
}

/// A property or a signal of another service that emits steps on the live roots of a flow (`[[steppers]]`, S-42).
public struct StepperDefinition: Hashable, Sendable {
    /// The bus of the service.
    public enum Bus: String, CaseIterable, Sendable {
        /// The bus that the daemon serves.
        case served
        /// The system's bus.
        case system
        /// The user's bus.
        case session
    }

    /// The object that has the property or sends the signal.
    public enum Object: Hashable, Sendable {
        /// Every object of the service; for signals alone.
        case any
        /// The object with this path.
        case path(String)
        /// The object whose path a call answers.
        case answer(PathCall)
    }

    /// A call that answers an object path.
    public struct PathCall: Hashable, Sendable {
        /// The method.
        public let member: String
        /// Its arguments.
        public let arguments: [Value]
        /// The path of the object that is called.
        public let object: String
        /// The interface of the method.
        public let interface: String

        /// Creates a call.
        public init(_ member: String, arguments: [Value] = [], object: String, interface: String) {
            self.member = member
            self.arguments = arguments
            self.object = object
            self.interface = interface
        }
    }

    /// What makes it emit.
    public enum Source: Hashable, Sendable {
        /// A property of this name. While it can't be read, the step has these arguments; with nil nothing is emitted then.
        case property(String, absent: Arguments?)
        /// A signal of this name.
        case signal(String)
    }

    /// An argument of the step.
    public struct Binding: Hashable, Sendable {
        /// The source of a value.
        public enum Source: Hashable, Sendable {
            /// A value in the file, of the declared type.
            case literal(Value)
            /// `$value`: the value of the property.
            case value
            /// `$0`, `$1`, …: an argument of the signal; left out if the signal has fewer.
            case argument(Int)
        }

        /// The declared name of the argument.
        public let name: String
        /// The source of its value.
        public let source: Source

        /// Creates an argument.
        public init(_ name: String, _ source: Source) {
            self.name = name
            self.source = source
        }
    }

    /// The flow: each live root of it gets the steps.
    public let flow: FlowID
    /// The bus of the service.
    public let bus: Bus
    /// The bus name of the service, which is told as the sender.
    public let name: String
    /// The object.
    public let object: Object
    /// The interface of the property or signal.
    public let interface: String
    /// The property or signal.
    public let source: Source
    /// The step.
    public let step: StepID
    /// The step's arguments.
    public let bindings: [Binding]
    /// Whether the service is started.
    public let startsService: Bool

    /// Creates a stepper.
    public init(
        _ flow: FlowID, bus: Bus = .served, name: String, object: Object, interface: String, source: Source,
        step: StepID, bindings: [Binding] = [], startsService: Bool = false
    ) {
        self.flow = flow
        self.bus = bus
        self.name = name
        self.object = object
        self.interface = interface
        self.source = source
        self.step = step
        self.bindings = bindings
        self.startsService = startsService
    }

    /// The name of the property or signal.
    public var member: String {
        switch source {
        case .property(let name, _), .signal(let name): name
        }
    }

    /// Whether it is a property.
    public var isProperty: Bool { if case .property = source { true } else { false } }
}

/// What is known of a property of another service.
public enum StepperValue: Hashable, Sendable {
    /// Its value.
    case value(Value)
    /// It can't be read: nobody owns the bus name, there is no such bus, or the service refused.
    case absent
}

extension Definitions {
    /// The name of a stepper in messages and traces: `org.freedesktop.UPower.OnBattery for device`, with a number if others
    /// before it have the same.
    public func name(of stepper: StepperID) -> String {
        let name = baseName(of: steppers[stepper.index])
        let others = steppers[..<stepper.index].count { baseName(of: $0) == name }
        return others == 0 ? name : "\(name) (\(others + 1))"
    }

    private func baseName(of stepper: StepperDefinition) -> String {
        "\(stepper.interface).\(stepper.member) for \(flows[stepper.flow.index].name)"
    }

    /// The stepper with this name (``name(of:)``).
    public func stepper(named name: String) -> StepperID? {
        steppers.indices.lazy.map(StepperID.init).first { self.name(of: $0) == name }
    }

    /// Identifies a stepper in other definitions, which may have other numbers: a hash of all that the definition says of it.
    ///
    /// Records have it, so it must not change.
    func identity(of stepper: StepperDefinition) -> UInt64 {
        var writer = RecordWriter()
        for text in [
            flows[stepper.flow.index].name, stepper.bus.rawValue, stepper.name, stepper.interface, stepper.member,
            steps[stepper.step.index].name,
        ] {
            writer.append(text)
        }
        writer.append(stepper.startsService)
        switch stepper.object {
        case .any: writer.append(byte: 0)
        case .path(let path):
            writer.append(byte: 1)
            writer.append(path)
        case .answer(let call):
            writer.append(byte: 2)
            for text in [call.member, call.object, call.interface] { writer.append(text) }
            writer.append(list: call.arguments) { $0.append($1) }
        }
        switch stepper.source {
        case .signal: writer.append(byte: 0)
        case .property(_, nil): writer.append(byte: 1)
        case .property(_, let absent?):
            writer.append(byte: 2)
            writer.append(absent)
        }
        writer.append(list: stepper.bindings) { writer, binding in
            writer.append(binding.name)
            switch binding.source {
            case .literal(let value):
                writer.append(byte: 0)
                writer.append(value)
            case .value: writer.append(byte: 1)
            case .argument(let index):
                writer.append(byte: 2)
                writer.append(UInt64(index))
            }
        }
        return writer.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The steppers of `before` by their places here; nil for those that it does not have.
    public func places(ofSteppersIn before: Definitions) -> [StepperID?] {
        var places: [UInt64: StepperID] = [:]
        for (place, stepper) in steppers.enumerated() { places[identity(of: stepper)] = StepperID(place) }
        return before.steppers.map { places[before.identity(of: $0)] }
    }
}
