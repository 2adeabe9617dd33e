import Glibc
import SdBus
import Testing

@Suite("Errors of the system")
struct SdErrorTests {
    @Test func `an error reads like the call and the reason`() {
        #expect(SdError("sd_bus_request_name", result: -EEXIST).description == "sd_bus_request_name: File exists")
        #expect(SdError("f", errno: 100_000).description == "f: error 100000")
        #expect(SdError("f", result: .min).code == .max)
    }

    @Test func `a check passes results on and throws negative ones`() throws {
        #expect(try check("f", 3) == 3)
        #expect(throws: SdError("f", errno: EBUSY)) { try check("f", -EBUSY) }
    }

    @Test func `kinds of errors`() {
        #expect(SdError("f", errno: ENOMEDIUM).isNoBus)
        #expect(SdError("f", errno: ECONNREFUSED).isNoBus)
        #expect(SdError("f", errno: EACCES).isPermissionDenied)
        #expect(SdError("f", errno: EEXIST).isTaken)
        #expect(SdError("f", errno: ECONNRESET).isDisconnected)
        #expect(!SdError("f", errno: EINVAL).isNoBus)
    }

    @Test(arguments: ["", "s", "org.flowbus.Navigation1"] as [StaticString])
    func `a literal is a C string`(literal: StaticString) {
        #expect(String(cString: literal.cString) == literal.description)
    }
}
