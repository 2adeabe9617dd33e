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
}
