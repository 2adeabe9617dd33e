import BusTestSupport
import Foundation
import Testing

/// What the macros refuse, and where: the compiler reads sources with mistakes. What they make is shown by the tests that use it.
@Suite("Macros of steps and answers", .fewAtOnce, .serialized)
struct MacroTests {
    /// Compiles a source. Returns the errors, as `line: message`; empty if it is accepted.
    private func problems(_ source: String, _ options: String...) throws -> [String] {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/Mistakes.swift"
        try ("import FlowBus\n" + source).write(toFile: file, atomically: true, encoding: .utf8)
        let plugin = try Service.program(named: "FlowBusMacros-tool")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-package-name", "flowbus", "-I",
                (plugin as NSString).deletingLastPathComponent + "/Modules",
                "-load-plugin-executable", plugin + "#FlowBusMacros", file,
            ] + options
        // A pipe would not end before the children of other tests, which inherit it.
        let said = folder.path + "/said"
        try Data().write(to: URL(fileURLWithPath: said))
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: said))
        (compiler.standardOutput, compiler.standardError) = (FileHandle.nullDevice, output)
        try compiler.run()
        compiler.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: said)), as: UTF8.self)
        var problems: [String] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 3)
            guard parts.count == 4, parts[0] == file || parts[0].hasPrefix("macro expansion"),
                parts[3].hasPrefix(" error: "), let number = Int(parts[1])
            else { continue }
            // The import is the first line. Errors have no order.
            // After the message stands which macro it comes from.
            let message = parts[3].dropFirst(" error:".count).components(separatedBy: " (from macro")[0]
            let problem = "\(number - 1):\(message)"
            if !problems.contains(problem) { problems.append(problem) }
        }
        #expect((compiler.terminationStatus == 0) == problems.isEmpty, "\(text)")
        return problems.sorted()
    }

    @Test func `a step is a case of an enum that is not generic, and has one`() throws {
        let found = try problems(
            """
            @Step struct One {}
            @Step enum Two<Value: Sendable> { case home(Value) }
            @Step enum Three {}
            @Step enum Four {
                case home
                #if DEBUG
                case test
                #endif
            }
            """)
        #expect(
            found.contains("1: '@Step' is for an enum, whose cases are the steps: 'enum AppStep { case home }'"),
            "\(found)")
        #expect(
            found.contains("2: steps that go over the bus have one name each, so their enum can't be generic"),
            "\(found)")
        #expect(found.contains("3: 'Three' has no case, so there is no step"), "\(found)")
        #expect(
            found.contains("6: '@Step' can't see which of the cases inside #if there are; move them out"), "\(found)")
    }

    @Test func `a name that the bus does not take is refused where it stands`() throws {
        let long = String(repeating: "a", count: 129)
        let found = try problems(
            """
            @Step enum One {
                case öffne
            }
            @Step enum Two { case _home }
            @Step enum Three { case \(long) }
            @Step enum Four {
                case open(größe: Int)
            }
            """)
        #expect(
            found.contains(
                "2: 'öffne' can't be the name of a step: it has to be a letter, then letters, digits, '_', '.' and '-', at most 128 "
                    + "bytes; give the case another in CodingKeys"), "\(found)")
        #expect(found.contains { $0.hasPrefix("4: '_home' can't be the name of a step") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("5: '\(long)' can't be the name of a step") }, "\(found)")
        #expect(
            found.contains(
                "7: 'größe' can't be the name of an argument: it has to be a letter or '_', then letters, digits and '_', at most 64 "
                    + "bytes; give it another in CodingKeys"), "\(found)")
    }

    @Test func `CodingKeys have to give all names, each once`() throws {
        let found = try problems(
            """
            @Step enum One {
                case home, open
                enum CodingKeys: String, CodingKey { case home = "app.home" }
            }
            @Step enum Two {
                case home
                case open
                enum CodingKeys: String, CodingKey { case home = "a", open = "a" }
            }
            @Step enum Three {
                case home(a: Int)
                case home(b: Int)
            }
            @Step enum Four {
                case open(a: Int, c: Int)
                enum OpenCodingKeys: String, CodingKey { case a = "b" }
            }
            @Step enum Five {
                case open(a: Int, c: Int)
                enum OpenCodingKeys: String, CodingKey { case a = "x", c = "x" }
            }
            """)
        #expect(found.contains("2: the case 'open' is missing in CodingKeys, which names the steps"), "\(found)")
        #expect(found.contains("7: the cases 'home' and 'open' are both the step 'a'"), "\(found)")
        #expect(
            found.contains(
                "12: two cases are named 'home', which would be one step; rename one"),
            "\(found)")
        #expect(found.contains("15: the argument 'c' is missing in the CodingKeys of the case"), "\(found)")
        #expect(found.contains("19: two arguments of the case 'open' are named 'x'"), "\(found)")
    }

    @Test func `CodingKeys in an extension, which the macros do not see, are an error`() throws {
        let found = try problems(
            """
            @Step enum One { case home, open }
            extension One {
                enum CodingKeys: String, CodingKey { case home = "app.home", open }
            }
            @Step enum Two { case open(a: Int, _ b: Int) }
            extension Two {
                enum OpenCodingKeys: String, CodingKey { case a = "x", _1 = "y" }
            }
            @AnswerValues struct Three { var a: Int }
            extension Three {
                enum CodingKeys: String, CodingKey { case a = "b" }
            }
            """)
        for (line, name) in [(3, "CodingKeys"), (7, "OpenCodingKeys"), (11, "CodingKeys")] {
            #expect(found.contains("\(line): invalid redeclaration of '\(name)'"), "\(found)")
        }
    }

    @Test func `a step can be Codable besides, here and in an extension`() throws {
        let found = try problems(
            """
            @Step enum One: Codable { case home, `default`, open(a: Int, _ b: Int, `in`: Int) }
            @Step enum Two { case home, open(kind: Kind); enum Kind: String, StepArgument { case one } }
            extension Two: Codable {}
            @Step enum Three: Codable {
                case home, open(a: Int)
                enum CodingKeys: String, CodingKey { case home = "a", open = "b" }
                enum OpenCodingKeys: String, CodingKey { case a = "c" }
            }
            @AnswerValues struct Four { var `in`: Int, text: String? }
            """)
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `an unavailable case is no step, and a deprecated one is a step without a warning`() throws {
        let found = try problems(
            """
            @Step enum One: Equatable {
                case home
                @available(*, deprecated, message: "use home") case begin(at: Int)
                @available(*, unavailable, renamed: "home") case start(_ why: String)
                @available(*, deprecated, renamed: "home") case open
            }
            func names<S: BusStep>(_ type: S.Type) -> [String] { type.stepCases.map(\\.name) }
            let all: [String] = names(One.self)
            """, "-warnings-as-errors")
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `an enum with raw values that the bus does not have is no argument`() throws {
        let found = try problems(
            """
            enum Size: Float, StepArgument { case small = 0.5 }
            enum Level: Int8, StepArgument { case low }
            enum Quality: String, StepArgument { case good }
            struct Flags: OptionSet, StepArgument { let rawValue: Int }
            enum Coded: Float, StepArgument {
                case one = 1
                static let argumentType = ArgumentType.string
                init(from decoder: any Decoder) throws { self = .one }
                func encode(to encoder: any Encoder) throws {}
            }
            """)
        for line in [1, 2] {
            #expect(
                found.contains {
                    $0.hasPrefix(
                        "\(line): unavailable static property 'argumentType' was used to satisfy a requirement")
                        && $0.contains("use Double for Float, Int16 for Int8")
                }, "\(found)")
        }
        #expect(!found.contains { !$0.hasPrefix("1:") && !$0.hasPrefix("2:") }, "\(found)")
    }

    @Test func `an answer is a struct, and its properties say their types`() throws {
        let found = try problems(
            """
            @AnswerValues enum One { case yes }
            @AnswerValues struct Two<Value: Codable & Sendable> { var value: Value }
            @AnswerValues struct Three {
                var count = 1
            }
            @AnswerValues struct Four { var größe: Int }
            @AnswerValues struct Five {
                var a = "x", b: Int
            }
            @AnswerValues struct Six {
                var a: Int
                #if DEBUG
                var b: Int
                #endif
            }
            """)
        #expect(
            found.contains("1: '@AnswerValues' is for a struct, whose properties are the values of the answer"),
            "\(found)")
        #expect(found.contains("2: an answer that goes over the bus has one type, so it can't be generic"), "\(found)")
        #expect(found.contains("4: '@AnswerValues' needs the type of 'count' in the source: 'count: Int'"), "\(found)")
        #expect(found.contains { $0.hasPrefix("6: 'größe' can't be the name of a value") }, "\(found)")
        #expect(found.contains("8: '@AnswerValues' needs the type of 'a' in the source: 'a: Int'"), "\(found)")
        #expect(
            found.contains("12: '@AnswerValues' can't see which of the properties inside #if there are; move them out"),
            "\(found)")
    }

    @Test func `what the macros make is as visible as the type, and takes keywords as names`() throws {
        let found = try problems(
            """
            @Step public enum One { case `default`, `open`(`in`: Int, _ other: String?) }
            @Step package enum Two: BusStep, Equatable { case home }
            @AnswerValues public struct Three {
                static let none = 1
                var a, b: Int
                var text: String? { didSet {} }
                var length: Int { 1 }
                var hidden = 1
                enum CodingKeys: String, CodingKey { case a, b = "second", text }
            }
            public enum Shop {}
            public extension Shop {
                @Step enum Step { case home(Int) }
                @AnswerValues struct Answer { var a: Int }
            }
            public let cases = One.stepCases.map(\\.name) + Two.stepCases.map(\\.name) + Three.answerValues.map(\\.name)
            """)
        #expect(found.isEmpty, "\(found)")
    }
}
