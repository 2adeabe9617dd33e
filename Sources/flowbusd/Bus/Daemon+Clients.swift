import FlowCore
import Logging
import Platform
import SdBus

// The connections whose end matters: those that own a presentable, wait for a step, or registered a flow.

extension Daemon {
    /// Follows the users and the ends of connections; before there are clients.
    func watchClients() throws(SdError) {
        clients = try PeerWatches(bus) { [unowned self] name, user in
            // These users control this process anyway, so only the limits of each client hold for them.
            if user == CurrentProcess.effectiveUserID || user == 0 { return }
            whenFree { [unowned self] in handle(.clientIdentified(Client(name), user: user)) }
        } gone: { [unowned self] name in
            // If the bus is gone, all clients seem gone; but it is this connection that ended.
            guard bus.isOpen else { return }
            whenFree { [unowned self] in handleRegistrations(.clientVanished(Client(name))) }
        }
    }

    /// Reports the user of a client, and the end of its connection, to the coordinator; soon, if it is gone already.
    func watch(_ client: Client) throws(SdError) { try clients?.watch(client.name) }
}
