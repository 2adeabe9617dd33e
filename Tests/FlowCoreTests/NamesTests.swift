import Testing

@testable import FlowCore

@Suite("Names")
struct NamesTests {
    @Test(arguments: ["main", "_", "a1", "Movie_Detail", String(repeating: "a", count: 64)])
    func `names that can stand in an object path`(name: String) {
        #expect(Names.isPresentableName(name))
    }

    @Test(arguments: ["", "1a", "a-b", "a.b", "ä", "a b", "a/b", String(repeating: "a", count: 65)])
    func `names that can't stand in an object path`(name: String) {
        #expect(!Names.isPresentableName(name))
    }

    @Test(arguments: ["apiKey", "a", "media.play", "go-home", "a_1", String(repeating: "s", count: 128)])
    func `names of steps`(name: String) {
        #expect(Names.isStepName(name))
    }

    @Test(arguments: ["", "_a", "1a", ".a", "a b", "a/b", "é", String(repeating: "s", count: 129)])
    func `no names of steps`(name: String) {
        #expect(!Names.isStepName(name))
    }

    @Test(arguments: [
        ("movieLits", "movieList"), ("MOVIELIST", "movieList"), ("moviePiked", "moviePicked"), ("setings", "settings"),
    ])
    func `a mistyped name gets the right suggestion`(typed: String, meant: String) {
        #expect(Names.nearest(to: typed, among: ["about", "movieList", "moviePicked", "settings"]) == meant)
    }

    @Test func `without a similar name there is no suggestion`() {
        #expect(Names.nearest(to: "volume", among: ["about", "movieList"]) == nil)
        #expect(Names.nearest(to: String(repeating: "a", count: 100_000), among: ["a"]) == nil)
        #expect(Names.suggestion(for: "abuot", among: ["about"]) == "; did you mean 'about'?")
    }
}
