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
