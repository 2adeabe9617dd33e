import ArgumentParser
import FlowCore
import SdBus

/// ArgumentParser's property wrapper; FlowCore has a type of the same name.
typealias Argument<Value> = ArgumentParser.Argument<Value>

/// A command of flowbusctl.
protocol Command: ParsableCommand {
    /// The options before the command.
    var root: Flowbusctl { get }
    /// The options after the command.
    var options: Options { get }
    /// Whether the command can ask a service, or what stands in for it.
    static var asksService: Bool { get }

    /// Runs the command.
    ///
    /// - Returns: The exit status.
    func run(_ context: Context) throws(Failure) -> ExitStatus
}

extension Command {
    static var asksService: Bool { true }

    func run() throws {
        let merged = options.merged(over: root.options)
        if let replay = merged.replay, !Self.asksService {
            let name = Self.configuration.commandName ?? ""
            throw Failure(
                .usage,
                "'\(name)' asks no service, and has no use for --replay '\(Names.escaped(replay))'; leave that out")
        }
        let status = try run(Context(merged))
        if status != .success { throw ExitCode(status.rawValue) }
    }
}

/// The options and the output of a command.
struct Context {
    let options: Options
    let output: Output

    init(_ options: Options) {
        self.options = options
        output = Output(options)
    }

    /// Connects to the bus.
    func connect() throws(Failure) -> ServiceClient { try ServiceClient(options) }
}
