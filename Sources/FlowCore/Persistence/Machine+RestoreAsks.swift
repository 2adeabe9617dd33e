// Restores asks (S-45): those that were open go on, and answers that nobody acknowledged are sent again.

extension Machine {
    /// Restores asks, before the steps of their chains.
    mutating func restoreAsks(of stored: RecordSet, _ lost: Lost, onSameBus: Bool, _ turn: inout Turn) {
        for (number, record) in stored.asks {
            var ask = record.ask
            if !onSameBus { (ask.client, ask.isLeft) = (.former, true) }
            let isLive = record.asker == 0 ? onSameBus : lost.slots[record.asker] != nil
            if !isLive, ask.isLeft { continue }
            asks.restore(ask, number)
            accounting.count(ask.usage, for: ask.client)
            accounting.open(ask.client)
            if !isLive { endAsks(of: record.asker, turn.now) } else { countAsks(of: ask.key) }
        }
        endUndeclaredAsks(&turn)
        for instance in asks.asked where lost.slots[instance] == nil {
            for number in asks.about(instance) { answer(number, lost.outcome(of: instance), &turn) }
        }
    }

    /// Ends the asks whose steps were not restored, and sends those answers again that the asker may not have got.
    mutating func endRestoredAsks(onSameBus: Bool, _ turn: inout Turn) {
        for number in asks.takeEndedChains() where asks[number]?.state == .open(about: nil) {
            // The caller learns from its call that the step was not taken.
            if asks[number]?.verdict == nil { forgetAsk(number) } else { answer(number, .nothing, &turn) }
        }
        guard onSameBus else { return }
        for (number, ask) in asks.asks where !ask.isTold { tell(number, &turn) }
    }
}
