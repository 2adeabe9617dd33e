internal import Glibc

/// Marshals values into a buffer in memory, as sd-bus does into a message; D-Bus specification, "Marshaling (Wire Format)".
///
/// It is a reference to the buffer of a ``MessageOutput``, valid while a message is made there. Unlike sd-bus it believes that
/// the values fit the signature; in debug builds a value that does not fit is an error.
public struct Marshaller: BodyWriter {
    /// What a container takes at the most, as in sd-bus.
    static let mostArrayBytes = 1 << 26
    /// How deep containers can nest: arrays and structures 32 levels each in a signature, and variants around them.
    @usableFromInline static let mostContainers = 128

    @usableFromInline let state: UnsafeMutablePointer<State>

    /// The buffer.
    @usableFromInline
    struct State {
        @usableFromInline var bytes: UnsafeMutableRawPointer
        @usableFromInline var capacity: Int
        /// The end of what is marshalled.
        @usableFromInline var count = 0
        /// The place of the current message: alignment is relative to it.
        @usableFromInline var start = 0
        @usableFromInline let containers: UnsafeMutablePointer<OpenContainer>
        @usableFromInline var depth = 0
        #if DEBUG
            @usableFromInline var check = SignatureCheck()
        #endif

        init(capacity: Int) {
            self.capacity = capacity
            bytes = Self.resized(nil, to: capacity)
            containers = .allocate(capacity: Marshaller.mostContainers)
        }

        /// The kernel moves the pages of a large buffer, which copies nothing.
        static func resized(_ bytes: UnsafeMutableRawPointer?, to capacity: Int) -> UnsafeMutableRawPointer {
            guard let bytes = realloc(bytes, capacity) else { preconditionFailure("no memory for \(capacity) bytes") }
            return bytes
        }
    }

    @usableFromInline
    struct OpenContainer {
        /// Where the length of an array is; 0 for another container.
        @usableFromInline let length: Int
        /// Where the first element of an array begins.
        @usableFromInline let first: Int

        @usableFromInline
        init(length: Int, first: Int) { (self.length, self.first) = (length, first) }
    }

    init(capacity: Int) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(capacity: capacity))
    }

    func deallocate() {
        free(state.pointee.bytes)
        state.pointee.containers.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    // MARK: Bytes

    /// Makes room for more bytes.
    @inlinable @inline(__always)
    func reserve(_ more: Int) {
        if state.pointee.count + more > state.pointee.capacity { grow(more) }
    }

    @usableFromInline @inline(never)
    func grow(_ more: Int) { resize(to: max(2 * state.pointee.capacity, state.pointee.count + more)) }

    func resize(to capacity: Int) {
        state.pointee.bytes = State.resized(state.pointee.bytes, to: capacity)
        state.pointee.capacity = capacity
    }

    /// Appends zeros up to a multiple of an alignment of 8 bytes at the most. There has to be room for them.
    @inlinable @inline(__always)
    func align(_ alignment: Int) {
        let end = state.pointee.count
        state.pointee.bytes.storeBytes(of: 0, toByteOffset: end, as: UInt64.self)
        state.pointee.count = end + ((state.pointee.start &- end) & (alignment - 1))
    }

    /// Appends a number. There has to be room for it.
    @inlinable @inline(__always)
    func store<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        state.pointee.bytes.storeBytes(of: number, toByteOffset: state.pointee.count, as: Number.self)
        state.pointee.count += MemoryLayout<Number>.size
    }

    /// Appends bytes as they are.
    @inlinable @inline(__always)
    func store(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        guard let base = bytes.baseAddress else { return }
        (state.pointee.bytes + state.pointee.count).copyMemory(from: base, byteCount: bytes.count)
        state.pointee.count += bytes.count
    }

    /// Appends a text with its length before it and NUL behind it.
    @inlinable @inline(__always)
    func store(_ type: UInt8, _ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 16)
        storeLength(type, text.count)
        let end = state.pointee.bytes + state.pointee.count
        if let base = text.baseAddress { end.copyMemory(from: base, byteCount: text.count) }
        end.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
        state.pointee.count += text.count + 1
    }

    /// Appends a literal as a text with its length before it.
    @inlinable @inline(__always)
    func store(_ type: UInt8, _ text: StaticString) {
        reserve(text.utf8CodeUnitCount + 16)
        storeLength(type, text.utf8CodeUnitCount)
        storeWithNul(text)
    }

    /// Appends the length of a text of the string-like type with this letter. There has to be room for it.
    @inlinable @inline(__always)
    func storeLength(_ type: UInt8, _ count: Int) {
        if type == UInt8(ascii: "g") { return store(UInt8(truncatingIfNeeded: count)) }
        align(4)
        store(UInt32(truncatingIfNeeded: count))
    }

    /// Appends the bytes of a literal, and the NUL behind them. There has to be room for them.
    @inlinable @inline(__always)
    func storeWithNul(_ text: StaticString) {
        let count = text.utf8CodeUnitCount + 1
        (state.pointee.bytes + state.pointee.count).copyMemory(from: text.utf8Start, byteCount: count)
        state.pointee.count += count
    }

    /// How the first element of an array is aligned; D-Bus specification, "Summary of D-Bus Marshaling".
    @inlinable
    static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }

    // MARK: Values

    /// Appends a number of the fixed type with this letter, by its bits.
    @inlinable @inline(__always)
    public func append(_ type: UInt8, bits: UInt64) throws(SdError) {
        #if DEBUG
            try state.pointee.check.take([type])
        #endif
        reserve(16)
        store(type, bits: bits)
    }

    /// Appends a number of the fixed type with this letter, by its bits. There has to be room for it.
    @inlinable @inline(__always)
    func store(_ type: UInt8, bits: UInt64) {
        switch type {
        case UInt8(ascii: "y"): store(UInt8(truncatingIfNeeded: bits))
        case UInt8(ascii: "n"), UInt8(ascii: "q"):
            align(2)
            store(UInt16(truncatingIfNeeded: bits))
        case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"):
            align(4)
            store(UInt32(truncatingIfNeeded: bits))
        default:
            align(8)
            store(bits)
        }
    }

    /// Appends a text of the string-like type with this letter; EINVAL if it does not have that syntax.
    @inlinable
    public func append(_ type: UInt8, _ text: String) throws(SdError) {
        #if DEBUG
            try state.pointee.check.take([type])
        #endif
        try store(type, text)
    }

    /// Appends a text of the string-like type with this letter; EINVAL if it does not have that syntax.
    @usableFromInline
    func store(_ type: UInt8, _ text: String) throws(SdError) {
        if text.isEmpty, type == UInt8(ascii: "s") {
            reserve(16)
            storeLength(type, 0)
            return store(0 as UInt8)
        }
        var text = text
        let isValid = text.withUTF8 { utf8 in
            guard Self.isValid(utf8, type) else { return false }
            store(type, utf8)
            return true
        }
        guard isValid else { throw Self.invalidText }
    }

    /// Appends `o`, a path that is known to be valid.
    @inlinable
    public func appendObjectPath(_ path: String) throws(SdError) {
        #if DEBUG
            try state.pointee.check.take([UInt8(ascii: "o")])
        #endif
        var path = path
        path.withUTF8 { store(UInt8(ascii: "o"), $0) }
    }

    /// Appends a literal as the string-like type with this letter.
    @inlinable @inline(__always)
    public func append(_ type: UInt8, _ text: StaticString) throws(SdError) {
        #if DEBUG
            try state.pointee.check.take([type])
        #endif
        store(type, text)
    }

    /// Appends `ay`.
    public func append(_ bytes: [UInt8]) throws(SdError) {
        #if DEBUG
            try state.pointee.check.take(Array("ay".utf8))
        #endif
        reserve(16)
        align(4)
        store(UInt32(truncatingIfNeeded: bytes.count))
        bytes.withUnsafeBytes { store($0) }
        guard bytes.count <= Self.mostArrayBytes else { throw Self.tooLarge }
    }

    /// Appends an entry of an `a{sv}`, with a name and a type that are literals.
    @inlinable @inline(__always)
    public func appendEntry(
        _ name: StaticString, _ type: StaticString, _ value: (Marshaller) throws -> Void
    ) throws {
        #if DEBUG
            try state.pointee.check.openEntry(type)
        #endif
        storeEntry(name, type)
        try value(self)
        #if DEBUG
            try state.pointee.check.closeEntry()
        #endif
    }

    /// Appends an entry of an `a{sv}` whose beginning is ready.
    @inlinable @inline(__always)
    public func appendEntry(_ ready: ReadyEntry, _ value: (Marshaller) throws -> Void) throws {
        #if DEBUG
            try state.pointee.check.openEntry(ready.type)
        #endif
        reserve(ReadyEntry.mostBytes + 8)
        align(8)
        // All of them, because a number of bytes that is known takes two instructions.
        state.pointee.bytes.storeBytes(of: ready.bytes, toByteOffset: state.pointee.count, as: ReadyEntry.Bytes.self)
        state.pointee.count += ready.count
        try value(self)
        #if DEBUG
            try state.pointee.check.closeEntry()
        #endif
    }

    /// Appends an entry of an `a{sv}` with a number of the fixed type with this letter, by its bits.
    public func appendEntry(_ name: String, of type: UInt8, bits: UInt64) throws(SdError) {
        #if DEBUG
            try state.pointee.check.takeEntry()
        #endif
        try storeEntry(name, type)
        store(type, bits: bits)
    }

    /// Appends an entry of an `a{sv}` with a text of the string-like type with this letter.
    public func appendEntry(_ name: String, of type: UInt8, _ text: String) throws(SdError) {
        #if DEBUG
            try state.pointee.check.takeEntry()
        #endif
        try storeEntry(name, type)
        try store(type, text)
    }

    /// Appends what is before the value in an entry of an `a{sv}`, and makes room for a number.
    private func storeEntry(_ name: String, _ type: UInt8) throws(SdError) {
        reserve(16)
        align(8)
        try store(UInt8(ascii: "s"), name)
        reserve(24)
        store(1 as UInt8)
        store(type)
        store(0 as UInt8)
    }

    /// Appends what is before the value in an entry of an `a{sv}`.
    @inlinable @inline(__always)
    func storeEntry(_ name: StaticString, _ type: StaticString) {
        reserve(name.utf8CodeUnitCount + type.utf8CodeUnitCount + 24)
        align(8)
        storeLength(UInt8(ascii: "s"), name.utf8CodeUnitCount)
        storeWithNul(name)
        storeLength(UInt8(ascii: "g"), type.utf8CodeUnitCount)
        storeWithNul(type)
    }

    // MARK: Containers

    /// Opens a container with these contents; EMSGSIZE where containers nest too deep.
    @inlinable @inline(__always)
    public func openContainer(_ type: Container, _ contents: StaticString) throws(SdError) {
        #if DEBUG
            try state.pointee.check.open(type, Array("\(contents)".utf8))
        #endif
        try open(
            type, UnsafeBufferPointer(start: contents.utf8Start, count: contents.utf8CodeUnitCount))
    }

    /// Opens a container whose contents are no literal.
    @_disfavoredOverload
    public func openContainer(_ type: Container, _ contents: String) throws(SdError) {
        #if DEBUG
            try state.pointee.check.open(type, Array(contents.utf8))
        #endif
        guard contents.utf8.count <= Self.mostSignatureBytes else { throw Self.tooLarge }
        // Not every overload of withUTF8 passes typed errors on.
        var contents = contents
        let result = contents.withUTF8 { utf8 in Result { () throws(SdError) in try open(type, utf8) } }
        try result.get()
    }

    /// Opens a variant whose content has the basic type with this letter.
    @inlinable @inline(__always)
    public func openVariant(of type: UInt8) throws(SdError) {
        #if DEBUG
            try state.pointee.check.open(.variant, [type])
        #endif
        reserve(4)
        store(1 as UInt8)
        store(type)
        store(0 as UInt8)
        try push(OpenContainer(length: 0, first: 0))
    }

    @inlinable @inline(__always)
    func open(_ type: Container, _ contents: UnsafeBufferPointer<UInt8>) throws(SdError) {
        reserve(16)
        switch type {
        case .array:
            align(4)
            let length = state.pointee.count
            store(0 as UInt32)
            align(Self.alignment(of: contents.first ?? 0))
            return try push(OpenContainer(length: length, first: state.pointee.count))
        case .structure, .dictEntry: align(8)
        case .variant: store(UInt8(ascii: "g"), contents)
        }
        try push(OpenContainer(length: 0, first: 0))
    }

    @inlinable @inline(__always)
    func push(_ container: OpenContainer) throws(SdError) {
        guard state.pointee.depth < Self.mostContainers else { throw Self.tooLarge }
        state.pointee.containers[state.pointee.depth] = container
        state.pointee.depth += 1
    }

    /// Closes the container that was opened last; EMSGSIZE for an array of more than 64 MiB.
    @inlinable @inline(__always)
    public func closeContainer() throws(SdError) {
        #if DEBUG
            try state.pointee.check.close()
        #endif
        guard state.pointee.depth > 0 else { throw Self.unbalanced }
        state.pointee.depth -= 1
        let container = state.pointee.containers[state.pointee.depth]
        guard container.length > 0 else { return }
        try end(container)
    }

    @usableFromInline
    func end(_ array: OpenContainer) throws(SdError) {
        let count = state.pointee.count - array.first
        guard count <= Self.mostArrayBytes else { throw Self.tooLarge }
        state.pointee.bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: count), toByteOffset: array.length, as: UInt32.self)
    }
}
