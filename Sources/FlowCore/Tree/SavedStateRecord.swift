/// The record of what the owner of a screen saved (S-44).
struct SavedStateRecord: RecordBody, Equatable, Sendable {
    var state: Arguments = []
    /// Whether it may be written to a disk, by the screen's declaration.
    var isForDisk = false

    static var unread: SavedStateRecord { SavedStateRecord() }
    var expectedByteCount: Int { state.byteCount }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&state)
        try coder.check(!state.isEmpty, "the state is empty")
        try coder.code(&isForDisk)
    }
}
