import FlowCore
import Testing

@Suite("BusName")
struct BusNameTests {
    @Test(arguments: [
        "com.vendor.Pay", "a.b", "_a._1", "com.vendor-x.-y", String(repeating: "a", count: 253) + ".b",
    ])
    func `well-known names`(name: String) {
        #expect(BusName.problem(of: name) == nil)
    }

    @Test(arguments: [
        "", ".", "com", "com.", ".com", "com..vendor", "com.1vendor", "1com.vendor", "com.vendor Pay", "com.véndor",
        "com.vendor/Pay", "com.vendor:Pay",
    ])
    func `no names`(name: String) {
        #expect(
            BusName.problem(of: name)
                == "'\(name)' can't be a well-known bus name: two or more parts with dots between them, each of letters, "
                + "digits, '_' and '-', not beginning with a digit, at most 255 bytes in all")
    }

    @Test func `a name longer than the bus allows`() {
        #expect(BusName.problem(of: String(repeating: "a", count: 254) + ".b") != nil)
    }

    @Test func `a unique name`() {
        #expect(
            BusName.problem(of: ":1.5")
                == "':1.5' is the unique name of one connection, and the next connection of the same program has another; "
                + "it has to be a well-known name, such as 'com.vendor.Pay'")
    }
}
