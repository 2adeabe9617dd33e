public import Glibc

extension StaticString {
    /// The literal as a C string: it is in the program's image, ends with NUL and lives as long as the program.
    @inlinable
    public var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension UnsafePointer<CChar> {
    /// The bytes of a C string, without the NUL at its end.
    @inlinable
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self, count: strlen(self))
    }
}
