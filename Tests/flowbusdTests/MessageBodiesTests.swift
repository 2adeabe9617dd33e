import BusTestSupport
import FlowCore
import FlowWire
import SdBus
import Testing

@testable import SdBus
@testable import flowbusd

/// The values of the service in its messages, as sd-bus reads them. There is one way to marshal a value, which sd-bus insists on, so
/// the bytes are those of sd-bus.
@Suite("Bodies of messages")
struct MessageBodiesTests {
    /// Random values, with what they are on the bus.
    private struct Random {
        var generator: SeededGenerator

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

        mutating func text() -> String {
            String((0..<number(0...12)).map { _ in "abcé€🎬 \u{fffd}".randomElement(using: &generator) ?? " " })
        }

        mutating func path() -> String { (0...number(0...3)).map { "/a\($0)" }.joined() }

        mutating func value() -> (Value, BusValue) {
            let bits = generator.next()
            switch number(0...11) {
            case 0: return (.bool(bits & 1 == 1), .bool(bits & 1 == 1))
            case 1: return (.byte(UInt8(truncatingIfNeeded: bits)), .byte(UInt8(truncatingIfNeeded: bits)))
            case 2: return (.int16(Int16(truncatingIfNeeded: bits)), .int16(Int16(truncatingIfNeeded: bits)))
            case 3: return (.uint32(UInt32(truncatingIfNeeded: bits)), .uint32(UInt32(truncatingIfNeeded: bits)))
            case 4: return (.int64(Int64(bitPattern: bits)), .int64(Int64(bitPattern: bits)))
            case 5: return (.double(Double(bits)), .double(Double(bits)))
            case 6:
                let path = path()
                return (.objectPath(path), .objectPath(path))
            case 7:
                let bytes = (0..<number(0...9)).map { UInt8($0) }
                return (.bytes(bytes), .array(of: "y", bytes.map(BusValue.byte)))
            case 8:
                let texts = (0..<number(0...3)).map { _ in text() }
                return (.array(element: "s", texts.map(Value.string)), .strings(texts))
            case 9:
                let (one, two) = (value(), value())
                return (.structure([one.0, two.0]), .structure([one.1, two.1]))
            case 10:
                let inner = value()
                return (.variant(inner.0), .variant(inner.1))
            default:
                let text = text()
                return (.string(text), .string(text))
            }
        }

        mutating func arguments() -> (Arguments, BusValue) {
            let entries = (0..<number(0...4)).map { ("name\($0)", value()) }
            return (
                entries.map { Argument($0.0, $0.1.0) },
                .array(of: "{sv}", entries.map { .dictEntry(.string($0.0), .variant($0.1.1)) })
            )
        }

        /// Some of the properties.
        mutating func someProperties() -> [NodeProperty] { NodeProperty.allCases.filter { _ in number(0...3) > 0 } }

        /// These properties, and those on the bus of each interface.
        mutating func list(of properties: [NodeProperty]) -> (PropertyList, [NodeProperty.Interface: BusValue]) {
            var list = PropertyList()
            var entries: [NodeProperty.Interface: [BusValue]] = [:]
            for property in properties {
                let description = property.description
                let (value, onBus): (PropertyValue, BusValue)
                switch "\(description.signature)" {
                case "b":
                    let flag = number(0...1) == 1
                    (value, onBus) = (.flag(flag), .bool(flag))
                case "t":
                    let number = generator.next()
                    (value, onBus) = (.number(number), .uint64(number))
                case "s":
                    // A flow's name is its definition's.
                    let text = (property == .definition ? list.text(.name) : nil) ?? text()
                    (value, onBus) = (.text(text), .string(text))
                case "o":
                    let path = number(0...2) == 0 ? nil : path()
                    (value, onBus) = (.path(path), .objectPath(path ?? "/"))
                case "ao":
                    let paths = (0..<number(0...3)).map { _ in path() }
                    (value, onBus) = (.paths(paths), .array(of: "o", paths.map(BusValue.objectPath)))
                default:
                    let arguments = arguments()
                    (value, onBus) = (.arguments(arguments.0), arguments.1)
                }
                #expect(value.signature == "\(description.signature)")
                list[property] = value
                entries[description.interface, default: []].append(
                    .dictEntry(.string("\(description.name)"), .variant(onBus)))
            }
            let onBus = NodeProperty.Interface.allCases.map { ($0, BusValue.array(of: "{sv}", entries[$0] ?? [])) }
            return (list, Dictionary(uniqueKeysWithValues: onBus))
        }
    }

    private let bus: PrivateBus
    private let sender: Bus
    private let output: MessageOutput
    private let receiver: TestClient

    init() throws {
        bus = try PrivateBus()
        sender = try Bus(.address(bus.address))
        output = try MessageOutput(sender.handle)
        receiver = try TestClient(bus)
    }

    /// Expects that a client reads these values.
    private func expect(
        _ expected: [BusValue], _ signature: StaticString, _ body: (Marshaller) throws -> Void
    ) throws {
        try output.signal("a.B", "C", at: "/", to: receiver.uniqueName, signature, body)
        #expect(output.flush())
        #expect(try receiver.waitForSignal("C").values == expected)
        receiver.clearLog()
    }

    @Test(arguments: 1...5) func `properties, states and arguments`(_ seed: Int) throws {
        var random = Random(generator: SeededGenerator(UInt64(seed)))
        for _ in 1...60 {
            let (list, onBus) = random.list(of: random.someProperties())
            for interface in NodeProperty.Interface.allCases {
                let text = random.text()
                try expect([.string(text), onBus[interface] ?? "", .strings([])], "sa{sv}as") { body in
                    try body.append(text)
                    try body.append(list, of: interface)
                    try body.appendEmptyArray("s")
                }
            }
            let isFlow = random.number(0...1) == 1
            let empty = PresentableState(path: random.path(), isFlow: isFlow)
            let (all, allOnBus) = random.list(of: empty.properties.entries.map(\.property))
            let state = PresentableState(path: empty.path, isFlow: isFlow, properties: all)
            var interfaces = (BusNames.Interface.standard + [BusNames.Interface.stepper]).map {
                BusValue.dictEntry(.string("\($0)"), .options())
            }
            for interface in NodeProperty.Interface.allCases where isFlow || interface == .presentable {
                interfaces.append(.dictEntry(.string("\(interface.busName)"), allOnBus[interface] ?? ""))
            }
            let objects = [BusValue.objectPath(state.path), .array(of: "{sa{sv}}", interfaces)]
            try expect(objects, "oa{sa{sv}}") { body in
                try body.append(path: state.path)
                try body.append(state)
            }
            let (arguments, values) = random.arguments()
            try expect([values, .byte(1), values], "a{sv}ya{sv}") { body in
                try body.append(arguments)
                try body.append(1 as UInt8)
                try body.append(arguments)
            }
        }
    }

    @Test(arguments: 1...5) func `contributors, outcomes and answers`(_ seed: Int) throws {
        var random = Random(generator: SeededGenerator(UInt64(seed)))
        for _ in 1...60 {
            var (all, onBus): ([Contribution], [BusValue]) = ([], [])
            for _ in 0..<random.number(0...3) {
                let (arguments, values) = random.arguments()
                let kind = Contribution.Kind.allCases.randomElement(using: &random.generator) ?? .screen
                let (name, path, style) = (random.text(), random.path(), random.text())
                all.append(Contribution(kind: kind, name: name, path: path, style: style, arguments: arguments))
                var details: [BusValue] = []
                if !style.isEmpty { details.append(.dictEntry("style", .variant(.string(style)))) }
                if !arguments.isEmpty { details.append(.dictEntry("arguments", .variant(values))) }
                onBus.append(
                    .structure([
                        .string(kind.rawValue), .string(name), .objectPath(path), .array(of: "{sv}", details),
                    ]))
            }
            try expect([.array(of: "(ssoa{sv})", onBus)], "a(ssoa{sv})") { try $0.append(all) }
            let serial = random.generator.next()
            try expect([.uint64(serial), "navigated", "", ""], "tsss") {
                try $0.append(outcome: .navigated(serial: serial))
            }
            try expect([.uint64(0), "", "", ""], "tsss") { try $0.append(outcome: nil) }
            let (result, values) = random.arguments()
            let token = random.text()
            for outcome in AskOutcome.allCases {
                let answer = AskAnswer(token: token, outcome: outcome, result: result)
                try expect([.string(token), .string(outcome.rawValue), values], "ssa{sv}") { try $0.append(answer) }
            }
        }
    }
}
