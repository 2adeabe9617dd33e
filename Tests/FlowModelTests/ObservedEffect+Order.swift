import FlowCore

// Where the rules define the order of effects, and where they don't.

extension ObservedEffect {
    var request: RequestID? {
        switch self {
        case .answered(let request, _), .refused(let request, _): request
        default: nil
        }
    }

    /// Returns whether both are the same where the rules define the order: between two of the other effects, property
    /// changes can come in any order, also relative to failures. Removals at a reload can come one by one: there the
    /// total change counts, relative to the state before.
    static func isSame(_ one: [ObservedEffect], _ other: [ObservedEffect], _ before: [String: Changes]?) -> Bool {
        blocks(one, before) == blocks(other, before)
    }

    private struct Block: Equatable {
        var changes: [String: Changes] = [:]
        var failures: [Failure] = []
        var removed: [String] = []
        var end: ObservedEffect?
    }

    private static func blocks(_ all: [ObservedEffect], _ before: [String: Changes]?) -> [Block] {
        var blocks: [Block] = []
        var block = Block()
        func finish() {
            if blocks.isEmpty, let before {
                for path in block.removed { block.changes[path] = nil }
                for (path, was) in before { block.changes[path] = block.changes[path]?.without(was) }
            }
            blocks.append(block)
            block = Block()
        }
        for observed in all {
            switch observed {
            case .changed(var changes):
                // The model does not know the text of errors, and so not whether that is another one.
                if changes.isWaiting == true { changes.isWaiting = nil }
                if changes.isEmpty { continue }
                block.changes[changes.path, default: Changes(path: changes.path)].merge(changes)
            case .failed(let failure): block.failures.append(failure)
            case .removed(let path, _) where before != nil && blocks.isEmpty: block.removed.append(path)
            default:
                block.end = observed
                finish()
            }
        }
        finish()
        return blocks
    }
}

extension ObservedEffect.Changes {
    fileprivate mutating func merge(_ later: ObservedEffect.Changes) {
        arguments = later.arguments ?? arguments
        isVisible = later.isVisible ?? isVisible
        isPresented = later.isPresented ?? isPresented
        isInSight = later.isInSight ?? isInSight
        isReady = later.isReady ?? isReady
        current = later.current ?? current
        output = later.output ?? output
        isWaiting = later.isWaiting ?? isWaiting
        context = later.context ?? context
    }

    /// Returns the changes since before; nil if there are none.
    fileprivate func without(_ before: ObservedEffect.Changes) -> ObservedEffect.Changes? {
        var rest = self
        if arguments == before.arguments { rest.arguments = nil }
        if isVisible == before.isVisible { rest.isVisible = nil }
        if isPresented == before.isPresented { rest.isPresented = nil }
        if isInSight == before.isInSight { rest.isInSight = nil }
        if isReady == before.isReady { rest.isReady = nil }
        if current == before.current { rest.current = nil }
        if output == before.output { rest.output = nil }
        if isWaiting == before.isWaiting { rest.isWaiting = nil }
        if context == before.context { rest.context = nil }
        return rest.isEmpty ? nil : rest
    }
}
