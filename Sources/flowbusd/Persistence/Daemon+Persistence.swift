import FlowCore
import FlowWire
import Logging
import SdBus

// When the daemon writes, and what.

extension Daemon {
    /// Holds back the effects of an event until the next commit.
    func holdBack(_ effects: [Effect], answering call: MessageReader?, of request: RequestID, at time: Instant) {
        // A waiting call must not be sent before this is carried out, and no client sees the difference.
        for case .dropQuestion(let question) in effects { outbox.drop(question) }
        // At the start everything is written before anything is sent.
        gate.add(
            CommitGate.PendingEffects(
                effects: effects, call: call.map(RetainedMessage.init), request: request, time: time),
            upTo: state.isServing ? CommitGate.capacity : .max)
    }

    /// Writes the changes, and then carries out the effects that waited for them. All code that answers a call without an
    /// event, or reports the state of the tree, calls this first; otherwise it would overtake those effects, or report a
    /// state that could be lost.
    func commit() {
        guard !gate.isEmpty else { return }
        gate.forEachNavigation { persistence.append($0, at: $1) }
        persistence.persist(coordinator.takeRecords())
        var items = gate.removeAll()
        for place in items.indices {
            // Out of the item, which would share them: they would be copied to be taken one by one.
            var effects: [Effect] = []
            swap(&effects, &items[place].effects)
            let item = items[place]
            perform(&effects, answering: item.call?.message, of: item.request, at: item.time, areInHistory: true)
        }
        persistence.flushIfFull()
    }

    /// Updates `Durable`, the status and the gate after a file failed, or works again.
    func durabilityChanged() {
        gate.isEnabled = persistence.isWorking
        guard state.isServing, !isLost else { return }
        manager.statusChanged()
        guard persistence.isDurable != state.reportedDurable else { return }
        state.reportedDurable = persistence.isDurable
        do { try sendDurable(state.reportedDurable) } catch { connectionFailed(error) }
    }
}
