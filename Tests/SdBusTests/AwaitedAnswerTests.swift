import BusTestSupport
import CSdBus
import Testing

@testable import SdBus

@Suite("Awaited answers")
struct AwaitedAnswerTests {
    private static var callee: MessageOutput.Callee { .init(PlayedBus.name, "/", "a.B") }

    /// The numbers of the calls that have left.
    private func calls(_ pumped: PumpedBus) throws -> [UInt32] {
        try pumped.finish()
        return try pumped.played.messages().filter { $0.kind == .call }.map(\.number)
    }

    @Test func `an answer is handed over once, whoever sends it`() throws {
        let pumped = try PumpedBus()
        var (answers, others): ([String], [UInt32]) = ([], [])
        pumped.pump.handleAnswer = { _, number in
            others.append(number)
            return false
        }
        let waiting = try ["one", "two", "three"].map { name in
            try pumped.output.call(Self.callee, name) { answer in
                let error = answer.errorName.map { String(cString: $0) }
                answers.append("\(name) \(error ?? "") \(String(cString: answer.sender))")
            }
        }
        let numbers = try calls(pumped)
        #expect(numbers == waiting.map(\.number))
        pumped.played.answer(numbers[2])
        pumped.played.answer(numbers[0], from: ":1.666", error: "a.B.C", "no")
        pumped.played.answer(numbers[2])
        pumped.played.answer(numbers[1] + 7)
        // sd-bus has calls with such a number, but not now.
        pumped.played.answer(1)
        pumped.played.answer(numbers[1])
        try pumped.finish()
        #expect(answers == ["three  org.freedesktop.DBus", "one a.B.C :1.666", "two  org.freedesktop.DBus"])
        #expect(others == [numbers[2], numbers[1] + 7, 1])
        withExtendedLifetime(waiting) {}
    }

    @Test func `nothing is handed over after the end of the registration`() throws {
        let pumped = try PumpedBus()
        var others: [UInt32] = []
        pumped.pump.handleAnswer = { _, number in
            others.append(number)
            return true
        }
        var waiting: AwaitedAnswer? = try pumped.output.call(Self.callee, "C") { _ in Issue.record("it is over") }
        let number = try calls(pumped)[0]
        #expect(waiting?.number == number)
        waiting = nil
        pumped.played.answer(number)
        try pumped.finish()
        #expect(others == [number])
    }

    @Test func `the handler may end its registration, and make the next call`() throws {
        let pumped = try PumpedBus()
        var (waiting, count): (AwaitedAnswer?, Int) = (nil, 0)
        func call() throws {
            waiting = try pumped.output.call(Self.callee, "C") { _ in
                waiting = nil
                count += 1
                if count < 3 { #expect(throws: Never.self) { try call() } }
            }
        }
        try call()
        for round in 1...3 {
            pumped.played.answer(try calls(pumped)[0])
            try pumped.finish()
            #expect(count == round)
        }
        #expect(waiting == nil)
    }

    @Test func `a registration may outlive the connection`() throws {
        var pumped: PumpedBus? = try PumpedBus()
        let waiting: AwaitedAnswer? = try pumped?.output.call(Self.callee, "C") { _ in
            Issue.record("there is no answer")
        }
        try pumped?.finish()
        pumped?.played.end()
        try pumped?.turn()
        #expect(pumped?.disconnections == 1)
        pumped = nil
        withExtendedLifetime(waiting) {}
    }

    @Test func `the number of an awaited call is not used again`() throws {
        let pumped = try PumpedBus()
        pumped.output.latestNumber = 0xffff_fffd
        var answers = 0
        let waiting: [AwaitedAnswer] = try (0..<3).map { _ in
            try pumped.output.call(Self.callee, "C") { _ in answers += 1 }
        }
        #expect(waiting.map(\.number) == [0xffff_fffe, 0xffff_ffff, 0x8000_0000])
        pumped.output.latestNumber = 0xffff_fffc
        #expect(
            try (0..<3).map { _ in try pumped.output.call(Self.callee, "C") } == [
                0xffff_fffd, 0x8000_0001, 0x8000_0002,
            ])
        let numbers = try calls(pumped)
        #expect(Set(numbers).count == 6)
        for number in numbers { pumped.played.answer(number) }
        try pumped.finish()
        #expect(answers == 3)
    }
}
