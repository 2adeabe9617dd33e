import FlowCore
import FlowWire
import Logging
import SdBus

// Steppers that need no code: properties and signals of other services (S-42).

/// The steppers of the present definitions.
final class StepperWatches {
    /// By the numbers of the definitions.
    fileprivate(set) var all: [StepperWatch] = []
    fileprivate var buses: [StepperDefinition.Bus: StepperBus] = [:]
    /// How many signals wait while an event is handled in slices, and whether more were dropped.
    fileprivate var postponed = 0
    fileprivate var hasDropped = false
    /// The definitions that they are of.
    fileprivate var definitions = Definitions()
}

extension Daemon {
    /// Watches the steppers of the present definitions, and no others. Those that are the same go on.
    func watchSteppers() {
        let (before, now) = (steppers.definitions, coordinator.definitions)
        guard !before.steppers.isEmpty || !now.steppers.isEmpty else { return }
        var watches = [StepperWatch?](repeating: nil, count: now.steppers.count)
        for (watch, place) in zip(steppers.all, now.places(ofSteppersIn: before)) {
            if let place {
                watch.id = place
                watches[place.index] = watch
            } else {
                steppers.buses[watch.stepper.bus]?.remove(watch)
            }
        }
        steppers.definitions = now
        var added: [StepperWatch] = []
        steppers.all = now.steppers.enumerated().map { place, stepper in
            if let watch = watches[place] { return watch }
            added.append(watch(stepper, StepperID(place)))
            return added[added.count - 1]
        }
        for watch in added { stepperBus(watch.stepper.bus).add(watch) }
    }

    private func watch(_ stepper: StepperDefinition, _ id: StepperID) -> StepperWatch {
        StepperWatch(stepper, id) { [unowned self] watch, news in
            take(news, of: watch)
        } stateChanged: { [unowned self] watch in
            log(watch.state, of: watch.stepper)
        }
    }

    private func stepperBus(_ kind: StepperDefinition.Bus) -> StepperBus {
        if let bus = steppers.buses[kind] { return bus }
        let made: StepperBus =
            switch kind {
            case .served: StepperBus(own: bus, loop)
            case .system: StepperBus(.system, loop)
            case .session: StepperBus(.session, loop)
            }
        steppers.buses[kind] = made
        return made
    }

    // MARK: News

    private func take(_ news: StepperWatch.News, of watch: StepperWatch) {
        guard !isLost, !state.isEnding else { return }
        switch news {
        case .changed:
            if watch.isPosted { return }
            watch.isPosted = true
            whenFree { [unowned self] in
                watch.isPosted = false
                if let value = watch.latest { handle(.changed(value), of: watch) }
            }
        case .signalled:
            let limit = Limits.waitingStepsPerFlow
            guard steppers.postponed < limit else { return drop(watch) }
            steppers.postponed += 1
            whenFree { [unowned self] in
                steppers.postponed -= 1
                handle(news, of: watch)
            }
        case .failed: whenFree { [unowned self] in handle(news, of: watch) }
        }
    }

    /// A signal is dropped, because too many wait while an event is handled in slices. One report stands for all.
    private func drop(_ watch: StepperWatch) {
        if steppers.hasDropped { return }
        steppers.hasDropped = true
        whenFree { [unowned self] in
            steppers.hasDropped = false
            let error = FlowError(
                .limitExceeded,
                "at most \(Limits.waitingStepsPerFlow) signals of other services wait; further ones are dropped")
            handle(.failed(error), of: watch)
        }
    }

    private func handle(_ news: StepperWatch.News, of watch: StepperWatch) {
        // A reload may have come in between.
        guard let id = watch.id, !isLost else { return }
        switch news {
        case .changed(let value): handle(.stepperChanged(id, value))
        case .signalled(let values): handle(.stepperSignalled(id, values))
        case .failed(let error): handle(.stepperFailed(id, error))
        }
    }

    private func log(_ state: StepperWatch.State, of stepper: StepperDefinition) {
        let what = "\(stepper.interface).\(stepper.member)"
        let fields: Logger.Metadata = [LogField.peer: "\(stepper.name)"]
        switch state {
        case .connecting: break
        case .connected(let path):
            steppers.buses[stepper.bus]?.isGood()
            limiter.log(.info, "A stepper is connected", of: stepper.name, "\(what) \(path ?? "")", metadata: fields)
        case .absent(let why):
            limiter.log(.info, "A stepper is not connected", of: stepper.name, "\(what): \(why)", metadata: fields)
        }
    }

    // MARK: GetSteppers

    /// Appends the steppers and their states.
    func appendSteppers(to body: Marshaller) throws(SdError) {
        try body.openContainer(.array, "(ssssa{sv})")
        for watch in steppers.all {
            let stepper = watch.stepper
            let definitions = coordinator.definitions
            try body.openContainer(.structure, "ssssa{sv}")
            try body.append(definitions[stepper.flow].name)
            try body.append(definitions[stepper.step].name)
            try body.append(stepper.name)
            try body.append("\(stepper.interface).\(stepper.member)")
            try appendDetails(of: watch, isPrivate: definitions[stepper.step].isPrivate, to: body)
            try body.closeContainer()
        }
        try body.closeContainer()
    }

    private func appendDetails(of watch: StepperWatch, isPrivate: Bool, to body: Marshaller) throws(SdError) {
        var details: Arguments = []
        if watch.stepper.bus != .served { details.append(Argument("bus", .string(watch.stepper.bus.rawValue))) }
        switch watch.state {
        case .connecting: details.append(Argument("state", .string("connecting")))
        case .connected(let path):
            details.append(Argument("state", .string("connected")))
            if let path { details.append(Argument("path", .objectPath(path))) }
        case .absent(let why):
            details.append(Argument("state", .string("absent")))
            details.append(Argument("reason", .string(why)))
        }
        if case .value(let value) = watch.latest, !isPrivate { details.append(Argument("value", value)) }
        try body.append(details)
    }
}
