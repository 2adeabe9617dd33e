internal import FlowCore

/// A type of values that a step, a result or a saved state can have on the bus.
///
/// Texts, numbers, arrays, sets and dictionaries of the standard library conform. An enum with raw values and a struct that is `Codable`
/// need no more than the conformance:
///
/// ```swift
/// enum Quality: String, StepArgument { case good, best }
/// struct Place: StepArgument { var title: String, stars: Int }
/// ```
///
/// The struct is an `a{sv}` on the bus, with its properties by their names. A type that codes itself as something else says so:
///
/// ```swift
/// struct MovieID: StepArgument {
///     static let argumentType = ArgumentType.string
///     init(from decoder: any Decoder) throws { … }
///     func encode(to encoder: any Encoder) throws { … }
/// }
/// ```
public protocol StepArgument: Codable {
    /// The type on the bus.
    static var argumentType: ArgumentType { get }
}

/// A type of values on the bus.
public struct ArgumentType: Hashable, Sendable, CustomStringConvertible {
    let type: ValueType

    /// Creates a type from a signature of one of the constants below, or from one that is made of these.
    private init(_ signature: String) {
        // A type that nests deeper than the bus has it is refused when a value is encoded.
        type = ValueType(signature: signature) ?? .any
    }

    /// The type of the values of a Swift type, as far as it says so: what does not is coded as a struct.
    init(of type: Any.Type) { self = (type as? any StepArgument.Type)?.argumentType ?? .namedValues }

    /// `b`
    public static let bool = ArgumentType("b")
    /// `y`
    public static let byte = ArgumentType("y")
    /// `n`
    public static let int16 = ArgumentType("n")
    /// `q`
    public static let uint16 = ArgumentType("q")
    /// `i`
    public static let int32 = ArgumentType("i")
    /// `u`
    public static let uint32 = ArgumentType("u")
    /// `x`
    public static let int64 = ArgumentType("x")
    /// `t`
    public static let uint64 = ArgumentType("t")
    /// `d`
    public static let double = ArgumentType("d")
    /// `s`
    public static let string = ArgumentType("s")
    /// `ay`: bytes.
    public static let bytes = ArgumentType("ay")
    /// `a{sv}`: named values of any types, as structs are.
    public static let namedValues = ArgumentType("a{sv}")

    /// An array.
    ///
    /// - Parameter element: the type of its elements.
    /// - Returns: The type.
    public static func array(of element: ArgumentType) -> ArgumentType { ArgumentType("a" + element.type.signature) }

    /// A dictionary whose keys are texts.
    ///
    /// - Parameter value: the type of its values.
    /// - Returns: The type.
    public static func dictionary(of value: ArgumentType) -> ArgumentType {
        ArgumentType("a{s" + value.type.signature + "}")
    }

    /// The type as definition files have it, for instance `int64`, or its D-Bus signature.
    public var description: String { type.description }
}

extension ValueType {
    /// `v`
    static let any = ValueType(signature: "v") ?? { preconditionFailure("'v' is a signature") }()
}

extension StepArgument {
    /// ``ArgumentType/namedValues``, as of a struct.
    public static var argumentType: ArgumentType { .namedValues }
}

extension StepArgument where Self: RawRepresentable {
    /// Not available: the raw values have no type on the bus.
    @available(
        *, unavailable,
        message:
            "the type of its raw values has none on the bus; use Double for Float, Int16 for Int8, or declare 'argumentType'"
    )
    public static var argumentType: ArgumentType { .namedValues }
}

extension StepArgument where Self: RawRepresentable, RawValue: StepArgument {
    /// The type of its raw values.
    public static var argumentType: ArgumentType { RawValue.argumentType }
}

extension Bool: StepArgument {
    /// ``ArgumentType/bool``
    public static var argumentType: ArgumentType { .bool }
}

extension UInt8: StepArgument {
    /// ``ArgumentType/byte``
    public static var argumentType: ArgumentType { .byte }
}

extension Int16: StepArgument {
    /// ``ArgumentType/int16``
    public static var argumentType: ArgumentType { .int16 }
}

extension UInt16: StepArgument {
    /// ``ArgumentType/uint16``
    public static var argumentType: ArgumentType { .uint16 }
}

extension Int32: StepArgument {
    /// ``ArgumentType/int32``
    public static var argumentType: ArgumentType { .int32 }
}

extension UInt32: StepArgument {
    /// ``ArgumentType/uint32``
    public static var argumentType: ArgumentType { .uint32 }
}

extension Int: StepArgument {
    /// ``ArgumentType/int64``
    public static var argumentType: ArgumentType { .int64 }
}

extension Int64: StepArgument {
    /// ``ArgumentType/int64``
    public static var argumentType: ArgumentType { .int64 }
}

extension UInt: StepArgument {
    /// ``ArgumentType/uint64``
    public static var argumentType: ArgumentType { .uint64 }
}

extension UInt64: StepArgument {
    /// ``ArgumentType/uint64``
    public static var argumentType: ArgumentType { .uint64 }
}

extension Double: StepArgument {
    /// ``ArgumentType/double``
    public static var argumentType: ArgumentType { .double }
}

extension String: StepArgument {
    /// ``ArgumentType/string``
    public static var argumentType: ArgumentType { .string }
}

extension Array: StepArgument where Element: StepArgument {
    /// An array of the type of the elements.
    public static var argumentType: ArgumentType { .array(of: Element.argumentType) }
}

extension Set: StepArgument where Element: StepArgument {
    /// An array of the type of the elements.
    public static var argumentType: ArgumentType { .array(of: Element.argumentType) }
}

extension Dictionary: StepArgument where Key: CodingKeyRepresentable & Codable, Value: StepArgument {
    /// A dictionary of the type of the values.
    public static var argumentType: ArgumentType { .dictionary(of: Value.argumentType) }
}

extension Range: StepArgument where Bound: StepArgument {
    /// An array of the type of the bounds.
    public static var argumentType: ArgumentType { .array(of: Bound.argumentType) }
}
