/// The losses of owners that were counted already (S-36), by client and place.
///
/// A client that hangs, or leaves the bus, is lost once for the screens of one name in a flow, however many it has, and whenever
/// each of them is asked about. It is lost until it answers something, or has left.
struct CountedLosses: Equatable, Sendable {
    /// Whether the losses at a place were too many.
    private var places: [Client: [Place: Bool]] = [:]

    /// A name of screens in a flow.
    struct Place: Hashable {
        let name: String
        let flow: NodeID?
    }

    var isEmpty: Bool { places.isEmpty }

    /// The clients that hang.
    var clients: Set<Client> { Set(places.keys) }

    /// Whether a client was lost at any place.
    func contains(_ client: Client) -> Bool { places[client] != nil }

    /// Whether the losses at a place, of which this client is one, were too many; nil if it was not lost there.
    func isTooMany(_ client: Client, at place: Place) -> Bool? { places[client]?[place] }

    /// A client was lost at a place.
    mutating func note(_ client: Client, at place: Place, isTooMany: Bool) {
        places[client, default: [:]][place] = isTooMany
    }

    /// A client answered, or has left. Returns whether it was lost anywhere.
    mutating func forget(_ client: Client) -> Bool { places.removeValue(forKey: client) != nil }
}
