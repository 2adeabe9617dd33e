import ArgumentParser
import FlowCore
import SdBus

/// Who a command is to flows with `emitters` (S-5).
struct Caller: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Own this bus name for the call, as one of the flow's 'emitters'.", valueName: "name"))
    var name: String?

    mutating func validate() throws {
        if let name, let problem = BusName.problem(of: name) { throw ValidationError("--as: \(problem).") }
    }

    /// Connects to the bus, and owns the name until the end of the program.
    func connect(_ context: Context) throws(Failure) -> ServiceClient {
        let client = try context.connect()
        guard let name else {
            client.canOwnName = true
            return client
        }
        let bus = try client.bus
        do throws(SdError) {
            try bus.requestName(name)
        } catch {
            throw Bus.failure(
                error, owning: name, bus, context.options, advice: "while it runs, it alone is that emitter")
        }
        return client
    }
}

extension Bus {
    /// The failure of a request for a bus name.
    ///
    /// - Parameter advice: what to do or to know where another program owns the name.
    static func failure(
        _ error: SdError, owning name: String, _ bus: Bus?, _ options: Options, advice: String?
    ) -> Failure {
        if error.isTaken {
            let owner = bus?.owner(of: name).map { ", \($0.description)," } ?? ""
            return Failure(
                .unavailable, "another program\(owner) owns the bus name '\(name)'" + (advice.map { "; \($0)" } ?? ""))
        }
        if error.isPermissionDenied {
            return Failure(
                .unavailable,
                "\(options.busName) does not let this user own the name '\(name)'; it needs a policy for that")
        }
        return Failure(.unavailable, "can't own the bus name '\(name)': \(error.reason)")
    }
}
