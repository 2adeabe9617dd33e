/// The fields of a journal entry.
enum LogField {
    static let flow = "FLOWBUS_FLOW"
    static let step = "FLOWBUS_STEP"
    static let serial = "FLOWBUS_SERIAL"
    static let sender = "FLOWBUS_SENDER"
    /// The other process: a guard, a navigator, a presenter.
    static let peer = "FLOWBUS_PEER"
    static let screen = "FLOWBUS_SCREEN"
    /// The time from a step until its screen was visible, in µs, without that of guards and navigators.
    static let displayed = "FLOWBUS_DISPLAYED_USEC"
    /// The time that guards and navigators took, in µs.
    static let waited = "FLOWBUS_WAITED_USEC"
}
