import Testing

@testable import flowbusd

/// The order of calls that wait for slices.
@Suite("The order of postponed calls")
struct BacklogOrderTests {
    private final class Done { var names: [String] = [] }

    private let done = Done()

    private func add(_ name: String, to backlog: inout Backlog) {
        backlog.add { [done] in done.names.append(name) }
    }

    private func addFirst(_ name: String, to backlog: inout Backlog) {
        backlog.addFirst { [done] in done.names.append(name) }
    }

    @Test func `S-7 changes of name owners are handled before waiting calls`() {
        var backlog = Backlog()
        addFirst("owner", to: &backlog)
        add("a", to: &backlog)
        addFirst("earlier owner", to: &backlog)
        add("b", to: &backlog)
        for _ in 0..<2 { backlog.takeNext()?.event?() }
        addFirst("new owner", to: &backlog)
        addFirst("newest owner", to: &backlog)
        #expect(backlog.takeOverdue(at: .max).isEmpty)
        addFirst("last owner", to: &backlog)
        while let next = backlog.takeNext() { next.event?() }
        #expect(backlog.isEmpty)
        #expect(
            done.names == ["earlier owner", "owner", "last owner", "newest owner", "new owner", "a", "b"])
    }
}
