import Foundation
import Testing

@testable import FlowCore

/// The documents agree with the code.
@Suite("Documentation")
struct DocumentationTests {
    /// The rules of durability.
    private let durabilityRules = (1...10).map { "D-\($0)" }
    /// The documents that mention rules.
    private let files = [
        "docs/concepts.md", "docs/semantics.md", "docs/rxflow.md", "docs/processes.md", "docs/durability.md",
        "docs/architecture.md", "docs/glossary.md", "docs/reliability.md", "docs/recipes.md", "docs/languages.md",
        "README.md", "HACKING.md",
        "CONTRIBUTING.md", "SECURITY.md",
    ]

    private func text(_ path: String) throws -> String {
        let top = (#filePath as NSString).deletingLastPathComponent + "/../.."
        return try String(contentsOfFile: top + "/" + path, encoding: .utf8)
    }

    /// The words in backticks.
    private func words(_ path: String) throws -> Set<Substring> {
        Set(try text(path).matches(of: #/`([A-Za-z]+)`/#).map(\.output.1))
    }

    @Test func `each rule has one heading, and no other number is mentioned`() throws {
        let manual = try text("docs/semantics.md")
        let rules = manual.matches(of: #/(?m)^### ([A-Z]-[0-9]+) /#).map { String($0.output.1) }
        #expect(Set(rules).count == rules.count)
        #expect(Set(rules).isSuperset(of: (1...35).map { "S-\($0)" }))
        let durability = try text("docs/durability.md")
        #expect(durability.matches(of: #/(?m)^### ([A-Z]-[0-9]+) /#).map { String($0.output.1) } == durabilityRules)
        for file in files {
            for match in try text(file).matches(of: #/\b[SD]-[0-9]+/#) {
                #expect((rules + durabilityRules).contains(String(match.output)), "\(file)")
            }
        }
    }

    @Test func `every word of the contract and of definition files is documented`() throws {
        let words = try words("docs/semantics.md")
        let met =
            Verdict.allCases.map(\.rawValue) + FlowError.Code.allCases.map(\.rawValue)
            + Contribution.Kind.allCases.map(\.rawValue) + WhenHidden.allCases.map(\.rawValue)
            + Children.allCases.map(\.rawValue) + DismissalReason.allCases.map(\.rawValue)
            + WhenOwnerGone.allCases.map(\.rawValue) + WhenEmpty.allCases.map(\.rawValue)
            + PresentReason.allCases.map(\.rawValue) + PresentDirection.allCases.map(\.rawValue)
        for word in met { #expect(words.contains(Substring(word)), "\(word)") }
    }

    /// The tables themselves are compared with the documents by `flowbus-manual --check`.
    @Test func `each limit has a row in the tables`() throws {
        let table = try text("Sources/FlowCore/Limits/Limits+Table.swift")
        let tableWords = Set(table.matches(of: #/[A-Za-z]+/#).map { String($0.output) })
        // How bytes are counted, what D-Bus itself limits, and how work is divided are no limits for clients.
        let internals = ["valueBytes", "argumentNameBytes", "signatureLength", "slice"]
        for match in try text("Sources/FlowCore/Limits/Limits.swift").matches(of: #/static let ([A-Za-z]+)/#) {
            let name = String(match.output.1)
            #expect(internals.contains(name) || tableWords.contains(name), "\(name)")
        }
    }

    @Test func `the README links to each document`() throws {
        let readMe = try text("README.md")
        for file in files where file.hasPrefix("docs/") {
            #expect(readMe.contains("(\(file))"), "\(file)")
        }
    }

    /// GitHub's anchors for the headings of a document, and explicit ones.
    private func anchors(_ path: String) throws -> Set<String> {
        let prose = try text(path).replacing(#/(?ms)^```.*?^```/#, with: "")
        let headings = prose.matches(of: #/(?m)^#+ (.*)$/#).map { match in
            String(
                match.output.1.lowercased().map { $0 == " " ? "-" : $0 }
                    .filter { $0.isLetter || $0.isNumber || "-_".contains($0) })
        }
        return Set(headings).union(prose.matches(of: #/<a id="([^"]+)">/#).map { String($0.output.1) })
    }

    @Test func `each link leads to a file, and to a heading of it`() throws {
        let top = (#filePath as NSString).deletingLastPathComponent + "/../../"
        for file in files {
            let prose = try text(file).replacing(#/(?ms)^```.*?^```/#, with: "")
            for link in prose.matches(of: #/\]\(([^)\s]+)\)/#).map(\.output.1) where !link.hasPrefix("https:") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = (file as NSString).deletingLastPathComponent
                let path = parts[0].isEmpty ? file : (folder as NSString).appendingPathComponent(String(parts[0]))
                guard FileManager.default.fileExists(atPath: top + path) else {
                    Issue.record("\(file): there is no '\(link)'")
                    continue
                }
                guard parts.count == 2 else { continue }
                #expect(try anchors(path).contains(String(parts[1])), "\(file): '\(link)' is no heading")
            }
        }
    }
}
