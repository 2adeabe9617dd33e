package import FlowCore

extension BusNames {
    /// An error's name for a person: one of the service's without what they all begin with.
    package static func shortened(_ errorName: String) -> String {
        errorName.hasPrefix(errorPrefix) ? String(errorName.dropFirst(errorPrefix.count)) : errorName
    }
}

/// The one place where refusals get their names on the bus, and are known by them.
extension FlowError.Code {
    /// The D-Bus error's name.
    package var busName: String {
        self == .accessDenied ? "\(BusNames.StandardError.accessDenied)" : BusNames.errorPrefix + rawValue
    }

    /// The refusal of this D-Bus error's name; nil for an error that is none of the service's, or of a later version.
    package init?(busName: String) {
        guard let code = Self.allCases.first(where: { $0.busName == busName }) else { return nil }
        self = code
    }
}
