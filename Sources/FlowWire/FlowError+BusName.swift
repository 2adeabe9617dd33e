package import FlowCore

extension BusNames {
    /// An error's name for a person: without the prefix of the service's errors.
    package static func shortened(_ errorName: String) -> String {
        let prefix = FlowError.Code.busPrefix
        return errorName.hasPrefix(prefix) ? String(errorName.dropFirst(prefix.count)) : errorName
    }
}

extension FlowError.Code {
    /// The refusal for the name of a D-Bus error; nil for errors of others, or of a later version.
    package init?(busName: String) {
        guard let code = Self.allCases.first(where: { $0.busName == busName }) else { return nil }
        self = code
    }
}
