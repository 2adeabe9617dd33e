import FlowFile
import Foundation
import Testing

@testable import FlowTrace

/// Tours of the examples as they were recorded once (`examples/NAME/tour` with `--record`); that of `restart` is its second
/// process, which finds the tree of the first one. After an intended change of the effects, record them again.
@Suite("Recorded tours")
struct TourTraceTests {
    @Test(arguments: ["car", "movies-2", "restart", "tabs"])
    func `a recorded tour replays to the same effects`(name: String) throws {
        let here = (#filePath as NSString).deletingLastPathComponent
        let text = try String(contentsOfFile: "\(here)/Tours/\(name).trace", encoding: .utf8)
        let folders = DefinitionFolders(named: ["\(here)/../../examples/\(name)/flows.d"], environment: [:])
        let definitions = try DefinitionFiles.load(from: folders).definitions
        let events = text.split(separator: "\n").count { $0.hasPrefix("> ") }
        #expect(try Trace.replay(text, definitions: definitions) == events)
        #expect(events > 5)
    }
}
