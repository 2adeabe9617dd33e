import Platform
import Testing

@Suite("Child programs")
struct ChildProgramTests {
    @Test func `it reads the text, all of it, and its end is reported`() throws {
        #expect(
            try ChildProgram.run("sh", ["-c", "read -r line; test \"$line\" = hello"], input: "hello\n") == .status(0))
        #expect(
            try ChildProgram.run("sh", ["-c", "read -r line; test \"$line\" = hello"], input: "hullo\n") == .status(1))
        // More than any pipe takes at once.
        let large = String(repeating: "x", count: 1_000_000)
        #expect(try ChildProgram.run("sh", ["-c", "test $(wc -c) = 1000000"], input: large) == .status(0))
        // One that reads nothing of it.
        #expect(try ChildProgram.run("sh", ["-c", "exit 3"], input: large) == .status(3))
        #expect(try ChildProgram.run("sh", ["-c", "kill -9 $$"], input: "") == .signal(9))
    }

    @Test func `a program that is not there`() {
        let error = #expect(throws: SystemError.self) { try ChildProgram.run("no-such-program-anywhere", input: "") }
        #expect(error?.isMissing == true)
    }

    @Test func `what a program writes, with a time limit`() {
        func output(_ script: String, _ time: UInt64 = 20_000_000) -> String? {
            ChildProgram.output(of: ["sh", "-c", script], within: time)
        }
        #expect(output("echo one; echo two >&2; echo three") == "one\nthree\n")
        #expect(output("cat") == "")
        // One that goes on, with its output open or closed.
        #expect(output("exec sleep 1000", 100_000) == nil)
        #expect(output("echo all; exec >&-; exec sleep 1000") == "all\n")
        #expect(output("exec yes") == nil)
        #expect(ChildProgram.output(of: ["no-such-program-anywhere"], within: 1_000_000) == nil)
    }
}
