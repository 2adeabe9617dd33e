import ArgumentParser
import SdBus

/// ArgumentParser's property wrapper; FlowCore has a type of the same name.
typealias Argument<Value> = ArgumentParser.Argument<Value>

/// A command of flowbusctl.
protocol Command: ParsableCommand {
    /// The options before the command.
    var root: Flowbusctl { get }
    /// The options after the command.
    var options: Options { get }

    /// Runs the command.
    ///
    /// - Returns: The exit status.
    func run(_ context: Context) throws(Failure) -> ExitStatus
}

extension Command {
    func run() throws {
        let status = try run(Context(options.merged(over: root.options)))
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
