import FlowCore
import FlowWire
import Logging
import SdBus

// Group commit (D-1): what an event that changed the tree leads to is held back until the change is written. All messages
// at hand share one commit; nothing of what they lead to is sent in another order than without it.

extension Daemon {
    /// What an event leads to, held back.
    struct PendingEffects {
        let effects: [Effect]
        /// The call that brought the event.
        let call: RetainedMessage?
        let request: RequestID
        /// When the event was.
        let time: Instant
    }

    /// How many events wait for a commit at the most: then there is one, however many messages are still at hand.
    static let mostPending = 64

    /// Sets up what keeping needs; before there are messages.
    func preparePersistence() throws(SdError) {
        commitTask = try loop.deferred(.afterMessages) { [unowned self] in commit() }
        persistence.changedRecords = { [unowned self] in
            // What changed is written together with the navigations that changed it.
            commit()
            return coordinator.takeRecords()
        }
        persistence.allRecords = { [unowned self] in coordinator.takeAllRecords() }
        persistence.onTroubleChange = { [unowned self] in durabilityChanged() }
    }

    /// Looks at messages before they are served, as long as there is something to settle before.
    private func watchMessages() throws(SdError) -> Slot {
        try bus.addFilter(userdata: Unmanaged.passUnretained(self).toOpaque()) { message, context, _ in
            guard let message, let daemon = Daemon.from(context) else { return 0 }
            let call = MessageReader(message)
            if call.isCall && !Daemon.isHandled(call) { daemon.commit() }
            return 0
        }
    }

    /// Holds back what an event leads to.
    func hold(_ effects: [Effect], answering call: MessageReader?, of request: RequestID) {
        // A call that waits to be sent shall not have its turn before this is carried out; nobody sees it.
        for case .dropQuestion(let question) in effects { outbox.drop(question) }
        held.append(
            PendingEffects(effects: effects, call: call.map(RetainedMessage.init), request: request, time: latestTime))
        // At the start all of it is written before anything is told.
        guard held.count < Self.mostPending || !isServing else { return commit() }
        guard held.count == 1 else { return }
        do throws(SdError) {
            messageFilter = try watchMessages()
            try commitTask?.schedule()
        } catch {
            logger.error("Could not wait for other messages: \(error)")
            commit()
        }
    }

    /// Writes what changed, and carries out what was held back for it. Whatever answers a call by itself, or tells what
    /// the tree is like, comes after this: else it would overtake, or tell what may yet be lost.
    func commit() {
        guard !held.isEmpty else { return }
        messageFilter = nil
        addPendingToHistory()
        persistence.persist(coordinator.takeRecords())
        var due: [PendingEffects] = []
        swap(&due, &held)
        for item in due {
            perform(item.effects, answering: item.call?.message, of: item.request, areInHistory: true)
        }
        persistence.flushIfFull()
    }

    /// Adds the navigations of what is held back to those that are written.
    func addPendingToHistory() {
        for item in held {
            for case .emitNavigationOccurred(let navigation) in item.effects {
                persistence.append(navigation, at: item.time)
            }
        }
    }

    /// `Durable`, the status text and what is held back follow the files.
    private func durabilityChanged() {
        delaysEffects = persistence.isWorking
        guard isServing, !isLost else { return }
        statusChanged()
        guard persistence.isDurable != reportedDurable else { return }
        reportedDurable = persistence.isDurable
        do { try sendDurable(reportedDurable) } catch { connectionFailed(error) }
    }
}

// MARK: - Which calls can wait for a commit

extension Daemon {
    private struct Member {
        let name: StaticString
        let interface: StaticString
        let signature: StaticString
        let isOfRoot: Bool

        init(_ name: StaticString, _ interface: StaticString, _ signature: StaticString, isOfRoot: Bool = false) {
            self.name = name
            self.interface = interface
            self.signature = signature
            self.isOfRoot = isOfRoot
        }
    }

    /// The members that do nothing but hand an event to the core, by the order in which they are likely.
    private static let handledMembers = [
        Member("EmitStep", BusNames.Interface.stepper, "sa{sv}"),
        Member("SetVisible", BusNames.Interface.presentable, "b"),
        Member("Claim", BusNames.Interface.presentable, ""),
        Member("Dismiss", BusNames.Interface.presentable, ""),
        Member("EmitStepWithOptions", BusNames.Interface.stepper, "sa{sv}a{sv}"),
        Member("EmitSteps", BusNames.Interface.stepper, "a(sa{sv})"),
        Member("Release", BusNames.Interface.presentable, ""),
        Member("Back", BusNames.Interface.flow, ""),
        Member("WaitReady", BusNames.Interface.flow, ""),
        Member("Coordinate", BusNames.Interface.coordinator, "ssa{sv}a{sv}", isOfRoot: true),
        Member("Navigate", BusNames.Interface.coordinator, "sa{sv}a{sv}", isOfRoot: true),
        Member("NavigateAlong", BusNames.Interface.coordinator, "a(ssa{sv})a{sv}", isOfRoot: true),
    ]

    /// Whether a call comes to ``handle(_:answering:)``, unless a lookup finds nothing or it is refused, both of which
    /// settle. Any other is answered at once: by sd-bus, or by a handler that tells how things are.
    static func isHandled(_ call: MessageReader) -> Bool {
        guard let member = handledMembers.first(where: { $0.name.isSpelled(call.member) }),
            let interface = call.interface
        else { return false }
        return member.interface.isSpelled(interface) && member.signature.isSpelled(call.signature)
            && (member.isOfRoot
                ? BusNames.root.isSpelled(call.path)
                : BusNames.tree.begins(call.path) || BusNames.instances.begins(call.path))
    }
}

extension StaticString {
    /// Whether a C string has these bytes.
    fileprivate func isSpelled(_ text: UnsafePointer<CChar>) -> Bool { compare(text) == 0 }

    /// Whether a C string begins with these bytes, and goes on with a slash.
    fileprivate func begins(_ text: UnsafePointer<CChar>) -> Bool {
        compare(text) == UInt8(ascii: "/")
    }

    /// The byte of a C string where the literal ends (0: both end there); nil where they differ before.
    private func compare(_ text: UnsafePointer<CChar>) -> UInt8? {
        for place in 0..<utf8CodeUnitCount where UInt8(bitPattern: text[place]) != utf8Start[place] { return nil }
        return UInt8(bitPattern: text[utf8CodeUnitCount])
    }
}
