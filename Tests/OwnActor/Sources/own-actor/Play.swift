import FlowBus
import FlowBusClient

/// What happens in the program.
@FlowActor
final class Play {
    private let lines: Mailbox
    private let answers: Mailbox
    private let bus: NavigationBus?
    private let coordinator: FlowCoordinator

    init(_ lines: Mailbox, _ answers: Mailbox, _ address: String?) throws {
        (self.lines, self.answers) = (lines, answers)
        if let address {
            let bus = try NavigationBus(.address(address))
            self.bus = bus
            coordinator = try FlowCoordinator(bus: bus)
        } else {
            (bus, coordinator) = (nil, FlowCoordinator())
        }
    }

    func run() async throws {
        let stepper = PlayStepper()
        let flow = PlayFlow(lines, answers)
        // Until this ends: what the coordinator reports, in its order.
        let subscription = coordinator.didNavigate.subscribe { [lines] in
            lines.send("did navigate \($0.path) \($0.step.map { "\($0)" } ?? "back")")
        }
        defer { subscription.end() }
        try await coordinator.coordinate(flow: flow, with: stepper)
        say("meet", try await coordinator.emit(PlayStep.meet, on: flow))
        say("page", try await coordinator.emit(PlayStep.page(number: 7), on: flow))
        flow.page?.show()
        for _ in 0..<3 { stepper.steps.accept(PlayStep.count) }
        say("after three", try await coordinator.emit(PlayStep.count, on: flow))
        say("refused", try await coordinator.emit(PlayStep.refused, on: flow))
        for outcome in try await coordinator.navigate(to: PlayStep.count) {
            lines.send("deep link \(outcome.path) \(try outcome.result?.get().verdict.rawValue ?? "nothing")")
        }
        do {
            try await coordinator.emit(PlayStep.endless, on: flow)
        } catch let error as NavigationError {
            // The time limit passed on this actor, too.
            lines.send("endless \(error.code.rawValue)")
        }
        var events = coordinator.didNavigate.makeAsyncIterator()
        let child = try await coordinator.emit(PlayStep.child, on: flow)
        // Its own step, and the one that it hands on when it ends.
        for _ in 0..<3 { _ = await events.next(isolation: #isolation) }
        say("child", child)
        let answer: Picked? = try await coordinator.ask(PlayStep.picker, on: flow)
        lines.send("answer \(answer?.number ?? 0)")
        coordinator.end()
        bus?.close()
    }

    private func say(_ what: String, _ outcome: StepOutcome) { lines.send("\(what): \(outcome.verdict.rawValue)") }
}
