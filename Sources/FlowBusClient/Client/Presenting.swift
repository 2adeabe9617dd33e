public import FlowBus
internal import FlowCore
internal import FlowWire
internal import SdBus

/// A request of the service to show a screen (S-31).
public struct PresentationRequest: Sendable {
    /// The path of the screen.
    public let path: NodePath
    /// The name of the screen.
    public let name: String
    /// The arguments, including those of private steps.
    public let arguments: [String: DBusValue]
    /// The instance number, never used again (S-1).
    public let instance: UInt64
    /// The style, a hint how to show it; empty if there is none.
    public let style: String
    /// The flow that contributed it.
    public let flow: NodePath?
    /// The serial of the navigation that contributed it.
    public let serial: UInt64
    /// Why the service asks. A later version of it can send other reasons.
    public let reason: FlowBus.Presentation.Reason
    /// Whether the service asked for the screen before: it has new arguments, or lost its owner.
    public let isRepeated: Bool
    /// What an owner of the screen saved last; empty if there is nothing (S-44).
    public let state: [String: DBusValue]
    /// The values of the context that the declaration of the screen names (S-57); ``PresentedScreen/context`` follows their changes.
    public let context: [String: DBusValue]
    /// The activation token (xdg-activation) that lets its window come to the front; nil if there is none.
    public let activationToken: String?
    /// Whether the screen is visible already, by an earlier owner or before it returned.
    public let isVisible: Bool
    /// The title that an owner gave it; empty if it has none.
    public let title: String
    /// The screen, for what its owner can do with it.
    public let screen: PresentedScreen
    /// The answers to what the screen asked, as far as they are not acknowledged.
    let answers: [AskMessage]
}

/// A request of the service to close a screen: it was dismissed, but not by this program as its owner, or it is live and
/// this program does not own it any more.
public struct Withdrawal: Sendable {
    /// Why a screen is withdrawn (S-23, S-44).
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The reason as on the bus.
        public let rawValue: String

        /// Creates a reason from its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another client dismissed it.
        public static let dismissed = Reason(rawValue: "dismissed")
        /// Its owner gave up and said what failed, while it was to be shown again.
        public static let failed = Reason(rawValue: "failed")
        /// The user went back.
        public static let back = Reason(rawValue: "back")
        /// A rule of its flow removed it.
        public static let rule = Reason(rawValue: "rule")
        /// It was removed with what is above it.
        public static let parent = Reason(rawValue: "parent")
        /// The navigator of its flow left the bus.
        public static let navigatorGone = Reason(rawValue: "navigatorGone")
        /// Its former owner left the bus.
        public static let ownerGone = Reason(rawValue: "ownerGone")
        /// It could not be shown, or its program failed too often.
        public static let presentFailed = Reason(rawValue: "presentFailed")
        /// It is a flow without children.
        public static let empty = Reason(rawValue: "empty")
        /// Its owner answered with it while it was to be shown again.
        public static let result = Reason(rawValue: "result")
        /// No definition declares it any more.
        public static let undeclared = Reason(rawValue: "undeclared")
        /// Another client shows it; it is live.
        public static let replaced = Reason(rawValue: "replaced")
        /// This program did not answer whether it is alive; the screen is live if its definition has it presented again.
        public static let ownerHangs = Reason(rawValue: "ownerHangs")
        /// To free memory. The screen is live, and this program is its owner until it calls ``NavigationBus/release(_:instance:)``, for at
        /// most 10 s, and may save the state.
        public static let evicted = Reason(rawValue: "evicted")

        /// The word of the reason.
        public var description: String { rawValue }
    }

    /// The path of the screen.
    public let path: NodePath
    /// The instance number of the screen.
    public let instance: UInt64
    /// Why it is withdrawn. A later version of the service can send other reasons.
    public let reason: Reason
}

/// Shows screens for the service, until ``end()`` is called or the object is deallocated.
@FlowActor
public final class ScreenPresenter: LinkListener, Sendable {
    /// The path of the object that the service calls.
    public let path: String
    private let link: BusLink
    private let name: String?
    private let present: @FlowActor (PresentationRequest) async throws -> Void
    private let withdraw: @FlowActor (Withdrawal) -> Void
    private var object: ServedObject?
    private var number: UInt64 = 0
    /// Calls of `present` under way, by the numbers of the requests.
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    /// The screens that the program still holds, by instance.
    private var screens: [UInt64: WeakScreen] = [:]
    private let failed = Broadcast<FlowBus.NavigationFailure>()

    private struct WeakScreen { weak var screen: PresentedScreen? }

    fileprivate init(
        _ link: BusLink, _ name: String?, _ path: String,
        _ present: @escaping @FlowActor (PresentationRequest) async throws -> Void,
        _ withdraw: @escaping @FlowActor (Withdrawal) -> Void
    ) throws(NavigationError) {
        (self.link, self.name, self.path) = (link, name, path)
        (self.present, self.withdraw) = (present, withdraw)
        object = try ServedObject(link, path, [ServedInterfaces.presenter]) { [weak self] member, call, reply in
            self?.handle(member, call, reply)
        }
        number = link.add(self)
    }

    isolated deinit { end() }

    /// Stops showing screens: the object and the bus name are released. This connection still owns the screens that it
    /// has shown.
    public func end() {
        guard let object else { return }
        self.object = nil
        object.end()
        link.remove(number)
        for task in tasks.values { task.cancel() }
        tasks = [:]
        failed.finish()
        if let name {
            link.names.owned.removeAll { $0 == name }
            if link.bus != nil { link.releaseName(name) }
        }
    }

    private func handle(_ member: String, _ call: MessageReader, _ reply: PendingReply) {
        do throws(SdError) {
            switch member {
            case "Present": show(try PresentationRequest(call) { screen($0, $1) }, reply)
            case "Withdraw":
                let withdrawal = try Withdrawal(call)
                screens[withdrawal.instance] = nil
                withdraw(withdrawal)
            // It is asked on the main actor, so the program is alive.
            case "Alive": reply.send()
            default: reply.failUnknown(member)
            }
        } catch {
            reply.failUnread("the call", error)
        }
    }

    private func show(_ request: PresentationRequest, _ reply: PendingReply) {
        let number = link.nextNumber()
        let present = present
        var isDone = false
        let screen = request.screen
        screen.beginPresenting(request.reason)
        // Runs immediately up to the first suspension, so that a withdrawal that follows finds the call begun.
        let task = Task.immediate { @FlowActor [weak self] in
            do {
                try await present(request)
                let report = screen.takeReport()
                reply.send { body throws(SdError) in try body.append(report.arguments) }
                screen.asks.take(request.answers)
                screen.becomeOwned()
            } catch {
                _ = screen.takeReport()
                reply.fail("\(error)")
            }
            isDone = true
            self?.tasks[number] = nil
        }
        if !isDone { tasks[number] = task }
    }

    /// Returns the screen of an instance, the same one as long as the program holds it: so its calls know of each other.
    private func screen(_ path: NodePath, _ instance: UInt64) -> PresentedScreen {
        if let screen = screens[instance]?.screen { return screen }
        screens = screens.filter { $0.value.screen != nil }
        let screen = PresentedScreen(link, path, instance)
        let asking = path
        screen.asks.failed = { [weak self] error in
            self?.notify(NavigationFailure(path: asking, step: "", error))
        }
        screens[instance] = WeakScreen(screen: screen)
        return screen
    }

    func received(_ signal: ServiceSignal) {
        switch signal {
        case .answered(let object, let answer):
            guard let instance = InstancePath.instance(at: object) else { return }
            // If the program does not hold the screen, the next Present has the answer.
            screens[instance]?.screen?.asks.take([answer])
        case .contextChanged(let path, let values):
            for case let screen? in screens.values.map(\.screen) where screen.path == path { screen.take(values) }
        case .sight(let path, let isInSight):
            // Of two at a path, the older one is gone.
            let screen = screens.values.compactMap(\.screen).filter { $0.path == path }.max {
                $0.instance < $1.instance
            }
            screen?.sightChanged(isInSight)
        default: break
        }
    }

    /// What failed without a caller, from now on: reports and steps of the objects of ``NavigationBus/present(as:at:screens:)``.
    public var failures: NavigationEvents<FlowBus.NavigationFailure> { failed.values() }

    func notify(_ failure: FlowBus.NavigationFailure) { failed.send(failure) }

    func linkConnected() {
        guard let name else { return }
        // If another program has the name now, that program shows the screens.
        link.requestName(name) { _ in }
    }

    func linkClosed() { end() }
}

extension NavigationBus {
    /// Shows the screens whose definitions name this program as their presenter.
    ///
    /// ```swift
    /// let presenter = try await bus.present(as: "com.example.Player") { request in
    ///     // The window exists already if the screen got new arguments, or if the service was restarted.
    ///     let window = windows[request.instance] ?? Window()
    ///     windows[request.instance] = window
    ///     window.show(request.arguments)
    /// } withdraw: { withdrawal in
    ///     windows.removeValue(forKey: withdrawal.instance)?.close()
    /// }
    /// ```
    ///
    /// A program that has shown a screen owns it. What the closure says of it before it returns goes with the answer to the service,
    /// in one message:
    ///
    /// ```swift
    /// let presenter = try await bus.present(as: "com.example.Player") { request in
    ///     let window = Window(request.arguments)
    ///     await window.isMapped()
    ///     try await request.screen.setTitle("Player")
    ///     try await request.screen.setVisible(true)
    /// }
    /// ```
    ///
    /// It gets no withdrawal for a screen that it dismisses itself. A path can be used again for another screen; an instance can't.
    ///
    /// After a restart of the service, keep the views whose instances are still live, including those of screens that
    /// are being presented; ``watch(_:buffering:)`` reports them with ``TreeEvent/snapshot(_:)``. Do not use
    /// ``ownedPresentables()`` for that.
    ///
    /// - Parameters:
    ///   - name: the well-known bus name that the definition contains. It is requested once the object exists. nil
    ///     requests no name.
    ///   - path: the object path that the definition contains. nil derives it from the name, with `/` for `.` and `_`
    ///     for `-`; without a name it is `/`.
    ///   - present: shows a screen, immediately or later. If it throws, the service gets the error and dismisses the
    ///     screen.
    ///   - withdraw: closes a screen that was shown and is gone, or that another client shows now.
    /// - Returns: The presenter. It serves the object as long as it is kept.
    /// - Throws: ``/FlowBus/NavigationError``: `notOwner` if another program has the name, `alreadyRegistered` if this
    ///   connection serves the path already, `invalidArguments` if the name or the path is invalid, …
    public func present(
        as name: String? = nil, at path: String? = nil,
        _ present: @escaping @FlowActor (PresentationRequest) async throws -> Void,
        withdraw: @escaping @FlowActor (Withdrawal) -> Void = { _ in }
    ) async throws -> ScreenPresenter {
        let place = path ?? name.map(Self.path(of:)) ?? "/"
        let presenter = try ScreenPresenter(link, name, place, present, withdraw)
        if let name {
            do {
                try await answer { link.requestName(name, $0) }
                link.names.owned.append(name)
            } catch {
                presenter.end()
                throw error
            }
        }
        return presenter
    }

    private static func path(of name: String) -> String {
        "/" + name.map { $0 == "." ? "/" : $0 == "-" ? "_" : String($0) }.joined()
    }
}

extension PresentationRequest {
    /// Reads `osa{sv}a{sv}`.
    @FlowActor
    init(_ call: MessageReader, _ makeScreen: (NodePath, UInt64) -> PresentedScreen) throws(SdError) {
        path = NodePath(String(cString: try call.readObjectPath()))
        name = String(cString: try call.readString())
        arguments = try call.readArguments().dictionary
        let options = try call.readArguments()
        instance = options["instance"]?.value.number ?? 0
        screen = makeScreen(path, instance)
        reason = Presentation.Reason(rawValue: options["reason"]?.value.text ?? Presentation.Reason.launch.rawValue)
        state = options["state"]?.value.dictionary ?? [:]
        context = options["context"]?.value.dictionary ?? [:]
        screen.take(context)
        answers = options["answers"]?.value.elements.compactMap { AskMessage($0.elements) } ?? []
        style = options["style"]?.value.text ?? ""
        flow = (options["flow"]?.value.text).flatMap(NodePath.init(object:))
        serial = options["serial"]?.value.number ?? 0
        isRepeated = options["again"]?.value.truth ?? false
        activationToken = options["activation-token"]?.value.text
        isVisible = options["visible"]?.value.truth ?? false
        title = options["title"]?.value.text ?? ""
    }
}

extension Withdrawal {
    /// Reads `ots`.
    fileprivate init(_ call: MessageReader) throws(SdError) {
        path = NodePath(String(cString: try call.readObjectPath()))
        instance = try call.readUInt64()
        reason = Reason(rawValue: String(cString: try call.readString()))
    }
}
