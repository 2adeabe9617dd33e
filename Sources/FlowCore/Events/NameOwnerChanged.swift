// A bus name has a new owner, or none.

extension Machine {
    /// A bus name has a new owner. The state of a navigator is lost with its former owner (S-32).
    mutating func changeOwner(of name: String, to owner: Client?, _ turn: inout Turn) {
        if owner != nil, nameOwners[name] == nil { cutPauses(of: name, turn.now) }
        questions.programs.exchange(name)
        guard let before = nameOwners.change(name, to: owner) else { return }
        dismissFlows(before, &turn) { $0.navigator?.service.name == name }
    }
}
