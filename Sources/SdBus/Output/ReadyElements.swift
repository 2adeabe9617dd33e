/// Elements of an array that are the same in each message, as ready bytes.
public struct ReadyElements: Sendable {
    @usableFromInline let bytes: [UInt8]
    @usableFromInline let contents: StaticString
    @usableFromInline let count: Int

    /// Marshals elements.
    ///
    /// - Parameters:
    ///   - contents: the type of an element: a structure or an entry of a dictionary, which begin at a multiple of 8 bytes.
    ///   - count: how many there are.
    ///   - body: appends them.
    /// - Throws: what the body throws.
    public init(of contents: StaticString, count: Int, _ body: (Marshaller) throws -> Void) throws {
        let marshaller = Marshaller(capacity: 1024)
        defer { marshaller.deallocate() }
        #if DEBUG
            marshaller.state.pointee.check.begin(contents, isArray: true)
        #endif
        try body(marshaller)
        bytes = Array(
            UnsafeRawBufferPointer(start: marshaller.state.pointee.bytes, count: marshaller.state.pointee.count))
        (self.contents, self.count) = (contents, count)
    }
}

/// What is before the value in an entry of an `a{sv}`, its name and the value's type, as ready bytes.
public struct ReadyEntry: Sendable {
    @usableFromInline typealias Bytes = SIMD32<UInt8>
    @usableFromInline static let mostBytes = 32

    /// The type of the value.
    @usableFromInline let type: StaticString
    /// The bytes, with zeros behind them.
    @usableFromInline let bytes: Bytes
    @usableFromInline let count: Int

    /// The beginning of an entry with this name, and a value of this type.
    ///
    /// - Precondition: it has 32 bytes at the most.
    public init(_ name: StaticString, _ type: StaticString) {
        let marshaller = Marshaller(capacity: 2 * Self.mostBytes)
        defer { marshaller.deallocate() }
        marshaller.storeEntry(name, type)
        (self.type, count) = (type, marshaller.state.pointee.count)
        precondition(count <= Self.mostBytes, "the name '\(name)' is too long")
        var bytes = Bytes()
        for place in 0..<count {
            bytes[place] = marshaller.state.pointee.bytes.load(fromByteOffset: place, as: UInt8.self)
        }
        self.bytes = bytes
    }
}

extension Marshaller {
    /// Appends elements to the array that is open.
    @inlinable
    public func append(_ elements: ReadyElements) throws(SdError) {
        #if DEBUG
            for _ in 0..<elements.count { try state.pointee.check.take(Array("\(elements.contents)".utf8)) }
        #endif
        reserve(8)
        align(8)
        elements.bytes.withUnsafeBytes { store($0) }
    }
}
