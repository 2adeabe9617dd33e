import Testing

@testable import FlowCore

@Suite("Name index")
struct NameIndexTests {
    @Test func `finds inserted names, by text and by bytes`() {
        var index = NameIndex()
        #expect(index.find("a") == nil)
        index.insert("a", 1)
        index.insert("b", 2)
        #expect(index.find("a") == 1)
        #expect(Array("b".utf8).withUnsafeBytes { index.find($0) } == 2)
        #expect(index.find("") == nil)
        #expect(index.find("ab") == nil)
        #expect(index.count == 2)
    }

    @Test func `a name keeps its latest number`() {
        var index = NameIndex()
        index.insert("a", 1)
        index.insert("a", 2)
        #expect(index.find("a") == 2)
        #expect(index.count == 1)
        index.remove("a")
        #expect(index.find("a") == nil)
        index.remove("a")
        #expect(index.count == 0)
        index.insert("a", 3)
        #expect(index.find("a") == 3)
    }

    @Test func `equals a dictionary after any insertions and removals`() {
        var random = Seeded(seed: 1)
        var index = NameIndex()
        var model: [String: Int] = [:]
        for number in 0..<5_000 {
            let name = "/main/n\(Int.random(in: 0..<200, using: &random))"
            if Bool.random(using: &random) {
                index.insert(name, number)
                model[name] = number
            } else {
                index.remove(name)
                model[name] = nil
            }
            #expect(index.count == model.count)
        }
        for number in 0..<200 { #expect(index.find("/main/n\(number)") == model["/main/n\(number)"]) }
    }
}

/// The same numbers for the same seed (splitmix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
