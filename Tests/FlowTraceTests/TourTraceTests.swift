import FlowCore
import FlowFile
import Foundation
import Testing

@testable import FlowTrace

/// Tours of the examples as they were recorded once (by `flowbusd --record`); that of `restart` is its second process, which
/// finds the tree of the first one.
///
/// After an intended change of the effects, `FLOWBUS_RECORD=1` writes those of the same events anew.
@Suite("Recorded tours")
struct TourTraceTests {
    @Test(arguments: ["car", "movies-2", "restart", "tabs"])
    func `a recorded tour replays to the same effects`(name: String) throws {
        let here = (#filePath as NSString).deletingLastPathComponent
        let file = "\(here)/Tours/\(name).trace"
        var text = try String(contentsOfFile: file, encoding: .utf8)
        let folders = DefinitionFolders(named: ["\(here)/../../examples/\(name)/flows.d"], environment: [:])
        let definitions = try DefinitionFiles.load(from: folders).definitions
        if ProcessInfo.processInfo.environment["FLOWBUS_RECORD"] != nil {
            text = try Self.recorded(text, definitions)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }
        let events = text.split(separator: "\n").count { $0.hasPrefix("> ") }
        #expect(try Trace.replay(text, definitions: definitions) == events)
        #expect(events > 5)
    }

    /// The same events with the effects that they have now.
    private static func recorded(_ text: String, _ definitions: Definitions) throws -> String {
        let lines = text.split(separator: "\n")
        let header = try #require(lines.first)
        let base = String(header.dropFirst(Trace.header(basePath: "").count))
        var coordinator = Coordinator(definitions: definitions, basePath: base)
        var written = [String(header)]
        for line in lines.dropFirst() where line.hasPrefix("> ") {
            let (event, now) = try Trace.event(of: line, for: coordinator, reading: definitions)
            written.append(String(line))
            written += coordinator.handle(event, at: now, upTo: Limits.slice).map(Trace.line(of:))
        }
        return written.joined(separator: "\n") + "\n"
    }
}
