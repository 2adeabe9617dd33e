// A bus name has a new owner, or none.

extension Machine {
    /// A bus name has a new owner, or none.
    mutating func changeOwner(of name: String, to owner: Client?, _ turn: inout Turn) {
        // A program that was not there may succeed now, where its absence was the reason (S-47).
        if owner != nil, nameOwners[name] == nil { cutPauses(of: name, turn.now) }
        // Another program may answer Alive, where the former one did not (S-44).
        questions.programs.exchange(name)
        // The state of a navigator is lost with its former owner, and so are its flows (S-32).
        guard let before = nameOwners.change(name, to: owner) else { return }
        dismissFlows(before, &turn) { $0.navigator?.service.name == name }
    }
}
