/// What the format has and this version does not act on yet. Each is an error, lest it be ignored silently; a change
/// that makes one work removes it here.
enum NotYet {
    /// Keys of a flow.
    static let flow = ["restore"]

    /// How it is told.
    static func message(_ what: String) -> String { "\(what) is not supported yet by this version of flowbusd" }
}
