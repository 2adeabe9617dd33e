import BusTestSupport
import FlowCore
import Foundation
import Testing

@testable import FlowFile

/// The JSON Schema of definition files says the same as the checks, as far as one file by itself and no names that are
/// declared elsewhere are concerned.
///
/// Beside what stands here, each text that any test of this target has checked is held against the schema: see
/// ``judge(_:)``.
@Suite("Schema")
struct SchemaTests {
    private static let repository = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized

    @Test func `there is a validator, and the schema is one`() throws {
        let validator = try SchemaValidator.shared.get()
        #expect(try validator.errors(of: "version = 1") == [])
        #expect(try validator.errors(of: "version = 1\n[") != [])
        #expect(try validator.errors(of: "version = 1\nflow = 1") != [])
    }

    @Test func `every example of the repository`() throws {
        let validator = try SchemaValidator.shared.get()
        let examples = try #require(FileManager.default.enumerator(atPath: Self.repository.path + "/examples"))
        var count = 0
        for case let name as String in examples where name.hasSuffix(".toml") && !name.hasSuffix(".act.toml") {
            let text = try String(contentsOfFile: Self.repository.path + "/examples/" + name, encoding: .utf8)
            #expect(try validator.errors(of: text) == [], "\(name)")
            count += 1
        }
        #expect(count > 10)
    }

    @Test(arguments: OnlyChecked.all)
    func `errors that only the checks can find`(one: OnlyChecked) throws {
        let found = errors("\n" + one.example)
        #expect(!found.isEmpty && found.allSatisfy { $0.contains(one.message) }, "\(one.why): \(found)")
        #expect(try SchemaValidator.shared.get().errors(of: "version = 1\n" + one.example) == [], "\(one.why)")
    }

    @Test func `each key of the format is described, with the default that the checks have`() throws {
        let data = try Data(contentsOf: Self.repository.appending(path: "schema/flowbus.flows.schema.json"))
        let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let definitions = try #require(schema["definitions"] as? [String: [String: Any]])
        func properties(_ definition: [String: Any]?) throws -> [String: [String: Any]] {
            try #require(definition?["properties"] as? [String: [String: Any]])
        }
        let root = try properties(schema)
        let (flow, screen) = (try properties(definitions["flow"]), try properties(definitions["screen"]))
        #expect(root.keys.sorted() == Draft.rootKeys.sorted())
        #expect(flow.keys.sorted() == Draft.flowKeys.sorted())
        #expect(screen.keys.sorted() == Draft.screenKeys.sorted())
        for (name, property) in root.merging(flow, uniquingKeysWith: { $1 }).merging(screen, uniquingKeysWith: { $1 }) {
            #expect((property["description"] as? String)?.isEmpty == false, "\(name)")
        }
        let usual = try DefinitionFiles.check([
            DefinitionFiles.FileText(file: "a.toml", text: .success("version = 1\n[flows.f]\n[screens]\ns = {}"))
        ]).definitions
        let (usualFlow, usualScreen) = (usual.flows[0], usual.screens[0])
        #expect(flow["children"]?["default"] as? String == usualFlow.children.rawValue)
        #expect(flow["whenHidden"]?["default"] as? String == usualFlow.whenHidden.rawValue)
        #expect(flow["unique"]?["default"] as? Bool == usualFlow.isUnique)
        #expect(flow["announce"]?["default"] as? Bool == usualFlow.announces)
        #expect(flow["restore"]?["default"] as? Bool == usualFlow.isRestored)
        #expect(screen["whenOwnerGone"]?["default"] as? String == usualScreen.whenOwnerGone.rawValue)
    }
}

/// Holds a text against the schema, and records where that says another thing than the checks: it has to take what these
/// take, and to refuse what these refuse, unless ``OnlyChecked`` has the reason why it can't.
///
/// The text is checked by itself, as an editor sees it: what other files declare is undeclared then, which is among the
/// things that only the checks can see.
func judge(_ text: String) {
    // Without a validator the tests of the schema fail, with the reason. Large texts test sizes, which no schema checks.
    guard case .success(let validator) = SchemaValidator.shared, text.utf8.count < 64 * 1024 else { return }
    do {
        let refusals = try validator.errors(of: text)
        let found = DefinitionFiles.errors(in: text)
        let seen = found.filter { OnlyChecked.kind(of: $0.message) == nil }
        if refusals.isEmpty {
            #expect(seen == [], "the schema takes what the checks refuse:\n\(text)")
        } else if seen.isEmpty, !found.contains(where: { OnlyChecked.kind(of: $0.message)?.isSometimesSeen == true }) {
            Issue.record("the schema refuses what it has no reason to: \(refusals)\n\(text)")
        }
    } catch {
        Issue.record("\(error): \(text)")
    }
}

extension DefinitionFiles {
    /// The errors of a text, as the only file.
    fileprivate static func errors(in text: String) -> [Diagnostic] {
        do throws(DefinitionFailure) {
            _ = try check([FileText(file: "a.toml", text: .success(text))])
            return []
        } catch {
            return error.diagnostics.filter { $0.severity == .error }
        }
    }
}
