package import FlowCore

extension BusNames {
    /// An error's name for a person: without the prefix of the service's errors.
    package static func shortened(_ errorName: String) -> String {
        errorName.hasPrefix(errorPrefix) ? String(errorName.dropFirst(errorPrefix.count)) : errorName
    }
}

/// The one place that maps refusals to names on the bus, and back.
extension FlowError.Code {
    /// The D-Bus error's name.
    package var busName: String {
        switch self {
        case .accessDenied: "\(BusNames.BusError.accessDenied)"
        case .notSupported: "\(BusNames.BusError.notSupported)"
        default: BusNames.errorPrefix + rawValue
        }
    }

    /// The refusal for the name of a D-Bus error; nil for errors of others, or of a later version.
    package init?(busName: String) {
        guard let code = Self.allCases.first(where: { $0.busName == busName }) else { return nil }
        self = code
    }
}
