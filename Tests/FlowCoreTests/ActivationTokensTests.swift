import Testing

@testable import FlowCore

@Suite("Activation tokens")
struct ActivationTokensTests {
    private var tokens = ActivationTokens()
    private let first = RequestID(1)
    private let second = RequestID(2)

    /// Removes the tokens of noted origins that are over. Returns the origins that were looked at.
    private mutating func forget(_ over: UInt64...) -> [UInt64] {
        var asked: [UInt64] = []
        tokens.forget { origin, _ in
            asked.append(origin)
            return over.contains(origin)
        }
        return asked
    }

    @Test mutating func `each token is taken once, by its origin`() {
        tokens.insert("a", for: 10, of: first)
        tokens.insert("b", for: 11, of: second)
        #expect(tokens.count == 2 && !tokens.isEmpty)
        #expect(tokens.take(for: 12) == nil)
        #expect(tokens.take(for: 11) == "b")
        #expect(tokens.take(for: 11) == nil)
        #expect(tokens.take(for: 10) == "a")
        #expect(tokens.isEmpty)
    }

    @Test mutating func `a new token is looked at, with its call, and stays while its origin goes on`() {
        tokens.insert("a", for: 10, of: second)
        var seen: RequestID?
        tokens.forget { _, request in
            seen = request
            return false
        }
        #expect(seen == second)
        #expect(tokens.take(for: 10) == "a")
    }

    @Test mutating func `only noted origins are looked at, each note once`() {
        tokens.insert("a", for: 10, of: first)
        tokens.insert("b", for: 11, of: second)
        #expect(forget() == [10, 11])
        #expect(forget(10, 11) == [])
        tokens.touch(11)
        // It has no token.
        tokens.touch(12)
        #expect(forget(10, 11, 12) == [11])
        #expect(tokens.count == 1)
        #expect(tokens.take(for: 10) == "a")
    }

    @Test mutating func `the end of a call notes the origin that it began`() {
        tokens.insert("a", for: 10, of: first)
        tokens.insert("b", for: 11, of: second)
        _ = forget()
        tokens.touch(second)
        tokens.touch(RequestID(3))
        #expect(forget(10, 11) == [11])
        #expect(tokens.take(for: 11) == nil)
        // Nothing is left of its call.
        tokens.touch(second)
        #expect(forget(10, 11) == [])
    }

    @Test mutating func `a token that was passed on is looked at no more`() {
        tokens.insert("a", for: 10, of: first)
        #expect(tokens.take(for: 10) == "a")
        #expect(forget(10) == [])
        tokens.touch(first)
        #expect(forget(10) == [])
    }

    @Test mutating func `the later origin of a call stays when the token of the earlier is taken`() {
        tokens.insert("a", for: 10, of: first)
        tokens.insert("b", for: 11, of: first)
        _ = forget()
        #expect(tokens.take(for: 10) == "a")
        tokens.touch(first)
        #expect(forget(11) == [11])
        #expect(tokens.isEmpty)
    }
}
