/// The second object path of each presentable, `/org/flowbus/Navigation1/instance/N`. It names this presentable alone, never a
/// later one at the same place in the tree (S-25).
package enum InstancePath {
    private static var prefix: String { "\(BusNames.instances)/" }

    /// The path of the presentable with this instance.
    package static func path(of instance: UInt64) -> String { prefix + String(instance) }

    /// The instance in a path in UTF-8, as ``path(of:)`` writes it; nil for any other path.
    package static func instance(at path: UnsafeRawBufferPointer) -> UInt64? {
        let prefix = BusNames.instances
        let start = prefix.utf8CodeUnitCount + 1
        guard path.count > start, path[start - 1] == UInt8(ascii: "/"),
            UnsafeRawBufferPointer(rebasing: path[..<(start - 1)]).elementsEqual(
                UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        else { return nil }
        let digits = path[start...]
        guard digits.first != UInt8(ascii: "0") else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            let (tens, isTooMuch) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuchYet) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooMuch, !isTooMuchYet else { return nil }
            number = sum
        }
        return number
    }

    /// The instance in a path; nil for any other path.
    package static func instance(at path: String) -> UInt64? {
        var path = path
        return path.withUTF8 { instance(at: UnsafeRawBufferPointer($0)) }
    }
}
