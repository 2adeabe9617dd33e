import Foundation
import Testing

@testable import FlowFile

/// `flowbus.flows(5)` documents every key.
@Suite("Manual")
struct ManualTests {
    private static let manual: String? = {
        let here = (#filePath as NSString).deletingLastPathComponent
        return try? String(contentsOfFile: "\(here)/../../man/flowbus.flows.5", encoding: .utf8)
    }()

    /// The text from one heading to the next.
    private func section(_ name: String) throws -> Substring {
        let manual = try #require(Self.manual)
        let parts = manual.split(separator: ".Sh ")
        return try #require(parts.first { $0.hasPrefix(name + "\n") })
    }

    @Test func `keys of screens`() throws {
        let text = try section("SCREENS")
        for key in Draft.screenKeys where key != "arguments" { #expect(text.contains(".It Cm \(key)\n"), "\(key)") }
    }

    @Test func `keys of programs, and what restricts them`() throws {
        let text = try section("PROGRAMS")
        for key in Resolver.programKeys { #expect(text.contains(".It Cm \(key)\n"), "\(key)") }
        for start in ProgramDeclaration.Start.allCases {
            #expect(text.contains(".It Li \\(dq\(start.rawValue)\\(dq\n"), "\(start)")
        }
        for restriction in ProgramDeclaration.Restriction.allCases {
            #expect(text.contains(".It Li \(restriction.rawValue)\n"), "\(restriction)")
        }
    }

    @Test func `keys of flows`() throws {
        let text = try section("FLOWS")
        for key in Draft.flowKeys where key != "on" { #expect(text.contains(".It Cm \(key)\n"), "\(key)") }
        for key in ["name", "path", "timeout", "steps"] { #expect(text.contains(".Cm \(key)"), "\(key)") }
    }
}
