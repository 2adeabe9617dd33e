import BusTestSupport
import FlowCore
import Foundation
import FoundationXML
import Testing

/// The man pages tell all that there is: what is on the bus is in `org.flowbus.Navigation1(5)`, what can be typed in
/// `flowbusctl(1)`.
@Suite("Man pages")
struct ManualPageTests {
    private static func page(_ name: String) throws -> [String] {
        try Service.file("man/" + name).split(separator: "\n").map(String.init)
    }

    /// A line's words without macros: `.It Cm Back No \(-> Li t Ar serial` is `Back -> t serial`.
    private func plain(_ line: String) -> String {
        line.replacing("\\(->", with: "->").split(separator: " ").filter { word in
            ![".It", "Cm", "Li", "Ar", "No", ",", "(signal)"].contains(word)
        }.joined(separator: " ")
    }

    @Test(
        arguments: [
            "Stepper", "Presentable", "Flow", "Coordinator", "History", "Presenter", "Guard", "Navigator",
        ])
    func `each member of an interface stands in its section, with its signature, and no other`(role: String) throws {
        let lines = try Self.page("org.flowbus.Navigation1.5")
        let start = try #require(lines.firstIndex(of: ".Ss \(Service.name).\(role)"))
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix(".Ss ") && !$0.hasPrefix(".Sh ") }
        // Members have a capital, options and kinds have not.
        let told = section.filter { $0.contains(#/^\.It Cm [A-Z]/#) }.map(plain)

        let xml = try Service.file("dbus/\(Service.name).\(role).xml")
        let body = try #require(xml.range(of: "<node").map { String(xml[$0.lowerBound...]) })
        let interface = try XMLDocument(xmlString: body).nodes(forXPath: "/node/interface/*")
        let documented = try interface.compactMap { member -> String? in
            let element = try #require(member as? XMLElement)
            let name = element.attribute(forName: "name")?.stringValue ?? ""
            guard element.name != "property" else {
                let isConst = try !element.nodes(forXPath: "annotation[@value='const']").isEmpty
                let type = element.attribute(forName: "type")?.stringValue ?? ""
                return "\(name) \(type) \(isConst ? "(const property)" : "(property)")"
            }
            guard element.name == "method" || element.name == "signal" else { return nil }
            func arguments(_ path: String) throws -> [String] {
                try element.nodes(forXPath: path).compactMap { $0 as? XMLElement }.map { argument in
                    ["type", "name"].compactMap { argument.attribute(forName: $0)?.stringValue }.joined(separator: " ")
                }
            }
            let answer = try arguments("arg[@direction='out']")
            let given = try arguments("arg[not(@direction='out')]")
            return ([name] + given + (answer.isEmpty ? [] : ["->"] + answer)).joined(separator: " ")
        }
        #expect(told == documented)
        let signals = section.filter { $0.hasSuffix("No (signal)") }.map { plain($0).prefix { $0 != " " } }
        let sent = interface.filter { $0.name == "signal" }.compactMap { node in
            (node as? XMLElement)?.attribute(forName: "name")?.stringValue
        }
        #expect(signals.map(String.init) == sent)
    }

    @Test func `each error is told, and no other`() throws {
        let lines = try Self.page("org.flowbus.Navigation1.5")
        let told = lines.filter { $0.hasPrefix(".It Er ") }.map { String($0.dropFirst(7)) }
        let codes = FlowError.Code.allCases.filter { $0 != .accessDenied }.map(\.rawValue)
        #expect(told.sorted() == codes.sorted())
        // What is named elsewhere on the page is one of them, or a standard one.
        let standard = ["UnknownObject", "InvalidArgs", "AccessDenied"]
        for line in lines where line.hasPrefix(".Er ") {
            for name in line.dropFirst(4).split(whereSeparator: { " ,.;".contains($0) }) where name != "and" {
                #expect((codes + standard).contains(String(name)), "\(line)")
            }
        }
    }

    @Test func `each verdict is told`() throws {
        let lines = try Self.page("org.flowbus.Navigation1.5")
        let told = lines.filter { $0.hasPrefix(".It Dq ") }.map { String($0.dropFirst(7)) }
        #expect(told.sorted() == Verdict.allCases.map(\.rawValue).sorted())
    }

    @Test func `the limits are those of the code`() throws {
        let text = try Service.file("man/org.flowbus.Navigation1.5").replacing(",", with: "")
        for (what, client, total) in [
            ("live presentables", "\(Limits.nodesPerClient)", "\(Limits.nodes)"),
            (
                "bytes of arguments that they hold", "\(Limits.liveArgumentBytesPerClient >> 20) MiB",
                "\(Limits.liveArgumentBytes >> 20) MiB"
            ),
            ("steps that wait", "\(Limits.waitingStepsPerClient)", "\(Limits.waitingSteps)"),
            ("tokens of the last 60 s", "\(Limits.tokensPerClient)", "\(Limits.tokens)"),
            ("registered flows", "\(Limits.registeredFlowsPerClient)", "\(Limits.registeredFlows)"),
            ("calls under way to clients", "\(Limits.callsUnderWay)", "\(Limits.callsUnderWayInTotal)"),
        ] {
            #expect(text.contains(".It \(what) Ta \(client) Ta \(total)\n"), "\(what)")
        }
        for sentence in [
            "at most \(Limits.children) children and \(Limits.waitingStepsPerFlow) steps that wait for it "
                + "\(Limits.waitingStepsPerFlowAndClient) of one client",
            "a tree is \(Limits.depth) deep; an object path has \(Limits.pathLength) bytes",
            "\(Limits.argumentCount) arguments of \(Limits.argumentBytes >> 10) KiB together nested "
                + "\(Limits.argumentNesting) deep",
            "\(Limits.deferredSteps) steps are kept for one presentable \(Limits.deferredStepsPerClient) of one client",
            "sets off at most \(Limits.triggeredSteps)",
        ] {
            #expect(text.contains(sentence), "\(sentence)")
        }
    }

    @Test func `flowbusctl: each command and each option is told`() throws {
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

    /// What ArgumentParser tells of a program.
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
