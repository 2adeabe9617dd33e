import FlowCore
import FlowWire
import SdBus

/// Reads an `a{sv}` as arguments, each value once, and never more than the limits allow: a message can have 128 MiB.
///
/// Its methods throw ``FlowError`` for arguments that are refused, ``SdError`` for a message that libsystemd can't read.
struct ArgumentsReader {
    /// What the values are, in error messages.
    private struct Subject {
        let whole: String
        let part: String
        /// Why it can't have a file descriptor.
        let isKept: String

        static let arguments = Subject(
            whole: "the arguments take", part: "argument", isKept: "a step is stored and sent to many")
        static let state = Subject(whole: "the state takes", part: "value", isKept: "a state is stored")
        static let context = Subject(whole: "the values take", part: "value", isKept: "a context is stored")
        static let result = Subject(whole: "the result takes", part: "value", isKept: "a result is stored")
    }

    private let message: MessageReader
    private let subject: Subject
    /// How many bytes may follow.
    private var budget = Limits.argumentBytes

    private init(_ message: MessageReader, _ subject: Subject = .arguments) {
        self.message = message
        self.subject = subject
    }

    /// Reads the next value, a dictionary. Declared arguments share the names of their declarations, so that no text is made of
    /// those.
    static func read(_ message: MessageReader, for parameters: [Parameter]) throws -> Arguments {
        var reader = ArgumentsReader(message)
        return try reader.read(for: parameters)
    }

    /// Reads the next value, a dictionary with the saved state of a screen (S-44).
    static func readState(_ message: MessageReader) throws -> Arguments {
        var reader = ArgumentsReader(message, .state)
        let state = try reader.read(for: [])
        for place in state.indices where state[..<place].contains(where: { $0.name == state[place].name }) {
            throw FlowError(.invalidArguments, "the state has two values '\(Names.escaped(state[place].name))'")
        }
        return state
    }

    /// Reads the next value, a dictionary with values of the context (S-57).
    static func readContext(_ message: MessageReader) throws -> Arguments {
        var reader = ArgumentsReader(message, .context)
        let values = try reader.read(for: [])
        for place in values.indices where values[..<place].contains(where: { $0.name == values[place].name }) {
            throw FlowError(
                .invalidArguments, "the value '\(Names.escaped(values[place].name))' is given more than once")
        }
        return values
    }

    /// Reads the next value, a dictionary with the result of a screen (S-45).
    static func readResult(_ message: MessageReader) throws -> Arguments {
        var reader = ArgumentsReader(message, .result)
        return try reader.read(for: [])
    }

    /// Skips the next value, a dictionary. A dictionary that is too large is refused, as libsystemd needs a second for each
    /// 60 MB.
    static func skip(_ message: MessageReader) throws { _ = try read(message, for: []) }

    /// Reads the value inside the next variant, which is to be an argument of a step. The name is for errors.
    static func readVariant(_ message: MessageReader, named name: String) throws -> Value {
        var reader = ArgumentsReader(message)
        return try reader.variant(of: name, depth: 0)
    }

    /// Reads all values of a message, which are to be arguments of a step.
    static func readValues(_ message: MessageReader) throws -> [Value] {
        var reader = ArgumentsReader(message)
        var values: [Value] = []
        while try !message.isAtEnd() { values.append(try reader.value(of: "$\(values.count)", depth: 0)) }
        return values
    }

    private mutating func read(for parameters: [Parameter]) throws -> Arguments {
        var arguments: Arguments = []
        guard try message.enterContainer(.array, "{sv}") else { return arguments }
        arguments.reserveCapacity(parameters.count)
        while try message.enterContainer(.dictEntry, "sv") {
            guard arguments.count < Limits.argumentCount else {
                throw FlowError(.limitExceeded, "more than \(Limits.argumentCount) \(subject.part)s; that is the limit")
            }
            let name = try message.readString()
            let parameter = parameters.first { $0.name.isSpelled(name) }
            let argument = parameter?.name ?? String(cString: name)
            try spend(Limits.argumentNameBytes + argument.utf8.count)
            let value = try parameter.flatMap { parameter in try basicVariant(of: parameter.type) }
            arguments.append(Argument(argument, try value ?? variant(of: argument, depth: 0)))
            try message.exitContainer()
        }
        try message.exitContainer()
        return arguments
    }

    /// Reads the value inside the next variant, if it has this type, and that is a basic one; else nil. Most values have the
    /// type of their declaration, and sd-bus need not be asked for it.
    private mutating func basicVariant(of type: ValueType) throws -> Value? {
        guard type.signature.utf8.count == 1, let letter = type.signature.utf8.first, letter != UInt8(ascii: "v"),
            try message.enterVariant(of: letter)
        else { return nil }
        let value = try basic(letter)
        try message.exitContainer()
        return value
    }

    /// Reads the value inside the next variant.
    private mutating func variant(of argument: String, depth: Int) throws -> Value {
        let contents = try next().contents
        // A basic type has one letter, so that the message is not asked again.
        let type = UInt8(bitPattern: contents.pointee)
        let isBasic = type != 0 && contents[1] == 0
        _ = try message.enterContainer(.variant, contents)
        let value = try isBasic ? basic(type) ?? value(of: argument, depth: depth) : value(of: argument, depth: depth)
        try message.exitContainer()
        return value
    }

    /// Reads the next value if it is of this basic type; nil if the type is not basic.
    private mutating func basic(_ type: UInt8) throws -> Value? {
        if let kind = Value.StringLikeType(rawValue: type) { return Value(kind, try text(message.readText(type))) }
        guard let value = try message.readFixed(type) else { return nil }
        try spend(Limits.valueBytes)
        return value
    }

    /// Reads the next value, of any type.
    private mutating func value(of argument: String, depth: Int) throws -> Value {
        let (type, contents) = try next()
        if let value = try basic(type) { return value }
        switch type {
        case UInt8(ascii: "v"):
            try spend(Limits.valueBytes)
            return .variant(try variant(of: argument, depth: deeper(depth, argument)))
        case UInt8(ascii: "a"):
            try spend(Limits.valueBytes)
            let element = String(cString: contents)
            if element == "y" { return .bytes(try bytes()) }
            return .array(element: element, try members(.array, contents, argument, deeper(depth, argument)))
        case UInt8(ascii: "r"):
            try spend(Limits.valueBytes)
            return .structure(try members(.structure, contents, argument, deeper(depth, argument)))
        case UInt8(ascii: "e"):
            try spend(Limits.valueBytes)
            let depth = try deeper(depth, argument)
            _ = try message.enterContainer(.dictEntry, contents)
            let key = try value(of: argument, depth: depth)
            let entry = Value.entry(key: key, value: try value(of: argument, depth: depth))
            try message.exitContainer()
            return entry
        default:
            throw FlowError(
                .invalidArguments,
                "the \(subject.part) '\(argument)' has a file descriptor; \(subject.isKept), so it can't have one"
            )
        }
    }

    private mutating func bytes() throws -> [UInt8] {
        try message.withBytes { bytes in
            try spend(bytes.count)
            return Array(bytes)
        }
    }

    /// Reads the members of the next container.
    private mutating func members(
        _ type: Container, _ contents: UnsafePointer<CChar>, _ argument: String, _ depth: Int
    ) throws -> [Value] {
        _ = try message.enterContainer(type, contents)
        var members: [Value] = []
        while try !message.isAtEnd() { members.append(try value(of: argument, depth: depth)) }
        try message.exitContainer()
        return members
    }

    /// The next type, and the contents of a container.
    private func next() throws -> (type: UInt8, contents: UnsafePointer<CChar>) {
        guard let (type, contents) = try message.peekType() else {
            throw FlowError(.invalidArguments, "a value is missing")
        }
        return (type, contents ?? ("" as StaticString).cString)
    }

    private func deeper(_ depth: Int, _ argument: String) throws -> Int {
        guard depth < Limits.argumentNesting else {
            throw FlowError(
                .limitExceeded,
                "the \(subject.part) '\(argument)' nests containers deeper than \(Limits.argumentNesting), which is the limit"
            )
        }
        return depth + 1
    }

    private mutating func text(_ text: UnsafePointer<CChar>) throws -> String {
        try spend(Limits.valueBytes + text.bytes.count)
        return String(cString: text)
    }

    private mutating func spend(_ bytes: Int) throws {
        budget -= bytes
        guard budget >= 0 else {
            throw FlowError(
                .limitExceeded, "\(subject.whole) more than \(Limits.argumentBytes) bytes, which is the limit")
        }
    }
}
