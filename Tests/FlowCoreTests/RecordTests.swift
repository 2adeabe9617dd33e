import Testing

@testable import FlowCore

/// The records of each kind: their format, and what is refused.
@Suite struct RecordTests {
    /// The checks are the same for each kind of record.
    private func check<Body: RecordBody & Equatable>(_ samples: [(Body, String)]) throws {
        for (record, text) in samples {
            let bytes = record.encoded()
            #expect(hexadecimal(bytes) == text, "the format never changes: \(record)")
            #expect(try Body(bytes) == record)
            for count in bytes.indices {
                // A field that came later can be missing.
                let read = try? Body(Array(bytes[..<count]))
                #expect(read == nil || read?.encoded() == Array(bytes[..<count]), "cut at \(count): \(record)")
            }
            #expect(throws: RecordFailure.self) { try Body(bytes + [1]) }
        }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `the records of nodes`() throws { try check(RecordSamples.nodes) }
    @Test func `the records of activities`() throws { try check(RecordSamples.activities) }
    @Test func `the records of steps`() throws { try check(RecordSamples.steps) }
    @Test func `the records of lists`() throws { try check(RecordSamples.lists) }
    @Test func `the records of tokens`() throws { try check(RecordSamples.tokens) }
    @Test func `the records of registrations`() throws { try check(RecordSamples.registrations) }
    @Test func `the records of progress, origins, counters and owners of names`() throws {
        try check([RecordSamples.progress])
        try check([RecordSamples.origin])
        try check([RecordSamples.counters])
        try check([RecordSamples.nameOwner])
        try check([RecordSamples.savedState])
        try check([RecordSamples.context])
        try check([RecordSamples.outputs])
    }
    @Test func `the records of asks`() throws { try check(RecordSamples.asks) }
    @Test func `the records of steppers`() throws { try check(RecordSamples.steppers) }

    /// Does not compile when an enumeration gets a case, which then needs a byte and a sample.
    @Test func `every case with values has a sample`() {
        func number(_ source: Binding.Source) -> Int {
            switch source {
            case .literal: 0
            case .step: 1
            case .flow: 2
            case .childName: 3
            case .reason: 4
            case .error: 5
            case .message: 6
            case .result: 7
            case .asked: 8
            case .context: 9
            case .output: 10
            }
        }
        func number(_ readiness: Node.Readiness) -> Int {
            switch readiness {
            case .ready: 0
            case .awaitingStep: 1
            case .awaitingChildren: 2
            }
        }
        func number(_ outcome: TokenRecord.CallState) -> Int {
            switch outcome {
            case .reply(.verdict): 0
            case .reply(.flow): 1
            case .fail: 2
            case .waiting: 3
            case .reply(.done): 4
            case .pending: 5
            case .reply(.outcomes), .reply(.verdicts): -1
            }
        }
        func number(_ item: ListRecord.Item) -> Int {
            switch item {
            case .step: 0
            case .refused: 1
            }
        }
        let bindings = RecordSamples.nodes.flatMap {
            [$0.0.onDismissed?.arguments, $0.0.onResult?.template.arguments].flatMap { source -> [Binding] in
                if case .given(let bindings)? = source { bindings } else { [] }
            }
        }
        #expect(Set(bindings.map { number($0.source) }).count == 11)
        #expect(Set(RecordSamples.nodes.compactMap { $0.0.flow.map { number($0.readiness) } }).count == 3)
        #expect(Set(RecordSamples.tokens.map { number($0.0.outcome) }).count == 6)
        #expect(Set(RecordSamples.lists.flatMap { $0.0.items.map(number) }).count == 2)
    }

    @Test(arguments: 0..<100)
    func `any bytes are read or refused`(seed: UInt64) {
        var seeded = Seeded(seed: seed)
        func check<Body: RecordBody & Equatable>(_ samples: [(Body, String)]) {
            guard let whole = samples.randomElement(using: &seeded)?.0.encoded(), !whole.isEmpty else { return }
            for _ in 0..<50 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...3, using: &seeded) {
                    bytes[Int.random(in: 0..<bytes.count, using: &seeded)] = UInt8.random(in: 0...255, using: &seeded)
                }
                guard let read = try? Body(bytes) else { continue }
                // Doubles that are no numbers do not equal themselves.
                let again = read.encoded()
                #expect((try? Body(again))?.encoded() == again)
            }
        }
        check(RecordSamples.nodes)
        check(RecordSamples.activities)
        check(RecordSamples.steps)
        check(RecordSamples.lists)
        check(RecordSamples.tokens)
        check(RecordSamples.registrations)
        check([RecordSamples.progress])
        check([RecordSamples.origin])
        check([RecordSamples.counters])
        check([RecordSamples.nameOwner])
        check([RecordSamples.savedState])
        check([RecordSamples.context])
        check([RecordSamples.outputs])
        check(RecordSamples.steppers)
        check(RecordSamples.asks)
    }

    @Test func `invalid values are an error with a reason`() {
        func failure<Body: RecordBody>(_: Body.Type, _ bytes: [UInt8]) -> String? {
            do throws(RecordFailure) {
                _ = try Body(bytes)
                return nil
            } catch {
                return error.message
            }
        }
        let triggered = OriginRecord(triggered: Limits.triggeredSteps + 1).encoded()
        #expect(
            failure(OriginRecord.self, triggered)
                == "\(Limits.triggeredSteps + 1) is more than \(Limits.triggeredSteps)")
        #expect(failure(StepRecord.self, [9]) == "there is no Stage '9'")
        let counters = CountersRecord(serial: .max / 2, instance: 0).encoded()
        #expect(failure(CountersRecord.self, counters) == "its numbers are at their end")
        let flow = Node.KeptFlow(readiness: .awaitingChildren(Limits.children + 1))
        let node = NodeRecord(kept: Node.Kept(name: "a", id: "a"), flow: Boxed(flow)).encoded()
        #expect(failure(NodeRecord.self, node) == "\(Limits.children + 1) children are awaited")
        // Nine bytes of a flow, of which the first is its readiness, and none of what follows an answer.
        var ready = NodeRecord(kept: Node.Kept(name: "a", id: "a"), flow: Boxed(Node.KeptFlow())).encoded()
        ready[ready.count - 10] = 7
        #expect(failure(NodeRecord.self, ready) == "there is no Readiness 7")
        var token = TokenRecord().encoded()
        token[token.count - 1] = 8
        #expect(failure(TokenRecord.self, token) == "there is no CallState 8")
        var list = ListRecord(items: [.step("", [])]).encoded()
        list[4] = 2
        #expect(failure(ListRecord.self, list) == "there is no Item 2")
    }

    @Test func `contributors come back, and are refused where they are cut`() throws {
        let contributions =
            Contribution.Kind.allCases.map { Contribution(kind: $0, name: "n") }
            + [Contribution(kind: .screen, name: "", path: "/a", style: "s", arguments: RecordSamples.arguments)]
        var writer = RecordWriter()
        writer.append(contributions)
        var reader = RecordReader(writer.bytes)
        #expect(try reader.contributions() == contributions)
        #expect(reader.isAtEnd)
        for count in writer.bytes.indices {
            var reader = RecordReader(Array(writer.bytes[..<count]))
            #expect(throws: RecordFailure.self) { try reader.contributions() }
        }
    }
}
