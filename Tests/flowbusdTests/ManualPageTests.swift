import BusTestSupport
import FlowCore
import Foundation
import FoundationXML
import Testing

@testable import flowbusd

/// The man pages are complete: the contract in `org.flowbus.Navigation1(5)`, the command line in `flowbusctl(1)`.
@Suite("Man pages")
struct ManualPageTests {
    private static func page(_ name: String) throws -> [String] {
        try Service.file("man/" + name).split(separator: "\n").map(String.init)
    }

    @Test func `the generated parts of pages and documents are up to date`() throws {
        let files = try ["man", "docs"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: "\(Service.repository)/\(folder)").sorted()
                .filter { folder == "man" || $0.hasSuffix(".md") }.map { "\(Service.repository)/\(folder)/\($0)" }
        }
        let check = try ChildProcess(
            Service.program(named: "flowbus-manual"), ["--check", Service.repository + "/dbus"] + files,
            environment: [:])
        #expect(try check.waitForExit() == .status(0), "\(check.errors)")
    }

    @Test func `each interface is part of the page`() throws {
        let lines = try Self.page("org.flowbus.Navigation1.5")
        let files = try FileManager.default.contentsOfDirectory(atPath: Service.repository + "/dbus")
        let interfaces = files.filter { $0.hasSuffix(".xml") }.map { $0.dropLast(4) }
        #expect(interfaces.count >= 8)
        for interface in interfaces { #expect(lines.contains(".Ss \(interface)"), "\(interface)") }
    }

    @Test func `each verdict is documented with EmitStep`() throws {
        let page = try Service.file("man/org.flowbus.Navigation1.5")
        let section = try #require(page.split(separator: ".It \\fBEmitStep\\fR(").dropFirst().first)
            .split(separator: "\n.It \\fBEmitStepWithOptions")[0]
        for verdict in Verdict.allCases {
            #expect(section.contains(".It \\fB\(verdict.rawValue)\\fR"), "\(verdict)")
        }
    }

    @Test func `errors that the page names exist`() throws {
        let known = Set(
            FlowError.Code.allCases.map(\.rawValue) + ["UnknownObject", "InvalidArgs", "UnknownMethod"])
        for line in try Self.page("org.flowbus.Navigation1.5") where line.contains(#/^\.(It )?Er /#) {
            for word in line.split(separator: " ").dropFirst(line.hasPrefix(".It") ? 2 : 1) where word.count > 1 {
                #expect(known.contains(String(word)), "\(line)")
            }
        }
    }

    /// Their tables are generated; these are in sentences.
    @Test func `S-33: limits and times in the XML are those of the code`() throws {
        func seconds(_ time: UInt64) -> String { "\(time / 1_000_000) seconds" }
        func count(_ number: Int) -> String { number.formatted(.number.locale(Locale(identifier: "en_US"))) }
        func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
        let expected = Set([
            "postponed for \(seconds(Limits.replyTimeout))", "ready within \(seconds(Limits.replyTimeout))",
            "decided within \(seconds(Limits.replyTimeout))", "default is \(seconds(Limits.pathTimeout))",
            "default is \(seconds(Limits.guardTimeout))", "answer within \(seconds(Limits.guardTimeout))",
            "has \(seconds(Limits.presenterTimeout))", "answered within \(seconds(Limits.presenterTimeout))",
            "to \(seconds(Limits.longestPause))",
            "answered within \(seconds(Limits.repeatedPresentTimeout))", "of 1 to \(Limits.tokenLength) bytes",
            "SaveState within \(seconds(Limits.leaveTime))",
            "token within \(seconds(Limits.tokenLifetime))", "last \(seconds(Limits.tokenLifetime))",
            "answer, and \(seconds(Limits.tokenLifetime))", "verdict for \(seconds(Limits.tokenLifetime))",
            "has \(Limits.asksPerPresentable) asks",
            "than \(count(Limits.waitingStepsPerFlow)) segments", "than \(count(Limits.waitingStepsPerFlow)) steps",
            "than \(Limits.triggeredSteps) steps", "exceeded: \(count(Limits.children)) contributors",
            "\(mebibytes(Limits.answerBytes)) of arguments", "\(Limits.styleLength) bytes in a style",
            "most \(Limits.outputLength) bytes", "most \(Limits.titleLength) bytes",
            "more than \(count(Limits.faultLength)) bytes",
            "than \(Limits.argumentCount) values", "than \(Limits.argumentBytes >> 10) KiB",
            "than \(Limits.contextBytes >> 10) KiB", "more than \(Limits.outputs) outputs",
            "less than \(seconds(Limits.outputWait))", "gone after \(seconds(Limits.outputWait))",
            "than \(seconds(Limits.inputAge)) ago",
            "most \(count(Limits.activationTokenLength)) bytes", "most \(Limits.callsPerToken) calls",
            "most \(Limits.explanationLines) lines", "than \(mebibytes(Limits.definitionBytes))",
            "most \(count(HistoryInterface.mostEntries)) entries", "and \(mebibytes(HistoryInterface.mostBytes))",
            "is \(count(Options.standardEntries)) navigations", "and \(Options.standardDays) days",
        ])
        let folder = Service.repository + "/dbus"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".xml") }
        let text = try files.map { try Service.file("dbus/" + $0) }.joined(separator: "\n").replacing(
            #/\s+/#, with: " ")
        let limit =
            #/[0-9][0-9,]* (seconds|KiB|MiB|bytes|values|contributors|segments|steps|calls|lines|entries|navigations|asks|outputs|days)/#
        var found: Set<String> = []
        for match in text.matches(of: limit) {
            let context = text[..<match.range.upperBound].suffix(40) + text[match.range.upperBound...].prefix(20)
            let fitting = expected.filter { context.contains($0) && $0.contains(match.output.0) }
            #expect(!fitting.isEmpty, "\(context)")
            found.formUnion(fitting)
        }
        #expect(found == expected)
    }

    @Test func `flowbusctl: each command and each option is documented`() throws {
        let lines = try Self.page("flowbusctl.1")
        let help = try ChildProcess(
            Service.program(named: "flowbusctl"), ["--experimental-dump-help"], environment: [:])
        #expect(try help.waitForExit() == .status(0))
        let dump = try JSONDecoder().decode(HelpDump.self, from: Data(help.output.utf8))
        let common = Set(dump.command.options)
        let items = lines.filter { $0.hasPrefix(".It ") }
        for option in common {
            #expect(items.contains { $0.contains("Fl \(option)") }, "\(option)")
        }
        for command in dump.command.subcommands ?? [] where command.commandName != "help" {
            let start = try #require(
                lines.firstIndex {
                    $0 == ".It Cm \(command.commandName)" || $0.hasPrefix(".It Cm \(command.commandName) ")
                },
                "\(command.commandName)")
            // From its own heading to that of the next command.
            let rest = lines[(start + 1)...].prefix { line in
                ![".Ss ", ".Sh ", ".It Cm "].contains(where: line.hasPrefix)
            }
            for option in command.options where !common.contains(option) {
                #expect(
                    rest.contains { $0.hasPrefix(".It Fl") && $0.contains("Fl \(option)") },
                    "\(command.commandName) \(option)")
            }
        }
    }

    /// ArgumentParser's description of a program.
    private struct HelpDump: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }
        struct Argument: Decodable {
            let kind: String
            let names: [Name]?
        }
        struct Command: Decodable {
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?

            /// As mdoc has them after `Fl`: `-watch`, `w`.
            var options: [String] {
                (arguments ?? []).filter { $0.kind != "positional" }.flatMap { $0.names ?? [] }.map { name in
                    name.kind == "long" ? "-" + name.name : name.name
                }
            }
        }
        let command: Command
    }
}
