/// The declared type of an argument: one complete D-Bus type.
///
/// Source: D-Bus specification, "Type System"; `flowbus.flows(5)`, "Types".
public struct ValueType: Hashable, Sendable {
    /// The type as a D-Bus signature, for instance `x` or `a{sv}`.
    public let signature: String
    /// The rule by which values are accepted.
    let acceptance: Acceptance

    enum Acceptance: Hashable, Sendable {
        case integer(Value.FixedType)
        /// `v`: a value keeps its own type.
        case any
        /// Any other type: the value's signature has to be the same.
        case exact
    }

    /// Creates a type from a signature; nil if it is not one complete type, is longer than D-Bus allows, nests deeper
    /// than ``Limits/argumentNesting``, or contains a file descriptor, which could not be persisted.
    public init?(signature: String) {
        var rest = Substring(signature)
        guard signature.utf8.count <= Limits.signatureLength, Self.skipCompleteType(&rest, depth: 0), rest.isEmpty
        else { return nil }
        self.signature = signature
        // A basic type has a signature of one letter, as a variant has.
        let letter = signature.utf8.count == 1 ? signature.utf8.first : nil
        if letter == UInt8(ascii: "v") {
            acceptance = .any
        } else if let type = letter.flatMap(Value.FixedType.init(rawValue:)), type.isInteger {
            acceptance = .integer(type)
        } else {
            acceptance = .exact
        }
    }

    /// Creates a type from the word in a definition file (`int64`), or from a signature.
    public init?(name: String) {
        guard let word = Self.words.first(where: { $0.name == name }) else {
            self.init(signature: name)
            return
        }
        self.init(signature: word.signature)
    }

    /// The words for the basic types in definition files, in the order in which they are documented.
    public static let words: [(name: String, signature: String)] = [
        ("bool", "b"), ("byte", "y"), ("int16", "n"), ("uint16", "q"), ("int32", "i"), ("uint32", "u"),
        ("int64", "x"), ("uint64", "t"), ("double", "d"), ("string", "s"), ("path", "o"),
    ]

    /// The word that a definition file uses for the type, or the signature if there is none.
    public var description: String {
        Self.words.first { $0.signature == signature }?.name ?? signature
    }

    /// Whether it is one of the integer types, each of which takes the values of the others.
    public var isInteger: Bool { if case .integer = acceptance { true } else { false } }

    /// Returns the value converted to this type, or nil if it does not fit, or something of it would be lost (S-3).
    public func admit(_ value: Value) -> Value? {
        switch acceptance {
        case .integer(let type):
            // The common case first: the value has the declared type already.
            if case .fixed(let given, _) = value.shape, given == type { return value }
            return value.converted(to: signature)
        case .any: return value
        case .exact: return value.hasSignature(signature) ? value : value.converted(to: signature)
        }
    }

    /// Returns whether some value of another type fits this one, for the check of definition files.
    public func canAdmit(_ other: ValueType) -> Bool {
        Self.canConvert(Substring(other.signature), to: Substring(signature))
    }

    /// Returns the complete types in a signature, in order; nil if it contains a type that values can't have.
    public static func completeTypes(in signature: some StringProtocol) -> [String]? {
        var rest = Substring(signature)
        var types: [String] = []
        while !rest.isEmpty {
            let start = rest.startIndex
            guard skipCompleteType(&rest, depth: 0) else { return nil }
            types.append(String(signature[start..<rest.startIndex]))
        }
        return types
    }

    /// Returns whether this is the letter of a basic type: a fixed or a string-like one.
    private static func isBasic(_ code: Character) -> Bool {
        guard let letter = code.asciiValue else { return false }
        return Value.FixedType(rawValue: letter) != nil || Value.StringLikeType(rawValue: letter) != nil
    }

    /// Skips one complete type. Returns false if there is none.
    private static func skipCompleteType(_ rest: inout Substring, depth: Int) -> Bool {
        guard depth <= Limits.argumentNesting, let code = rest.popFirst() else { return false }
        switch code {
        case "v": return true
        case _ where isBasic(code): return true
        case "a":
            guard rest.first == "{" else { return skipCompleteType(&rest, depth: depth + 1) }
            rest.removeFirst()
            guard let key = rest.popFirst(), isBasic(key) else { return false }
            return skipCompleteType(&rest, depth: depth + 2) && rest.popFirst() == "}"
        case "(":
            repeat {
                guard skipCompleteType(&rest, depth: depth + 1) else { return false }
            } while rest.first != ")"
            rest.removeFirst()
            return true
        default:
            return false
        }
    }
}

extension Value.FixedType {
    /// Whether the type is one of D-Bus's integer types.
    var isInteger: Bool { self != .bool && self != .double }

    /// Returns the integer as a value of this type, or nil if it is out of range, or the type no integer's.
    public func value(of number: Int128) -> Value? {
        let bits = UInt64(truncatingIfNeeded: number) & (.max >> UInt64(64 - bitWidth))
        return integer(bits: bits) == number ? Value(self, bits: bits) : nil
    }
}
