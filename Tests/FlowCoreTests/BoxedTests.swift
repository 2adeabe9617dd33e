import Testing

@testable import FlowCore

@Suite("Boxed and sparse values")
struct BoxedTests {
    private struct Parts: Initial {
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

    @Test func `a sparse value is as at first until it is set, and again`() {
        var one = Sparse<Parts>()
        #expect(one[\.number, 1] == 1 && one[\.texts, []] == [])
        one[\.number, 1] = 3
        one[\.texts, []].append("a")
        let copy = one
        #expect(one[\.number, 1] == 3 && one[\.texts, []] == ["a"] && one != Sparse())
        one[\.number, 1] = 1
        one[\.texts, []] = []
        #expect(one == Sparse() && copy != one)
    }
}
