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

    @Test(
        arguments: [
            ("bcd", "acd", 1), ("abdc", "abcd", 1), ("abcde", "abcd", 1), ("badc", "abcd", nil),
            ("navigation", "navigatoin", 1),
            ("kitten", "sitting", nil), ("kittens", "sittens", 1), ("abcdefghi", "acbdfeghj", 3), ("ab", "ba", 1),
            ("a", "b", nil),
            ("A", "a", 0), ("", "a", nil),
        ] as [(String, String, Int?)])
    func `S-3 a suggestion is at most a third of the name's length away`(typed: String, meant: String, changes: Int?) {
        #expect(Names.nearest(to: typed, among: [meant]) == (changes == nil ? nil : meant))
        // A nearer one wins, in either place.
        let far = [meant, typed + "zz"]
        #expect(Names.nearest(to: typed, among: far) == Names.nearest(to: typed, among: far.reversed()))
    }

    @Test func `S-3 of names that are alike, a search finds the nearest`() {
        let names = SimilarNames((0..<1_000).map { "screen\($0)" }.sorted())
        for number in [0, 7, 99, 500, 999] {
            #expect(names.nearest(to: "screan\(number)") == "screen\(number)")
            #expect(names.nearest(to: "scren\(number)") == "screen\(number)")
            #expect(names.nearest(to: "SCREEN\(number)") == "screen\(number)")
        }
    }

    @Test func `S-3 names that differ in many bytes`() {
        let long = String(repeating: "abcdefgh", count: 16)
        #expect(Names.nearest(to: "x" + long.dropFirst().dropLast() + "y", among: [long]) == long)
        #expect(Names.nearest(to: String(long.reversed()), among: [long]) == nil)
        #expect(
            Names.nearest(
                to: long.replacing("abcdefghabcdefghabcdefgha", with: "abcdefghabcdefghabcdfegha"), among: [long])
                == long)
    }

    @Test(arguments: [1_000, 100_000])
    func `S-3 what a search for a name costs has a limit`(count: Int) {
        let alike = SimilarNames((0..<count).map { "step\($0)" }.sorted())
        let unlike = SimilarNames((0..<count).map { "volume\($0)" }.sorted())
        for name in ["step5x", "stp50000", "pets", "peststepstep", "step"] {
            for search in [alike.search(for: name), unlike.search(for: name)] {
                #expect(search.lookedAt <= SimilarNames.mostLookedAt)
                #expect(search.work <= SimilarNames.mostWork)
            }
        }
        // Those around the place where the name would stand are among them.
        #expect(alike.nearest(to: "step50O")?.hasPrefix("step50") == true)
    }

    @Test(arguments: [
        ("", "'x.No'"), (" \n", "'x.No'"), ("no display", "'x.No': no display"), ("one\ntwo\n", "'x.No': one\\ntwo"),
    ])
    func `S-5 another process's error is quoted in one line, without a colon before no text`(
        text: String, quoted: String
    ) {
        #expect(Names.error("x.No", text) == quoted)
    }

    @Test(arguments: ["-", "ä", "😀"])
    func `S-5 of a long error, the beginning and the end are quoted`(filler: String) {
        let text =
            "Traceback (most recent call last):\n" + String(repeating: filler, count: 100_000) + "\nKeyError: 'price'\n"
        let quoted = Names.error("org.freedesktop.DBus.Python.KeyError", text)
        #expect(quoted.hasPrefix("'org.freedesktop.DBus.Python.KeyError': Traceback (most recent call last):\\n"))
        #expect(quoted.contains(" … ") && quoted.hasSuffix("\\nKeyError: 'price'"))
        #expect(quoted.utf8.count < 600)
        #expect(Names.error("x.No", String(repeating: filler, count: 512 / filler.utf8.count)).contains("…") == false)
    }

    @Test(arguments: ["-", "ä", "😀"])
    func `S-23 of a long error, the message has the beginning and the end`(filler: String) {
        let fault = Fault("x.No", "first\n" + String(repeating: filler, count: 1_000) + "\nlast")
        #expect(fault.message.hasPrefix("first\n" + filler) && fault.message.hasSuffix(filler + "\nlast"))
        #expect((1_000...1_024).contains(fault.message.utf8.count))
        // A restart keeps it as it is.
        #expect(Fault("x.No", fault.message) == fault)
    }
}
