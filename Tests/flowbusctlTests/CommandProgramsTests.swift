import BusTestSupport
import Foundation
import Testing

@Suite("Commands that are programs")
struct CommandProgramsTests {
    /// A folder with a program that prints its arguments and its input.
    private func folder(_ name: String = "flowbusctl-echo", _ text: String? = nil) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        let script = text ?? "#!/bin/sh\nprintf '<%s>' \"$@\"; cat; echo said >&2; exit 7\n"
        // A copy by another process: what this one writes to can't be run while others of its children begin.
        let written = try folder.write(script, to: "script")
        try ChildProcess("/usr/bin/install", [written, folder.path + "/" + name]).waitForExit()
        return folder
    }

    @Test func `an unknown word runs flowbusctl-WORD with the arguments and the streams as they are`() throws {
        let folder = try folder()
        let run = try Program.run(
            "echo", "--json", "a b", "", "--", "-x", environment: ["PATH": folder.path + ":/usr/bin:/bin"])
        #expect(run.status == .status(7))
        #expect(run.output == "<--json><a b><><--><-x>" && run.errors == "said\n")
        let help = try Program.run("help", "echo", environment: ["PATH": folder.path + ":/usr/bin:/bin"])
        #expect(help.output == "<--help>")
    }

    @Test func `a command of flowbusctl itself comes first, and options before the word are its own`() throws {
        let folder = try folder("flowbusctl-tree")
        let run = try Program.run("tree", "--nonsense", environment: ["PATH": folder.path])
        #expect(run.status == .status(64) && run.output.isEmpty)
        let other = try self.folder()
        let early = try Program.run("--json", "echo", environment: ["PATH": other.path])
        #expect(early.status == .status(64))
        #expect(
            early.errors.contains(
                "the options of 'echo' come after it, as it is a program of its own; write 'flowbusctl echo …'"),
            "\(early)")
    }

    @Test func `without such a program the error stays, with programs among its suggestions`() throws {
        let folder = try folder("flowbusctl-fleet")
        let run = try Program.run("fleat", environment: ["PATH": folder.path])
        #expect(run.status == .status(64) && run.errors.contains("'fleat'; did you mean 'fleet'?"), "\(run)")
        #expect(try Program.run("fleet", environment: ["PATH": "/nowhere"]).status == .status(64))
        // A word is no path, and neither a folder nor a file that can't be run is a program.
        #expect(try Program.run("x/../../fleet", environment: ["PATH": folder.path]).status == .status(64))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/flowbusctl-dir", withIntermediateDirectories: false)
        try folder.write("#!/bin/sh\n", to: "flowbusctl-plain")
        for word in ["dir", "plain"] {
            #expect(try Program.run(word, environment: ["PATH": folder.path]).status == .status(64))
        }
    }

    @Test func `one that can't be run says why: 69`() throws {
        let folder = try folder("flowbusctl-broken", "#!/nowhere/interpreter\n")
        let run = try Program.run("broken", environment: ["PATH": folder.path])
        #expect(
            run.status == .status(69) && run.errors.contains("flowbusctl-broken' can't be run: No such file"), "\(run)")
    }

    @Test func `it is found beside flowbusctl, wherever that is`() throws {
        let folder = try folder()
        let copy = folder.path + "/flowbusctl"
        try ChildProcess("/usr/bin/install", [BusTestSupport.Service.program(named: "flowbusctl"), copy]).waitForExit()
        let process = try ChildProcess(
            copy, ["echo", "here"], environment: Program.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 })
        try process.waitForExit()
        #expect(process.output == "<here>")
    }

    @Test func `the help lists them, and each shell is offered them`() throws {
        let folder = try folder("flowbusctl-fleet")
        let path = ["PATH": folder.path + ":/usr/bin:/bin"]
        for arguments in [["--help"], ["help"], []] {
            #expect(
                try Program.run(arguments, environment: path).output.contains("PROGRAMS (flowbusctl-NAME):\n  fleet\n"))
        }
        #expect(try !Program.run(["--help"], environment: ["PATH": "/nowhere"]).output.contains("PROGRAMS"))
        #expect(try !Program.run(["tree", "--help"], environment: path).output.contains("PROGRAMS"))
        let scripts = try ["zsh", "fish"].map { try Program.run("--generate-completion-script", $0).output }
        for script in scripts { #expect(script.contains("flowbusctl-")) }
        #expect(try offers("fl", path) == ["flows", "fleet"])
        #expect(try offers("fle", path) == ["fleet"])
    }

    /// Returns bash's completions of the first word.
    private func offers(_ word: String, _ environment: [String: String]) throws -> [String] {
        let folder = try TemporaryDirectory()
        try folder.write(try Program.run("--generate-completion-script", "bash").output, to: "completion")
        let shell = """
            source \(folder.path)/completion
            COMP_WORDS=(flowbusctl \(word)) COMP_CWORD=1 COMP_LINE='flowbusctl \(word)' COMP_POINT=\(11 + word.count)
            registered=$(complete -p flowbusctl)
            registered=${registered##*-F }
            "${registered%% *}" flowbusctl \(word) flowbusctl
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let process = try ChildProcess(
            "/bin/bash", ["-c", shell], environment: Program.environment.merging(environment) { $1 })
        try process.waitForExit()
        return process.output.split(separator: "\n").map(String.init)
    }
}
