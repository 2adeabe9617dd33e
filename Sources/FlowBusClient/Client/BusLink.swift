internal import FlowBus
internal import FlowWire
internal import Platform
internal import SdBus

/// A connection to a bus that reconnects when it is lost, and that tracks the owner of the service's name.
///
/// Listeners (``LinkListener``) are notified in the order in which they were added; after a
/// reconnection each of them creates its match rules, objects and names again. All callbacks come from the loop, never before the call
/// that they belong to has returned, and in the order of the wire: signals, calls and replies alike.
///
/// Signals come through one filter, and not through sd-bus's matches. So there is one order, and each sender is
/// compared with the owner of the service's name at that place of the stream, which the bus reports in the same stream.
@FlowActor
final class BusLink {
    let mainLoop: EmbeddedMainLoop
    private let address: Bus.Address
    /// nil if there is no connection.
    private(set) var bus: Bus?
    /// The unique name of the owner of the service's name; empty if there is none, nil if it is not known yet.
    private(set) var owner: String?
    /// The unique name of the connection; empty until the bus has assigned one.
    private(set) var uniqueName = ""
    private(set) var isClosed = false
    private var filter: MessageReceiver?
    private var retry: Timer?
    private var delay = BusLink.firstDelay

    private var listeners: [Entry] = []
    private var last: UInt64 = 0
    /// Calls under way, by number.
    var calls: [UInt64: LinkCall] = [:]
    /// Steps whose outcome is pending.
    var pending = PendingSteps()
    /// Questions of the service to flows of this program.
    let questions = OpenQuestions()
    /// Asks without an answer.
    var asks = PendingAsks()
    /// The names that the types of this program have on the bus.
    var names = ProgramNames()

    private struct Entry {
        let number: UInt64
        weak var listener: (any LinkListener)?
    }

    /// The delays between attempts to connect, in µs.
    private static var firstDelay: UInt64 { 100_000 }
    private static var longestDelay: UInt64 { 5_000_000 }

    /// Connects, and blocks until the bus has answered.
    init(_ address: Bus.Address, _ loop: MainLoop) throws(SdError) {
        mainLoop = try EmbeddedMainLoop(loop)
        self.address = address
        let bus = try Bus(address)
        uniqueName = bus.uniqueName
        try adopt(bus)
        retry = try mainLoop.loop.timer { [unowned self] in mainLoop.enqueue { [weak self] in self?.reconnect() } }
    }

    isolated deinit { close() }

    func nextNumber() -> UInt64 {
        last += 1
        return last
    }

    /// Closes the connection, and fails all calls.
    func close() {
        if isClosed { return }
        isClosed = true
        try? retry?.disarm()
        drop()
        let all = listeners
        listeners = []
        for entry in all { entry.listener?.linkClosed() }
    }

    // MARK: Listeners

    /// Adds a listener after the existing ones. The link keeps a weak reference to it.
    func add(_ listener: any LinkListener) -> UInt64 {
        let number = nextNumber()
        if isClosed {
            mainLoop.enqueue { [weak listener] in listener?.linkClosed() }
        } else {
            listeners.append(Entry(number: number, listener: listener))
        }
        return number
    }

    func remove(_ number: UInt64) { listeners.removeAll { $0.number == number } }

    private func notify(_ what: (any LinkListener) -> Void) {
        for entry in listeners where listeners.contains(where: { $0.number == entry.number }) {
            if let listener = entry.listener { what(listener) }
        }
    }

    // MARK: The connection

    private func adopt(_ bus: Bus) throws(SdError) {
        try bus.attach(to: mainLoop.loop)
        filter = try bus.filter { [unowned self, unowned bus] message in note(message, of: bus) }
        try bus.onDisconnect { [unowned self, unowned bus] in
            let bus = bus
            mainLoop.enqueue { [weak self] in self?.lost(bus) }
        }
        self.bus = bus
        owner = nil
        askForOwner()
        mainLoop.wake()
    }

    private func reconnect() {
        guard bus == nil, !isClosed else { return }
        do throws(SdError) {
            try adopt(Bus(connectingTo: address))
            notify { $0.linkConnected() }
        } catch {
            // Attaching may have succeeded in part.
            drop()
            armRetry()
        }
    }

    private func lost(_ bus: Bus) {
        guard self.bus === bus, !isClosed else { return }
        drop()
        armRetry()
        notify { $0.linkLost() }
    }

    private func armRetry() {
        try? retry?.arm(at: MonotonicClock.now + delay)
        delay = min(delay * 2, Self.longestDelay)
        mainLoop.wake()
    }

    private func drop() {
        filter = nil
        bus = nil
        (owner, uniqueName) = ("", "")
        failAll(NavigationError(.disconnected, "there is no connection to the bus"))
    }

    // MARK: The service

    private func askForOwner() {
        addMatch(
            "type='signal',sender='\(BusNames.bus)',interface='\(BusNames.bus)',path='\(BusNames.busPath)',"
                + "member='NameOwnerChanged',arg0='\(BusNames.service)'"
        ) { _ in }
        callBus("GetNameOwner") { body throws(SdError) in
            try body.append(BusNames.service.cString)
        } _: { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result, error.code == .disconnected { return }
            // The bus has answered, so the connection works.
            delay = Self.firstDelay
            uniqueName = bus?.uniqueName ?? ""
            switch result {
            case .success(let answer): setOwner((try? answer.readString()).map { String(cString: $0) } ?? "")
            case .failure: setOwner("")
            }
        }
    }

    private func setOwner(_ new: String) {
        let old = owner
        owner = new
        if let old, old == new { return }
        if let old, !old.isEmpty {
            queryAgain()
            notify { $0.serviceDisappeared() }
        }
        if !new.isEmpty { notify { $0.serviceAppeared() } }
    }

    // MARK: Incoming messages

    /// Queues a message while sd-event runs; only signals are kept.
    private func note(_ message: MessageReader, of bus: Bus) {
        guard message.isSignal else { return }
        let retained = RetainedMessage(message)
        mainLoop.enqueue { [weak self, weak bus] in
            if let self, let bus, self.bus === bus { receive(retained.message) }
        }
    }

    /// Handles a signal. Any client can send a signal to this connection, even without a match: only those of the bus
    /// and the service count.
    private func receive(_ message: MessageReader) {
        let sender = String(cString: message.sender)
        if sender == "\(BusNames.bus)" { return receiveFromBus(message) }
        guard let owner, !owner.isEmpty, sender == owner, let signal = ServiceSignal(message) else { return }
        if case .concluded(let path, let token, let result) = signal {
            for done in pending.conclude(token, on: path) { done(result) }
            return
        }
        if case .answered(_, let answer) = signal, let done = asks.remove(answer.token) {
            return done(.success(answer))
        }
        notify { $0.received(signal) }
    }

    private func receiveFromBus(_ message: MessageReader) {
        guard String(cString: message.member) == "NameOwnerChanged",
            let values = try? message.readValues(), values.count == 3, values[0].text == "\(BusNames.service)",
            let owner = values[2].text
        else { return }
        setOwner(owner)
    }
}

/// Observes a ``BusLink`` and the signals of the service.
@FlowActor
protocol LinkListener: AnyObject {
    /// There is a new connection. Everything registered on the previous one is gone.
    func linkConnected()
    /// The connection was lost.
    func linkLost()
    /// The connection was closed. No further notification follows.
    func linkClosed()
    /// The service acquired its name.
    func serviceAppeared()
    /// The service lost its name.
    func serviceDisappeared()
    /// The service sent a signal.
    func received(_ signal: ServiceSignal)
}

extension LinkListener {
    func linkConnected() {}
    func linkLost() {}
    func linkClosed() {}
    func serviceAppeared() {}
    func serviceDisappeared() {}
    func received(_ signal: ServiceSignal) {}
}
