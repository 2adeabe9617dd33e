import FlowCore
import Logging
import SdBus

// Who owns the bus names that flows want of those that emit on them (`emitters`). The bus tells of an owner before it
// hands on what that owner sends, so that the core is never late.

extension Daemon {
    /// Watches the names that these definitions have, and no others. Tells the core who owns them.
    ///
    /// A name that can't be watched stays without an owner, so that its flow refuses steps rather than take wrong ones.
    func watchEmitters(of definitions: Definitions) {
        let wanted = Set(definitions.flows.flatMap(\.emitters))
        for name in emitterMatches.keys.filter({ !wanted.contains($0) }).sorted() {
            emitterMatches[name] = nil
            handle(.nameOwnerChanged(name, owner: nil))
        }
        for name in wanted.subtracting(emitterMatches.keys).sorted() {
            do throws(SdError) {
                try watch(name)
            } catch {
                logger.error("Could not watch the bus name '\(name)', an emitter: \(error)")
            }
        }
    }

    private func watch(_ name: String) throws(SdError) {
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            + "path='/org/freedesktop/DBus',arg0='\(name)'"
        emitterMatches[name] = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) {
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
            handle(.nameOwnerChanged(name, owner: owner.isEmpty ? nil : Client(owner)))
        } catch {
            logger.error("Could not read who owns a bus name: \(error)")
        }
        return 0
    }
}
