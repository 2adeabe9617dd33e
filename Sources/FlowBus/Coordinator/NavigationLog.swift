/// What happened in a coordinator: its latest navigations and failures.
///
/// ```swift
/// print(coordinator.log)
/// ```
///
/// prints each on a line of its own:
///
/// ```
/// 12 AppFlow/WatchedFlow: movieIsPicked → screen MovieDetail
/// 13 AppFlow/WatchedFlow: castIsPicked (membershipIsRequired) → screen Alert
///    AppFlow/WatchedFlow: settingsAreRequired: hidden
/// ```
///
/// It has the names of steps and not their values, so that it can be sent with a report of a problem.
public struct NavigationLog: Hashable, Sendable {
    /// A navigation or a failure.
    public struct Entry: Hashable, Sendable {
        /// What became of a step.
        public enum Result: Hashable, Sendable {
            /// It was navigated.
            case navigated([AppliedContributor])
            /// It was not taken, and nobody waited for its verdict.
            case ignored(Verdict)
            /// It failed, and nobody waited for that.
            case failed(NavigationError)
        }

        /// The path of the flow; of a failure, as ``NavigationFailure/path``.
        public let path: NodePath
        /// The name of the step; empty if the flow went back, or if something other than a step failed.
        public let step: String
        /// The name of the step before ``Flow/adapt(step:)`` replaced it; nil if it did not.
        public let adaptedFrom: String?
        /// The serial of the navigation; 0 for a failure.
        public let serial: UInt64
        /// The serial of the navigation that triggered this one; 0 if none did.
        public let cause: UInt64
        /// What became of it.
        public let result: Result
    }

    /// The number of entries that are kept: 256, the newest.
    public static var limit: Int { 256 }

    /// The entries, oldest first.
    public let entries: [Entry]
}

extension NavigationLog: CustomStringConvertible {
    /// A line for each entry.
    public var description: String { entries.map(\.description).joined(separator: "\n") }
}

extension NavigationLog.Entry: CustomStringConvertible {
    /// The entry in one line.
    public var description: String {
        let number = serial == 0 ? "  " : "\(serial)"
        let origin = adaptedFrom.map { $0 == step ? "" : " (\($0))" } ?? ""
        let name = step.isEmpty && serial != 0 ? "back" : step
        return "\(number) \(path)\(name.isEmpty ? "" : ": \(name)")\(origin)\(resultText)"
    }

    private var resultText: String {
        switch result {
        case .navigated(let contributors):
            contributors.isEmpty
                ? "" : " → " + contributors.map { "\($0.kind) \($0.name)" }.joined(separator: ", ")
        case .ignored(let verdict): ": \(verdict)"
        case .failed(let error): ": \(error.message)"
        }
    }
}

/// The entries of a log, as they come.
struct LogBuffer {
    private var entries: [NavigationLog.Entry] = []
    /// The place of the oldest entry, once all places are taken.
    private var start = 0

    mutating func append(_ entry: consuming NavigationLog.Entry) {
        guard entries.count == NavigationLog.limit else { return entries.append(entry) }
        entries[start] = entry
        start = (start + 1) % NavigationLog.limit
    }

    var log: NavigationLog { NavigationLog(entries: Array(entries[start...] + entries[..<start])) }
}

extension NavigationLog.Entry {
    init(_ navigation: HostNavigation, _ contributions: [AppliedContributor]) {
        self.init(
            path: navigation.flow, step: navigation.step?.name ?? "", adaptedFrom: navigation.adaptedFrom,
            serial: navigation.serial, cause: navigation.cause, result: .navigated(contributions))
    }

    init(_ failure: NavigationFailure) {
        let result: Result =
            if let error = failure.error {
                .failed(error)
            } else {
                .ignored(failure.verdict ?? .unhandled)
            }
        self.init(path: failure.path, step: failure.step, adaptedFrom: nil, serial: 0, cause: 0, result: result)
    }
}

extension FlowCoordinator {
    /// The latest navigations of the flows of this coordinator, and the failures that nobody waited for.
    public var log: NavigationLog { logged.log }

    /// Reports a failure to whoever listens, and logs it.
    func report(_ failure: NavigationFailure) {
        logged.append(NavigationLog.Entry(failure))
        failed.send(failure)
    }
}
