import Testing

@testable import FlowFile

/// The parser reads all of TOML 1.1. The suite is for another version in each release of Debian: in 12 for TOML 1.0, in 13 for
/// a draft of 1.1, in sid for both. So what is expected here are the names that there are.
@Suite("Official suite of TOML", .enabled(if: TomlSuite.obstacle == nil, Comment(rawValue: TomlSuite.obstacle ?? "")))
struct TomlSuiteTests {
    /// Valid texts that are refused on purpose: they have U+0000, which no string on the bus can have.
    private static let null: Set = [
        "valid/key/quoted-unicode", "valid/string/hex-escape", "valid/string/quoted-unicode",
        "valid/string/unicode-escape",
    ]

    /// Valid in the draft only: other letters than those of ASCII in keys without quotes.
    private static let draft: Set = ["valid/key/unicode"]

    /// Invalid before TOML 1.1, and valid in it.
    private static let valid: Set = [
        "invalid/datetime/no-secs", "invalid/inline-table/linebreak-1", "invalid/inline-table/linebreak-2",
        "invalid/inline-table/linebreak-3", "invalid/inline-table/linebreak-4", "invalid/inline-table/linebreak-01",
        "invalid/inline-table/linebreak-02", "invalid/inline-table/linebreak-03", "invalid/inline-table/linebreak-04",
        "invalid/inline-table/trailing-comma", "invalid/local-datetime/no-secs", "invalid/local-time/no-secs",
        "invalid/string/basic-byte-escapes",
    ]

    /// Valid in TOML 1.1 only, as the suite says.
    private static let newer: Set = [
        "valid/datetime/no-seconds", "valid/inline-table/newline", "valid/inline-table/newline-comment",
        "valid/spec-1.1.0/common-12", "valid/spec-1.1.0/common-29", "valid/spec-1.1.0/common-31",
        "valid/spec-1.1.0/common-34", "valid/spec-1.1.0/common-47", "valid/string/escape-esc",
    ]

    private let cases: [TomlSuite.Case]
    private let names: Set<String>
    /// The names of those that have U+0000 in this version of the suite.
    private let nullHere: Set<String>

    init() throws {
        cases = try TomlSuite().cases
        names = Set(cases.map(\.name))
        nullHere = Set(
            try cases.filter { one in
                try Self.null.contains(one.name) && one.text.get().contains(/\\(u0000|U00000000|x00)/)
            }.map(\.name))
    }

    @Test func `all cases are there`() {
        #expect(cases.count { $0.values != nil } >= 100)
        #expect(cases.count { $0.values == nil } >= 234)
    }

    @Test func `valid texts have the right values, and invalid ones are refused`() {
        var wrong: Set<String> = []
        for one in cases where (try? TomlSource(checked: one.text.get())).map({ Tagged($0.root) }) != one.values {
            wrong.insert(one.name)
        }
        #expect(wrong == nullHere.union(names.intersection(Self.draft.union(Self.valid))))
    }

    @Test func `U+0000 is refused, and nothing else for its sake`() {
        var refused: Set<String> = []
        for one in cases where one.values != nil {
            do throws(FileReader.Failure) {
                _ = try TomlSource(checked: one.text.get())
            } catch {
                if error.message == TomlParser.nullCharacter { refused.insert(one.name) }
            }
        }
        #expect(refused == nullHere)
    }

    @Test func `what needs TOML 1.1`() {
        var newer: Set<String> = []
        for one in cases {
            if let source = try? TomlSource(checked: one.text.get()), source.newer != nil { newer.insert(one.name) }
        }
        #expect(newer == names.intersection(Self.newer.union(Self.valid)))
    }
}
