import BusTestSupport
import Foundation
import Testing

/// The library's documentation, as far as DocC does not check it.
@Suite("Documentation of FlowBus", .fewAtOnce, .serialized)
struct DocumentationTests {
    private static let catalog = Service.repository + "/Sources/FlowBus/FlowBus.docc"
    private static let example = Service.repository + "/examples/swift-app"

    /// Returns the tutorial's final code: that of `WatchedFlow-3.swift` for `WatchedFlow.swift`, if there is no `-4`.
    private static func lastCode() throws -> [String: String] {
        var last: [String: (number: Int, file: String)] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: catalog + "/Resources") {
            let parts = file.split(separator: "-")
            guard file.hasSuffix(".swift") else { continue }
            let end = try #require(parts.last?.split(separator: ".").first)
            let number = try #require(Int(end), "'\(file)' has no number")
            let name = parts.dropLast().joined(separator: "-") + ".swift"
            if let known = last[name], known.number > number { continue }
            last[name] = (number, file)
        }
        return last.mapValues(\.file)
    }

    @Test func `the tutorial ends with the code of the example, which is built and played`() throws {
        let last = try Self.lastCode()
        #expect(last.count >= 8)
        let tutorial = try String(contentsOfFile: Self.catalog + "/FromRxFlowToFlowBus.tutorial", encoding: .utf8)
        let files = try #require(FileManager.default.enumerator(atPath: Self.example + "/Sources/movies"))
        var paths = ["Package.swift": "Package.swift"]
        for case let file as String in files { paths[(file as NSString).lastPathComponent] = "Sources/movies/" + file }
        for (name, file) in last {
            let path = try #require(paths[name], "the example has no '\(name)'")
            let real = try String(contentsOfFile: Self.example + "/" + path, encoding: .utf8)
            let reported = try String(contentsOfFile: Self.catalog + "/Resources/" + file, encoding: .utf8)
            #expect(reported == real, "\(file) has to be a copy of examples/swift-app/\(path)")
            // The last version that is shown under this name.
            let shown = try #require(tutorial.components(separatedBy: "@Code(name: \"\(name)\", file: \"").last)
            #expect(shown.hasPrefix("\(file)\""), "\(name) ends with another file")
        }
    }

    /// Returns the symbols in backticks in the first column of a file's tables.
    private static func symbols(in text: String) -> Set<Substring> {
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let cells = rows.compactMap { $0.split(separator: "|").first }
        return Set(cells.flatMap { $0.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element) })
    }

    @Test func `each symbol of RxFlow that has a place on the bus has one in Swift`() throws {
        let onTheBus = Self.symbols(in: try Service.file("docs/rxflow.md"))
        let inSwift = Self.symbols(in: try Service.file("Sources/FlowBus/FlowBus.docc/RxFlowsSymbols.md"))
        #expect(onTheBus.count > 40)
        #expect(onTheBus.subtracting(inSwift) == [])
    }

    /// So it is meant for other systems than Linux, too, where there is neither a bus nor libsystemd. Synchronization is a module of the
    /// standard library.
    @Test(arguments: [("FlowCore", ["Synchronization"]), ("FlowBus", ["FlowCore", "Synchronization"])])
    func `what runs in one process imports the standard library alone`(module: String, imported: [String]) throws {
        let folder = Service.repository + "/Sources/" + module
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
        #expect(files.count > 20)
        for file in files {
            let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                guard let place = words.firstIndex(of: "import"),
                    words[..<place].allSatisfy({ Self.modifiers.contains($0) })
                else { continue }
                // `import enum FlowCore.Value` names the module first.
                let name = try #require(words.last?.split(separator: ".").first)
                #expect(imported.contains(String(name)), "\(module)/\(file): \(line)")
            }
        }
    }

    private static let modifiers = ["public", "package", "internal", "private"]
}
