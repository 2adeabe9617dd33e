internal import FlowWire
internal import SdBus

/// A connection to a bus that is made again when it is lost, and who has the service's name there.
///
/// All that others want of the connection (matches, objects, names) is theirs to make again: they are told
/// (``LinkListener``), in the order in which they were added. All callbacks come from the loop, never before the call that
/// they belong to has returned, in the order of the wire: signals, calls and answers alike.
///
/// Signals come by one filter, and not by sd-bus's own matches: so there is one order, and who sent them is held against who
/// has the service's name at that very place of the stream, which the bus tells in the same stream.
@MainActor
final class BusLink {
    let mainLoop: EmbeddedMainLoop
    private let address: Bus.Address
    /// nil: there is no connection.
    private(set) var bus: Bus?
    /// Who has the service's name: a unique name; empty: nobody; nil: not known yet.
    private(set) var owner: String?
    /// The connection's own name; empty until the bus has given one.
    private(set) var uniqueName = ""
    private(set) var isClosed = false
    private var filter: MessageReceiver?
    private var retry: Timer?
    private var delay = BusLink.firstDelay

    private var listeners: [Entry] = []
    private var last: UInt64 = 0
    /// Calls under way, by their numbers.
    var calls: [UInt64: LinkCall] = [:]
    /// Steps whose outcome is to come.
    var pending = PendingSteps()

    private struct Entry {
        let number: UInt64
        weak var listener: (any LinkListener)?
    }

    /// Pauses between attempts to connect, in µs.
    private static var firstDelay: UInt64 { 100_000 }
    private static var longestDelay: UInt64 { 5_000_000 }

    /// Connects, and waits for the bus.
    init(_ address: Bus.Address, _ loop: MainLoop) throws(SdError) {
        mainLoop = try EmbeddedMainLoop(loop)
        self.address = address
        let bus = try Bus(address)
        uniqueName = bus.uniqueName
        try use(bus)
        retry = try mainLoop.loop.timer { [unowned self] in mainLoop.enqueue { [weak self] in self?.reconnect() } }
    }

    isolated deinit { close() }

    func nextNumber() -> UInt64 {
        last += 1
        return last
    }

    /// Ends the connection, and all calls with it.
    func close() {
        if isClosed { return }
        isClosed = true
        try? retry?.disarm()
        drop()
        let all = listeners
        listeners = []
        for entry in all { entry.listener?.linkClosed() }
    }

    // MARK: Those who are told

    /// Tells somebody from now on, as long as that is held, after those who came before.
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

    private func use(_ bus: Bus) throws(SdError) {
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
            try use(Bus(connectingTo: address))
            notify { $0.linkConnected() }
        } catch {
            // It may have got as far as to be in use.
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
            // The bus has answered: it is there.
            delay = Self.firstDelay
            uniqueName = bus?.uniqueName ?? ""
            switch result {
            case .success(let answer): take(owner: (try? answer.readString()).map { String(cString: $0) } ?? "")
            case .failure: take(owner: "")
            }
        }
    }

    private func take(owner new: String) {
        let old = owner
        owner = new
        if let old, old == new { return }
        if let old, !old.isEmpty {
            askAgain()
            notify { $0.serviceWent() }
        }
        if !new.isEmpty { notify { $0.serviceCame() } }
    }

    // MARK: What comes by itself

    /// Notes a message while sd-event runs. What concerns nobody is not kept.
    private func note(_ message: MessageReader, of bus: Bus) {
        guard message.isSignal else { return }
        let kept = RetainedMessage(message)
        mainLoop.enqueue { [weak self, weak bus] in
            if let self, let bus, self.bus === bus { receive(kept.message) }
        }
    }

    /// Anybody can send a signal to this connection alone, without a match: those of others don't count.
    private func receive(_ message: MessageReader) {
        let sender = String(cString: message.sender)
        if sender == "\(BusNames.bus)" { return hearBus(message) }
        guard let owner, !owner.isEmpty, sender == owner, let signal = ServiceSignal(message) else { return }
        if case .concluded(let path, let token, let result) = signal {
            for done in pending.conclude(token, on: path) { done(result) }
            return
        }
        notify { $0.received(signal) }
    }

    private func hearBus(_ message: MessageReader) {
        guard String(cString: message.member) == "NameOwnerChanged",
            let values = try? message.readValues(), values.count == 3, values[0].text == "\(BusNames.service)",
            let owner = values[2].text
        else { return }
        take(owner: owner)
    }
}

/// Who wants to know how a ``BusLink`` is doing, and what the service says.
@MainActor
protocol LinkListener: AnyObject {
    /// There is another connection: nothing that was made on the one before is there any more.
    func linkConnected()
    /// The connection is lost.
    func linkLost()
    /// The connection is gone for good; nothing more is told.
    func linkClosed()
    /// The service has its name, at first or anew.
    func serviceCame()
    /// The service has its name no longer.
    func serviceWent()
    /// The service sent a signal.
    func received(_ signal: ServiceSignal)
}

extension LinkListener {
    func linkConnected() {}
    func linkLost() {}
    func linkClosed() {}
    func serviceCame() {}
    func serviceWent() {}
    func received(_ signal: ServiceSignal) {}
}
