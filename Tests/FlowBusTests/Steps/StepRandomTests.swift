import BusTestSupport
import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Random steps are equal after encoding and decoding.
@Suite(.fewAtOnce, .serialized) struct StepRandomTests {
    struct Part: StepArgument, Hashable {
        var name: String
        var numbers: [Int16]
        var weight: Double?
        var flags: [String: Bool]
    }
    enum Choice: StepArgument, Hashable {
        case nothing
        case some(UInt32, String?)
    }
    @Step
    enum RandomStep: Hashable {
        case numbers(UInt8, Int16, UInt16, Int32, UInt32, Int, UInt, Double)
        case texts(String, [String], text: String?)
        case bytes([UInt8], flag: Bool, [Bool])
        case parts([Part], main: Part?)
        case choice(Choice, set: Set<Int>)
        case nested([[String: [UInt64]]])
    }

    /// Generates random steps.
    struct Generator: RandomNumberGenerator {
        private var random: SeededGenerator

        init(_ seed: UInt64) { random = SeededGenerator(seed) }

        mutating func next() -> UInt64 { random.next() }

        mutating func number<Number: FixedWidthInteger>() -> Number {
            [.min, .max, 0, .random(in: .min ... .max, using: &self)].randomElement(using: &self) ?? 0
        }
        mutating func list<Element>(_ make: (inout Generator) -> Element) -> [Element] {
            (0..<Int.random(in: 0...3, using: &self)).map { _ in make(&self) }
        }
        mutating func text() -> String {
            ["", "a", "Ä", "🎬", "line\nline", String(next(), radix: 36)].randomElement(using: &self) ?? ""
        }
        mutating func bool() -> Bool { Bool.random(using: &self) }
        mutating func maybe<Wrapped>(_ make: (inout Generator) -> Wrapped) -> Wrapped? { bool() ? make(&self) : nil }
        mutating func part() -> Part {
            let flags = list { ($0.text(), $0.bool()) }
            return Part(
                name: text(), numbers: list { $0.number() }, weight: maybe { Double($0.next()) / 3 },
                flags: Dictionary(flags) { first, _ in first })
        }
        mutating func step() -> RandomStep {
            switch Int.random(in: 0..<6, using: &self) {
            case 0:
                .numbers(
                    number(), number(), number(), number(), number(), number(), number(),
                    Double(bitPattern: next() & 0x7FEF_FFFF_FFFF_FFFF))
            case 1: .texts(text(), list { $0.text() }, text: maybe { $0.text() })
            case 2: .bytes(list { $0.number() }, flag: bool(), list { $0.bool() })
            case 3: .parts(list { $0.part() }, main: maybe { $0.part() })
            case 4:
                .choice(bool() ? .nothing : .some(number(), maybe { $0.text() }), set: Set(list { $0.number() }))
            default:
                .nested(
                    list {
                        Dictionary($0.list { ($0.text(), $0.list { $0.number() }) }) { first, _ in first }
                    })
            }
        }
    }

    @Test func stepsComeBackAsTheyWere() throws {
        let declarations = try StepCoding.declarations(of: RandomStep.self)
        for seed in 0..<2_000 as Range<UInt64> {
            var generator = Generator(seed)
            let step = generator.step()
            let message = try StepCoding.encode(step)
            #expect(try StepCoding.decode(RandomStep.self, message) == step, "seed \(seed)")
            // The encoded values have exactly the declared types.
            let declaration = declarations.first { $0.name == message.name }
            for argument in message.arguments {
                let parameter = declaration?.parameters.first { $0.name == argument.name }
                #expect(parameter?.type.signature == argument.value.signature, "seed \(seed)")
            }
        }
    }

    /// Random values lead to an error or a step, and never to a crash.
    @Test func whateverComesIsDecodedOrRefused() throws {
        func value(_ generator: inout Generator, _ depth: Int) -> Value {
            switch Int.random(in: 0..<(depth == 0 ? 6 : 10), using: &generator) {
            case 0: .bool(generator.bool())
            case 1: .int64(generator.number())
            case 2: .uint64(generator.number())
            case 3: .double(.nan)
            case 4: .string(generator.text())
            case 5: .bytes(generator.list { $0.number() })
            case 6: .variant(value(&generator, depth - 1))
            case 7: .array(element: "v", generator.list { value(&$0, depth - 1) })
            case 8: .structure([value(&generator, depth - 1)])
            default:
                .array(
                    element: "{sv}",
                    generator.list {
                        let names = ["name", "numbers", "nothing", "some", "_0", "flags", ""]
                        return .entry(
                            key: .string(names.randomElement(using: &$0) ?? ""), value: value(&$0, depth - 1))
                    })
            }
        }
        var counts = (steps: 0, errors: 0)
        for seed in 0..<5_000 as Range<UInt64> {
            var generator = Generator(seed)
            var message = try StepCoding.encode(generator.step())
            if let index = message.arguments.indices.randomElement(using: &generator), generator.bool() {
                message.arguments[index].value = value(&generator, 3)
            }
            if Int.random(in: 0..<10, using: &generator) == 0 { message.arguments.removeLast() }
            if Int.random(in: 0..<10, using: &generator) == 0 { message.name = generator.text() }
            do throws(StepError) {
                _ = try StepCoding.decode(RandomStep.self, message)
                counts.steps += 1
            } catch {
                #expect(!error.message.isEmpty)
                counts.errors += 1
            }
        }
        #expect(counts.steps > 1_000 && counts.errors > 1_000)
    }
}
