import ArgumentParser
import SdBus

/// An argument of a command, where FlowCore has one of a step, too.
typealias Argument<Value> = ArgumentParser.Argument<Value>

/// A command of flowbusctl.
protocol Command: ParsableCommand {
    /// The options before its name.
    var root: Flowbusctl { get }
    /// The options behind its name.
    var options: Options { get }

    /// Does it.
    ///
    /// - Returns: the status to end with.
    func run(_ context: Context) throws(Failure) -> ExitStatus
}

extension Command {
    func run() throws {
        let status = try run(Context(options.merged(over: root.options)))
        if status != .success { throw ExitCode(status.rawValue) }
    }
}

/// What commands work with.
struct Context {
    let options: Options
    let output: Output

    init(_ options: Options) {
        self.options = options
        output = Output(options)
    }

    /// Connects to the bus.
    func connect() throws(Failure) -> Navigation { try Navigation(options) }
}
