import CSdBus
import Glibc
import Platform

/// Reports the state of the service to the service manager; sd_notify(3). Without a manager the calls have no effect.
public struct Notifier: Sendable {
    /// Whether there is a manager (`NOTIFY_SOCKET`); looked up once.
    public let isEnabled: Bool

    /// Looks for the manager.
    public init() { isEnabled = Environment.value(of: "NOTIFY_SOCKET") != nil }

    /// The service is up: READY=1.
    public func ready(status: String? = nil) throws(SdError) { try send("READY=1", status) }

    /// The service reads its configuration again; follow it with ``ready(status:)``: RELOADING=1.
    public func reloading(status: String? = nil) throws(SdError) {
        guard isEnabled else { return }
        // MONOTONIC_USEC is what Type=notify-reload wants; older managers ignore it.
        try send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.now)", status)
    }

    /// The service goes down: STOPPING=1.
    public func stopping(status: String? = nil) throws(SdError) { try send("STOPPING=1", status) }

    /// One line for people: STATUS=.
    public func status(_ text: @autoclosure () -> String) throws(SdError) {
        guard isEnabled else { return }
        try send("STATUS=" + Self.singleLine(text()), nil)
    }

    private func send(_ state: String, _ status: String?) throws(SdError) {
        guard isEnabled else { return }
        let text = status.map { state + "\nSTATUS=" + Self.singleLine($0) } ?? state
        try check("sd_notify", sd_notify(0, text))
    }

    /// A newline would start the next assignment.
    private static func singleLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
