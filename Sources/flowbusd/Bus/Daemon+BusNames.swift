import FlowCore
import Logging
import SdBus

// The owners of the bus names in definitions: those of emitters, guards, navigators and presenters.

extension Daemon {
    /// Watches the names in the current definitions, and no others. The coordinator gets their owners; then a closure runs.
    func watchBusNames(then body: @escaping () -> Void = {}) {
        let wanted = Set(coordinator.definitions.busNames)
        var owners: [(name: String, owner: Client?)] = []
        for name in names.names where !wanted.contains(name) {
            // The owner has to be known as long as it may answer a call.
            if outbox.load(of: name) != (0, 0) { continue }
            names.remove(name)
            outbox.ownerChanged(of: name, to: nil)
            owners.append((name, nil))
        }
        owners += watchNames(of: coordinator.definitions)
        handle(owners[...], then: body)
    }

    /// Hands owners of names to the coordinator. While an event is handled in slices, the rest comes before everything that
    /// is postponed, because that may include calls of emitters.
    private func handle(_ owners: ArraySlice<(name: String, owner: Client?)>, then body: @escaping () -> Void) {
        var left = owners
        while !pendingWork.hasMore, let (name, owner) = left.popFirst() {
            handle(.nameOwnerChanged(name, owner: owner))
        }
        if left.isEmpty { return body() }
        backlog.addFirst { [unowned self, left] in handle(left, then: body) }
        resumeSoon()
    }

    /// Watches the names in these definitions, too. The coordinator gets their owners.
    func watchBusNames(of definitions: Definitions) {
        for (name, owner) in watchNames(of: definitions) { handle(.nameOwnerChanged(name, owner: owner)) }
    }

    /// Watches the names in these definitions, too.
    ///
    /// A name that can't be watched counts as one without an owner, so its flow refuses steps rather than taking wrong
    /// ones.
    ///
    /// - Returns: the owners of the names that were not watched before.
    private func watchNames(of definitions: Definitions) -> [(name: String, owner: Client?)] {
        var owners: [(name: String, owner: Client?)] = []
        for name in definitions.busNames where !names.contains(name) && !isLost {
            do throws(BusNameWatches.Failure) {
                owners.append((name, try watch(name).map { Client($0) }))
            } catch {
                if isLost { break }
                limiter.log(
                    .error, "Could not watch the bus name '\(name)' of a definition", of: name, "\(error.error)")
            }
        }
        return owners
    }

    /// Makes sure that the owner of a name is known, because only its answers are accepted. Usually it is: only a live
    /// screen can have a presenter that no definition names any more.
    func knowOwner(of name: String) {
        guard !name.hasPrefix(":"), !names.contains(name), !isLost else { return }
        do throws(BusNameWatches.Failure) { _ = try watch(name) } catch { if !isLost { askForOwner(of: name) } }
    }

    /// If the bus allows no more match rules, at least the current owner is known.
    private func askForOwner(of name: String) {
        do throws(SdError) {
            outbox.ownerChanged(of: name, to: try bus.uniqueName(ofOwnerOf: name))
        } catch {
            connectionFailed(error)
        }
    }

    /// - Returns: the owner of the name now.
    private func watch(_ name: String) throws(BusNameWatches.Failure) -> String? {
        do throws(BusNameWatches.Failure) {
            let owner = try names.add(name)
            outbox.ownerChanged(of: name, to: owner)
            return owner
        } catch {
            if !error.isRefusal { connectionFailed(error.error) }
            throw error
        }
    }

    /// Handles a change that the bus reported.
    func nameOwnerChanged(_ name: String, to owner: String?) {
        outbox.ownerChanged(of: name, to: owner)
        whenFree { [unowned self] in
            handleRegistrations(.nameOwnerChanged(name, owner: owner.map { Client($0) }))
        }
    }

    /// Handles an event that can register flows or remove registered ones, and watches the names in the definitions then.
    func handleRegistrations(_ event: Event, answering call: MessageReader? = nil) {
        let before = coordinator.definitions
        handle(event, answering: call)
        if coordinator.definitions != before { watchBusNames() }
    }
}
