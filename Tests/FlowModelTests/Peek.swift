import FlowCore

/// What `PeekBack` answers just before Back: it is what the rules say, and what Back then does (S-39).
struct Peek {
    private let predicted: Result<BackPreview, FlowError>
    private let expected: Result<BackPreview, FlowError>
    private let options: BackOptions?
    /// The path of the presentable that is to go.
    private let goingPath: String?

    /// Asks both; nil if the event is no Back.
    init?(_ event: Event, _ coordinator: borrowing Coordinator, _ model: Model) {
        guard case .backPressed(_, let node, let client, let options) = event else { return nil }
        self.options = options
        do throws(FlowError) {
            predicted = .success(try coordinator.peekBack(at: node, by: client))
        } catch {
            predicted = .failure(FlowError(error.code))
        }
        expected = model.peekBack(node.instance, client)
        if case .success(.dismiss(let instance, _)) = predicted {
            goingPath = coordinator.node(instance: instance).map { coordinator.path(of: $0) }
        } else {
            goingPath = nil
        }
    }

    /// Returns how it differs from the rules, or from what happened; nil if it does not.
    func difference(from effects: [Effect]) -> String? {
        guard predicted == expected else { return "PeekBack answers \(predicted), not \(expected)" }
        // A token has the answer of an earlier Back; with `goes` it can be refused.
        if options?.token != nil { return nil }
        if let goes = options?.goes {
            if case .success(.dismiss(goes, _)) = predicted {} else { return nil }
        }
        return agrees(with: effects) ? nil : "Back does other than PeekBack answered: \(predicted)"
    }

    private func agrees(with effects: [Effect]) -> Bool {
        let done = effects.compactMap { if case .emitNavigationOccurred(let it) = $0 { it } else { nil } }
        let verdict: Verdict?
        switch effects.last {
        case .reply(_, .verdict(let it, _)): verdict = it
        case .fail(_, let error):
            if case .failure(let predicted) = predicted { return predicted.code == error.code }
            verdict = nil
        default: verdict = nil
        }
        let isDismissal = done.first.map { $0.step.isEmpty } ?? false
        switch predicted {
        case .failure: return false
        case .success(.dismiss(_, let revealed)):
            let currents = effects.compactMap { effect in
                if case .changeProperties(let changes) = effect { changes.properties.path(.current) } else { nil }
            }
            return isDismissal && verdict == .navigated && done.first?.contributions.first?.path == goingPath
                && currents.contains(revealed)
        case .success(.step(let step)):
            return !isDismissal && (verdict != .navigated || done.first?.step == step)
        case .success(.hidden): return verdict == .hidden && done.isEmpty
        case .success(.unhandled): return verdict == .unhandled && done.isEmpty
        }
    }
}
