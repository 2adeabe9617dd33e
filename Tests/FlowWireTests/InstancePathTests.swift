import Testing

@testable import FlowWire

@Suite("Instance paths")
struct InstancePathTests {
    private let prefix = "/org/flowbus/Navigation1/instance"

    @Test(arguments: [1, 5, 10, 4_711, .max] as [UInt64])
    func `S-25 a path is read as it is written`(instance: UInt64) {
        let path = InstancePath.path(of: instance)
        #expect(path == "\(prefix)/\(instance)")
        #expect(InstancePath.instance(at: path) == instance)
    }

    @Test(arguments: [
        "", "/", "/0", "/00", "/007", "/x", "/7x", "/x7", "/-1", "/+1", "/1_000", "/1/2", "/1/", "//1", "/ 1", "/１",
        "/18446744073709551616", "/99999999999999999999", "/100000000000000000000000000", "s/1", "_1",
    ])
    func `S-25 an invalid number is no instance`(end: String) {
        #expect(InstancePath.instance(at: prefix + end) == nil)
    }

    @Test func `S-25 no other path names an instance`() {
        for path in [
            "", "/", "5", "/org/flowbus/Navigation1/tree/5", "/org/flowbus/Navigation1",
            "/org/flowbus/Navigation1/instanc/5", "/org/flowbus/Navigation1/Instance/5", "\(prefix.dropFirst())/5",
        ] {
            #expect(InstancePath.instance(at: path) == nil, "\(path)")
        }
    }
}
