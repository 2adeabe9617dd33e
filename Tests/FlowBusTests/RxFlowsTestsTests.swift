import BusTestSupport
import Foundation
import Testing

/// `docs/rxflow-tests.md` against the tests that it names.
@Suite("RxFlow's tests, as the documentation lists them", .fewAtOnce, .serialized)
struct RxFlowsTestsTests {
    private static let page = "docs/rxflow-tests.md"
    private static let folder = Service.repository + "/Tests/FlowBusTests/RxFlow"

    /// A row of the page.
    private struct Row {
        let suite: String
        let name: String
        let verdict: String
        let counterpart: String
        let reason: String
    }

    private struct Malformed: Error {
        let line: Substring
    }

    private static func rows() throws -> [Row] {
        var rows: [Row] = []
        var suite = ""
        for line in try Service.file(page).split(separator: "\n") {
            if line.hasPrefix("## ") { suite = String(line.dropFirst(3)) }
            guard line.hasPrefix("| `") else { continue }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            guard cells.count == 6 else { throw Malformed(line: line) }
            rows.append(
                Row(suite: suite, name: cells[1], verdict: cells[2], counterpart: cells[3], reason: cells[4]))
        }
        return rows
    }

    /// The names that the ported tests have of RxFlow's, with their suites: `StepperTests.testOneStepper`.
    private static func ported() throws -> Set<String> {
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
            var suite: Substring?
            for line in text.split(separator: "\n") {
                if let start = line.prefixMatch(of: #/(?:struct|extension) (\w+) /#) { suite = start.output.1 }
                // With its rules before it, and what it shows after it.
                guard let test = line.firstMatch(of: #/func `(?:[SD]-\d+ )*(test_?[A-Za-z]\w*)/#) else { continue }
                let of = try #require(suite, "\(file) has a test in no suite: \(line)")
                names.insert("\(of).\(test.output.1)")
            }
        }
        return names
    }

    @Test func `each test of RxFlow has a row`() throws {
        let rows = try Self.rows()
        #expect(Set(rows.map(\.name)).count == rows.count)
        // The tests of RxFlow 2.13.2.
        #expect(
            Dictionary(grouping: rows, by: \.suite).mapValues(\.count) == [
                "FlowCoordinatorTests": 10, "FlowsTests": 12, "StepperTests": 7, "ObservableType+PausableTests": 2,
                "Flow+PresentableTests": 2, "UIViewController+PresentableTests": 3, "FlowContributorTests": 1,
                "SyncronizableTests": 1,
            ])
    }

    @Test func `each row names a test that exists, and each ported test has a row`() throws {
        let named = try Self.rows().map(\.counterpart).filter { $0 != "–" }
        let ported = try Self.ported()
        #expect(ported.subtracting(named) == [], "missing in \(Self.page)")
        #expect(Set(named).subtracting(ported) == [], "named in \(Self.page), and not there")
    }

    @Test func `each verdict is one of three, and what differs has its reason`() throws {
        for row in try Self.rows() {
            switch row.verdict {
            case "the same": #expect(row.reason.isEmpty && row.counterpart != "–", "\(row)")
            case "said differently": #expect(!row.reason.isEmpty && row.counterpart != "–", "\(row)")
            case "no counterpart": #expect(!row.reason.isEmpty && row.counterpart == "–", "\(row)")
            default: Issue.record("\(row.name) has the verdict '\(row.verdict)'")
            }
            // A shared counterpart says of how many flows.
            let isShared = row.suite == "FlowsTests"
            #expect(isShared || row.verdict == "no counterpart" || row.counterpart.hasSuffix(".\(row.name)"), "\(row)")
        }
    }
}
