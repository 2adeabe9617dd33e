import Testing

@testable import FlowCore

@Suite("Node table")
struct NodeTableTests {
    private var forest = Forest(base: "")
    private let main: NodeSlot
    private let one = Client(":1.1")

    init() {
        main = forest.add("main", .free)
        take()
    }

    /// The dirty records and the changed properties since the last call.
    @discardableResult
    private mutating func take() -> (records: [NodeSlot], activities: [NodeSlot], changes: [PropertyChanges]) {
        let (records, activities) = (forest.books.nodes.changed, forest.books.activities.changed)
        _ = forest.books.nodes.take { Record(RecordKey(.node, $0.instance), []) }
        _ = forest.books.activities.take { Record(RecordKey(.activity, $0.instance), []) }
        return (records.map(\.slot), activities.map(\.slot), forest.takeChanges().changes)
    }

    @Test mutating func `a change makes one record and one signal`() {
        forest.update(main) { [one] in $0.kept.owner = one }
        forest.update(main) { $0.kept.isVisible = false }
        let (records, activities, changes) = take()
        #expect(records == [main] && activities.isEmpty)
        #expect(changes == [PropertyChanges(path: "/main", [.visible: .flag(false), .owner: .text(":1.1")])])
        #expect(take() == ([], [], []))
    }

    @Test mutating func `setting a value again changes nothing`() {
        forest.update(main) { node in
            node.kept.isVisible = true
            node.kept.owner = nil
            node.flow?.kept.readiness = .ready
            node.flow?.activity.idle.rest = .none
        }
        #expect(take() == ([], [], []))
    }

    @Test mutating func `derived state is in no record`() {
        forest.update(main) { $0.isPresented = true }
        let (records, activities, changes) = take()
        #expect(records.isEmpty && activities.isEmpty)
        #expect(changes == [PropertyChanges(path: "/main", [.presented: .flag(true)])])
    }

    @Test mutating func `S-38: that a screen comes in sight is reported, and that a flow does is not`() {
        let page = forest.add("page", below: main)
        take()
        for slot in [main, page] { forest.update(slot) { $0.isInSight.toggle() } }
        let (records, activities, changes) = take()
        #expect(records.isEmpty && activities.isEmpty)
        #expect(changes == [PropertyChanges(path: "/main/page", [.inSight: .flag(forest[page].isInSight)])])
        for slot in [main, page] { #expect(forest.value(of: .inSight, at: slot) == .flag(forest[slot].isInSight)) }
    }

    @Test mutating func `a latest navigation has a record of its own, and is charged`() {
        let arguments = [Argument("a", .string("b"))]
        forest.setLast(
            LastNavigation(
                serial: 1, step: "s", arguments: arguments, client: one), of: main)
        let (records, activities, changes) = take()
        #expect(records.isEmpty && activities == [main] && changes.isEmpty)
        #expect(forest.accounting.clients == [one: Accounting.Usage(bytes: arguments.byteCount)])
    }

    @Test mutating func `a node that is gone takes its records along, and leaves none to the next in its slot`() {
        let page = forest.add("page", below: main)
        take()
        let gone = forest[page].instance
        _ = forest.remove(page)
        #expect(forest.books.nodes.take { _ in nil }.map(\.key) == [RecordKey(.node, gone)])
        let next = forest.add("page", below: main)
        #expect(next == page)
        _ = forest.remove(next)
        #expect(!forest.books.nodes.isDirty)
    }

    @Test mutating func `D-1 records do not pile up if the shell does not take them`() {
        for _ in 0..<1_000 { _ = forest.remove(forest.add("page", below: main)) }
        #expect(forest.books.nodes.changed.count <= 2)
    }
}
