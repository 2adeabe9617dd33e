/// The fields of a journal entry.
enum LogField {
    static let flow = "FLOWBUS_FLOW"
    static let step = "FLOWBUS_STEP"
    static let serial = "FLOWBUS_SERIAL"
    static let sender = "FLOWBUS_SENDER"
    /// The other process: a guard, a navigator, a presenter.
    static let peer = "FLOWBUS_PEER"
}
