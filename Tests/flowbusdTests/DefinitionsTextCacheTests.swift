import FlowCore
import Testing

@testable import flowbusd

@Suite("The text of the definitions in use")
struct DefinitionsTextCacheTests {
    private final class Calls {
        var count = 0
    }

    private func definitions(_ steps: String...) -> Definitions {
        Definitions(steps: steps.map { StepDeclaration($0) })
    }

    private func cache(_ calls: Calls, limit: Int = .max) -> DefinitionsTextCache {
        DefinitionsTextCache { definitions throws(FlowError) in
            calls.count += 1
            guard definitions.steps.count <= limit else { throw FlowError(.limitExceeded, "too long") }
            return definitions.steps.map(\.name).joined(separator: " ")
        }
    }

    @Test func `it is written once, until the definitions change`() throws {
        let calls = Calls()
        var cache = cache(calls)
        #expect(try cache.text(of: definitions("a")) == "a")
        // Equal definitions, read again from files.
        #expect(try cache.text(of: definitions("a")) == "a")
        #expect(calls.count == 1)
        #expect(try cache.text(of: definitions("a", "b")) == "a b")
        #expect(try cache.text(of: definitions("a")) == "a")
        #expect(calls.count == 3)
    }

    @Test func `a dropped text is written again`() throws {
        let calls = Calls()
        var cache = cache(calls)
        _ = try cache.text(of: definitions("a"))
        cache.drop()
        #expect(try cache.text(of: definitions("a")) == "a")
        #expect(calls.count == 2)
    }

    @Test func `no text stays when one is too long`() throws {
        let calls = Calls()
        var cache = cache(calls, limit: 1)
        _ = try cache.text(of: definitions("a"))
        #expect(throws: FlowError.self) { _ = try cache.text(of: definitions("a", "b")) }
        #expect(throws: FlowError.self) { _ = try cache.text(of: definitions("a", "b")) }
        #expect(try cache.text(of: definitions("a")) == "a")
        #expect(calls.count == 4)
    }
}
