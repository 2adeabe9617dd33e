import Glibc
import Input
import Processes
import Rules

/// What is tried with each input.
let targets: [(name: String, play: @Sendable ([UInt8]) -> Void)] = [
    ("events", { playProcesses(Input($0)) }),
    ("rules", { playRules(Input($0)) }),
    ("definitions", playDefinitions),
    ("acts", playActs),
    ("values", playValues),
    ("traces", playTraces),
    ("records", playRecords),
    ("store", playStore),
]

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ play: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target that runs; libFuzzer's function has no context.
nonisolated(unsafe) private var play: ([UInt8]) -> Void = { _ in }

/// The variable of the environment that tells processes that libFuzzer starts the target.
private let variable = "FLOWBUS_FUZZ_TARGET"

/// `fuzz TARGET [OPTION or FOLDER of libFuzzer]...`, or `fuzz --seeds FOLDER`.
@main
enum Fuzz {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--seeds" { return writeSeeds(to: arguments[2]) }
        if arguments == [arguments[0], "--targets"] { return print(targets.map(\.name).joined(separator: "\n")) }
        // Processes that libFuzzer starts itself (-minimize_crash=1, -merge=1) get its options alone.
        let name = getenv(variable).map { String(cString: $0) } ?? arguments.dropFirst().first
        guard let target = targets.first(where: { $0.name == name }) else {
            let names = targets.map { "'\($0.name)'" }.joined(separator: ", ")
            let said = "fuzz: '\(name ?? "")' is no target; they are \(names)\n"
            _ = write(STDERR_FILENO, said, said.utf8.count)
            exit(64)
        }
        play = target.play
        let options = arguments.dropFirst(getenv(variable) == nil ? 2 : 1)
        setenv(variable, target.name, 1)
        var words = ([arguments[0]] + options).map { strdup($0) } + [nil]
        var count = CInt(words.count - 1)
        let status = words.withUnsafeMutableBufferPointer { words in
            var first = words.baseAddress
            return runDriver(&count, &first) { start, length in
                play(Array(UnsafeBufferPointer(start: start, count: length)))
                return 0
            }
        }
        exit(status)
    }
}

/// Ends the program, and so reports the input, unless this holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { fatalError(what()) } }
