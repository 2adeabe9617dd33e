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

    @Test func `a text that is too long is attempted once, until the definitions change`() throws {
        let calls = Calls()
        var cache = cache(calls, limit: 1)
        _ = try cache.text(of: definitions("a"))
        for _ in 0..<3 {
            let error = #expect(throws: FlowError.self) { _ = try cache.text(of: definitions("a", "b")) }
            #expect(error?.code == .limitExceeded)
        }
        #expect(calls.count == 2)
        #expect(try cache.text(of: definitions("a")) == "a")
        #expect(calls.count == 3)
    }

    @Test func `a dropped error is found again`() {
        let calls = Calls()
        var cache = cache(calls, limit: 0)
        for count in 1...2 {
            #expect(throws: FlowError.self) { _ = try cache.text(of: definitions("a")) }
            #expect(calls.count == count)
            cache.drop()
        }
    }
}
