import FlowCore
import FlowTrace
import Testing

@Suite("Recordings")
struct RecordingTests {
    private static let call = Recording.Call("/base", "org.example.Base", "Get", [.string("two words"), .uint32(7)])

    private func recording() -> Recording {
        var recording = Recording(since: 10, time: 20)
        recording.note(owner: ":1.7", "pid 12 (\"kiosk\")")
        recording.note([.string("old")], to: Self.call)
        recording.note(
            [.array(element: "{sv}", [.entry(key: .string("a\n"), value: .variant(.bool(true)))])], to: Self.call)
        recording.note([], to: Recording.Call("/base", "org.example.Base", "Retry", []))
        return recording
    }

    @Test func `what is written is read again`() throws {
        let read = try Recording(recording().text)
        #expect(read.since == 10 && read.time == 20)
        #expect(read.owner(":1.7") == "pid 12 (\"kiosk\")" && read.owner(":1.8") == nil)
        #expect(read.answer(to: Self.call) == recording().answer(to: Self.call))
        #expect(read.answer(to: Self.call)?.count == 1)
        #expect(read.answers.map(\.call.member) == ["Get", "Retry"])
        #expect(read.answer(to: Recording.Call("/base", "org.example.Base", "Get", [])) == nil)
        #expect(read.text == recording().text)
    }

    @Test(arguments: [
        ("", 1, "this is no recording"), ("flowbus-trace 1 /base\n", 1, "this is no recording"),
        ("flowbus-recording 1 5\nend\n", 1, "a word is missing"),
        ("flowbus-recording 1 5 6\nend", 2, "the last line has to be 'end'"),
        ("flowbus-recording 1 5 6\n", 2, "a word is missing"),
        ("flowbus-recording 1 5 6\nowner \":1.1\" \"x\"\n", 3, "a word is missing"),
        ("flowbus-recording 1 5 6\nevent\nend\n", 2, "'event' is neither"),
        ("flowbus-recording 1 5 6\nanswer \"/\" \"i\" \"m\" 0 1 x y\nend\n", 2, "'y' is no number"),
        ("flowbus-recording 1 5 6\nanswer \"/\" \"i\" \"m\" 0 0 0\nend\n", 2, "there is more in the line"),
        ("flowbus-recording 1 5 6\nend\nend\n", 2, "the last line has to be 'end'"),
    ])
    func `a file that can't be read is refused with its line`(text: String, line: Int, message: String) {
        let mismatch = #expect(throws: Trace.Mismatch.self) { try Recording(text) }
        #expect(mismatch?.line == line && mismatch?.message.contains(message) == true, "\(mismatch as Any)")
    }

    @Test func `variants in one another end nothing but the reading`() {
        let variants = String(repeating: " v", count: 100_000)
        let mismatch = #expect(throws: Trace.Mismatch.self) {
            try Recording("flowbus-recording 1 5 6\nanswer \"/\" \"i\" \"m\" 0 1\(variants) y 1\nend\n")
        }
        #expect(mismatch?.message == "there are more than 64 variants in one another")
    }
}
