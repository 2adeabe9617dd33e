internal import FlowCore

/// What was live in a coordinator at one moment, to be stored, and restored when the program starts again.
///
/// ```swift
/// try JSONEncoder().encode(coordinator.snapshot()).write(to: file)
///
/// let saved = try JSONDecoder().decode(TreeSnapshot.self, from: Data(contentsOf: file))
/// try await coordinator.coordinate(flow: AppFlow(services), with: AppStepper(services), restoring: saved)
/// ```
///
/// It has the steps that led to the live flows and screens, and the ``SavedState`` of the screens. So the steps have to be of types that can
/// be encoded, declared with `@Step` (<doc:StepsOnTheBus>).
///
/// A snapshot is `Codable` for any encoder. It contains the arguments of the steps and what the screens saved: keep it where only the program
/// can read it. On the bus there is no need for one, as the service keeps the tree.
public struct TreeSnapshot: Hashable, Sendable {
    /// The form that this version writes and reads.
    static let version = 1

    var roots: [Node]

    /// A live flow or screen.
    struct Node: Hashable, Sendable, Codable {
        var name: String
        /// The place among the children that the step contributed; 0 for a root.
        var place: Int
        /// What the screen saved.
        var state: [SavedArgument]
        /// What led to the children, in order.
        var steps: [Contributing]
    }

    /// A step, and those of the children that it contributed which are live.
    struct Contributing: Hashable, Sendable, Codable {
        var step: String
        var arguments: [SavedArgument]
        var children: [Node]
    }

    /// Whether nothing was live.
    public var isEmpty: Bool { roots.isEmpty }
}

extension TreeSnapshot: Codable {
    private enum CodingKeys: CodingKey {
        case version, roots
    }

    /// Decodes a snapshot.
    ///
    /// - Parameter decoder: has the snapshot.
    /// - Throws: `DecodingError` if it is none, or one of another version of the library.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: container,
                debugDescription: "the snapshot has version \(version); this library reads \(Self.version)")
        }
        roots = try container.decode([Node].self, forKey: .roots)
    }

    /// Encodes the snapshot.
    ///
    /// - Parameter encoder: takes the snapshot.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(roots, forKey: .roots)
    }
}

extension TreeSnapshot.Node {
    private enum CodingKeys: CodingKey {
        case name, place, state, steps
    }

    // What is not there need not be written.

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        place = try container.decodeIfPresent(Int.self, forKey: .place) ?? 0
        state = try container.decodeIfPresent([SavedArgument].self, forKey: .state) ?? []
        steps = try container.decodeIfPresent([TreeSnapshot.Contributing].self, forKey: .steps) ?? []
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        if place != 0 { try container.encode(place, forKey: .place) }
        if !state.isEmpty { try container.encode(state, forKey: .state) }
        if !steps.isEmpty { try container.encode(steps, forKey: .steps) }
    }
}

/// An argument that can be stored.
struct SavedArgument: Hashable, Sendable, Codable {
    let name: String
    let value: SavedValue

    init(_ argument: Argument) { (name, value) = (argument.name, SavedValue(value: argument.value)) }

    var argument: Argument { Argument(name, value.value) }
}

/// A value that can be stored: a container with one key, the type.
struct SavedValue: Hashable, Sendable {
    let value: Value
}

extension SavedValue: Codable {
    /// The types, as D-Bus writes them; `e` is the entry of a dictionary.
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case b, y, n, q, i, u, x, t, d, s, o, g, v, ay, a, r, e
    }

    private struct Elements: Codable {
        let element: String
        let values: [SavedValue]
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: container.codingPath, debugDescription: "a value has to have one type"))
        }
        value =
            switch key {
            case .b: .bool(try container.decode(Bool.self, forKey: key))
            case .y: .byte(try container.decode(UInt8.self, forKey: key))
            case .n: .int16(try container.decode(Int16.self, forKey: key))
            case .q: .uint16(try container.decode(UInt16.self, forKey: key))
            case .i: .int32(try container.decode(Int32.self, forKey: key))
            case .u: .uint32(try container.decode(UInt32.self, forKey: key))
            case .x: .int64(try container.decode(Int64.self, forKey: key))
            case .t: .uint64(try container.decode(UInt64.self, forKey: key))
            // As bits: encoders refuse numbers that are not finite, or round.
            case .d: .double(Double(bitPattern: try container.decode(UInt64.self, forKey: key)))
            case .s: .string(try container.decode(String.self, forKey: key))
            case .o: .objectPath(try container.decode(String.self, forKey: key))
            case .g: .signature(try container.decode(String.self, forKey: key))
            case .v: .variant(try container.decode(SavedValue.self, forKey: key).value)
            case .ay: .bytes(try container.decode([UInt8].self, forKey: key))
            case .a:
                try Self.array(container.decode(Elements.self, forKey: key))
            case .r: .structure(try container.decode([SavedValue].self, forKey: key).map(\.value))
            case .e: try Self.entry(container.decode([SavedValue].self, forKey: key), at: container.codingPath)
            }
    }

    private static func array(_ array: Elements) -> Value {
        .array(element: array.element, array.values.map(\.value))
    }

    private static func entry(_ values: [SavedValue], at path: [any CodingKey]) throws -> Value {
        guard values.count == 2 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: "an entry of a dictionary has to have a key and a value"))
        }
        return .entry(key: values[0].value, value: values[1].value)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch value {
        case .bool(let value): try container.encode(value, forKey: .b)
        case .byte(let value): try container.encode(value, forKey: .y)
        case .int16(let value): try container.encode(value, forKey: .n)
        case .uint16(let value): try container.encode(value, forKey: .q)
        case .int32(let value): try container.encode(value, forKey: .i)
        case .uint32(let value): try container.encode(value, forKey: .u)
        case .int64(let value): try container.encode(value, forKey: .x)
        case .uint64(let value): try container.encode(value, forKey: .t)
        case .double(let value): try container.encode(value.bitPattern, forKey: .d)
        case .string(let value): try container.encode(value, forKey: .s)
        case .objectPath(let value): try container.encode(value, forKey: .o)
        case .signature(let value): try container.encode(value, forKey: .g)
        case .variant(let value): try container.encode(SavedValue(value: value), forKey: .v)
        case .bytes(let value): try container.encode(value, forKey: .ay)
        case .array(let element, let values):
            try container.encode(Elements(element: element, values: values.map(SavedValue.init)), forKey: .a)
        case .structure(let values): try container.encode(values.map(SavedValue.init), forKey: .r)
        case .entry(let key, let value):
            try container.encode([SavedValue(value: key), SavedValue(value: value)], forKey: .e)
        case .object:
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: container.codingPath, debugDescription: "an object of the process can't be stored"))
        }
    }
}
