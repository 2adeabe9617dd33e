import FlowCore
import Testing

@testable import FlowWire

/// Names of the bus contract.
@Suite("Names on the wire")
struct NameTests {
    @Test(arguments: FlowError.Code.allCases)
    func `an error is recognized by its name`(code: FlowError.Code) {
        #expect(FlowError.Code(busName: code.busName) == code)
    }

    @Test func `an error has the contract's name, except for those of the bus`() {
        #expect(FlowError.Code.unknownStep.busName == "org.flowbus.Navigation1.Error.UnknownStep")
        #expect(FlowError.Code.accessDenied.busName == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test(arguments: [
        "org.flowbus.Navigation1.Error.AccessDenied", "org.flowbus.Navigation1.Error.Unheard", "UnknownStep",
        "org.freedesktop.DBus.Error.NoReply", "",
    ])
    func `an error of other programs is not an error of the contract`(name: String) {
        #expect(FlowError.Code(busName: name) == nil)
    }
}
