import BusTestSupport
import FlowCore
import SdBus
import Testing

@testable import flowbusd

/// The outbox alone, in this process.
@Suite("Calls to other processes")
struct OutboxTests {
    /// The results of calls, in order.
    private final class Transcript {
        var texts: [String] = []
        var lastQuestion: UInt64 = 0
    }

    private struct UnsendableError: Error {}

    private let bus: PrivateBus
    private let client: TestClient
    private let peer: TestClient
    private let connection: Bus
    private let loop: EventLoop
    private let pump: MessagePump
    private let outbox: Outbox
    private let transcript = Transcript()

    init() throws {
        // With the limits that dbus-daemon has by itself, as the system bus does.
        try self.init(PrivateBus(policy: ""))
    }

    private init(_ bus: PrivateBus) throws {
        self.bus = bus
        (client, peer) = (try TestClient(bus), try TestClient(bus))
        connection = try Bus(.address(bus.address))
        loop = try EventLoop()
        pump = try MessagePump(connection, loop)
        outbox = try Outbox(connection, loop)
        pump.handleAnswer = { [unowned outbox] in outbox.take($0, answering: $1) }
        client.turn(loop)
        peer.turn(loop)
    }

    private func send(
        _ member: String, to destination: String? = nil, timeout: UInt64 = 60_000_000, isSendable: Bool = true,
        hearsLate: Bool = false
    ) {
        transcript.lastQuestion += 1
        let destination = destination ?? peer.uniqueName
        outbox.send(
            Outbox.OutgoingCall(
                question: QuestionID(transcript.lastQuestion), destination: destination, timeout: timeout
            ) {
                // The outbox keeps it for as long as there is no answer; together they would keep each other.
                [unowned pump] in
                guard isSendable else { throw UnsendableError() }
                return try pump.output.call(MessageOutput.Callee(destination, "/x", "org.example.X"), member)
            } conclude: { [transcript] conclusion in
                switch conclusion {
                case .answered(let answer):
                    let error = answer.errorName.map { String(cString: $0) }
                    transcript.texts.append("\(member) \(error ?? "answered")")
                case .timedOut: transcript.texts.append("\(member) timed out")
                case .unreadable(let why): transcript.texts.append("\(member) \(why)")
                case .unsent(let error): transcript.texts.append("\(member) \(error)")
                }
            } concludeLate: { [transcript] answer in
                guard hearsLate else { return }
                let error = answer?.errorName.map { String(cString: $0) }
                transcript.texts.append("\(member) \(answer == nil ? "forgotten" : error ?? "answered") late")
            })
    }

    /// Runs the loop until a number of results.
    private func wait(for count: Int) throws {
        for _ in 0..<10_000 where transcript.texts.count < count { try loop.runOnce(timeout: 1_000_000) }
        #expect(transcript.texts.count == count)
    }

    /// Sends replies to all calls that the outbox can have made by now.
    private func forge(by client: TestClient) throws {
        for number in 1..<100 as Range<UInt64> {
            try client.forge(["forged"], to: connection.uniqueName, call: 1 << 31 + number)
        }
    }

    @Test func `100 calls are under way to one destination, the rest wait in order`() throws {
        let count = Limits.callsUnderWay + 20
        for number in 0..<count { send("N\(number)") }
        #expect(outbox.load(of: peer.uniqueName) == (Limits.callsUnderWay, 20))
        // Another destination waits for nobody.
        send("Other", to: client.uniqueName)
        client.onCall = { _ in .values([]) }
        try client.wait(for: "the answer of the other") { transcript.texts == ["Other answered"] }
        #expect(outbox.load(of: client.uniqueName) == (0, 0))

        let first = try peer.waitForCall()
        try peer.ping()
        #expect(peer.log.count { $0.kind == .call } == Limits.callsUnderWay)
        #expect(first.member == "N0")
        try peer.reply(to: first)
        let next = try peer.waitForCall("N\(Limits.callsUnderWay)")
        #expect(outbox.load(of: peer.uniqueName) == (Limits.callsUnderWay, 19))
        try peer.reply(to: next)
        peer.onCall = { _ in .values([]) }
        for call in peer.log where call.kind == .call && ![first.member, next.member].contains(call.member) {
            try peer.reply(to: call)
        }
        try peer.wait(for: "all answers") { transcript.texts.count == count + 1 }
        #expect(Set(transcript.texts).count == count + 1)
        let calls = peer.log.filter { $0.kind == .call }.map(\.member)
        #expect(calls == (0..<count).map { "N\($0)" })
        #expect(outbox.load(of: peer.uniqueName) == (0, 0))
    }

    @Test func `with a low total limit, each destination leaves half of the rest to the others`() throws {
        let outbox = try Outbox(connection, loop, capacity: 24)
        pump.handleAnswer = { [unowned outbox] in outbox.take($0, answering: $1) }
        let third = try TestClient(bus)
        third.turn(loop)
        func send(_ count: Int, to client: TestClient) {
            for number in 0..<count {
                transcript.lastQuestion += 1
                let question = QuestionID(transcript.lastQuestion)
                outbox.send(
                    Outbox.OutgoingCall(question: question, destination: client.uniqueName, timeout: 60_000_000) {
                        [unowned pump] in
                        try pump.output.call(
                            MessageOutput.Callee(client.uniqueName, "/x", "org.example.X"), "N\(number)")
                    } conclude: { [transcript] conclusion in
                        guard case .answered = conclusion else { return }
                        transcript.texts.append("\(client.uniqueName) \(number)")
                    })
            }
        }
        send(20, to: peer)
        #expect(outbox.load(of: peer.uniqueName) == (8, 12))
        send(20, to: client)
        #expect(outbox.load(of: client.uniqueName) == (5, 15))
        send(21, to: third)
        #expect(outbox.load(of: third.uniqueName) == (4, 17))
        outbox.drop(QuestionID(transcript.lastQuestion))
        #expect(outbox.load(of: third.uniqueName) == (4, 16))
        // With each answer, the first one and the others get their turn.
        third.onCall = { _ in .values([]) }
        try third.wait(for: "all of the third") { transcript.texts.count == 20 }
        #expect(transcript.texts == (0..<20).map { "\(third.uniqueName) \($0)" })
        #expect(outbox.load(of: third.uniqueName) == (0, 0))
        #expect(outbox.load(of: peer.uniqueName).underWay + outbox.load(of: client.uniqueName).underWay <= 20)
        for answering in [client, peer] {
            answering.onCall = { _ in .values([]) }
            let name = answering.uniqueName
            try answering.wait(for: "its calls") { transcript.texts.count { $0.hasPrefix(name) } == 20 }
            #expect(transcript.texts.suffix(20) == (0..<20).map { "\(name) \($0)" })
        }
    }

    @Test func `S-33 calls that are no longer needed are not sent, and use no quota`() throws {
        let (busy, waiting) = (UInt64(Limits.callsUnderWay), 1_000 as UInt64)
        for number in 1...(busy + waiting) { send("N\(number)") }
        // A call that was sent can't be dropped.
        outbox.drop(QuestionID(1))
        outbox.drop(QuestionID(99_999))
        for number in (busy + 2)...(busy + waiting) { outbox.drop(QuestionID(number)) }
        #expect(outbox.load(of: peer.uniqueName) == (Limits.callsUnderWay, 1))
        #expect(transcript.texts.isEmpty)
        peer.onCall = { _ in .values([]) }
        try peer.wait(for: "all") { transcript.texts.count == Int(busy + waiting) }
        #expect(transcript.texts.count { $0.hasSuffix("Dropped()") } == Int(waiting) - 1)
        #expect(peer.log.filter { $0.kind == .call }.map(\.member).last == "N\(busy + 1)")
        #expect(outbox.load(of: peer.uniqueName) == (0, 0))
    }

    @Test func `S-33 messages that the bus has no room for are sent when there is some`() throws {
        // Twice as many would be under way; the bus allows 128.
        let other = try TestClient(bus)
        other.turn(loop)
        for number in 0..<Limits.callsUnderWay {
            send("N\(number)")
            send("O\(number)", to: other.uniqueName)
        }
        try client.wait(for: "as many as may be") {
            try peer.ping()
            try other.ping()
            return (peer.log + other.log).count { $0.kind == .call } == 128
        }
        #expect(transcript.texts.isEmpty)
        try client.wait(for: "the one that is dropped") {
            outbox.drop(QuestionID(transcript.lastQuestion))
            return transcript.texts.count == 1
        }
        // A callee that answers does not wait for one that does not, beyond that.
        other.onCall = { _ in .values([]) }
        for call in other.log where call.kind == .call { try other.reply(to: call) }
        try other.wait(for: "all of one") { transcript.texts.count { $0.hasPrefix("O") } == Limits.callsUnderWay }
        #expect(outbox.load(of: other.uniqueName) == (0, 0))
        peer.onCall = { _ in .values([]) }
        for call in peer.log where call.kind == .call { try peer.reply(to: call) }
        try peer.wait(for: "all") { transcript.texts.count == 2 * Limits.callsUnderWay }
        #expect(transcript.texts.count { $0.hasSuffix(" answered") } == 2 * Limits.callsUnderWay - 1)
        #expect(outbox.load(of: peer.uniqueName) == (0, 0))
    }

    @Test func `calls that can't be created or sent are reported from the loop, once each`() throws {
        send("Never", isSendable: false)
        send("Nowhere", to: "no name")
        #expect(transcript.texts.isEmpty)
        try client.wait(for: "both") { transcript.texts.count == 2 }
        #expect(transcript.texts[0].hasPrefix("Never UnsendableError"))
        #expect(transcript.texts[1].hasPrefix("Nowhere MessageOutput.call: Invalid argument"))
        try client.ping()
        #expect(transcript.texts.count == 2)
        #expect(outbox.load(of: "no name") == (0, 0))
    }

    @Test func `many invalid calls do not block others`() throws {
        for number in 0..<(Limits.callsUnderWay * 2) { send("N\(number)", isSendable: false) }
        send("Last")
        peer.onCall = { _ in .values([]) }
        try peer.wait(for: "all") { transcript.texts.count == Limits.callsUnderWay * 2 + 1 }
        #expect(transcript.texts.last == "Last answered")
        #expect(outbox.load(of: peer.uniqueName) == (0, 0))
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-31 an error, a name without an owner, a callee that leaves, and a late one`(program: PrivateBus.Program)
        throws
    {
        let it = try OutboxTests(PrivateBus(program))
        it.peer.onCall = { $0.member == "No" ? .error(BusError("org.example.No", "no")) : .later }
        it.send("No")
        it.send("Nobody", to: "org.example.Nobody")
        try it.peer.wait(for: "two") { it.transcript.texts.count == 2 }
        it.send("Late", timeout: 20_000)
        try it.wait(for: 3)
        it.send("Left")
        try it.peer.waitForCall("Left")
        it.peer.disconnect()
        try it.wait(for: 4)
        // The bus sends the same error for a callee that leaves as sd-bus for a late one.
        #expect(
            it.transcript.texts.prefix(2).sorted() == [
                "No org.example.No", "Nobody org.freedesktop.DBus.Error.ServiceUnknown",
            ])
        #expect(it.transcript.texts.suffix(2) == ["Late timed out", "Left org.freedesktop.DBus.Error.NoReply"])
        #expect(it.outbox.load(of: it.peer.uniqueName) == (0, 0))
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-31 an answer from an unexpected sender is ignored, the right one counts`(program: PrivateBus.Program) throws
    {
        let it = try OutboxTests(PrivateBus(program))
        var forgers: [String] = []
        it.outbox.unexpectedSenderAnswered = { forgers.append("\($0) \($1)") }
        it.send("Ask")
        let call = try it.peer.waitForCall("Ask")
        try it.forge(by: it.client)
        try it.client.ping()
        while try it.loop.runOnce(timeout: 0) {}
        #expect(it.transcript.texts.isEmpty)
        // dbus-broker delivers none of them.
        #expect(forgers == (program == .broker ? [] : ["\(it.client.uniqueName) \(it.peer.uniqueName)"]))
        try it.peer.reply(to: call)
        try it.peer.wait(for: "the answer") { it.transcript.texts == ["Ask answered"] }
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-31 the current owner of the called name may answer`(program: PrivateBus.Program) throws {
        let it = try OutboxTests(PrivateBus(program))
        let name = "org.example.Called"
        try it.peer.requestName(name)
        for owners in [[it.peer], [it.peer, it.client], [it.client, it.peer]] {
            it.outbox.ownerChanged(of: name, to: owners[0].uniqueName)
            it.send("Ask", to: name)
            let call = try it.peer.waitForCall("Ask")
            for owner in owners.dropFirst() { it.outbox.ownerChanged(of: name, to: owner.uniqueName) }
            try it.peer.reply(to: call)
            try it.peer.wait(for: "the answer") { it.transcript.texts == ["Ask answered"] }
            it.transcript.texts = []
        }
        // The name had no owner, and has none.
        it.outbox.ownerChanged(of: name, to: nil)
        it.send("Ask", to: name, timeout: 50_000)
        try it.peer.reply(to: it.peer.waitForCall("Ask"))
        try it.wait(for: 1)
        #expect(it.transcript.texts == ["Ask timed out"])
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `S-31 a late answer is delivered if it is wanted, and a callee that leaves is dropped`(
        program: PrivateBus.Program
    ) throws {
        let it = try OutboxTests(PrivateBus(program))
        it.send("One", timeout: 20_000, hearsLate: true)
        it.send("Two", timeout: 20_000, hearsLate: true)
        it.send("Three", timeout: 20_000)
        try it.wait(for: 3)
        #expect(it.transcript.texts == ["One timed out", "Two timed out", "Three timed out"])
        let calls = try ["One", "Two", "Three"].map { try it.peer.waitForCall($0) }
        for call in [calls[2], calls[0], calls[0]] { try it.peer.reply(to: call) }
        try it.peer.wait(for: "it") { it.transcript.texts.count == 4 }
        it.peer.disconnect()
        try it.wait(for: 5)
        #expect(it.transcript.texts.suffix(2) == ["One answered late", "Two org.freedesktop.DBus.Error.NoReply late"])
    }

    @Test func `S-33 the number of late answers that are waited for is limited`() throws {
        let it = try OutboxTests(PrivateBus())
        let count = Limits.lateCalls + 3
        for number in 0..<count { it.send("N\(number)", timeout: 1_000, hearsLate: true) }
        try it.wait(for: count + 3)
        #expect(it.transcript.texts.filter { $0.hasSuffix("late") } == (0..<3).map { "N\($0) forgotten late" })
        #expect(it.outbox.load(of: it.peer.uniqueName) == (0, 0))
    }
}
