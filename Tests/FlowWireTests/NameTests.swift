import FlowCore
import Testing

@testable import FlowWire

/// Names of the bus contract.
@Suite("Names on the wire")
struct NameTests {
    @Test(arguments: FlowError.Code.allCases)
    func `a refusal is known by its error's name`(code: FlowError.Code) {
        #expect(FlowError.Code(busName: code.busName) == code)
    }

    @Test func `a refusal has the contract's name, but for the bus's own`() {
        #expect(FlowError.Code.unknownStep.busName == "org.flowbus.Navigation1.Error.UnknownStep")
        #expect(FlowError.Code.accessDenied.busName == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test(arguments: [
        "org.flowbus.Navigation1.Error.AccessDenied", "org.flowbus.Navigation1.Error.Unheard", "UnknownStep",
        "org.freedesktop.DBus.Error.NoReply", "",
    ])
    func `an error of others is no refusal`(name: String) {
        #expect(FlowError.Code(busName: name) == nil)
    }
}
