// What people read (S-58): the titles of presentables by their definitions, in the language that the context has there.

extension Machine {
    /// The name of the value of the context by which the language is chosen.
    static let languageName = "language"

    /// The language of who sees a presentable; empty if the context has none.
    func language(at slot: NodeSlot?) -> String {
        if case .string(let language)? = forest.contextValue(Self.languageName, from: slot)?.value {
            language
        } else {
            ""
        }
    }

    /// What people can read of a presentable.
    func texts(of slot: NodeSlot) -> Texts {
        if let flow = forest[slot].flow?.definition { return definitions.flows[flow.index].texts }
        return definitions.screen(named: forest[slot].name).map { definitions[$0].texts } ?? Texts()
    }

    /// A presentable is new, or has other arguments: its title may be another one.
    mutating func renewTitle(of slot: NodeSlot) {
        guard definitions.haveTitles || !forest[slot].declaredTitle.isEmpty else { return }
        let title = texts(of: slot).title?.text(in: language(at: slot), forest[slot].arguments) ?? ""
        forest.update(slot) { $0.declaredTitle = Names.shortened(title, to: Limits.titleLength) }
    }

    /// The definitions, or the language, are others.
    mutating func renewTitles(unlike old: Definitions? = nil) {
        guard definitions.haveTitles || old?.haveTitles == true else { return }
        for slot in forest.preorder() { renewTitle(of: slot) }
    }
}
