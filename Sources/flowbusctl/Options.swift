import ArgumentParser
import SdBus

/// The options that every command takes, before its name or behind it.
struct Options: ParsableArguments {
    /// Which bus to look for the service on.
    enum BusChoice: EnumerableFlag {
        case user, system

        static func help(for value: BusChoice) -> ArgumentHelp? {
            switch value {
            case .user: "Use the session bus (default)."
            case .system: "Use the system bus."
            }
        }
    }

    /// When to write in colours.
    enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
        /// On a terminal, where NO_COLOR is not set.
        case auto
        /// Also into files and pipes.
        case always
        case never
    }

    @Flag(exclusivity: .exclusive)
    var bus: BusChoice?

    @Option(help: ArgumentHelp("Use the bus at this D-Bus address.", valueName: "address"))
    var address: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Option(help: ArgumentHelp("When to print colours (default: auto).", valueName: "when"))
    var color: ColorChoice?

    mutating func validate() throws {
        if let address, let bus {
            throw ValidationError("--address '\(address)' and --\(bus) exclude each other: give one.")
        }
        if let address, let problem = Bus.Address.problem(of: address) {
            throw ValidationError("--address \(problem).")
        }
    }

    /// The bus that a command line which is being typed names.
    static func chosen(address: String?, isSystem: Bool) -> Options {
        var options = Options()
        options.bus = isSystem ? .system : nil
        options.address = address
        options.json = false
        options.color = nil
        return options
    }

    /// What stands behind the command goes before what stands in front of it.
    func merged(over outer: Options) -> Options {
        var merged = self
        if bus == nil, address == nil { (merged.bus, merged.address) = (outer.bus, outer.address) }
        merged.json = json || outer.json
        merged.color = color ?? outer.color
        return merged
    }

    /// The bus that they name.
    var busAddress: Bus.Address {
        if let address { return .address(address) }
        return bus == .system ? .system : .session
    }

    /// The bus, to stand in a sentence.
    var busName: String {
        if let address { return "the bus at '\(address)'" }
        return bus == .system ? "the system bus" : "the session bus"
    }
}
