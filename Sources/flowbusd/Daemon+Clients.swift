import FlowCore
import Logging
import Platform
import SdBus

// The connections that the core follows: of all that have something, be it a presentable, a step that waits or a
// registered flow.

extension Daemon {
    /// Has the bus tell whose connections are, and when they end; before there are clients.
    func watchClients() throws(SdError) {
        watches = try PeerWatches(bus) { [unowned self] name, user in
            // Who could do anything to this process has no limits beside those of each client.
            if user == CurrentProcess.effectiveUserID || user == 0 { return }
            whenFree { [unowned self] in handle(.clientIdentified(Client(name), user: user)) }
        } gone: { [unowned self] name in
            // Where the bus is gone, all clients are; that is the end of the service, not of theirs.
            guard bus.isOpen else { return }
            whenFree { [unowned self] in handleRegistrations(.clientVanished(Client(name))) }
        }
    }

    /// Brings the user of a client to the core, and the end of its connection; soon, where it is gone already.
    func watch(_ client: Client) throws(SdError) { try watches?.watch(client.name) }
}
