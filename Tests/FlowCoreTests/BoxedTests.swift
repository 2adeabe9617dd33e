import Testing

@testable import FlowCore

@Suite("Boxed values")
struct BoxedTests {
    private struct Parts: Equatable {
        var number = 1
        var texts: [String] = []
    }

    @Test func `a copy of a boxed value does not change with it`() {
        var one = Boxed(Parts())
        let copy = one
        one.texts.append("a")
        one.value.number = 2
        #expect(one == Boxed(Parts(number: 2, texts: ["a"])) && copy == Boxed(Parts()))
    }
}
