import Testing

@testable import FlowCore

@Suite("Books of records")
struct RecordBookTests {
    private var book = RecordBook<UInt64>(.origin)

    /// Takes the records: their numbers, negative for those to be removed.
    private mutating func take(all: [UInt64] = [], empty: Set<UInt64> = []) -> [Int] {
        book.take(all: all) { part in
            empty.contains(part)
                ? Record(RecordKey(.origin, part), nil) : Record(.origin, part, OriginRecord(triggered: 1))
        }.map { $0.body == nil ? -Int($0.key.number) : Int($0.key.number) }
    }

    @Test mutating func `a part is dirty until its record is taken, once, in the order of the numbers`() {
        for part in [2, 0, 2, 2, 0] as [UInt64] { book.touch(part) }
        #expect(book.hasChanged && !book.hasGone)
        #expect(take() == [0, 2])
        #expect(!book.isDirty && take() == [])
        book.touch(2)
        #expect(take() == [2])
    }

    @Test mutating func `the record of a part that is gone is removed, if it exists`() {
        for part in [1, 2] as [UInt64] { book.touch(part) }
        #expect(take() == [1, 2])
        book.touch(3)
        book.touch(2)
        for part in [1, 2, 3] as [UInt64] { book.remove(part, part) }
        #expect(!book.hasChanged && book.hasGone)
        #expect(take() == [-1, -2])
        book.remove(1, 1)
        #expect(!book.isDirty && take() == [])
    }

    @Test mutating func `a part that comes back before records are taken is only written`() {
        book.touch(1)
        #expect(take() == [1])
        book.remove(1, 1)
        book.touch(1)
        #expect(take() == [1])
        book.remove(1, 1)
        #expect(take() == [-1])
    }

    @Test mutating func `a part can have nothing to record any more`() {
        book.touch(1)
        #expect(take(empty: [1]) == [])
        book.touch(1)
        #expect(take() == [1])
        book.touch(1)
        #expect(take(empty: [1]) == [-1])
        book.remove(1, 1)
        #expect(take() == [])
    }

    @Test mutating func `all parts can be taken, and what an earlier process wrote is removed`() {
        book.restore(4)
        #expect(take(all: [1, 2]) == [1, 2])
        for part in [1, 4] as [UInt64] { book.remove(part, part) }
        #expect(take() == [-1, -4])
    }

    @Test func `D-1 nothing piles up if the shell does not take records`() {
        var book = RecordBook<UInt64>(.origin, isWanted: false)
        book.touch(1)
        #expect(!book.isDirty)
    }
}
