// The context (S-57): which values a presentable sees. Those of the flows above it come first, the nearest before all others, and then
// those of the coordinator.

/// What has a value of the context.
enum ContextHolder: Hashable, Sendable {
    case coordinator
    case flow(NodeSlot)
}

extension Forest {
    /// What has the value of this name that is seen from a presentable, or from outside of all trees; nil if nothing has.
    func contextHolder(of name: String, from place: NodeSlot?) -> ContextHolder? {
        var place = place
        while let slot = place {
            if self[slot].flow?.context[name] != nil { return .flow(slot) }
            place = self[slot].parent
        }
        return context[name] == nil ? nil : .coordinator
    }

    /// The value of this name that is seen from a presentable; nil if there is none.
    func contextValue(_ name: String, from place: NodeSlot?) -> Argument? {
        contextHolder(of: name, from: place).flatMap { contextValues(of: $0)[name] }
    }

    /// All values of the coordinator, or of a flow.
    func contextValues(of holder: ContextHolder) -> ContextValues {
        switch holder {
        case .coordinator: context
        case .flow(let slot): self[slot].flow?.context ?? ContextValues()
        }
    }

    /// What the definitions declare of the values of the coordinator, or of a flow.
    func declarations(of holder: ContextHolder, _ definitions: Definitions) -> [ContextDeclaration] {
        switch holder {
        case .coordinator: definitions.context
        case .flow(let slot): self[slot].flow.map { definitions[$0.definition].context } ?? []
        }
    }

    /// Replaces the values of the coordinator, or of a flow.
    mutating func setContext(_ values: ContextValues, of holder: ContextHolder) {
        switch holder {
        case .coordinator:
            if context == values { return }
            context = values
            books.contexts.touch(0)
            // A rule for Back can ask for it.
            touchAll()
        case .flow(let slot):
            update(slot) { $0.flow?.context = values }
            touch(slot)
        }
    }

    /// The record of the values of a flow, by its instance, or of the coordinator (0); without a body if none was set.
    func record(ofContext instance: UInt64) -> Record {
        let holder =
            instance == 0 ? .coordinator : node(instance: instance).flatMap { slot(of: $0) }.map(ContextHolder.flow)
        let values = holder.flatMap { contextValues(of: $0).recorded }
        return Record(RecordKey(.context, instance), values?.encoded())
    }
}
