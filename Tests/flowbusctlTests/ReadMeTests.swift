import BusTestSupport
import Foundation
import Testing

/// The README and its picture show the output of flowbusctl, and its snippets are from files that tests run.
@Suite("README")
struct ReadMeTests {
    /// A fenced block of a document.
    private struct Block {
        let language: Substring
        let text: String
        /// The text before it, back to the previous block.
        let prose: String
    }

    private func blocks(of document: String = "README.md") throws -> [Block] {
        let parts = try Service.file(document).components(separatedBy: "```")
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let lines = parts[index].split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return Block(language: lines[0], text: String(lines[1]), prose: parts[index - 1])
        }
    }

    /// Runs each command of a transcript, and returns the resulting transcript.
    private func play(_ transcript: String, on service: Service) throws -> String {
        var played = ""
        for line in transcript.split(separator: "\n") where line.hasPrefix("$ ") {
            let words = line.split(separator: " ").dropFirst().map(String.init)
            #expect(words.first == "flowbusctl")
            let run = try Program.run(["--address", service.bus.address] + words.dropFirst())
            played += line + "\n" + run.output + run.errors
        }
        return played
    }

    @Test func `the transcript is real output`() throws {
        let blocks = try blocks()
        let definitions = try #require(blocks.first { $0.language == "toml" }).text
        #expect(definitions.hasPrefix("version = 1\n"))
        let service = try Service(String(definitions.dropFirst("version = 1\n".count)))
        let transcript = try #require(blocks.first { $0.language == "console" }).text
        #expect(try play(transcript, on: service) == transcript)
    }

    @Test func `the picture shows real output`() throws {
        let service = try Service("", options: ["--flows", Service.repository + "/examples/movies/flows.d"])
        let transcript = try Service.file("docs/movies.txt")
        #expect(try play(transcript, on: service) == transcript)
        let picture = try Service.file("docs/movies.svg")
        for line in transcript.split(separator: "\n") {
            #expect(picture.contains(">\(line)</text>"), "'make docs' draws it anew: \(line)")
        }
    }

    @Test func `the program in Python emits a step of the definitions`() throws {
        let blocks = try blocks()
        let definitions = try #require(blocks.first { $0.language == "toml" }).text
        let program = try #require(blocks.first { $0.language == "python" }).text
        let service = try Service(String(definitions.dropFirst("version = 1\n".count)))
        #expect(try service.ctl("show", "shop/list").errors.isEmpty)
        let run = try ChildProcess(
            "/usr/bin/python3", ["-c", program], environment: ["DBUS_SESSION_BUS_ADDRESS": service.bus.address])
        try run.waitForExit()
        #expect(run.output + run.errors == "navigated\n")
        #expect(try service.ctl("tree", "--arguments").output.contains("item=7"))
    }

    @Test func `the guide's definitions are valid`() throws {
        let definitions = try blocks(of: "docs/processes.md").filter { $0.text.hasPrefix("version = 1\n") }
        #expect(!definitions.isEmpty)
        for definition in definitions {
            let folder = try TemporaryDirectory()
            try folder.write(definition.text, to: "flows.toml")
            let run = try Program.run("check", folder.path)
            // The programs that it names are on no machine.
            let rest = run.errors.split(separator: "\n").filter {
                !$0.contains("no D-Bus service file of this machine")
            }
            #expect(run.status == .status(0) && rest.isEmpty, "\(run.output)\(run.errors)")
        }
    }

    @Test func `each snippet is from the file that is named before it`() throws {
        let snippets = try blocks().filter { ["python", "swift"].contains($0.language) && !$0.text.hasPrefix("from ") }
        #expect(snippets.count == 1)
        for snippet in snippets {
            let link = try #require(snippet.prose.matches(of: #/\]\((examples/[^)]+)\):/#).last)
            let file = try Service.file(String(link.output.1))
            #expect(file.contains(snippet.text), "the snippet is not in \(link.output.1)")
        }
    }

    @Test func `it is short`() throws {
        #expect(try Service.file("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 160)
    }
}
