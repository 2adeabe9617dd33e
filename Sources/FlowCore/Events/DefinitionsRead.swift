// The definition files were read again.

extension Machine {
    /// The definition files were read again. A definition in a file replaces a registered flow of the same name.
    mutating func reload(_ files: Definitions, _ turn: inout Turn) {
        for registration in registrations.read(files) { watches.remove(registration.client) }
        exchange(registrations.definitions, &turn)
    }
}
