import FlowCore
import Glibc
import Logging
import SdBus

// Who owns the bus names that definitions have: those of emitters, guards, navigators and presenters. The bus tells of an
// owner before it hands on what that owner sends, so that the core is never late.

extension Daemon {
    /// Watches the names that the definitions have now, and no others. Tells the core who owns them; then does something.
    func watchBusNames(then body: @escaping () -> Void = {}) {
        let wanted = Set(coordinator.definitions.busNames)
        var owners: [(name: String, owner: Client?)] = []
        for name in nameMatches.keys.filter({ !wanted.contains($0) }).sorted() {
            // As long as answers may come from who has it, it has to be known who that is.
            if outbox.load(of: name) != (0, 0) { continue }
            nameMatches[name] = nil
            outbox.ownerChanged(of: name, to: nil)
            owners.append((name, nil))
        }
        owners += watchNames(of: coordinator.definitions)
        tell(owners[...], then: body)
    }

    /// Tells the core who owns names; of those that are left while something goes on in slices, before all that waits, as
    /// calls of emitters may be among that.
    private func tell(_ owners: ArraySlice<(name: String, owner: Client?)>, then body: @escaping () -> Void) {
        var left = owners
        while !coordinator.hasMore, let (name, owner) = left.popFirst() {
            handle(.nameOwnerChanged(name, owner: owner))
        }
        if left.isEmpty { return body() }
        backlog.addFirst { [unowned self, left] in tell(left, then: body) }
        resumeSoon()
    }

    /// Watches the names that these definitions have besides those that are watched already. Tells the core who owns them.
    func watchBusNames(of definitions: Definitions) {
        for (name, owner) in watchNames(of: definitions) { handle(.nameOwnerChanged(name, owner: owner)) }
    }

    /// Watches the names that these definitions have besides those that are watched already; gives who owns them.
    ///
    /// A name that can't be watched stays without an owner, so that its flow refuses steps rather than take wrong ones.
    private func watchNames(of definitions: Definitions) -> [(name: String, owner: Client?)] {
        var owners: [(name: String, owner: Client?)] = []
        for name in definitions.busNames where nameMatches[name] == nil && !isLost {
            do throws(SdError) {
                owners.append((name, try watch(name).map { Client($0) }))
            } catch {
                // A refusal of the bus; else the connection is lost.
                if isLost { break }
                limiter.log(.error, "Could not watch the bus name '\(name)' of a definition", of: name, "\(error)")
            }
        }
        return owners
    }

    /// Sees to it that it is known whose answers to calls to this name are to be believed. Mostly it is: live screens keep
    /// the presenter that they have, also where no definition names it any more.
    func knowOwner(of name: String) {
        guard !name.hasPrefix(":"), nameMatches[name] == nil, !isLost else { return }
        do throws(SdError) { _ = try watch(name) } catch { if !isLost { askForOwner(of: name) } }
    }

    /// The bus allows no more rules. Who has the name now is known all the same, if not who comes to have it.
    private func askForOwner(of name: String) {
        do throws(SdError) {
            outbox.ownerChanged(of: name, to: try bus.uniqueName(ofOwnerOf: name))
        } catch {
            connectionFailed(error)
        }
    }

    /// - Returns: who has the name now.
    /// - Throws: ``SdError``; where that is no refusal of the bus, the connection is lost.
    private func watch(_ name: String) throws(SdError) -> String? {
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            + "path='/org/freedesktop/DBus',arg0='\(name)'"
        do throws(SdError) {
            nameMatches[name] = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) {
                message, context, _ in
                guard let message, let daemon = Daemon.from(context) else { return 0 }
                return daemon.nameOwnerChanged(MessageReader(message))
            }
        } catch {
            // Where the bus refuses it, as there are too many rules, this is another one.
            if error.code == ENOMEM || error.isDisconnected { connectionFailed(error) }
            throw error
        }
        do throws(SdError) {
            let owner = try bus.uniqueName(ofOwnerOf: name)
            outbox.ownerChanged(of: name, to: owner)
            return owner
        } catch {
            nameMatches[name] = nil
            connectionFailed(error)
            throw error
        }
    }

    private func nameOwnerChanged(_ signal: MessageReader) -> Int32 {
        do throws(SdError) {
            let name = String(cString: try signal.readString())
            _ = try signal.readString()
            let owner = String(cString: try signal.readString())
            outbox.ownerChanged(of: name, to: owner.isEmpty ? nil : owner)
            whenFree { [unowned self] in
                handleRegistrations(.nameOwnerChanged(name, owner: owner.isEmpty ? nil : Client(owner)))
            }
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
