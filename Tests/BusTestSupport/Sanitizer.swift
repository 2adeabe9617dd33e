import Foundation

/// The sanitizer that the tests and the programs are built with, as `make test SANITIZE=address` does.
public enum Sanitizer: String, Sendable {
    /// Memory that is used wrongly, and leaks.
    case address
    /// Data races.
    case thread

    /// The sanitizer; nil in a usual build. `tools/sanitized` says so.
    public static let current = ProcessInfo.processInfo.environment["FLOWBUS_SANITIZE"].flatMap(Sanitizer.init)

    /// The environment of a program that strace follows: leaks are looked for by ptrace(2), which can't be had twice.
    public static var whileTraced: [String: String?] {
        guard current == .address else { return [:] }
        return ["ASAN_OPTIONS": (ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? "") + ":detect_leaks=0"]
    }
}
