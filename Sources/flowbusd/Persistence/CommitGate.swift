import FlowCore
import FlowWire
internal import Glibc
import Logging
import SdBus

/// Holds back the effects of events that changed the tree until the change is written (D-1).
///
/// All messages at hand share one commit, and nothing is sent in another order than without it: a call that is answered
/// without an event makes the commit come first.
final class CommitGate {
    /// The effects of one event.
    struct PendingEffects {
        let effects: [Effect]
        /// The call that brought the event.
        let call: RetainedMessage?
        let request: RequestID
        /// When the event occurred.
        let time: Instant
    }

    /// How many events wait for a commit at most: then it comes, even while messages are at hand.
    static let capacity = 64

    /// Whether effects wait at all; not where no file can be written.
    var isEnabled = false
    /// Runs when the commit is due, and calls ``removeAll()``.
    var commit: () -> Void = {}
    private let bus: Bus
    private let logger: Logger
    private var pending: [PendingEffects] = []
    /// Sees calls before they are served; only while effects are pending.
    private var messageFilter: Slot?
    private var commitTask: DeferredTask?

    /// An open gate of a connection and the loop that serves it; failures go to this log.
    init(_ bus: Bus, _ loop: EventLoop, _ logger: Logger) throws(SdError) {
        self.bus = bus
        self.logger = logger
        commitTask = try loop.deferred(.afterMessages) { [unowned self] in commit() }
    }

    /// Whether nothing is pending.
    var isEmpty: Bool { pending.isEmpty }

    /// Adds the effects of an event.
    ///
    /// - Parameter capacity: how many events may be pending.
    func add(_ effects: PendingEffects, upTo capacity: Int = CommitGate.capacity) {
        pending.append(effects)
        guard pending.count < capacity else { return commit() }
        guard pending.count == 1 else { return }
        do throws(SdError) {
            messageFilter = try filterMessages()
            try commitTask?.schedule()
        } catch {
            logger.error("Could not wait for other messages: \(error)")
            commit()
        }
    }

    /// The navigations among the pending effects, with their times.
    func forEachNavigation(_ body: (Navigation, Instant) -> Void) {
        for item in pending {
            for case .emitNavigationOccurred(let navigation) in item.effects { body(navigation, item.time) }
        }
    }

    /// Removes all effects, which the caller carries out in this order.
    func removeAll() -> [PendingEffects] {
        messageFilter = nil
        defer { pending = [] }
        return pending
    }

    private func filterMessages() throws(SdError) -> Slot {
        try bus.addFilter(userdata: Unmanaged.passUnretained(self).toOpaque()) { message, context, _ in
            guard let message, let context else { return 0 }
            let call = MessageReader(message)
            if call.isCall, !CommitGate.admits(call) {
                Unmanaged<CommitGate>.fromOpaque(context).takeUnretainedValue().commit()
            }
            return 0
        }
    }
}

// MARK: - Which calls can wait for a commit

extension CommitGate {
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

    /// The members that only hand an event to the core, the most frequent first.
    private static let handledMembers = [
        Member("EmitStep", BusNames.Interface.stepper, "sa{sv}"),
        Member("SetVisible", BusNames.Interface.presentable, "b"),
        Member("Claim", BusNames.Interface.presentable, ""),
        Member("Dismiss", BusNames.Interface.presentable, ""),
        Member("EmitStepWithOptions", BusNames.Interface.stepper, "sa{sv}a{sv}"),
        Member("EmitSteps", BusNames.Interface.stepper, "a(sa{sv})"),
        Member("Release", BusNames.Interface.presentable, ""),
        Member("Back", BusNames.Interface.flow, ""),
        Member("BackWithOptions", BusNames.Interface.stepper, "a{sv}"),
        Member("Touch", BusNames.Interface.presentable, ""),
        Member("SetBackStep", BusNames.Interface.presentable, "s"),
        Member("SaveState", BusNames.Interface.presentable, "a{sv}"),
        Member("Finish", BusNames.Interface.presentable, "a{sv}"),
        Member("AcknowledgeAnswer", BusNames.Interface.presentable, "s"),
        Member("SetTitle", BusNames.Interface.presentable, "s"),
        Member("WaitReady", BusNames.Interface.flow, ""),
        Member("Coordinate", BusNames.Interface.coordinator, "ssa{sv}a{sv}", isOfRoot: true),
        Member("Navigate", BusNames.Interface.coordinator, "sa{sv}a{sv}", isOfRoot: true),
        Member("MoveRoot", BusNames.Interface.coordinator, "os", isOfRoot: true),
        Member("NavigateAlong", BusNames.Interface.coordinator, "a(ssa{sv})a{sv}", isOfRoot: true),
    ]

    /// Whether a call can be handled before the commit, because it only hands an event to the core. If its object is not
    /// found, or it is refused, the commit comes first all the same. Any other call is answered at once, by sd-bus or by a
    /// handler that reports the state of the tree.
    static func admits(_ call: MessageReader) -> Bool {
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

    /// Whether a C string begins with these bytes and a slash.
    fileprivate func begins(_ text: UnsafePointer<CChar>) -> Bool {
        compare(text) == UInt8(ascii: "/")
    }

    /// The byte of a C string at the end of the literal (0: the string ends there, too); nil where they differ before.
    private func compare(_ text: UnsafePointer<CChar>) -> UInt8? {
        strncmp(cString, text, utf8CodeUnitCount) == 0 ? UInt8(bitPattern: text[utf8CodeUnitCount]) : nil
    }
}
