import FlowCore
import FlowWire
import SdBus

/// The units of flowbus, as the service manager on the bus has them: systemd's of the user on the session bus, the machine's on the
/// system bus. org.freedesktop.systemd1(5).
struct Units {
    /// A unit that systemd has loaded.
    struct Unit {
        let name: String
        /// `loaded`, or what is wrong with its file.
        let load: String
        let active: String
        let sub: String
        let path: String

        /// An entry of ListUnitsByPatterns, `(ssssssouso)`.
        init?(_ entry: Value) {
            let fields = entry.elements.map { $0.text ?? "" }
            guard fields.count == 10 else { return nil }
            (name, load, active, sub, path) = (fields[0], fields[2], fields[3], fields[4], fields[6])
        }
    }

    /// Its version; nil if there is no systemd on the bus.
    let version: String?
    /// The variables that it gives to units.
    let environment: [String: String]
    /// The units of flowbus, of the session, and of the programs of definition files, in the order of their names.
    let all: [Unit]
    private let bus: Bus?

    private static let name: StaticString = "org.freedesktop.systemd1"
    private static let path = "/org/freedesktop/systemd1"
    private static let patterns = [
        "flowbusd.service", "flowbus-*", "graphical-session.target", ProgramUnit.prefix + "*",
    ]

    init(_ client: ServiceClient, _ options: Options) {
        let bus = try? client.bus
        let manager = bus.map { Self.properties(Self.path, "Manager", $0) } ?? .dictionary([])
        self.bus = bus
        version = manager["Version"]?.text
        let pairs = (manager["Environment"]?.elements ?? []).compactMap { entry -> (String, String)? in
            let parts = (entry.text ?? "").split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        environment = Dictionary(pairs) { $1 }
        guard version != nil, let bus else {
            all = []
            return
        }
        let answer = Self.call(Self.path, "org.freedesktop.systemd1.Manager", "ListUnitsByPatterns", bus) {
            body throws(SdError) in
            try body.append(.array(element: "s", []))
            try body.append(.array(element: "s", Self.patterns.map(Value.string)))
        }
        all = (answer.first?.elements ?? []).compactMap(Unit.init).sorted { $0.name < $1.name }
    }

    /// The state of a unit, such as `active`; nil if systemd has not loaded it.
    func state(of name: String) -> String? { all.first { $0.name == name && $0.load == "loaded" }?.active }

    /// How a service has ended: `exit-code, status 203, started again 5 times`.
    func result(of unit: Unit) -> String {
        guard let bus else { return "" }
        let service = Self.properties(unit.path, "Service", bus)
        var parts = [service["Result"]?.text ?? "unknown"]
        if let status = service["ExecMainStatus"]?.number, status > 0 {
            // 1 is CLD_EXITED; waitid(2).
            parts.append((service["ExecMainCode"]?.number == 1 ? "status " : "signal ") + "\(status)")
        }
        if let count = service["NRestarts"]?.number, count > 0 {
            parts.append("started again \(counted(Int(clamping: count), "time"))")
        }
        return parts.joined(separator: ", ")
    }

    private static func properties(_ path: String, _ interface: String, _ bus: Bus) -> Value {
        call(path, "\(BusNames.Interface.properties)", "GetAll", bus) { body throws(SdError) in
            try body.append("\(name).\(interface)")
        }.first ?? .dictionary([])
    }

    /// The answer; empty if there is none in time.
    private static func call(
        _ path: String, _ interface: String, _ member: String, _ bus: Bus,
        arguments: (MessageWriter) throws(SdError) -> Void
    ) -> [Value] {
        let answer = try? bus.calling(
            name.cString, path, interface, member, timeout: Examination.limit, activates: false, arguments: arguments)
        return (try? answer?.message.readValues()) ?? []
    }
}
