import FlowCore
import Logging
import SdBus

// The connections that the core follows: those that own presentables or registered flows.

extension Daemon {
    /// Has the bus tell of connections that end; before there are clients.
    func watchClients() throws(SdError) {
        watches = try PeerWatches(bus) { [unowned self] name in
            // Where the bus is gone, all clients are; that is the end of the service, not of theirs.
            guard bus.isOpen else { return }
            whenFree { [unowned self] in handleRegistrations(.clientVanished(Client(name))) }
        }
    }

    /// Brings the end of a client's connection to the core; soon, where it is gone already.
    func watch(_ client: Client) throws(SdError) { try watches?.watch(client.name) }

    /// Does so no longer.
    func unwatch(_ client: Client) { watches?.unwatch(client.name) }
}
