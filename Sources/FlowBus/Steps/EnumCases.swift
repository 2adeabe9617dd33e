// Lists all values of an enum that is not CaseIterable.
//
// A step type is an enum with payloads, so it can't list its cases; and the names of the cases are in the `CodingKeys`
// that the compiler synthesizes, which is private and not CaseIterable. Yet a flow has to declare every step before the
// first is emitted. `CodingKeys` is known as a type while a step is decoded, when `container(keyedBy:)` is called with
// it, and it is an enum without payloads. Such enums have the simplest layout there is (docs/ABI/TypeLayout.rst of
// Swift, "Fragile Enum Layout"): an integer, the index of the case in the order of declaration, in the fewest bytes
// possible; none for one case.
//
// It has to be certain that a type *is* such an enum, and how many cases it has: to make a value from invalid bits
// would be undefined behavior. So both are read from the metadata of the type (docs/ABI/TypeMetadata.rst, and
// swift/ABI/Metadata.h, swift/RemoteInspection/Records.h), which `Mirror` and `String(describing:)` read, too:
//
// - The first word of any type's metadata is its kind: 0x201 for an enum, others for structs, classes, tuples,
//   optionals.
// - The second word of an enum's is its descriptor: how many cases have a payload, and how many are empty.
// - A payload without bytes (`Void`, `Never`) counts as empty there. In the list of fields, a case with any payload has
//   a type. A value of `case never(Never)` must not be made, so no payload at all is allowed. Code that was built
//   without reflection has no such list, nor have enums with the layout of C (`@c`), whose values are arbitrary:
//   refused.
//
// The layout itself is checked, too. The bit patterns after the last case are those that no value has, and Swift uses
// the first of them for `nil`: read as an integer, `Optional<Key>.none` is the number of cases. If all bit patterns are
// in use (256 cases), there is no such pattern, and the optional is larger. A layout that began with anything but 0, or
// had holes, would not pass.
//
// Values are made only if all of these agree. For any other type, and for any future layout, the result is nil, and the
// caller requires CaseIterable; no user's type can lead to an invalid value.

/// Lists the values of enums without payloads.
enum EnumCases {
    /// The metadata kind of enums (`MetadataKind::Enum`, of values, so with the flag that it is not on the heap).
    private static let enumKind: UInt = 0x201

    /// Returns whether the type is an enum other than `Optional`.
    static func isEnum(_ type: Any.Type) -> Bool {
        metadata(of: type).load(as: UInt.self) == enumKind
    }

    /// Returns all values in the order of declaration; nil if they can't be determined with certainty.
    static func all<Enum>(of type: Enum.Type) -> [Enum]? {
        if let iterable = type as? any CaseIterable.Type { return values(of: iterable).compactMap { $0 as? Enum } }
        guard let count = emptyCaseCount(of: type) else { return nil }
        switch MemoryLayout<Enum>.size {
        case 0:
            return count == 1 ? [value(of: UInt8(0))] : nil
        case 1:
            guard count <= 256, nothingFollows(count, in: type, as: UInt8.self) else { return nil }
            return (0..<count).map { value(of: UInt8(truncatingIfNeeded: $0)) }
        case 2:
            guard count <= 65_536, nothingFollows(count, in: type, as: UInt16.self) else { return nil }
            return (0..<count).map { value(of: UInt16(truncatingIfNeeded: $0)) }
        default:
            return nil
        }
    }

    /// Returns the value with these bits. It is loaded and not cast: the optimizer of Swift 6.3 fails at a cast to a
    /// type without bytes, even in unreachable code.
    private static func value<Enum, Tag: FixedWidthInteger>(of tag: Tag) -> Enum {
        withUnsafeBytes(of: tag) { $0.load(as: Enum.self) }
    }

    private static func values<Iterable: CaseIterable>(of type: Iterable.Type) -> [Any] { Array(type.allCases) }

    /// Returns whether the integers from 0 on are all values: the next one is the pattern of `nil`, unless there is no
    /// next one.
    private static func nothingFollows<Enum, Tag: FixedWidthInteger>(
        _ count: Int, in type: Enum.Type, as tag: Tag.Type
    ) -> Bool {
        if count == 1 << Tag.bitWidth { return MemoryLayout<Enum?>.size > MemoryLayout<Tag>.size }
        guard MemoryLayout<Enum?>.size == MemoryLayout<Tag>.size else { return false }
        return withUnsafeBytes(of: Enum?.none) { $0.loadUnaligned(as: Tag.self) } == Tag(truncatingIfNeeded: count)
    }

    /// Returns the number of cases of an enum without payloads; nil for every other type.
    private static func emptyCaseCount(of type: Any.Type) -> Int? {
        let metadata = metadata(of: type)
        guard metadata.load(as: UInt.self) == enumKind else { return nil }
        let descriptor = metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
        // TargetEnumDescriptor: flags, parent, name, access function, fields, counts of cases; 4 bytes each.
        let fields = descriptor + 16
        let offset = fields.load(as: Int32.self)
        let withPayload = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0x00FF_FFFF
        let count = descriptor.load(fromByteOffset: 24, as: UInt32.self)
        guard offset != 0, withPayload == 0, count > 0 else { return nil }
        return hasPlainFields(fields + Int(offset), count) ? Int(count) : nil
    }

    /// Returns whether a list of fields is that of an enum with this number of cases, none of which has a type.
    private static func hasPlainFields(_ fields: UnsafeRawPointer, _ count: UInt32) -> Bool {
        // FieldDescriptor: type and superclass, 4 bytes each; kind (2 is an enum) and size of a record, 2 bytes each; count.
        guard fields.load(fromByteOffset: 8, as: UInt16.self) == 2,
            fields.load(fromByteOffset: 10, as: UInt16.self) == 12,
            fields.load(fromByteOffset: 12, as: UInt32.self) == count
        else { return false }
        // FieldRecord: flags, type, name; 4 bytes each.
        return (0..<Int(count)).allSatisfy { fields.load(fromByteOffset: 16 + 12 * $0 + 4, as: Int32.self) == 0 }
    }

    /// A type is a pointer to its metadata: `ObjectIdentifier` is the address.
    private static func metadata(of type: Any.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }
}
