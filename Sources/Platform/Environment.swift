internal import Glibc

/// The variables of the environment; environ(7).
public enum Environment {
    /// A variable's value; nil if it is not set.
    public static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All of them. An entry without `=` is no variable.
    public static var all: [String: String] {
        var all: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { all[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return all
    }
}
