internal import CSdBus
internal import Glibc

/// Tells when connections to the bus are gone, by their unique names.
///
/// One match rule serves all of them, and nothing waits for the bus. sd_bus_track_new(3) takes a rule for each name, waits
/// for an answer behind all that is on its way, and closes the connection where the bus allows no more rules, of which
/// there may be as few as 512.
public final class PeerWatches {
    /// A peer that is watched. sd-bus knows it by an unretained pointer while it is asked for: it ends with its slot.
    private final class Peer {
        unowned let watches: PeerWatches
        let name: String
        /// The question whether it is there.
        var question: Slot?

        init(_ watches: PeerWatches, _ name: String) {
            self.watches = watches
            self.name = name
        }
    }

    private static let service: StaticString = "org.freedesktop.DBus"
    private static let path: StaticString = "/org/freedesktop/DBus"

    private let bus: Bus
    private let handler: (String) -> Void
    private var match: Slot?
    private var peers: [String: Peer] = [:]

    /// Watches nobody yet. It asks the bus, once, for what it has to tell (a blocking round trip).
    ///
    /// - Parameter handler: gets the name of one that is gone; runs in the loop, at most once for each ``watch(_:)``.
    /// - Throws: ``SdError``: ENOTCONN without a connection.
    public init(_ bus: Bus, _ handler: @escaping (_ name: String) -> Void) throws(SdError) {
        self.bus = bus
        self.handler = handler
        let rule =
            "type='signal',sender='\(Self.service)',interface='\(Self.service)',path='\(Self.path)',"
            + "member='NameOwnerChanged',arg2=''"
        match = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) { message, userdata, _ in
            guard let message, let userdata else { return 0 }
            let watches = Unmanaged<PeerWatches>.fromOpaque(userdata).takeUnretainedValue()
            guard let name = try? MessageReader(message).readString() else { return 0 }
            watches.tell(String(cString: name))
            return 0
        }
    }

    /// Watches a peer; one that has left already is told as gone in the next turns of the loop, never at once.
    ///
    /// - Throws: ``SdError``: EINVAL for what is no name of a connection, ENOTCONN without a connection.
    public func watch(_ name: String) throws(SdError) {
        guard peers[name] == nil else { return }
        guard name.hasPrefix(":") else { throw SdError("PeerWatches.watch", errno: EINVAL) }
        let peer = Peer(self, name)
        try ask(about: peer)
        peers[name] = peer
    }

    /// The bus has the rule by now; so it tells of the end, or answers that there was one.
    private func ask(about peer: Peer) throws(SdError) {
        let question = try OutgoingMessage(
            call: bus, destination: Self.service.cString, path: Self.path.cString, interface: Self.service.cString,
            member: "GetNameOwner")
        try question.body.append(peer.name)
        let userdata = Unmanaged.passUnretained(peer).toOpaque()
        peer.question = try question.call(timeout: .max, userdata: userdata) { message, userdata, _ in
            guard let message, let userdata else { return 0 }
            let peer = Unmanaged<Peer>.fromOpaque(userdata).takeUnretainedValue()
            withExtendedLifetime(peer) { peer.watches.take(MessageReader(message), of: peer) }
            return 1
        }
    }

    /// Watches a peer no longer: it is not told.
    public func unwatch(_ name: String) { peers[name] = nil }

    private func take(_ answer: MessageReader, of peer: Peer) {
        peer.question = nil
        guard String(cString: answer.sender) == "\(Self.service)" else {
            // Somebody guessed the number of the call. The bus is asked again; on a connection that is lost that is of no use.
            return (try? ask(about: peer)) ?? ()
        }
        guard let error = answer.errorName, String(cString: error) == "org.freedesktop.DBus.Error.NameHasNoOwner" else {
            return
        }
        tell(peer.name)
    }

    private func tell(_ name: String) {
        if peers.removeValue(forKey: name) != nil { handler(name) }
    }
}
