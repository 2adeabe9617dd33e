import Glibc
import Platform
import Testing

@Suite("The process, its streams and its environment")
struct ProcessTests {
    @Test func `lines and variables reach the outside`() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(5), observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            setenv("FLOWBUS_TEST", "value", 1)
            StandardError.writeLine(
                "error \(Environment.value(of: "FLOWBUS_TEST") ?? "") \(CurrentProcess.id == getpid())")
            StandardOutput.writeLine("output \(Environment.value(of: "FLOWBUS_NOT_SET") ?? "unset")")
            CurrentProcess.exit(5)
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("error value true\n"))
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains("output unset\n"))
    }

    @Test func `the command line is that of the process`() throws {
        let arguments = try CurrentProcess.arguments()
        #expect(arguments == CommandLine.arguments && !arguments.isEmpty)
    }

    @Test func `a process has a start time`() throws {
        let start = try #require(Processes.startTime(of: CurrentProcess.id))
        #expect(start <= RealtimeClock.now + 1_000_000)
        #expect(Processes.startTime(of: -1) == nil)
    }

    @Test func `all variables are in the environment`() throws {
        let home = try #require(Environment.all.first)
        #expect(Environment.value(of: home.key) == home.value)
    }

    @Test func `the ancestors of this process, and whether one is confined`() {
        #expect(Processes.ancestors.first == getppid() && !Processes.ancestors.contains(getpid()))
        #expect(!Processes.isConfined(getpid()))
        // There is no such process to look at.
        #expect(Processes.isConfined(.max))
    }
}
