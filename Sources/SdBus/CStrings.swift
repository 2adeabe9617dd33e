public import Glibc

extension StaticString {
    /// The literal as a C string: it is in the program's image, ends with NUL and lives as long as the program.
    @inlinable
    public var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// A NULL-terminated array of C strings (`char **`) made once from literals, for calls such as
/// ``Bus/emitPropertiesChanged(path:interface:names:)``.
///
/// It is never freed: make it a constant.
public struct StaticNames: Sendable {
    // Written before anybody else can see it, and never again.
    @usableFromInline nonisolated(unsafe) let strv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    /// How many names there are.
    public let count: Int

    /// Room for the names, allocated for the life of the program.
    public init(_ names: [StaticString]) {
        count = names.count
        strv = .allocate(capacity: names.count + 1)
        strv.initialize(repeating: nil, count: names.count + 1)
        for (index, name) in names.enumerated() { strv[index] = UnsafeMutablePointer(mutating: name.cString) }
    }
}

extension UnsafePointer<CChar> {
    /// The bytes of a C string, without the NUL at its end.
    @inlinable
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self, count: strlen(self))
    }
}
