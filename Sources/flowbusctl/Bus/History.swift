import FlowCore
import FlowWire
import SdBus

/// A navigation: from the history, or as it happens.
struct LogEntry: Equatable {
    /// What the step led to.
    struct Contributor: Equatable {
        let kind: String
        /// The presentable's, or the step's; empty where there is none.
        let name: String
        /// Empty where there is none.
        let path: String
        /// Empty where nothing is said.
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
    /// The navigation that set it off; 0: it came from outside.
    let cause: UInt64
    /// Who began the chain; empty: the service.
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

    /// The signal NavigationOccurred, which comes at this time.
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

extension Navigation {
    /// The serial of the latest navigation.
    func latestSerial(activates: Bool = true) throws(Failure) -> UInt64 {
        try call(Navigation.root, BusNames.Interface.coordinator, "GetSerial", activates: activates).first?.number ?? 0
    }

    /// All navigations after a serial that the history has, at and below a flow.
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

    /// The latest navigations after a serial, so many at the most.
    func latestHistory(_ count: Int, after floor: UInt64, below node: NodePath?) throws(Failure) -> [LogEntry] {
        let latest = try latestSerial()
        var window = UInt64(clamping: count)
        while true {
            let start = max(floor, latest - min(latest, window))
            let entries = try history(after: start, below: node)
            // Serials have gaps, and those of one flow even more.
            if entries.count >= count || start == floor { return Array(entries.suffix(count)) }
            window = window.multipliedReportingOverflow(by: 4).partialValue | 1
        }
    }

    /// The serial after which navigations are not older than a time; found by halving, as serials and times grow together.
    func serial(before time: UInt64) throws(Failure) -> UInt64 {
        var (low, high) = (UInt64(0), try latestSerial())
        while low < high {
            let middle = low + (high - low) / 2
            let (page, _) = try historyPage(after: middle, limit: 1, below: nil)
            if let entry = page.first, entry.time < time { low = entry.serial } else { high = middle }
        }
        return low
    }

    private func historyPage(
        after serial: UInt64, limit: UInt32, below node: NodePath?, activates: Bool = true
    ) throws(Failure) -> (entries: [LogEntry], hasMore: Bool) {
        let options = node.map { [("flow", Value.objectPath($0.objectPath))] } ?? []
        let answer = try call(
            Navigation.root, BusNames.Interface.history, "GetHistory",
            [.uint64(serial), .uint32(limit), .dictionary(options)], activates: activates)
        let entries = (answer.first?.elements ?? []).compactMap(LogEntry.init(history:))
        return (entries, answer.dropFirst().first?.truth ?? false)
    }
}
