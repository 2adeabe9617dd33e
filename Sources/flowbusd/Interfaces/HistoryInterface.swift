import FlowCore
import FlowWire
import SdBus
import Store

/// `org.flowbus.Navigation1.History`: past navigations.
enum HistoryInterface {
    private typealias Argument = InterfaceDescription.Argument

    /// The maximum number of entries in an answer, and of their bytes.
    static let mostEntries = 1_000
    static let mostBytes = 1 << 20

    static var description: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.history,
            methods: [
                .init(
                    "GetHistory",
                    in: [Argument("afterSerial", "t"), Argument("limit", "u"), Argument("options", "a{sv}")],
                    out: [
                        Argument("entries", "a(tossa{sv}a{sv})", qtType: "FlowBusHistoryEntryList"),
                        Argument("more", "b"),
                    ]
                ) { message, context, _ in
                    Daemon.serveRoot(message, context) { try $0.getHistory($1) }
                }
            ])
    }
}

extension Daemon {
    fileprivate func getHistory(_ call: MessageReader) throws {
        try checkPrivileged(call, "read the history")
        let serial = try call.readUInt64()
        let asked = Int(try call.readUInt32())
        var path: String?
        try CallOptions.read(call, known: [("flow", "o")]) { _ in path = String(cString: try call.readObjectPath()) }
        if let path { try checkPath(path) }
        let limit = asked == 0 ? HistoryInterface.mostEntries : min(asked, HistoryInterface.mostEntries)
        let page = persistence.entries(after: serial, limit: limit, bytes: HistoryInterface.mostBytes, below: path)
        try reply(to: call, "a(tossa{sv}a{sv})b") { body in
            try body.openContainer(.array, "(tossa{sv}a{sv})")
            for entry in page.entries { try append(entry, to: body) }
            try body.closeContainer()
            try body.append(page.hasMore)
        }
    }

    /// The history has flows by their former paths.
    private func checkPath(_ path: String) throws(FlowError) {
        guard path.hasPrefix("\(BusNames.instances)/") else { return }
        let place = InstancePath.instance(at: path).flatMap { coordinator.node(instance: $0) }.map {
            "that is '\(coordinator.path(of: $0))' now"
        }
        throw FlowError(
            .invalidArguments,
            "the option 'flow' has to be a path of the tree, not '\(path)': "
                + (place ?? "nothing with that instance is live"))
    }

    private func append(_ entry: HistoryEntry, to body: Marshaller) throws {
        try body.openContainer(.structure, "tossa{sv}a{sv}")
        try body.append(entry.serial)
        try body.append(path: entry.flow)
        try body.append(entry.definition)
        try body.append(entry.step)
        try body.append(entry.arguments)
        try body.openContainer(.array, "{sv}")
        try body.appendEntry("time", "t") { body in try body.append(entry.time) }
        try body.appendEntry("cause", "t") { body in try body.append(entry.cause) }
        try body.appendEntry("sender", "s") { body in try body.append(entry.sender) }
        try body.appendEntry("contributors", "a(ssoa{sv})") { body in try body.append(entry.contributors) }
        try body.closeContainer()
        try body.closeContainer()
    }
}
