/// The version, which the programs and the library share.
package enum Release {
    /// `Version`, `--version`.
    @inlinable package static var version: StaticString { "0.1.0" }
    /// `InterfaceVersion`: stays 1 until the first release; from then on new members of the bus contract raise it.
    @inlinable package static var interfaceVersion: UInt32 { 1 }
}
