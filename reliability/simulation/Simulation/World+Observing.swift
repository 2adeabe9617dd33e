import CSdBus
import FlowTrace
import Logging

@testable import FlowCore
@testable import Worlds
@testable import flowbusd

// What flowbusd does with events, and logs.

extension World {
    func observe(_ event: Event, _ now: Instant, _ coordinator: inout Coordinator) -> [Effect] {
        if Simulate.isVerbose { print("  " + Trace.line(of: event, at: now, in: coordinator)) }
        noteTakenRecords(coordinator)
        let wasAlone = coordinator.machine.origins.isEmpty && !coordinator.pendingWork.hasMore
        let effects = follow(event, now, &coordinator)
        countLoops(effects, of: event, wasAlone: wasAlone)
        // Those that were found are not written again.
        if case .restored = event { archive = nil }
        compareArchive(coordinator)
        if Simulate.isVerbose { for effect in effects { print("      " + Trace.line(of: effect)) } }
        note(effects, of: event)
        return effects
    }

    private func follow(_ event: Event, _ now: Instant, _ coordinator: inout Coordinator) -> [Effect] {
        counts.handled += 1
        hasBegun = true
        switch event {
        case .restored(let records, let onSameBus):
            let found = records.filter { $0.key.kind != .counters }.sorted { $0.key < $1.key }
            let known = expected?.first { $0.records == found }
            if onSameBus { compareFound(found) } else { expected = nil }
            hasCompared = true
            isAsBefore = isAsBefore && known?.owners == coordinator.machine.nameOwners.owners
            let effects = coordinator.handle(event, at: now, upTo: Limits.slice)
            if onSameBus, isAsBefore, known?.isWhole == true, !profile.changesDefinitions,
                !coordinator.pendingWork.hasMore
            {
                compareRestored(found, coordinator, effects)
            }
            model?.end()
            return effects
        case .presenterReplied(_, .presented(let client, _)):
            if !presenters.contains(client.name) {
                fail("'\(client.name)' presents a screen, and was not asked to (S-31)")
            }
        case .started:
            if !hasCompared { compareFound([]) }
            hasCompared = true
        default: break
        }
        if let model { return model.handle(event, now, &coordinator) { fail($0) } }
        return coordinator.handle(event, at: now, upTo: Limits.slice)
    }

    var logger: Logger {
        Logger(label: "simulation") { [unowned self] _ in Silence(isVerbose: Simulate.logs, seed: seed) }
    }
}

/// The log of flowbusd: nowhere, unless somebody asks for it. A log that is written limits itself by timers, so the run is another.
private struct Silence: LogHandler {
    let isVerbose: Bool
    let seed: UInt64
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level {
        get { isVerbose ? .debug : .critical }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if isVerbose { print("    \(sim_now) flowbusd: \(event.message)") }
    }
}
