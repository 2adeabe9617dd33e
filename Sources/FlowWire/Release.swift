/// The version, which the programs and the library share.
package enum Release {
    /// `Version`, `--version`.
    @inlinable package static var version: StaticString { "0.1.0" }
    /// `InterfaceVersion`: 1 until the first release; from then on a release that adds members or keys raises it.
    @inlinable package static var interfaceVersion: UInt32 { 1 }
}
