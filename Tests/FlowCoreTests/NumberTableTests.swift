import Testing

@testable import FlowCore

@Suite("Number table")
struct NumberTableTests {
    @Test func `it has what a dictionary has, after any changes`() {
        var random = Seeded(seed: 7)
        var table = NumberTable<String>()
        var expected: [UInt64: String] = [:]
        var last: UInt64 = 0
        for round in 0..<5_000 {
            let number = UInt64.random(in: 0...last, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                last += 1
                (table[last], expected[last]) = ("\(round)", "\(round)")
            case 3:
                (table[number], expected[number]) = ("again \(round)", "again \(round)")
            case 4:
                table.update(number) { $0 += "!" }
                if let old = expected[number] { expected[number] = old + "!" }
            default:
                #expect(table.removeValue(number) == expected.removeValue(forKey: number))
            }
            #expect(table.contains(number) == (expected[number] != nil) && table[number] == expected[number])
            #expect(table.count == expected.count && table.isEmpty == expected.isEmpty)
        }
        #expect(table.dictionary == expected && table.numbers.sorted() == expected.keys.sorted())
        for number in table.numbers { table[number] = nil }
        #expect(table.isEmpty && table.dictionary.isEmpty)
    }

    @Test func `the places of consecutive numbers are far from each other`() {
        let places = Set((1...256).map { (number: UInt64) in number.scattered & 511 })
        let neighbours = places.count { places.contains(($0 + 1) & 511) }
        #expect(places.count > 160 && neighbours < 192)
    }
}
