public import FlowCore
internal import FlowWire
internal import SdBus

/// The service asks for a screen to be shown (S-31).
public struct PresentRequest: Sendable {
    /// Where it lives.
    public let path: NodePath
    /// The screen's name.
    public let name: String
    /// Its arguments, those of private steps included.
    public let arguments: [String: Value]
    /// The number of this very one; never used again (S-1).
    public let instance: UInt64
    /// How it is to be shown; empty where nothing is said.
    public let style: String
    /// Its flow.
    public let flow: NodePath?
    /// The serial of the navigation that contributed it.
    public let serial: UInt64
    /// Whether it was presented before: it has new arguments, or lost its owner.
    public let isAgain: Bool
    /// What lets its window come to the front (xdg-activation); nil: nobody gave one.
    public let activationToken: String?
}

/// A screen is gone by other hands than its presenter's, or another client's now.
public struct Withdrawal: Sendable {
    /// Where it lived.
    public let path: NodePath
    /// The number of this very one.
    public let instance: UInt64
    /// Why: `dismissed`, `back`, `rule`, `parent`, …; `replaced`: it is live, and another client owns it. A later service may
    /// know more.
    public let reason: String
}

/// This program shows screens, until this is told to end or nobody holds it any more.
@MainActor
public final class Presenter: LinkListener, Sendable {
    /// The path of the object that the service calls.
    public let path: String
    private let link: BusLink
    private let name: String?
    private let present: @MainActor (PresentRequest) async throws -> Void
    private let withdraw: @MainActor (Withdrawal) -> Void
    private var object: ServedObject?
    private var number: UInt64 = 0
    /// Screens that are being shown, by the numbers of their calls.
    private var tasks: [UInt64: Task<Void, Never>] = [:]

    fileprivate init(
        _ link: BusLink, _ name: String?, _ path: String,
        _ present: @escaping @MainActor (PresentRequest) async throws -> Void,
        _ withdraw: @escaping @MainActor (Withdrawal) -> Void
    ) throws(NavigationError) {
        (self.link, self.name, self.path) = (link, name, path)
        (self.present, self.withdraw) = (present, withdraw)
        object = try ServedObject(link, path, [ServedInterfaces.presenter]) { [weak self] member, call, reply in
            self?.take(member, call, reply)
        }
        number = link.add(self)
    }

    isolated deinit { end() }

    /// Shows no more screens: the object and the name are gone. What it has shown is still this connection's own.
    public func end() {
        guard let object else { return }
        self.object = nil
        object.end()
        link.remove(number)
        for task in tasks.values { task.cancel() }
        tasks = [:]
        if let name, link.bus != nil { link.releaseName(name) }
    }

    private func take(_ member: String, _ call: MessageReader, _ reply: PendingReply) {
        do throws(SdError) {
            switch member {
            case "Present": show(try PresentRequest(call), reply)
            case "Withdraw": withdraw(try Withdrawal(call))
            default: reply.failUnknown(member)
            }
        } catch {
            reply.failUnread("the call", error)
        }
    }

    private func show(_ request: PresentRequest, _ reply: PendingReply) {
        let number = link.nextNumber()
        let present = present
        var isDone = false
        // At once, up to where it waits for something: so a withdrawal that follows finds it begun.
        let task = Task.immediate { @MainActor [weak self] in
            do {
                try await present(request)
                reply.send()
            } catch {
                reply.fail("\(error)")
            }
            isDone = true
            self?.tasks[number] = nil
        }
        if !isDone { tasks[number] = task }
    }

    func linkConnected() {
        guard let name else { return }
        // Where another has it now, that one shows the screens.
        link.requestName(name) { _ in }
    }

    func linkClosed() { end() }
}

extension NavigationBus {
    /// Shows screens whose definition names this program as their presenter.
    ///
    /// ```swift
    /// let presenter = try await bus.present(as: "com.example.Player") { request in
    ///     // It is there already where the screen got new arguments, or the service was started again.
    ///     let window = windows[request.instance] ?? Window()
    ///     windows[request.instance] = window
    ///     window.show(request.arguments)
    /// } withdraw: { withdrawal in
    ///     windows.removeValue(forKey: withdrawal.instance)?.close()
    /// }
    /// ```
    ///
    /// Who has shown a screen is its owner; it says ``setVisible(_:at:instance:)`` when it is in sight. Of what it dismisses
    /// itself it hears no more. A path can be another screen's later, an instance can't.
    ///
    /// When the service was started again, views are kept whose instances are still live, also of screens that are just being
    /// presented; ``watch(_:)`` tells all that is live then, ``TreeEvent/live(_:)``. Which of them this connection owns
    /// (``owned()``) says nothing about that.
    ///
    /// - Parameters:
    ///   - name: the well-known name that the definition says; it is taken once the object is there. nil: none.
    ///   - path: the path that the definition says; nil: the name with `/` for `.` and `_` for `-`, `/` without a name.
    ///   - present: shows a screen, at once or later; what it throws is told to the service, and the screen is dismissed.
    ///   - withdraw: a screen that was shown is gone by other hands, or another client shows it now.
    /// - Returns: what serves, as long as it is held.
    /// - Throws: ``NavigationError``: `notOwner`, where another program has the name, `alreadyRegistered`, where this
    ///   connection serves that path already, `invalidArguments` for what is no name or path, …
    public func present(
        as name: String? = nil, at path: String? = nil,
        _ present: @escaping @MainActor (PresentRequest) async throws -> Void,
        withdraw: @escaping @MainActor (Withdrawal) -> Void = { _ in }
    ) async throws -> Presenter {
        let place = path ?? name.map(Self.path(of:)) ?? "/"
        let presenter = try Presenter(link, name, place, present, withdraw)
        if let name {
            do {
                try await answer { link.requestName(name, $0) }
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

extension PresentRequest {
    /// Reads `osa{sv}a{sv}`.
    init(_ call: MessageReader) throws(SdError) {
        path = NodePath(String(cString: try call.readObjectPath()))
        name = String(cString: try call.readString())
        arguments = try call.readArguments().dictionary
        let options = try call.readArguments()
        instance = options["instance"]?.value.number ?? 0
        style = options["style"]?.value.text ?? ""
        flow = (options["flow"]?.value.text).flatMap(NodePath.init(object:))
        serial = options["serial"]?.value.number ?? 0
        isAgain = options["again"]?.value.truth ?? false
        activationToken = options["activation-token"]?.value.text
    }
}

extension Withdrawal {
    /// Reads `ots`.
    fileprivate init(_ call: MessageReader) throws(SdError) {
        path = NodePath(String(cString: try call.readObjectPath()))
        instance = try call.readUInt64()
        reason = String(cString: try call.readString())
    }
}
