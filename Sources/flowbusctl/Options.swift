import ArgumentParser
import FlowCore
import SdBus

/// The options of every command, before or after its name.
struct Options: ParsableArguments {
    /// The bus of the service.
    enum BusChoice: EnumerableFlag {
        case user, system

        static func help(for value: BusChoice) -> ArgumentHelp? {
            switch value {
            case .user: "Use the session bus (default)."
            case .system: "Use the system bus."
            }
        }
    }

    /// When to use colors.
    enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
        /// On a terminal, unless NO_COLOR is set.
        case auto
        /// Also in files and pipes.
        case always
        case never
    }

    @Flag(exclusivity: .exclusive)
    var bus: BusChoice?

    @Option(help: ArgumentHelp("Use the bus at this D-Bus address.", valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "Show what a file of 'record' has, in place of a service.",
            discussion: """
                It is for commands that only show something: tree, status, log, steps, flows, stack, context, timings, outputs and \
                graph --live.
                """, valueName: "file"),
        completion: .file())
    var replay: String?

    @Flag(help: ArgumentHelp("Print JSON, one object per line.", discussion: "See flowbusctl(1), \"JSON output\"."))
    var json = false

    @Option(
        help: ArgumentHelp(
            "When to print colours (default: auto).",
            discussion: "'auto' prints them on a terminal, unless NO_COLOR is set.", valueName: "when"))
    var color: ColorChoice?

    mutating func validate() throws {
        if let address, let bus {
            throw ValidationError("--address '\(address)' and --\(bus) exclude each other: give one.")
        }
        if replay != nil, let other = address.map({ "--address '\($0)'" }) ?? bus.map({ "--\($0)" }) {
            throw ValidationError("--replay and \(other) exclude each other: a file is no bus. Give one.")
        }
        if let address, let problem = Bus.Address.problem(of: address) {
            throw ValidationError("--address \(problem).")
        }
    }

    /// Returns options with the bus of an unfinished command line.
    static func chosen(address: String?, isSystem: Bool) -> Options {
        var options = Options()
        options.bus = isSystem ? .system : nil
        options.address = address
        options.replay = nil
        options.json = false
        options.color = nil
        return options
    }

    /// Returns these options, merged over those before the command.
    func merged(over outer: Options) -> Options {
        var merged = self
        if bus == nil, address == nil, replay == nil {
            (merged.bus, merged.address, merged.replay) = (outer.bus, outer.address, outer.replay)
        }
        merged.json = json || outer.json
        merged.color = color ?? outer.color
        return merged
    }

    /// The bus that the options name.
    var busAddress: Bus.Address {
        if let address { return .address(address) }
        return bus == .system ? .system : .session
    }

    /// The name of the bus for messages.
    var busName: String {
        if let replay { return "the recording '\(Names.escaped(replay))'" }
        if let address { return "the bus at '\(address)'" }
        return bus == .system ? "the system bus" : "the session bus"
    }
}
