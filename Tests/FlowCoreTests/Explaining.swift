@testable import FlowCore

extension Coordinator {
    /// Returns the explanation of an emission; nil for other events, and for calls with options, which can have other
    /// effects.
    borrowing func explain(_ event: Event, at now: Instant) -> Explanation? {
        guard case .stepEmitted(_, let node, let step, let arguments, let client, nil) = event else { return nil }
        return explain(step, arguments, on: node, by: client, at: now)
    }
}

extension Explanation {
    /// Returns the difference between an emission's effects and its explanation; nil if there is none.
    func complaint(about effects: [Effect], of event: Event) -> String? {
        guard case .stepEmitted(let request, _, _, _, _, _) = event else { return "it is no emission" }
        var outcome = Outcome.ignored(.pending)
        var rest: [Effect] = []
        for effect in effects {
            switch effect {
            case .reply(request, .verdict(.navigated, let serial)): outcome = .navigated(serial: serial)
            case .reply(request, .verdict(let verdict, _)): outcome = .ignored(verdict)
            case .fail(request, let error): outcome = .refused(error)
            case .startTimer, .emitAnswered, .emitStackChanged, .emitBackChanged: break
            default: rest.append(effect)
            }
        }
        if outcome != self.outcome { return "it was to be \(self.outcome), and is \(outcome)" }
        // A world leaves it out.
        rest = rest.compactMap(\.withoutInSight)
        if rest != self.effects.compactMap(\.withoutInSight) {
            return "it was to do \(self.effects.map(\.line)), and does \(rest.map(\.line))"
        }
        if lines.isEmpty { return "nothing was said" }
        if lines.count > Limits.explanationLines { return nil }
        for case .addPresentable(let state) in effects where !lines.contains(where: { $0.contains("'\(state.path)'") })
        {
            return "nothing was said of '\(state.path)'"
        }
        return nil
    }
}
