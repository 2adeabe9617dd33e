import FlowCore
import SdBus

/// A bus with services that steppers watch: that of the daemon, or another one, which is connected when it is needed, and again
/// whenever it is lost.
final class StepperBus {
    private static let firstPause: UInt64 = 100_000
    private static let longestPause: UInt64 = 5_000_000

    private let address: Bus.Address
    private let loop: EventLoop
    /// Whether the connection is the daemon's own, which is not looked for when it is lost.
    private let isOwn: Bool
    private var bus: Bus?
    /// A lost connection, which may be the one that runs this code.
    private var lost: Bus?
    private var watches: [StepperWatch] = []
    private var timer: Timer?
    private var pause = StepperBus.firstPause

    /// The daemon's own connection.
    init(own bus: Bus, _ loop: EventLoop) {
        (address, self.loop, self.bus, isOwn) = (.session, loop, bus, true)
    }

    /// A connection that is made when the first stepper needs it.
    init(_ address: Bus.Address, _ loop: EventLoop) {
        (self.address, self.loop, isOwn) = (address, loop, false)
    }

    func add(_ watch: StepperWatch) {
        watches.append(watch)
        if let bus { return begin(watch, bus) }
        if timer == nil { connect() } else { watch.end(Self.noBus) }
    }

    /// Watches it no longer. A connection that nobody needs is closed.
    func remove(_ watch: StepperWatch) {
        watches.removeAll { $0 === watch }
        watch.stop()
        guard watches.isEmpty, !isOwn else { return }
        (bus, timer) = (nil, nil)
    }

    /// The service of a watch has answered: the connection is a good one.
    func isGood() { pause = Self.firstPause }

    private static let noBus = "there is no such bus"

    private func connect() {
        lost = nil
        do throws(SdError) {
            let bus = try Bus(connectingTo: address)
            try bus.attach(to: loop)
            try bus.onDisconnect { [unowned self] in disconnected("the connection to its bus is lost") }
            self.bus = bus
            for watch in watches { begin(watch, bus) }
        } catch {
            disconnected("its bus can't be reached: \(error.reason)")
        }
    }

    private func begin(_ watch: StepperWatch, _ bus: Bus) {
        do throws(SdError) {
            try watch.begin(bus)
        } catch {
            // Of a lost connection the disconnection follows.
            watch.end("it can't be watched: \(error.reason)")
        }
    }

    private func disconnected(_ why: String) {
        (lost, bus) = (bus, nil)
        for watch in watches { watch.end(why) }
        do throws(SdError) {
            if timer == nil { timer = try loop.timer { [unowned self] in connect() } }
            try timer?.arm(at: loop.now + pause)
            pause = min(2 * pause, Self.longestPause)
        } catch {
            preconditionFailure("an event source of this loop: \(error)")
        }
    }
}
