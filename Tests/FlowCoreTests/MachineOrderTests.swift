import Foundation
import Testing

/// The extensions of `Machine` call those above them in the list of docs/architecture.md, and none below.
@Suite("Order of the machine")
struct MachineOrderTests {
    /// A function of an extension.
    private struct Function {
        let file: String
        let name: String
        let calls: Set<String>
    }

    private let order: [String]
    private let functions: [Function]
    /// The other files that extend the machine.
    private let strays: [String]

    init() throws {
        let top = (#filePath as NSString).deletingLastPathComponent + "/../.."
        let text = try String(contentsOfFile: top + "/docs/architecture.md", encoding: .utf8)
        let rows = try #require(text.components(separatedBy: "| extension | what it does |").dropFirst().first)
        order = rows.components(separatedBy: "\n\n")[0].matches(of: #/`([A-Za-z]+)`/#).map { String($0.output.1) }
        let paths = try FileManager.default.subpathsOfDirectory(atPath: top + "/Sources/FlowCore")
        functions = try paths.filter { $0.contains("/Machine+") }.flatMap { path in
            let file = path.components(separatedBy: "/Machine+")[1].replacingOccurrences(of: ".swift", with: "")
            return try Self.functions(
                of: file, in: String(contentsOfFile: "\(top)/Sources/FlowCore/\(path)", encoding: .utf8))
        }
        let others = paths.filter { $0.hasSuffix(".swift") && !$0.contains("/Machine+") }
        strays = try others.filter {
            try String(contentsOfFile: "\(top)/Sources/FlowCore/\($0)", encoding: .utf8).contains("extension Machine ")
        }
    }

    /// The functions of a file: members of an extension are indented by four blanks.
    private static func functions(of file: String, in text: String) -> [Function] {
        text.components(separatedBy: "\n    }\n").compactMap { part in
            guard let match = part.firstMatch(of: #/\n    [a-z ]*func ([A-Za-z]+)/#) else { return nil }
            let body = part[match.range.upperBound...]
            let calls = body.matches(of: #/(^|[^.A-Za-z])([a-z][A-Za-z]*)\(/#).map { String($0.output.2) }
            return Function(file: file, name: String(match.output.1), calls: Set(calls))
        }
    }

    @Test func `the list names each extension once`() {
        #expect(order.sorted() == Set(functions.map(\.file)).sorted())
        #expect(functions.count > 150)
        #expect(strays == [])
    }

    @Test func `no extension calls one below it`() throws {
        let files = Dictionary(grouping: functions, by: \.name).mapValues { Set($0.map(\.file)) }
        for function in functions {
            let place = try #require(order.firstIndex(of: function.file))
            for call in function.calls {
                // Of a name that several extensions have, one is above.
                guard let callees = files[call] else { continue }
                let isAbove = callees.contains { order.firstIndex(of: $0).map { $0 <= place } ?? false }
                #expect(isAbove, "\(function.name) in \(function.file) calls \(call) in \(callees.sorted())")
            }
        }
    }
}
