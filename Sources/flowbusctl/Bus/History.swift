import FlowCore
import FlowWire
import SdBus

/// A navigation from the history, or from a signal.
struct LogEntry: Equatable {
    /// A contributor of the navigation.
    struct Contributor: Equatable {
        let kind: String
        /// The name of the presentable or of the step; empty if there is none.
        let name: String
        /// Empty where there is none.
        let path: String
        /// Empty if there is none.
        let style: String
        /// `a{sv}`
        let arguments: Value

        /// A contributor of a navigation, `(ssoa{sv})`.
        init(_ contributor: Value) {
            let parts = contributor.elements
            kind = parts.first?.text ?? ""
            name = parts.count > 1 ? parts[1].text ?? "" : ""
            let path = parts.count > 2 ? parts[2].text ?? "" : ""
            self.path = path == "/" ? "" : path
            style = parts.count > 3 ? parts[3]["style"]?.text ?? "" : ""
            arguments = parts.count > 3 ? parts[3]["arguments"] ?? .dictionary([]) : .dictionary([])
        }
    }

    let serial: UInt64
    /// In µs since 1970 (UTC).
    let time: UInt64
    /// The flow's object path.
    let flow: String
    let step: String
    let arguments: Value
    let contributors: [Contributor]
    /// The serial of the navigation that triggered it; 0 if a client did.
    let cause: UInt64
    /// The client that started the cascade; empty for the service.
    let sender: String

    /// An entry of GetHistory, `(tossa{sv}a{sv})`.
    init?(history entry: Value) {
        let values = entry.elements
        guard values.count == 6, let serial = values[0].number, let flow = values[1].text, let step = values[3].text
        else { return nil }
        (self.serial, self.flow, self.step, arguments) = (serial, flow, step, values[4])
        time = values[5]["time"]?.number ?? 0
        cause = values[5]["cause"]?.number ?? 0
        sender = values[5]["sender"]?.text ?? ""
        contributors = (values[5]["contributors"]?.elements ?? []).map(Contributor.init)
    }

    /// A NavigationOccurred signal that arrives at a time.
    init?(_ signal: Incoming, at time: UInt64) {
        let values = signal.values
        guard signal.member == "NavigationOccurred", values.count == 7, let serial = values[0].number,
            let cause = values[1].number, let sender = values[2].text, let step = values[3].text
        else { return nil }
        (self.serial, self.time, flow, self.step) = (serial, time, signal.path, step)
        (self.cause, self.sender, arguments) = (cause, sender, values[4])
        contributors = values[5].elements.map(Contributor.init)
    }
}

extension ServiceClient {
    /// Returns the serial of the latest navigation.
    func latestSerial(activates: Bool = true) throws(Failure) -> UInt64 {
        try call(ServiceClient.root, BusNames.Interface.coordinator, "GetSerial", activates: activates).first?.number
            ?? 0
    }

    /// Returns the navigations of the history after a serial, at and below a flow.
    func history(
        after serial: UInt64, below node: NodePath?, activates: Bool = true
    ) throws(Failure) -> [LogEntry] {
        var entries: [LogEntry] = []
        var last = serial
        while true {
            let (page, hasMore) = try historyPage(after: last, limit: 0, below: node, activates: activates)
            entries += page
            guard hasMore, let newest = page.last?.serial, newest > last else { return entries }
            last = newest
        }
    }

    /// Returns the latest navigations after a serial, up to a number.
    func latestHistory(_ count: Int, after floor: UInt64, below node: NodePath?) throws(Failure) -> [LogEntry] {
        let latest = try latestSerial()
        var window = UInt64(clamping: count)
        while true {
            let start = max(floor, latest - min(latest, window))
            let entries = try history(after: start, below: node)
            // Serials have gaps, and those of one flow have more.
            if entries.count >= count || start == floor { return Array(entries.suffix(count)) }
            window = window.multipliedReportingOverflow(by: 4).partialValue | 1
        }
    }

    /// Returns the serial after which navigations are not older than a time. It is found by bisection, as serials and
    /// times increase together.
    func serial(before time: UInt64) throws(Failure) -> UInt64 {
        var (low, high) = (UInt64(0), try latestSerial())
        while low < high {
            let middle = low + (high - low) / 2
            let (page, _) = try historyPage(after: middle, limit: 1, below: nil)
            if let entry = page.first, entry.time < time { low = entry.serial } else { high = middle }
        }
        return low
    }

    func historyPage(
        after serial: UInt64, limit: UInt32, below node: NodePath?, activates: Bool = true
    ) throws(Failure) -> (entries: [LogEntry], hasMore: Bool) {
        let options = node.map { [("flow", Value.objectPath($0.objectPath))] } ?? []
        let answer = try call(
            ServiceClient.root, BusNames.Interface.history, "GetHistory",
            [.uint64(serial), .uint32(limit), .dictionary(options)], activates: activates)
        let entries = (answer.first?.elements ?? []).compactMap(LogEntry.init(history:))
        return (entries, answer.dropFirst().first?.truth ?? false)
    }
}
