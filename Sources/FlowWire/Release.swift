/// What this is, for those who ask: the programs and the library are of one version.
package enum Release {
    /// `Version`, `--version`.
    @inlinable package static var version: StaticString { "0.1.0" }
    /// `InterfaceVersion`: raised by new members of the bus contract.
    @inlinable package static var interfaceVersion: UInt32 { 7 }
}
