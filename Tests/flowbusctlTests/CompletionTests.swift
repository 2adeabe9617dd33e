import BusTestSupport
import Foundation
import Testing

@Suite("Completions")
struct CompletionTests {
    @Test(arguments: [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["-n"])])
    func `each shell can read its script`(shell: String, options: [String]) throws {
        let script = try Program.run("--generate-completion-script", shell)
        #expect(script.status == .status(0))
        let folder = try TemporaryDirectory()
        let file = try folder.write(script.output, to: "completion")
        // Shells that are not installed are skipped.
        guard
            let path = ["/usr/bin", "/bin"].map({ $0 + "/" + shell }).first(where: FileManager.default.isExecutableFile)
        else { return }
        let process = try ChildProcess(path, options + [file])
        try process.waitForExit()
        #expect(process.exit == .status(0))
        #expect(process.errors.isEmpty)
    }

    /// Returns bash's completions of an unfinished command line.
    private func offers(_ line: [String], address: String) throws -> [String] {
        let script = try Program.run("--generate-completion-script", "bash").output
        let folder = try TemporaryDirectory()
        try folder.write(script, to: "completion")
        let program = try Service.program(named: "flowbusctl")
        let words = line.map { "'\($0)'" }.joined(separator: " ")
        let shell = """
            source \(folder.path)/completion
            PATH=\((program as NSString).deletingLastPathComponent):$PATH
            COMP_WORDS=(flowbusctl \(words))
            COMP_CWORD=\(line.count)
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            COMP_TYPE=9
            COMP_KEY=9
            compopt() { :; }
            _flowbusctl flowbusctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let process = try ChildProcess(
            "/bin/bash", ["-c", shell],
            environment: Program.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 })
        try process.waitForExit()
        #expect(process.errors.isEmpty)
        return process.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            !$0.isEmpty
        }
    }

    @Test func `live nodes, their steps, arguments and flows are offered`() throws {
        let service = try Service(homeDefinitions)
        let address = service.bus.address
        #expect(try Set(offers(["emit", ""], address: address)).isSuperset(of: ["main", "main/list"]))
        #expect(try offers(["show", "main/l"], address: address) == ["main/list"])
        #expect(
            try offers(["emit", "main", ""], address: address).filter { !$0.hasPrefix("-") } == [
                "begin", "every", "left", "open",
            ])
        #expect(try offers(["emit", "main/list", "o"], address: address) == ["open"])
        #expect(try offers(["emit", "main", "open", "i"], address: address) == ["item="])
        #expect(try offers(["start", "s"], address: address) == ["side"])
        #expect(try offers(["navigate", "no"], address: address) == ["nobody"])
        // The bus that the command line names is asked.
        let other = try PrivateBus()
        #expect(try offers(["--address", address, "tree", "m"], address: other.address) == ["main", "main/list"])
    }

    @Test func `without a service, completion prints nothing and starts nothing`() throws {
        let services = try TemporaryDirectory()
        let marker = services.path + "/started"
        try services.write(
            "[D-BUS Service]\nName=org.flowbus.Navigation1\nExec=/usr/bin/touch \(marker)\n", to: "s.service")
        let bus = try PrivateBus(serviceDirectories: [services.path])
        #expect(try offers(["emit", "m"], address: bus.address) == [])
        #expect(try offers(["emit", "m"], address: "unix:path=/nowhere") == [])
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    @Test func `a service that does not answer costs a moment, no more`() throws {
        let bus = try PrivateBus()
        let silent = try TestClient(bus)
        try silent.requestName(Service.name)
        #expect(try offers(["emit", "m"], address: bus.address) == [])
        #expect(silent.uniqueName.hasPrefix(":"))
    }
}
