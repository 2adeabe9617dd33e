internal import CSdBus
internal import Glibc

/// Reports the ends of connections to the bus, by their unique names, and their users.
///
/// A peer is watched until it is gone, and watching it again costs nothing. One match rule serves all peers, and nothing waits
/// for the bus. sd_bus_track_new(3) adds a rule for each name, waits for an answer behind everything that is on its way, and
/// closes the connection if the bus allows no more rules; the limit may be as low as 512.
public final class PeerWatches {
    /// A watched peer.
    private final class Peer {
        let name: String
        /// The call for its user, whose failure shows that it is gone.
        var question: AwaitedAnswer?

        init(_ name: String) { self.name = name }
    }

    private static let service: StaticString = "org.freedesktop.DBus"
    private static let path: StaticString = "/org/freedesktop/DBus"

    private let output: MessageOutput
    private let identified: (String, UInt32) -> Void
    private let gone: (String) -> Void
    private var match: Slot?
    private var peers: [String: Peer] = [:]

    /// Watches no peer yet. Adds the match rule, a blocking round trip.
    ///
    /// - Parameters:
    ///   - bus: the connection.
    ///   - output: where its messages leave.
    ///   - identified: gets the name and the Unix user of a peer, unless the bus does not know the user.
    ///   - gone: gets the name of a peer that is gone. Both run in the loop, at most once for each name.
    /// - Throws: ``SdError``: ENOTCONN without a connection.
    public init(
        _ bus: Bus, _ output: MessageOutput, identified: @escaping (_ name: String, _ user: UInt32) -> Void,
        gone: @escaping (_ name: String) -> Void
    ) throws(SdError) {
        self.output = output
        self.identified = identified
        self.gone = gone
        let rule =
            "type='signal',sender='\(Self.service)',interface='\(Self.service)',path='\(Self.path)',"
            + "member='NameOwnerChanged',arg2=''"
        match = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) { message, userdata, _ in
            guard let message, let userdata else { return 0 }
            let watches = Unmanaged<PeerWatches>.fromOpaque(userdata).takeUnretainedValue()
            guard let name = try? MessageReader(message).readString() else { return 0 }
            watches.remove(String(cString: name))
            return 0
        }
    }

    /// Watches a peer until it is gone. A peer that has left already is reported in the next turns of the loop, never at once.
    ///
    /// - Throws: ``SdError``: EINVAL if the name is not a unique name, ENOTCONN without a connection.
    public func watch(_ name: String) throws {
        guard peers[name] == nil else { return }
        guard name.hasPrefix(":") else { throw SdError("PeerWatches.watch", errno: EINVAL) }
        let peer = Peer(name)
        try ask(about: peer)
        peers[name] = peer
    }

    /// The bus has the match rule by now, so it either reports the end or answers that the peer is gone.
    private func ask(about peer: Peer) throws {
        peer.question = try output.call(
            MessageOutput.Callee("\(Self.service)", "\(Self.path)", Self.service), "GetConnectionUnixUser", "s"
        ) { body in
            try body.append(peer.name)
        } answered: { [unowned self, unowned peer] answer in
            take(answer, of: peer)
        }
    }

    private func take(_ answer: MessageReader, of peer: Peer) {
        peer.question = nil
        guard String(cString: answer.sender) == "\(Self.service)" else {
            // Another peer guessed the number of the call, so ask again. That fails on a lost connection, where it does not matter.
            return (try? ask(about: peer)) ?? ()
        }
        guard let error = answer.errorName else {
            if let user = try? answer.readUInt32() { identified(peer.name, user) }
            return
        }
        // Any other error means that the bus does not know the user.
        if String(cString: error) == "org.freedesktop.DBus.Error.NameHasNoOwner" { remove(peer.name) }
    }

    private func remove(_ name: String) {
        if peers.removeValue(forKey: name) != nil { gone(name) }
    }
}
