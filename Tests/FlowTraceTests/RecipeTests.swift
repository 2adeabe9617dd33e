import FlowCore
import FlowFile
import Foundation
import Testing

/// `examples/recipes`: each is a few lines of definitions that answer a question, and a tour that shows it.
///
/// After an intended change, `FLOWBUS_RECORD=1` writes what is to be seen in the tours anew.
@Suite("Recipes")
struct RecipeTests {
    private static let folder = (#filePath as NSString).deletingLastPathComponent + "/../../examples/recipes"
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

    private func definitions(_ name: String) throws -> DefinitionFiles {
        try DefinitionFiles.load(from: DefinitionFolders(named: ["\(Self.folder)/\(name)"], environment: [:]))
    }

    @Test(arguments: names) func `the tour of a recipe shows what it says`(name: String) throws {
        let file = "\(Self.folder)/\(name)/tour"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let tour = try RecipeTour(text, definitions(name).definitions)
        let played = tour.played.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["FLOWBUS_RECORD"] != nil {
            try played.write(toFile: file, atomically: true, encoding: .utf8)
        } else if played != text {
            let (now, before) = (
                tour.played, text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            )
            let place =
                zip(now, before).enumerated().first { $0.element.0 != $0.element.1 }?.offset
                ?? min(now.count, before.count)
            Issue.record("\(file):\(place + 1): now is '\(place < now.count ? now[place] : "")'")
        }
        // It shows something: what is in front changes, and comes to more than one thing.
        #expect(tour.sights.count >= 3 && Set(tour.sights).count >= 2)
    }

    @Test(arguments: names) func `the definitions of a recipe are few, and have no warnings`(name: String) throws {
        let loaded = try definitions(name)
        #expect(loaded.warnings.isEmpty && loaded.notes.isEmpty, "\(loaded.warnings + loaded.notes)")
        let text = try String(contentsOfFile: "\(Self.folder)/\(name)/flows.toml", encoding: .utf8)
        let lines = text.split(separator: "\n").count { !$0.hasPrefix("#") }
        #expect(lines <= 40, "\(lines) lines")
    }

    @Test func `there are recipes, each a folder with two files`() throws {
        #expect(Self.names.count >= 20)
        for name in Self.names {
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/\(name)")
            #expect(files.sorted() == ["flows.toml", "tour"], "\(name)")
        }
    }

    @Test(arguments: [
        ("$ flowbusctl emit main gone", "no step 'gone' is declared"),
        ("$ flowbusctl emit mian open", "nothing is live at 'mian'"),
        ("$ flowbusctl emit main open item=1", "no argument 'item' is declared"),
        ("$ flowbusctl tree", "'flowbusctl tree' can't be played like this"),
        ("$ busctl tree", "'$ busctl tree' is no command of flowbusctl"),
        ("* the sun rises", "'* the sun rises' is nothing that can happen"),
    ])
    func `a line that says nothing is an error`(line: String, message: String) throws {
        let definitions = Definitions(
            steps: [StepDeclaration("open")], screens: [ScreenDeclaration("page")],
            flows: [
                FlowDefinition(
                    "main", initial: StepID(0),
                    rules: [Rule(StepID(0), [.child(ChildTemplate(.screen(ScreenID(0))))])])
            ],
            autostart: [Autostart(FlowID(0))])
        let error = #expect(throws: RecipeTour.Unreadable.self) {
            _ = try RecipeTour("* start\n\(line)\n", definitions)
        }
        #expect(error?.description == message)
    }

    @Test func `what is to be seen is the device's own, whatever the tour says`() throws {
        let name = try #require(Self.names.first)
        let text = try String(contentsOfFile: "\(Self.folder)/\(name)/tour", encoding: .utf8)
        let commands = text.split(separator: "\n").filter { !$0.hasPrefix("  ") }.joined(separator: "\n")
        let tour = try RecipeTour(commands, definitions(name).definitions)
        #expect(tour.played.contains { $0.hasPrefix("  ") })
    }
}
