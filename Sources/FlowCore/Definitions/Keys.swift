// Keys: instances of one name, told apart by arguments (S-51).

/// A screen or flow that a rule means by its name: the newest one, or the newest with these values of its key (S-51).
public struct KeyedName: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let name: String
    /// Whether it is a flow, or a screen; nil if it can be either.
    public let isFlow: Bool?
    /// Values of its key, sorted by name. Those that are left out can be any.
    public let key: [Binding]

    /// Creates a name, with values of its key or without.
    public init(_ name: String, isFlow: Bool? = nil, key: [Binding] = []) {
        (self.name, self.isFlow, self.key) = (name, isFlow, key)
    }

    /// Creates a name without values of a key.
    public init(stringLiteral name: String) { self.init(name) }
}

/// What a keyed name means at a step, whose values it has.
struct Sought {
    let name: String
    /// nil if it can be a flow or a screen.
    var isFlow: Bool?
    /// The arguments that have to be equal.
    var keyNames: [String] = []
    /// Their values. One that is absent has to be absent there, too.
    var values: Arguments = []

    /// Whether a presentable is meant.
    func means(_ name: String, isFlow: Bool, _ arguments: Arguments) -> Bool {
        self.name == name && (self.isFlow ?? isFlow) == isFlow && arguments.have(values, of: keyNames)
    }
}

extension [Argument] {
    /// Whether these arguments have the same values. That one is private, or was stored with another type, does not matter.
    func have(_ values: Arguments, of names: [String]) -> Bool {
        names.allSatisfy { name in
            guard let own = self[name]?.value, let value = values[name]?.value else {
                return self[name] == nil && values[name] == nil
            }
            if own.isSame(as: value) { return true }
            return ValueType(signature: own.signature)?.admit(value)?.isSame(as: own) == true
        }
    }
}

extension [Argument] {
    /// A short text that stands for these values, the same in each process, and tells nothing of them.
    func digest(of names: [String]) -> String {
        var writer = RecordWriter()
        for name in names {
            writer.append(self[name] != nil)
            if let value = self[name]?.value { writer.append(value) }
        }
        // FNV-1a. Where two are the same, two presentables share a pause.
        let hash: UInt64 = writer.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

extension Definitions {
    /// The names of the arguments by which a child is told apart from its siblings; empty if it is not.
    func key(of presentable: ChildTemplate.Presentable) -> [String] {
        switch presentable {
        case .screen(let id): screens[id.index].key
        case .flow(let id): flows[id.index].key
        }
    }

    /// The same of what is live.
    func key(ofLive name: String, isFlow: Bool) -> [String] {
        isFlow ? flow(named: name).map { self[$0].key } ?? [] : screen(named: name).map { self[$0].key } ?? []
    }
}

/// The rule for keys: the same for definition files and registrations.
public enum KeyRule {
    /// Returns why these arguments can't be a key; nil if they can.
    ///
    /// - Parameters:
    ///   - names: the names of arguments.
    ///   - subject: the screen or flow, in the words of a message.
    ///   - arguments: the names of all of its arguments.
    /// - Returns: the place of the name that is wrong, and the reason.
    public static func problem(
        with names: [String], of subject: String, _ arguments: [String]
    ) -> (place: Int?, text: String)? {
        if names.isEmpty {
            return (nil, "the key of \(subject) is empty; it has to name arguments, or be left out")
        }
        if names.count > Limits.keyArguments {
            return (nil, "the key of \(subject) names \(names.count) arguments, of at most \(Limits.keyArguments)")
        }
        for (place, name) in names.enumerated() {
            if !arguments.contains(name) {
                let takes = arguments.isEmpty ? "none" : Names.list(arguments)
                let suggestion = Names.suggestion(for: name, among: arguments)
                return (place, "\(subject) has no argument '\(Names.escaped(name))': it takes \(takes)\(suggestion)")
            }
            if names[..<place].contains(name) {
                return (place, "the key of \(subject) names '\(name)' twice; once is enough")
            }
            if name == "screen" || name == "flow" {
                let text = "'\(name)' can't be in a key: beside the values of a key, it says what they belong to"
                return (place, text + "; give the argument another name")
            }
        }
        return nil
    }
}

extension ScreenDeclaration {
    /// The arguments of its key, each of which can be left out.
    var keyParameters: [Parameter] { parameters.optional(key) }
}

extension FlowDefinition {
    /// The arguments of its key, each of which can be left out.
    var keyParameters: [Parameter] { parameters.optional(key) }
}

extension [Parameter] {
    fileprivate func optional(_ names: [String]) -> [Parameter] {
        filter { names.contains($0.name) }.map { Parameter($0.name, $0.type, isOptional: true) }
    }
}
