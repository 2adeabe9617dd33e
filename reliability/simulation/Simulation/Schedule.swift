/// What happens at which time, in order: a binary heap.
struct Schedule<Item> {
    private struct Entry {
        let time: UInt64
        let number: UInt64
        let item: Item

        func comesBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    private var entries: [Entry] = []
    private var latest: UInt64 = 0

    var nextTime: UInt64? { entries.first?.time }
    var count: Int { entries.count }

    mutating func add(_ item: Item, at time: UInt64) {
        latest += 1
        entries.append(Entry(time: time, number: latest, item: item))
        var place = entries.count - 1
        while place > 0, entries[place].comesBefore(entries[(place - 1) / 2]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func takeNext() -> Item? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first.item }
        entries[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
                if entries[child].comesBefore(entries[least]) { least = child }
            }
            if least == place { return first.item }
            entries.swapAt(place, least)
            place = least
        }
    }

    /// Removes all items.
    mutating func removeAll() -> [Item] {
        defer { entries = [] }
        return entries.map(\.item)
    }
}
