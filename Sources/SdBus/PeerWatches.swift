internal import CSdBus
internal import Glibc

/// Tells when connections to the bus are gone, by their unique names, and of which users they are.
///
/// One that is watched is so until it is gone: to watch it again costs nothing. One match rule serves all of them, and nothing waits for the bus. sd_bus_track_new(3) takes a rule for each name, waits
/// for an answer behind all that is on its way, and closes the connection where the bus allows no more rules, of which
/// there may be as few as 512.
public final class PeerWatches {
    /// A peer that is watched. sd-bus knows it by an unretained pointer while it is asked for: it ends with its slot.
    private final class Peer {
        unowned let watches: PeerWatches
        let name: String
        /// The question whose it is, which is also whether it is there.
        var question: Slot?

        init(_ watches: PeerWatches, _ name: String) {
            self.watches = watches
            self.name = name
        }
    }

    private static let service: StaticString = "org.freedesktop.DBus"
    private static let path: StaticString = "/org/freedesktop/DBus"

    private let bus: Bus
    private let identified: (String, UInt32) -> Void
    private let gone: (String) -> Void
    private var match: Slot?
    private var peers: [String: Peer] = [:]

    /// Watches nobody yet. It asks the bus, once, for what it has to tell (a blocking round trip).
    ///
    /// - Parameters:
    ///   - identified: gets the name and the Unix user of one that is there; not where the bus can't tell the user.
    ///   - gone: gets the name of one that is gone. Both run in the loop, at most once for each name.
    /// - Throws: ``SdError``: ENOTCONN without a connection.
    public init(
        _ bus: Bus, identified: @escaping (_ name: String, _ user: UInt32) -> Void,
        gone: @escaping (_ name: String) -> Void
    ) throws(SdError) {
        self.bus = bus
        self.identified = identified
        self.gone = gone
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

    /// Watches a peer until it is gone; one that has left already is told as gone in the next turns of the loop, never at
    /// once.
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
            member: "GetConnectionUnixUser")
        try question.body.append(peer.name)
        let userdata = Unmanaged.passUnretained(peer).toOpaque()
        peer.question = try question.call(timeout: .max, userdata: userdata) { message, userdata, _ in
            guard let message, let userdata else { return 0 }
            let peer = Unmanaged<Peer>.fromOpaque(userdata).takeUnretainedValue()
            withExtendedLifetime(peer) { peer.watches.take(MessageReader(message), of: peer) }
            return 1
        }
    }

    private func take(_ answer: MessageReader, of peer: Peer) {
        peer.question = nil
        guard String(cString: answer.sender) == "\(Self.service)" else {
            // Somebody guessed the number of the call. The bus is asked again; on a connection that is lost that is of no use.
            return (try? ask(about: peer)) ?? ()
        }
        guard let error = answer.errorName else {
            if let user = try? answer.readUInt32() { identified(peer.name, user) }
            return
        }
        // Any other error says that there is no user who could be known.
        if String(cString: error) == "org.freedesktop.DBus.Error.NameHasNoOwner" { tell(peer.name) }
    }

    private func tell(_ name: String) {
        if peers.removeValue(forKey: name) != nil { gone(name) }
    }
}
