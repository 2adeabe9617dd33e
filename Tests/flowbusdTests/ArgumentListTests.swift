import Foundation
import Logging
import Testing

@testable import flowbusd

@Suite("The command line")
struct ArgumentListTests {
    private func options(_ arguments: String...) throws -> Options? {
        guard case .run(let options) = try ArgumentList.request(of: arguments) else { return nil }
        return options
    }

    private func error(_ arguments: [String]) -> String? {
        do throws(UsageError) {
            _ = try ArgumentList.request(of: arguments)
            return nil
        } catch {
            return Usage.text(of: error)
        }
    }

    @Test func `without arguments all is as by default`() throws {
        let options = try #require(try options())
        #expect(options == Options())
        #expect(options.flows == [] && options.bus == nil && options.address == nil && options.runtime == nil)
        #expect(options.state == nil && options.restore == .bus && !options.replace && !options.check)
        #expect(options.historyEntries == 100_000 && options.historyDays == 30 && options.logLevel == .notice)
        #expect(!options.introspect && options.interface == nil && options.record == nil && options.replay == nil)
        #expect(try self.options("--") == options)
    }

    @Test func `each option sets its value`() throws {
        #expect(try options("--flows", "a", "--flows=b", "--flows", "-")?.flows == ["a", "b", "-"])
        #expect(try options("--session")?.bus == .session)
        #expect(try options("--system", "--system")?.bus == .system)
        #expect(try options("--address", "unix:path=/a")?.address == "unix:path=/a")
        #expect(try options("--runtime", "none")?.runtime == Options.FolderChoice.none)
        #expect(try options("--runtime", "a")?.runtime == .folder("a"))
        #expect(try options("--state=none")?.state == Options.FolderChoice.none)
        #expect(try options("--state", "/a=b")?.state == .folder("/a=b"))
        #expect(try options("--restore", "always")?.restore == .always)
        #expect(try options("--replace")?.replace == true)
        #expect(try options("--history-entries", "0")?.historyEntries == 0)
        #expect(try options("--history-days", "1", "--history-days", "2")?.historyDays == 2)
        #expect(try options("--check")?.check == true)
        #expect(try options("--introspect")?.introspect == true)
        #expect(try options("--introspect", "a")?.interface == "a")
        #expect(try options("a", "--introspect")?.interface == "a")
        #expect(try options("--introspect", "--", "--a")?.interface == "--a")
        #expect(try options("--record", "a")?.record == "a")
        #expect(try options("--replay=-a")?.replay == "-a")
        #expect(try options("--log-level", "debug")?.logLevel == .debug)
    }

    @Test func `help and the version, whatever else is wrong`() throws {
        #expect(try ArgumentList.request(of: ["--nonsense", "-h"]) == .help)
        #expect(try ArgumentList.request(of: ["--flows", "--help"]) == .help)
        #expect(try ArgumentList.request(of: ["--log-level", "debug", "--version"]) == .version)
        #expect(try ArgumentList.request(of: ["--experimental-dump-help"]) == .description)
        #expect(try ArgumentList.request(of: ["--introspect", "--", "--help"]) != .help)
    }

    @Test(
        arguments: [
            (["--bogus"], "Unknown option '--bogus'"), (["-x"], "Unknown option '-x'"),
            (["--flow", "a"], "Unknown option '--flow'; did you mean '--flows'?"),
            (["--chek=1"], "Unknown option '--chek'; did you mean '--check'?"),
            (["--check=1"], "The option '--check' does not take any value, but '1' was specified."),
            (["--flows"], "Missing value for '--flows <dir>'"), (["--flows="], "Missing value for '--flows <dir>'"),
            (["--flows", "--check"], "Missing value for '--flows <dir>'"),
            (["--history-entries", "-1"], "Missing value for '--history-entries <number>'"),
            (["--history-entries=-1"], "--history-entries '-1' is less than none: give 0 or more."),
            (["--history-days", "1x"], "The value '1x' is invalid for '--history-days <number>'"),
            (
                ["--restore", "on"],
                "The value 'on' is invalid for '--restore <bus|always|never>'. Please provide one of 'bus', 'always', 'never'."
            ),
            (
                ["--session", "--system"],
                "Value to be set with flag '--system' had already been set with flag '--session'"
            ),
            (["--introspect", "a", "b"], "Unexpected argument 'b'"),
            (["-"], "Unexpected argument '-': only --introspect takes one"),
            (["a"], "Unexpected argument 'a': only --introspect takes one"),
            (["--flows", ""], "--flows '' names no folder."),
            (["--address", "unix:path=/a", "--session"], "--address 'unix:path=/a' and --session exclude each other"),
        ] as [([String], String)])
    func `errors`(arguments: [String], message: String) {
        let text = error(arguments)
        #expect(text?.hasPrefix("Error: " + message) == true, "\(text ?? "")")
        #expect(
            text?.hasSuffix(
                "\nUsage: flowbusd [<options>] [<interface>]\n  See 'flowbusd --help' for more information.") == true)
    }

    @Test func `an error in a value says what the option does`() {
        #expect(
            error(["--log-level", "loud"])?.contains("\nHelp:  --log-level <level>  Log messages of this level") == true
        )
        #expect(error(["--flows"])?.contains("\nHelp:  --flows <dir>  Read the definition files") == true)
    }

    @Test func `the help has a line of at most 80 columns for each option`() {
        let lines = Usage.help.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
            #expect(line.count < 80)
            #expect(line.last != " ")
        }
        for option in CommandOption.all where option.name != "--help" {
            #expect(lines.count { $0.hasPrefix("  \(option.usage)") } == 1, "\(option.usage)")
        }
        #expect(lines.contains("  -h, --help              Show help information."))
        #expect(lines.contains("  --history-days <number> Keep each navigation for this many days, from 1 to"))
        #expect(lines.contains("                          36500. (default: 30)"))
        #expect(lines.contains("  --restore <bus|always|never>"))
        #expect(lines.contains("                          When to restore the forest on start. (values: bus,"))
        #expect(lines.contains("        - never: Never."))
    }

    @Test func `the description is JSON with each option`() throws {
        struct Description: Decodable {
            struct Command: Decodable {
                let commandName: String
                let arguments: [Argument]
            }
            struct Argument: Decodable {
                struct Name: Decodable { let name: String }
                let names: [Name]?
                let discussion: String?
            }
            let command: Command
        }
        let command = try JSONDecoder().decode(Description.self, from: Data(Usage.description.utf8)).command
        #expect(command.commandName == "flowbusd")
        let names = command.arguments.compactMap { $0.names?.last?.name }
        #expect(names.map { "--" + $0 } == CommandOption.all.map(\.name))
        #expect(
            command.arguments.compactMap(\.discussion) == CommandOption.all.compactMap(\.discussion))
    }
}
