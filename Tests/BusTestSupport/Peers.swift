/// The names and objects of the processes that tests simulate.
package enum Peer {
    package static let name = "com.example.Peer"
    package static let path = "/com/example/Peer"
    package static let `guard` = Service.name + ".Guard"
    package static let navigator = Service.name + ".Navigator"
    package static let presenter = Service.name + ".Presenter"
    package static let rejected = BusError(Service.name + ".Error.Rejected", "not now")
}

extension Service {
    /// Returns a client that simulates another process: it answers while the service's own client waits.
    ///
    /// - Parameter name: the bus name that it owns; nil for none.
    package func peer(_ name: String? = Peer.name) throws -> TestClient {
        let peer = try TestClient(bus)
        if let name { try peer.requestName(name) }
        peer.clearLog()
        client.turn(peer)
        return peer
    }

    // MARK: Calls without waiting

    /// Emits a step without waiting for its verdict.
    package func startEmit(
        _ step: String, _ arguments: KeyValuePairs<String, BusValue> = [:], on path: String,
        by other: TestClient? = nil, isInteractive: Bool = false
    ) throws -> AwaitedReply {
        try (other ?? client).start(
            Self.name, Self.tree + path, Self.name + ".Stepper", "EmitStep", [.string(step), .options(arguments)],
            isInteractive: isInteractive)
    }

    @discardableResult
    package func emitWithOptions(
        _ step: String, _ arguments: KeyValuePairs<String, BusValue> = [:], on path: String,
        _ options: KeyValuePairs<String, BusValue>, by other: TestClient? = nil
    ) throws -> [BusValue] {
        try (other ?? client).call(
            Self.name, Self.tree + path, Self.name + ".Stepper", "EmitStepWithOptions", .string(step),
            .options(arguments), .options(options))
    }

    /// Calls a method of a presentable.
    @discardableResult
    package func presentable(
        _ member: String, _ path: String, _ arguments: BusValue..., by other: TestClient? = nil
    ) throws -> [BusValue] {
        let caller = other ?? client
        let call = try caller.start(Self.name, Self.tree + path, Self.name + ".Presentable", member, arguments)
        return try caller.answer(to: call)
    }

    /// Waits until a client is the owner of a presentable.
    package func waitForOwner(_ owner: TestClient, of path: String) throws {
        try poll(for: "the owner of \(path)") {
            try property("Owner", of: path, "Presentable").text == owner.uniqueName
        }
    }

    /// Waits until the calls of the service so far have reached their callees, and their messages have reached the
    /// service.
    package func synchronize(_ peers: TestClient...) throws {
        for peer in [client] + peers { try peer.ping(Self.name) }
    }

    /// Returns the error that an earlier call leads to.
    package func refusal(of call: AwaitedReply, to other: TestClient? = nil) throws -> BusError {
        try refusal { try (other ?? client).answer(to: call) }
    }
}

extension TestClient {
    /// Simulates a guard with these answers.
    package func playGuard(at path: String = Peer.path, _ answer: @escaping (ReceivedMessage) -> Answer) {
        serve(path, Peer.guard, "Adapt", answer)
    }

    /// Simulates a navigator with these answers.
    package func playNavigator(at path: String = Peer.path, _ answer: @escaping (ReceivedMessage) -> Answer) {
        serve(path, Peer.navigator, "Navigate", answer)
    }

    /// Simulates a presenter with these answers; Withdraw is noted.
    package func playPresenter(
        at path: String = Peer.path, _ answer: @escaping (ReceivedMessage) -> Answer = { _ in .values([]) }
    ) {
        serve(path, Peer.presenter, "Present", answer)
        serve(path, Peer.presenter, "Withdraw") { _ in .later }
    }

    /// The calls of a method received so far.
    package func calls(_ member: String) -> [ReceivedMessage] { log.filter { $0.kind == .call && $0.member == member } }
}

extension TestClient.Answer {
    /// The consent of a guard.
    package static func pass(_ call: ReceivedMessage) -> TestClient.Answer {
        .values([call.values[1], call.values[2]])
    }

    /// The replacement of a step by a guard.
    package static func step(_ name: String, _ arguments: KeyValuePairs<String, BusValue> = [:]) -> TestClient.Answer {
        .values([.string(name), .options(arguments)])
    }

    /// A navigator's contributors.
    package static func contributors(_ list: (String, String, BusValue)...) -> TestClient.Answer { contributors(list) }

    /// A navigator's contributors.
    package static func contributors(_ list: [(String, String, BusValue)]) -> TestClient.Answer {
        .values([
            .array(of: "(ssa{sv})", list.map { .structure([.string($0.0), .string($0.1), $0.2]) })
        ])
    }
}

extension TestClient {
    /// Waits until the bus knows that a connection is gone. Processes that are called afterwards have been notified
    /// before.
    package func waitForEnd(of name: String) throws {
        let bus = "org.freedesktop.DBus"
        try addMatch("type='signal',sender='\(bus)',member='NameOwnerChanged',arg0='\(name)'")
        let isThere = try call(bus, "/", bus, "NameHasOwner", .string(name)) == [true]
        if isThere { try waitForSignal("NameOwnerChanged") { $0.values[0] == .string(name) && $0.values[2] == "" } }
    }
}
