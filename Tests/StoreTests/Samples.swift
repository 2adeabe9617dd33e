import BusTestSupport

@testable import FlowCore
@testable import Store

extension SeededGenerator {
    /// Returns a random element.
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

    /// Returns true once in a number of times, on average.
    mutating func isRare(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}

extension Navigation {
    /// A typical navigation.
    static func sample(_ serial: UInt64, flow: String = "/main/watched", step: String = "movie-picked") -> Navigation {
        Navigation(
            flow: flow, definition: "watched", serial: serial, cause: 0, client: Client(":1.42"), step: step,
            arguments: [Argument("movie", .int32(Int32(truncatingIfNeeded: serial)))], contributions: [],
            isDeepLink: false, adaptedFrom: nil)
    }

    /// A random navigation.
    static func random(_ serial: UInt64, _ seeded: inout SeededGenerator) -> Navigation {
        let flows = ["/main", "/main/watched", "/main/watched/detail", "/main/watchedToo", "/other", "/m"]
        return Navigation(
            flow: seeded.one(of: flows), definition: seeded.one(of: ["main", "watched", ""]), serial: serial,
            cause: seeded.isRare(3) ? UInt64.random(in: 0..<serial, using: &seeded) : 0,
            client: Client(seeded.one(of: ["", ":1.42", ":1.4711"])),
            step: seeded.one(of: ["", "back", "pick.a-Movie", String(repeating: "x", count: 128)]),
            arguments: (0..<(seeded.isRare(4) ? Int.random(in: 0...4, using: &seeded) : 1)).map {
                Argument("argument\($0)", .random(&seeded))
            },
            contributions: (0..<(seeded.isRare(3) ? Int.random(in: 0...20, using: &seeded) : 0)).map { number in
                Contribution(
                    kind: seeded.one(of: Contribution.Kind.allCases), name: seeded.one(of: ["", "detail\(number)"]),
                    path: seeded.one(of: [nil, "/main/watched/detail\(number)"]),
                    style: seeded.one(of: ["", "modal"]),
                    arguments: seeded.isRare(3) ? [Argument("argument", .random(&seeded))] : [])
            },
            isDeepLink: seeded.isRare(2), adaptedFrom: nil)
    }
}

extension Value {
    /// A random value.
    static func random(_ seeded: inout SeededGenerator, nesting: Int = 0) -> Value {
        let bits = seeded.next() >> UInt64.random(in: 0...63, using: &seeded)
        let text = String(repeating: "ä", count: seeded.isRare(20) ? 1_000 : Int(bits & 15))
        switch Int.random(in: 0..<(nesting < 4 ? 16 : 11), using: &seeded) {
        case 0: return .bool(bits & 1 == 1)
        case 1: return .byte(UInt8(truncatingIfNeeded: bits))
        case 2: return .int16(Int16(truncatingIfNeeded: bits))
        case 3: return .uint16(UInt16(truncatingIfNeeded: bits))
        case 4: return .int32(Int32(truncatingIfNeeded: bits))
        case 5: return .uint32(UInt32(truncatingIfNeeded: bits))
        case 6: return .int64(Int64(bitPattern: bits))
        case 7: return .uint64(bits)
        case 8: return .double(Double(sign: .minus, exponent: Int(bits & 63), significand: 1.5))
        case 9: return .string(text)
        case 10: return .objectPath("/" + text)
        case 11: return .signature("a{sv}")
        case 12: return .variant(.random(&seeded, nesting: nesting + 1))
        case 13: return .bytes(seeded.bytes(Int(bits & 31)))
        case 14: return .structure((0...Int(bits & 3)).map { _ in .random(&seeded, nesting: nesting + 1) })
        default:
            let entries = (0..<Int(bits & 3)).map {
                Value.entry(key: .string("key\($0)"), value: .variant(.random(&seeded, nesting: nesting + 1)))
            }
            return .array(element: "{sv}", entries)
        }
    }
}

extension HistoryEntry {
    /// The history entry of a navigation.
    init(_ navigation: Navigation, at time: UInt64) {
        self.init(
            serial: navigation.serial, time: time, flow: navigation.flow, definition: navigation.definition,
            step: navigation.step, arguments: navigation.arguments, cause: navigation.cause,
            sender: navigation.client.name,
            contributors: navigation.contributions)
    }
}
