import Testing

@testable import FlowCore

/// Repeated calls with a token get the first answer.
@Suite("Tokens")
struct TokensTests {
    private let one = Client(":1.1")
    private let other = Client(":1.2")

    private func key(_ token: String, _ client: Client? = nil, _ kind: Tokens.CallKind = .emission) -> Tokens.Key {
        Tokens.Key(client: client ?? one, kind: kind, token: token)
    }

    private func refusal(_ tokens: Tokens, _ key: Tokens.Key, _ accounting: Accounting = Accounting()) -> FlowError? {
        do throws(FlowError) {
            try tokens.check(key, in: accounting)
            return nil
        } catch {
            return error
        }
    }

    private func at(_ time: UInt64) -> Instant { Instant(microseconds: time) }

    // MARK: The list

    @Test func `an outcome is found by its client, kind and token, until it expires`() {
        var tokens = Tokens()
        tokens.remember(.reply(.done), of: key("a"), at: at(5))
        #expect(tokens.outcome(of: key("a")) == .reply(.done))
        #expect(tokens.outcome(of: key("b")) == nil)
        #expect(tokens.outcome(of: key("a", other)) == nil)
        #expect(tokens.outcome(of: key("a", one, .coordination)) == nil)
        tokens.expire(at: at(4 + Limits.tokenLifetime))
        #expect(tokens.outcome(of: key("a")) == .reply(.done))
        tokens.expire(at: at(5 + Limits.tokenLifetime))
        #expect(tokens.outcome(of: key("a")) == nil)
        #expect(tokens.count == 0)
    }

    @Test func `only expired tokens are dropped, however many are added`() {
        var tokens = Tokens()
        for number in 0..<300 {
            let now = at(UInt64(number) * Limits.tokenLifetime / 10)
            tokens.remember(.reply(.flow(path: "/\(number)")), of: key("\(number)"), at: now)
            tokens.expire(at: now)
            #expect(tokens.count == min(number + 1, 10))
            #expect(tokens.outcome(of: key("\(number - 10)")) == nil)
            let oldest = max(0, number - 9)
            #expect(tokens.outcome(of: key("\(oldest)")) == .reply(.flow(path: "/\(oldest)")))
        }
    }

    @Test func `S-33 bytes of a token: 1 to 128`() {
        let tokens = Tokens()
        #expect(refusal(tokens, key("a")) == nil)
        #expect(refusal(tokens, key(String(repeating: "a", count: Limits.tokenLength))) == nil)
        #expect(
            refusal(tokens, key(""))
                == FlowError(.invalidArguments, "a token of 0 bytes; it has to have at least 1 and at most 128"))
        #expect(refusal(tokens, key(String(repeating: "a", count: Limits.tokenLength + 1)))?.code == .invalidArguments)
        #expect(refusal(tokens, key(String(repeating: "ä", count: Limits.tokenLength / 2 + 1))) != nil)
    }

    @Test func `S-33 tokens of one client, without a cost to others`() {
        var tokens = Tokens()
        for number in 0..<Limits.tokensPerClient {
            if number == Limits.tokensPerClient - 1 { #expect(refusal(tokens, key("x")) == nil) }
            tokens.remember(.reply(.done), of: key("\(number)"), at: at(UInt64(number)))
        }
        #expect(
            refusal(tokens, key("x"))
                == FlowError(
                    .limitExceeded,
                    "16384 tokens of ':1.1' were used in the last 60 s, of at most 16384"))
        #expect(refusal(tokens, key("x", one, .coordination))?.code == .limitExceeded)
        #expect(refusal(tokens, key("x", other)) == nil)
        tokens.expire(at: at(Limits.tokenLifetime))
        #expect(refusal(tokens, key("x")) == nil)
    }

    @Test func `S-33 tokens in total`() {
        var tokens = Tokens()
        for number in 0..<Limits.tokens {
            tokens.remember(.reply(.done), of: key("\(number)", Client(":1.\(number % 5)")), at: at(0))
        }
        #expect(
            refusal(tokens, key("x", Client(":1.9")))?.message
                == "65536 tokens in total were used in the last 60 s, of at most 65536")
        tokens.expire(at: at(Limits.tokenLifetime))
        #expect(refusal(tokens, key("x", Client(":1.9"))) == nil)
        #expect(tokens.count == 0)
    }

    @Test func `S-33 tokens of the clients of one user`() {
        let clients = (0..<5).map { Client(":1.\($0)") }
        var (tokens, accounting) = (Tokens(), Accounting())
        for client in clients {
            accounting.open(client)
            accounting.identify(client, as: client == clients[4] ? 1_001 : 1_000)
        }
        for number in 0..<Limits.tokens / 2 {
            tokens.remember(.reply(.done), of: key("\(number)", clients[number % 3]), at: at(0))
        }
        #expect(
            refusal(tokens, key("x", clients[3]), accounting)?.message
                == "32768 tokens of the clients of user '1000' were used in the last 60 s, of at most 32768")
        #expect(refusal(tokens, key("x", clients[4]), accounting) == nil)
    }

    @Test func `S-33 tokens of a vanished client are dropped, except those of pending calls`() {
        var tokens = Tokens()
        tokens.remember(.reply(.done), of: key("a"), at: at(0))
        tokens.expire(at: at(Limits.tokenLifetime))
        for (number, client) in [one, other, one, one].enumerated() {
            tokens.remember(
                number == 3 ? .waiting(with: []) : .reply(.done), of: key("\(number)", client),
                at: at(Limits.tokenLifetime), for: RequestID(1))
        }
        _ = tokens.takeRecords()
        tokens.forget(one)
        #expect(tokens.count == 2 && tokens.outcome(of: key("1", other)) != nil && tokens.outcome(of: key("3")) != nil)
        #expect(tokens.takeRecords().map(\.body) == [nil, nil])
        tokens.expire(at: at(2 * Limits.tokenLifetime))
        #expect(tokens.outcome(of: key("1", other)) == nil)
        #expect(tokens.conclude(key("3"), .reply(.done), of: RequestID(1)) == [])
        tokens.expire(at: at(2 * Limits.tokenLifetime))
        #expect(tokens.count == 0)
    }

    // MARK: Calls

    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", on: ["go": [.screen("a")], "bad": [.screen("a", .init(id: "x")), .screen("b", .init(id: "x"))]])
        return builder
    }

    @Test func `a step that is emitted again by its token gets the first verdict, and nothing else happens`() throws {
        let world = try World(root: "main", builder())
        #expect(try world.emit("go", on: "/main", token: "t").last == "= navigated 1")
        let standing = world.standing
        world.now += Limits.tokenLifetime - 1
        #expect(try world.emit("go", on: "/main", token: "t") == ["= navigated 1"])
        // Whatever else the call says: the token names it.
        #expect(try world.emit("bad", on: "/main/a", token: "t", instance: 99) == ["= navigated 1"])
        #expect(world.standing == standing)
        #expect(try world.emit("go", on: "/main", by: ":1.2", token: "t").last == "= navigated 2")
        #expect(try world.emit("go", on: "/main", token: "u").last == "= navigated 3")
        world.now += 1
        #expect(try world.emit("go", on: "/main", token: "t").last == "= navigated 4")
    }

    @Test func `the time runs from the first call, not from those that follow`() throws {
        let world = try World(root: "main", builder())
        try world.emit("go", on: "/main", token: "t")
        for _ in 1...2 {
            world.now += Limits.tokenLifetime / 2 - 1
            #expect(try world.emit("go", on: "/main", token: "t") == ["= navigated 1"])
        }
        world.now += 2
        #expect(try world.emit("go", on: "/main", token: "t").last == "= navigated 2")
    }

    @Test func `an error is repeated, too, and any other verdict`() throws {
        let world = try World(root: "main", builder())
        #expect(try world.emit("bad", on: "/main", token: "bad") == ["! IdTaken"])
        let first = try world.refusal()
        #expect(try world.emit("go", on: "/main", token: "bad") == ["! IdTaken"])
        #expect(try world.refusal() == first)
        try world.emit("go", on: "/main")
        #expect(try world.emit("go", on: "/main/a", token: "hid") == ["= hidden 0"])
        #expect(try world.emit("go", on: "/main", token: "stale", instance: 99) == ["! StaleInstance"])
        try world.show("/main/a")
        #expect(try world.emit("go", on: "/main/a", token: "hid") == ["= hidden 0"])
        #expect(try world.emit("go", on: "/main", token: "stale", instance: 1) == ["! StaleInstance"])
    }

    @Test func `S-33 a call whose token can't be stored is refused`() throws {
        let world = try World(root: "main", builder())
        let standing = world.standing
        #expect(try world.emit("go", on: "/main", token: "") == ["! InvalidArguments"])
        #expect(try world.coordinate("main", token: String(repeating: "t", count: 129)) == ["! InvalidArguments"])
        for number in 0..<Limits.tokensPerClient {
            world.coordinator.machine.tokens.remember(.reply(.done), of: key("\(number)"), at: Instant(microseconds: 0))
        }
        #expect(try world.emit("go", on: "/main", token: "t") == ["! LimitExceeded"])
        #expect(try world.coordinate("main", token: "t") == ["! LimitExceeded"])
        #expect(world.standing == standing)
        #expect(world.coordinator.tokens.count == Limits.tokensPerClient)
        // A known token is not a new one.
        #expect(try world.emit("go", on: "/main", token: "7") == ["= done"])
        #expect(try world.emit("go", on: "/main").last == "= navigated 1")
        #expect(try world.emit("go", on: "/main", by: ":1.2", token: "t").last == "= navigated 2")
    }

    @Test func `a root requested again with its token exists once`() throws {
        let world = World(builder())
        #expect(try world.coordinate("main", token: "t").last == "= /main")
        #expect(try world.coordinate("main", token: "t") == ["= /main"])
        #expect(try world.coordinate("main", id: "other", token: "t") == ["= /main"])
        #expect(try world.coordinate("main", by: ":1.2", token: "t").last == "= /main_2")
        // Each kind of call has tokens of its own.
        #expect(try world.emit("go", on: "/main", token: "t").last == "= navigated 1")
        #expect(try world.coordinate("main", id: "1", token: "bad") == ["! InvalidName"])
        #expect(try world.coordinate("main", token: "bad") == ["! InvalidName"])
        #expect(world.paths == ["/main", "/main/a", "/main_2"])
        world.now += Limits.tokenLifetime
        #expect(try world.coordinate("main", token: "t").last == "= /main_3")
    }

    // MARK: Calls that wait

    private func guarded() throws -> World {
        var builder = builder()
        builder.flow("main", guarded: ("com.auth", ["go"]), on: ["go": [.screen("a")], "free": []])
        return try World(root: "main", builder)
    }

    @Test func `S-9 a call by the token of one that is undecided waits with it, and gets the same outcome`() throws {
        let world = try guarded()
        try world.emit("go", on: "/main", token: "t")
        #expect(try world.emit("go", on: "/main", token: "t") == [])
        #expect(try world.emit("free", on: "/main", token: "t", instance: 99) == [])
        #expect(try world.emit("go", on: "/main", by: ":1.2", token: "t") == [])
        try world.adapt(1, to: "go")
        #expect(world.answers == ["2 = navigated 1", "3 = navigated 1", "4 = navigated 1"])
        #expect(world.navigations == ["/main go"])
        #expect(try world.emit("go", on: "/main", token: "t") == ["= navigated 1"])
        #expect(world.answer(2, GuardAnswer.rejected) == ["= rejected 0"])
        #expect(try world.emit("go", on: "/main", by: ":1.2", token: "t") == ["= rejected 0"])
        #expect(world.waiting == [])
    }

    @Test func `S-9 all waiting calls get an error, too`() throws {
        let world = try guarded()
        for _ in 1...3 { try world.emit("go", on: "/main", token: "t") }
        #expect(world.answer(1, GuardAnswer.timedOut) == ["! GuardTimeout", "! GuardTimeout", "! GuardTimeout"])
        #expect(world.answers.count == 3)
        #expect(try world.emit("go", on: "/main", token: "t") == ["! GuardTimeout"])
    }

    @Test func `S-9 after 15 s all of them are pending; a later call is, too, until the outcome`() throws {
        let world = try guarded()
        try world.emit("go", on: "/main", token: "t")
        world.now += Limits.replyTimeout / 2
        try world.emit("go", on: "/main", token: "t")
        #expect(world.wait(Limits.replyTimeout / 2) == ["= pending 0", "= pending 0"])
        #expect(world.answers == ["2 = pending 0", "3 = pending 0"])
        #expect(try world.emit("go", on: "/main", token: "t") == ["= pending 0"])
        #expect(try world.adapt(1, to: "go").last == "concluded /main for :1.1 t: navigated 1")
        #expect(world.answers == [])
        #expect(try world.emit("go", on: "/main", token: "t") == ["= navigated 1"])
        #expect(world.waiting == [])
    }

    @Test func `S-9 a caller that does not wait gets pending with its token immediately`() throws {
        let world = try guarded()
        let options = EmissionOptions(token: "t", waits: false)
        #expect(try world.emit("go", on: "/main", options: options).last == "= pending 0")
        #expect(try world.emit("go", on: "/main", token: "t") == ["= pending 0"])
        #expect(world.answer(1, GuardAnswer.rejected) == ["concluded /main for :1.1 t: rejected"])
        #expect(try world.emit("go", on: "/main", token: "t") == ["= rejected 0"])
        #expect(world.waiting == [])
    }

    @Test func `S-33 calls that wait with one token: 64`() throws {
        let world = try guarded()
        for _ in 0...Limits.callsPerToken { try world.emit("go", on: "/main", token: "t") }
        #expect(world.effects == [])
        let standing = world.standing
        #expect(try world.emit("go", on: "/main", token: "t") == ["! LimitExceeded"])
        #expect(try world.refusal().message == "64 calls by the token 't' wait, of at most 64")
        #expect(world.standing == standing)
        // Other tokens and clients are not affected.
        #expect(try world.emit("go", on: "/main", token: "u") == [])
        #expect(try world.emit("go", on: "/main", by: ":1.2", token: "t") == [])
        try world.adapt(1, to: "go")
        #expect(world.answers.count == 1 + Limits.callsPerToken)
    }

    @Test func `S-9 a waiting call is not dropped with its token, however late the timer is`() throws {
        let world = try guarded()
        for _ in 1...2 { try world.emit("go", on: "/main", token: "t") }
        world.now += Limits.tokenLifetime
        try world.emit("free", on: "/main", by: ":1.2", token: "other")
        #expect(world.coordinator.tokens.outcome(of: key("t")) != nil)
        world.wait(0)
        #expect(world.answers == ["2 = pending 0", "3 = pending 0"])
        // From then on its time is over.
        try world.emit("free", on: "/main", by: ":1.2", token: "more")
        #expect(world.coordinator.tokens.outcome(of: key("t")) == nil)
    }

    @Test func `S-9 the outcome of a call with an expired token is not that of the next call with it`() throws {
        let world = try guarded()
        try world.emit("go", on: "/main", token: "t")
        world.wait(Limits.replyTimeout)
        world.now += Limits.tokenLifetime
        // The second one by the token, and one that waits with it.
        for _ in 1...2 { try world.emit("go", on: "/main", token: "t") }
        world.answer(1, GuardAnswer.rejected)
        #expect(world.lines == ["concluded /main for :1.1 t: rejected", "guard? com.auth #2: /main go"])
        try world.adapt(2, to: "go")
        #expect(world.answers == ["3 = navigated 1", "4 = navigated 1"])
        #expect(try world.emit("go", on: "/main", token: "t") == ["= navigated 1"])
        #expect(world.waiting == [])
    }
}
