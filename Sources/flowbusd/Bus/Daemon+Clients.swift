import FlowCore
import Logging
import Platform
import SdBus

// The connections whose end matters: owners of presentables, emitters of waiting steps, and clients with registered flows.

extension Daemon {
    /// Watches the users and the ends of connections, before there are clients.
    func watchClients() throws {
        clients = try PeerWatches(bus, output) { [unowned self] name, user in
            // Root and the service's own user control this process anyway, so only the quota of each client applies.
            if user == CurrentProcess.effectiveUserID || user == 0 { return }
            whenFree { [unowned self] in handle(.clientIdentified(Client(name), user: user)) }
        } gone: { [unowned self] name in
            // If the bus is gone, all clients seem to be gone; but only this connection ended.
            guard bus.isOpen else { return }
            whenFree { [unowned self] in handleRegistrations(.clientVanished(Client(name))) }
        }
    }

    /// Reports the user of a client, and the end of its connection, to the coordinator; soon, if it is gone already.
    func watch(_ client: Client) throws { try clients?.watch(client.name) }
}
