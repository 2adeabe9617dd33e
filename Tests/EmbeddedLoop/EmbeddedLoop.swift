import FlowBus
import FlowBusClient
import Glibc

/// A program for tests whose main loop is a bare poll(2), without Dispatch.
///
/// `embedded-loop ADDRESS FLOW STEP [SECOND-ADDRESS]` starts a flow, emits a step on it, watches its tree until the
/// flow is gone, and prints a line for each event. It ends with status 0. `embedded-loop alone` has flows of its own,
/// and no bus. `embedded-loop idle ADDRESS` waits until it is killed.
enum EmbeddedLoop {
    @MainActor static var result: Int32?

    @MainActor
    static func run(_ arguments: [String]) throws -> Int32 {
        if arguments.dropFirst() == ["alone"] { return try runAlone() }
        if arguments.count == 3, arguments[1] == "idle" {
            let bus = try NavigationBus(.address(arguments[2]), loop: .embedded)
            return try loop([(bus.fileDescriptor, bus.process)])
        }
        guard arguments.count >= 4 else { throw Problem(text: "usage: embedded-loop ADDRESS FLOW STEP") }
        let bus = try NavigationBus(.address(arguments[1]), loop: .embedded)
        // Another connection in the same loop.
        let second = try NavigationBus(.address(arguments[1]), loop: .embedded)
        Task { @MainActor in
            do {
                try await work(bus, second, arguments[2], arguments[3])
                result = 0
            } catch {
                print("error \(error)")
                result = 1
            }
        }
        return try loop([(bus.fileDescriptor, bus.process), (second.fileDescriptor, second.process)])
    }

    @MainActor
    private static func runAlone() throws -> Int32 {
        let actor = try MainActorSource()
        let coordinator = FlowCoordinator()
        Task { @MainActor in
            let flow = AloneFlow()
            try await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: AloneStep.one))
            print("verdict \(try await coordinator.emit(AloneStep.two, on: flow).verdict)")
            result = 0
        }
        return try loop([(actor.fileDescriptor, actor.process)])
    }

    /// Waits for descriptors and processes the readable ones, until there is a result.
    @MainActor
    private static func loop(_ sources: [(descriptor: Int32, process: @MainActor () -> Void)]) throws -> Int32 {
        var rounds = 0
        while result == nil {
            var descriptors = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            guard poll(&descriptors, nfds_t(sources.count), 30_000) > 0 else {
                throw Problem(text: "nothing happened any more")
            }
            for (descriptor, source) in zip(descriptors, sources) where descriptor.revents != 0 { source.process() }
            rounds += 1
        }
        // A descriptor that stays readable would cause many more.
        print("rounds \(rounds < 1000 ? "few" : "\(rounds)")")
        return result ?? 1
    }

    @MainActor
    private static func work(
        _ bus: NavigationBus, _ second: NavigationBus, _ definition: String, _ step: String
    ) async throws {
        let root = try await bus.coordinate(definition)
        print("root \(root)")
        // Needs the main actor's queue, with another thread in between.
        let number = await Task.detached { 6 * 7 }.value
        print("detached \(number)")
        try await Task.sleep(for: .milliseconds(1))
        let events = second.watch(root)
        for await event in events {
            switch event {
            case .snapshot:
                print("live")
                print("verdict \(try await bus.emit(step, on: root).verdict)")
            case .navigated(let navigation):
                print("navigated \(navigation.step)")
                try await second.dismiss(root)
            case .removed(let path):
                print("removed \(path)")
                if path == root { return }
            case .added, .changed, .failed, .lost, .serviceGone: continue
            }
        }
    }
}

@Step
enum AloneStep { case one, two }

final class AloneFlow: Flow {
    static let steps: [any Step.Type] = [AloneStep.self]
    let root = "nothing to be seen"

    func adapt(step: any Step) async throws -> any Step {
        try await Task.sleep(for: .milliseconds(1))
        return step
    }

    func navigate(to step: any Step) -> FlowContributors {
        print("navigate \(step)")
        return .none
    }
}

struct Problem: Error {
    let text: String
}
