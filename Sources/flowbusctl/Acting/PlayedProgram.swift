import FlowCore
import FlowFile
import FlowWire
import Platform
import SdBus

/// A program of a play: a connection, its objects, its bus name, and the screens that it shows.
final class PlayedProgram {
    let act: ActFile.Program
    unowned let play: Play
    /// The connection; nil after a crash.
    private(set) var bus: Bus?
    /// The screens that it shows, or is about to show, by their instances.
    private(set) var screens: [UInt64: PlayedScreen] = [:]
    private var receivers: [MessageReceiver] = []
    /// How often each thing has happened, for those that differ from time to time.
    private var counts: [String: Int] = [:]
    /// What waits until a frozen program goes on; nil for one that is not frozen.
    private var frozen: [() -> Void]?
    private var waits: [Int: PlayedWait] = [:]
    /// The instances of the screens that it is about to claim.
    private var claims: Set<UInt64> = []
    private var lastWait = 0

    init(_ act: ActFile.Program, _ play: Play) { (self.act, self.play) = (act, play) }

    /// Its name for messages: the bus name, or else the unique one.
    var label: String { act.name ?? bus?.uniqueName ?? "" }

    // MARK: Its connection

    /// Connects, and owns the name.
    ///
    /// - Returns: whether it plays; not if another program owns the name, and may.
    func start() throws(Failure) -> Bool {
        do throws(SdError) {
            let bus = try connected()
            self.bus = bus
            if let name = act.name { try bus.requestName(name) }
        } catch {
            let refusal = refusal(error)
            _ = leave()
            guard error.isTaken, act.isOptional else { throw refusal }
            play.output.note("\(refusal.message); it is not played")
            return false
        }
        let did =
            act.name == nil
            ? "shows screens that have no presenter" : "owns the name, object \(act.paths.joined(separator: ", "))"
        report(.program, did)
        return true
    }

    /// Returns a connection whose objects are there: a call can come as soon as the name is owned.
    private func connected() throws(SdError) -> Bus {
        let bus = try Bus(play.options.busAddress)
        // Withdraw of a screen without a presenter is called at "/".
        receivers = []
        for path in act.paths + (act.paths.contains("/") ? [] : ["/"]) {
            receivers.append(try bus.serve(path: path, play.interfaces) { [unowned self] in take($0) })
        }
        receivers.append(try bus.filter { [unowned self] in takeSignal($0) })
        try bus.onDisconnect { [weak self, weak bus] in
            // A crash is no loss.
            guard let self, let bus, self.bus === bus else { return }
            play.busIsLost()
        }
        try bus.attach(to: play.loop)
        return bus
    }

    private func refusal(_ error: SdError) -> Failure {
        guard let name = act.name else {
            return Failure(.unavailable, "can't connect to \(play.options.busName): \(error.reason)")
        }
        return Bus.failure(
            error, owning: name, bus, play.options, advice: act.isOptional ? nil : "end that program first")
    }

    func releaseName() {
        if let name = act.name, let bus, bus.isOpen { try? bus.releaseName(name) }
    }

    /// Ends the connection in order.
    func end() {
        // What can't be written within a second is lost.
        try? bus?.flush(within: 1_000_000)
        leave()?.close()
    }

    /// Forgets all that belongs to the connection.
    ///
    /// - Returns: the connection, which is still open.
    private func leave() -> Bus? {
        for screen in screens.values { screen.stop() }
        if let bus { play.cancelCalls(on: bus) }
        (screens, claims, waits, frozen, receivers) = ([:], [], [:], nil, [])
        defer { bus = nil }
        return bus
    }

    /// Ends the connection as a crash does.
    func crash(_ restart: ActFile.Restart) {
        let label = label
        do throws(SdError) {
            switch restart {
            case .atOnce:
                let old = leave()
                let successor = try connected()
                // It waits for the name, which so is never without an owner.
                if let name = act.name { _ = try successor.queue(forName: name) }
                bus = successor
                old?.close()
                report(.program, "crashed, and is there again", label)
                play.readTree()
            case .after(let time):
                leave()?.close()
                report(.program, "crashed", label)
                later(.time(time)) { [unowned self] in comeBack() }
            case .never:
                leave()?.close()
                report(.program, "crashed, and does not come back", label)
            }
        } catch {
            play.fail(refusal(error))
        }
    }

    private func comeBack() {
        do throws(Failure) {
            if try start() { play.readTree() }
        } catch {
            play.fail(error)
        }
    }

    // MARK: Freezing

    /// Answers nothing, and does nothing, for a time in µs, or ever again.
    func freeze(_ time: UInt64?) {
        frozen = frozen ?? []
        report(.program, "freezes")
        guard let time else { return }
        later(.time(time)) { [unowned self] in
            let waiting = frozen ?? []
            frozen = nil
            report(.program, "goes on")
            for work in waiting { unlessFrozen(work) }
        }
    }

    /// Does something, unless the program is frozen; then later.
    func unlessFrozen(_ work: @escaping () -> Void) {
        if frozen == nil { work() } else { frozen?.append(work) }
    }

    /// Does something after a moment, unless the connection ends before.
    func later(_ moment: ActFile.Moment?, _ work: @escaping () -> Void) {
        lastWait += 1
        let number = lastWait
        waits[number] = play.wait(for: moment) { [unowned self] in
            waits[number] = nil
            work()
        }
    }

    // MARK: Calls

    private func take(_ call: MessageReader) {
        guard let question = try? PlayedQuestion(call) else { return }
        if frozen != nil { report(question, "not answered, as the program is frozen") }
        unlessFrozen { [unowned self] in
            switch question.member {
            case "Present": present(question)
            case "Withdraw": withdraw(question)
            case "Adapt": adapt(question)
            case "Navigate": navigate(question)
            case "Alive": sent(question, "answered") { () throws(SdError) in try question.answer() }
            default: activate(question)
            }
        }
    }

    /// The outcome of a step that was pending.
    private func takeSignal(_ message: MessageReader) {
        guard message.isSignal, let signal = try? Incoming(message), signal.member == "StepConcluded",
            signal.interface == "\(BusNames.Interface.stepper)", signal.values.count == 5
        else { return }
        let outcome = StepOutcome(Array(signal.values[1...]))
        var report = PlayReport(.action, did: outcome.verdict.isEmpty ? "concluded:" : "concluded: \(outcome.text)")
        report.name = "emit"
        let screen = screens.values.first { InstancePath.path(of: $0.instance) == signal.path }
        report.path = screen?.path ?? signal.path
        if !outcome.errorName.isEmpty {
            report.error = PlayedCall.Refusal(name: outcome.errorName, text: outcome.errorMessage)
        }
        self.report(report)
    }

    /// Returns how often something has happened before, and counts it.
    func count(_ what: String) -> Int {
        let count = counts[what, default: 0]
        counts[what] = count + 1
        return count
    }

    /// Sends an answer, and reports it.
    func sent(
        _ question: PlayedQuestion, _ did: String, _ error: PlayedCall.Refusal? = nil,
        _ send: () throws(SdError) -> Void
    ) {
        do throws(SdError) {
            try send()
            report(question, did, error)
        } catch {
            report(
                question, "could not be answered:",
                PlayedCall.Refusal(name: "\(BusNames.BusError.failed)", text: error.description))
        }
    }

    // MARK: Screens

    func keep(_ screen: PlayedScreen) {
        screens[screen.instance]?.stop()
        screens[screen.instance] = screen
    }

    /// Forgets a screen that it no longer shows.
    func forget(_ instance: UInt64) { screens.removeValue(forKey: instance)?.stop() }

    /// Forgets a screen, unless another one has its place.
    func forget(_ screen: PlayedScreen) {
        screen.stop()
        if screens[screen.instance] === screen { screens[screen.instance] = nil }
    }

    /// Claims a screen that has no presenter, and shows it.
    func claim(_ state: PresentableState) {
        guard let bus, screens[state.instance] == nil, claims.insert(state.instance).inserted else { return }
        let path = InstancePath.path(of: state.instance)
        play.call(on: bus, path, BusNames.Interface.presentable, "Claim", []) { [unowned self] outcome in
            claims.remove(state.instance)
            var report = PlayReport(.action, did: "claimed")
            switch outcome {
            case .success:
                let screen = PlayedScreen(self, state)
                keep(screen)
                let number = count("screen \(state.name)")
                screen.run((act.screens[state.name]?.turn(number) ?? ActFile.Screen()).actions)
            case .failure(let error):
                report = PlayReport(.action, did: "refused:")
                report.error = error
            }
            (report.name, report.path, report.instance) = ("claim", state.path, state.instance)
            report.about = state.name
            report.arguments = .dictionary(state.arguments.map { ($0.name, $0.value) })
            self.report(report)
        }
    }

    // MARK: Reports

    func report(_ subject: PlayReport.Subject, _ did: String, _ label: String? = nil) {
        var report = PlayReport(subject, did: did)
        report.program = label ?? self.label
        play.report(report)
    }

    func report(_ report: PlayReport) {
        var report = report
        report.program = label
        play.report(report)
    }

    /// Reports what became of a call.
    func report(_ question: PlayedQuestion, _ did: String, _ error: PlayedCall.Refusal? = nil) {
        var report = PlayReport(.call, did: did)
        report.name = question.member
        report.error = error
        switch question.member {
        case "Present":
            report.path = question.text(0)
            report.about = question.text(1)
            report.arguments = question.dictionary(2)
            report.instance = question.dictionary(3)["instance"]?.number
            report.reason = question.dictionary(3)["reason"]?.text ?? ""
        case "Withdraw":
            report.path = question.text(0)
            report.instance = question.values.count > 1 ? question.values[1].number : nil
            report.reason = question.text(2)
        case "Adapt", "Navigate":
            report.path = question.text(0)
            report.about = question.text(1)
            report.arguments = question.dictionary(2)
        case "ActivateAction": report.about = question.text(0)
        case "Open": report.about = question.dictionary(0).elements.compactMap(\.text).joined(separator: " ")
        default: break
        }
        self.report(report)
    }
}
