@testable import FlowCore

// As in `FlowCoreTests`.
extension Coordinator {
    var allRecords: [Record] {
        var machine = machine
        return machine.takeRecords(all: true)
    }

    /// A coordinator in the same state, which goes its own way from here.
    borrowing func copy() -> Coordinator {
        var copy = Coordinator(definitions: definitions, basePath: machine.forest.base)
        copy.machine = machine
        return copy
    }
}
