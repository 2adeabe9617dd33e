/// What the format has and this version does not act on yet. Each is an error, lest it be ignored silently; a change
/// that makes one work removes it here.
enum NotYet {
    /// Keys of a screen.
    static let screen = ["presenter", "application", "whenOwnerGone"]
    /// Keys of a flow.
    static let flow = ["idle", "onBack", "emitters", "restore", "guard", "navigator"]
    /// Keys of a contributor that say what it is.
    static let contributor = ["pop"]
    /// Keys of a contributor that say how it is made.
    static let option = ["reuse", "clear", "onDismissed"]
    /// Values of `whenHidden`.
    static let whenHidden = ["latest", "queue"]
    /// Keys of `when` and `unless` that are no arguments.
    static let condition = ["alive"]

    /// How it is told.
    static func message(_ what: String) -> String { "\(what) is not supported yet by this version of flowbusd" }
}
