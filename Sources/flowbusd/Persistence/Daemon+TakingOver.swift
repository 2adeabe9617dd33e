import FlowCore
import FlowWire
import Platform
import SdBus

/// Why the name was not handed over.
struct TakeoverFailure: Error {
    let status: ExitStatus
    let message: String
}

extension Daemon {
    /// How long the owner of the name may take to hand it over, in µs.
    static let handoverTimeout: UInt64 = 10_000_000

    /// Becomes the owner of the name. With `--replace`, another flowbusd that owns it closes its files and gives it up
    /// (D-9).
    ///
    /// - Returns: false if a signal ended the process in between.
    /// - Throws: ``SdError``, or ``TakeoverFailure`` if the owner keeps the name; then nothing has changed.
    func takeName() throws -> Bool {
        let name = "\(BusNames.service)"
        guard session.replaces else {
            try bus.requestName(name)
            return true
        }
        let end = MonotonicClock.now + Self.handoverTimeout
        while try !bus.queue(forName: name) {
            let owner = try bus.uniqueName(ofOwnerOf: name)
            let who = bus.owner(of: name)?.description ?? owner ?? "another process"
            let now = MonotonicClock.now
            guard now < end else { throw unanswered(by: who) }
            // The owner may have left just now, and others may be in the queue.
            guard let owner, owner != bus.uniqueName else { continue }
            let takeover = try Takeover(setup.connect())
            // Once the bus has passed the name on, this process has to serve, and waits for the files to be closed.
            takeover.isOver = { [unowned self] in (try? bus.queue(forName: name)) != true }
            switch try takeover.ask(owner, for: bus.uniqueName, atMost: end - now) {
            case .handedOver, .ownerGone: continue
            case .terminated: return false
            case .unanswered: throw unanswered(by: who)
            case .refused(let error, let text):
                throw TakeoverFailure(
                    status: error == "\(BusNames.BusError.accessDenied)" ? .noPermission : .unavailable,
                    message: "The name \(name) is taken by \(who), which does not hand it over: \(text)")
            }
        }
        return true
    }

    private func unanswered(by owner: String) -> TakeoverFailure {
        let seconds = Self.handoverTimeout / 1_000_000
        return TakeoverFailure(
            status: .unavailable,
            message: "The name \(BusNames.service) is taken by \(owner), which did not hand it over within "
                + "\(seconds) s; nothing was changed")
    }
}
