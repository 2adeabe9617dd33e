package import FlowCore

/// States and results, between Swift types and the values of the bus.
package enum KeptValues {
    package static func state(_ state: some Encodable) throws(NavigationError) -> FlowCore.Arguments {
        try encode(state, as: SavedProperties.subject)
    }

    package static func result(_ result: some Encodable) throws(NavigationError) -> FlowCore.Arguments {
        try encode(result, as: "the result")
    }

    private static func encode(
        _ value: some Encodable, as subject: String
    ) throws(NavigationError) -> FlowCore.Arguments {
        do throws(StepError) { return try NamedValues.encode(value, as: subject) } catch {
            throw NavigationError(error)
        }
    }

    package static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, from values: [String: DBusValue], as subject: String
    ) throws(NavigationError) -> Decoded {
        do throws(StepError) {
            return try NamedValues.decode(type, from: Arguments(values), as: subject)
        } catch {
            throw NavigationError(error)
        }
    }
}

extension Presentation {
    /// Returns what an owner of the screen saved last, for instance in a process that ended since (S-44).
    ///
    /// - Parameter type: the type with which it was saved.
    /// - Returns: The value; nil if there is nothing.
    /// - Throws: ``NavigationError`` with the code `invalidStep` if what was saved does not fit the type.
    public func restoredState<State: Decodable>(as type: State.Type) throws(NavigationError) -> State? {
        state.isEmpty ? nil : try KeptValues.decode(type, from: state, as: SavedProperties.subject)
    }
}
