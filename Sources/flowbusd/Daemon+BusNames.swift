import FlowCore
import Logging
import SdBus

// Who owns the bus names that definitions have: those of emitters, guards, navigators and presenters. The bus tells of an
// owner before it hands on what that owner sends, so that the core is never late.

extension Daemon {
    /// Watches the names that the definitions have now, and no others. Tells the core who owns them.
    func watchBusNames() {
        let wanted = Set(coordinator.definitions.busNames)
        for name in nameMatches.keys.filter({ !wanted.contains($0) }).sorted() {
            nameMatches[name] = nil
            handle(.nameOwnerChanged(name, owner: nil))
        }
        watchBusNames(of: coordinator.definitions)
    }

    /// Watches the names that these definitions have besides those that are watched already.
    ///
    /// A name that can't be watched stays without an owner, so that its flow refuses steps rather than take wrong ones.
    func watchBusNames(of definitions: Definitions) {
        for name in definitions.busNames where nameMatches[name] == nil {
            do throws(SdError) {
                try watch(name)
            } catch {
                logger.error("Could not watch the bus name '\(name)' of a definition: \(error)")
            }
        }
    }

    private func watch(_ name: String) throws(SdError) {
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            + "path='/org/freedesktop/DBus',arg0='\(name)'"
        nameMatches[name] = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) {
            message, context, _ in
            guard let message, let daemon = Daemon.from(context) else { return 0 }
            return daemon.nameOwnerChanged(MessageReader(message))
        }
        handle(.nameOwnerChanged(name, owner: bus.uniqueName(ofOwnerOf: name).map { Client($0) }))
    }

    private func nameOwnerChanged(_ signal: MessageReader) -> Int32 {
        do throws(SdError) {
            let name = String(cString: try signal.readString())
            _ = try signal.readString()
            let owner = String(cString: try signal.readString())
            handleRegistrations(.nameOwnerChanged(name, owner: owner.isEmpty ? nil : Client(owner)))
        } catch {
            logger.error("Could not read who owns a bus name: \(error)")
        }
        return 0
    }

    /// Handles an event by which flows can come to be registered, or be no longer: then other names are watched.
    func handleRegistrations(_ event: Event, answering call: MessageReader? = nil) {
        let before = coordinator.definitions
        handle(event, answering: call)
        if coordinator.definitions != before { watchBusNames() }
    }
}
