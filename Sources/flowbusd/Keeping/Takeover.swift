import SdBus

/// Sees, by a connection of its own, from whom this process took the bus name, and waits until that one is gone (D-9): it
/// has the files open until then. What clients send meanwhile waits in the daemon's own connection.
final class Takeover {
    private let bus: Bus
    private let name: String
    /// The unique name of the connection that takes over.
    private let heir: String
    private let waiting: Waiting
    private var match: Slot?
    /// Who had the name before; nil: not known yet.
    private var predecessor: String?

    /// Looks on from now, before the name is requested.
    init(_ bus: Bus, of name: String, by heir: String) throws(SdError) {
        self.bus = bus
        self.name = name
        self.heir = heir
        waiting = try Waiting()
        // One rule for both changes, so that they come in their order.
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            + "path='/org/freedesktop/DBus'"
        match = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) { message, context, _ in
            guard let message, let context else { return 0 }
            Unmanaged<Takeover>.fromOpaque(context).takeUnretainedValue().ownerChanged(MessageReader(message))
            return 0
        }
    }

    /// Waits until who had the name is gone, if there was one; so many µs at the most.
    func wait(atMost time: UInt64) throws(SdError) -> Waiting.Outcome {
        try bus.attach(to: waiting.loop)
        return try waiting.wait(atMost: time)
    }

    private func ownerChanged(_ signal: MessageReader) {
        guard let changed = try? String(cString: signal.readString()),
            let old = try? String(cString: signal.readString()), let new = try? String(cString: signal.readString())
        else { return }
        if changed == name, new == heir {
            predecessor = old
            if old.isEmpty { waiting.end() }
        }
        if changed == predecessor, new.isEmpty { waiting.end() }
    }
}
