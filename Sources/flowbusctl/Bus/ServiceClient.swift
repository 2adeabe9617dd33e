import FlowCore
import FlowFile
import FlowTrace
import FlowWire
import Platform
import SdBus

/// A client of the service: its calls, and the signals that it receives.
final class ServiceClient {
    /// The root object's path.
    static let root = "\(BusNames.root)"

    /// The connection; nil if a recording answers.
    private let connection: Bus?
    /// What answers in place of the service (`--replay`), or the answers that are written down (`record`).
    var recording: Recording?
    let options: Options
    /// Whether the command could own a bus name for its calls, and does not.
    var canOwnName = false
    /// The unique name of the service, as of the last message taken; see ``subscribeToOwner()``.
    private var serviceOwner = ""

    /// Connects to the bus; it does not start the service.
    ///
    /// - Parameter time: how long connecting and each call may take, in µs; nil for the usual time.
    init(_ options: Options, within time: UInt64? = nil) throws(Failure) {
        self.options = options
        if let file = options.replay {
            connection = nil
            recording = try Recording(file: file)
            return
        }
        do throws(SdError) {
            if let time {
                connection = try Bus(options.busAddress, within: time)
            } else {
                connection = try Bus(options.busAddress)
            }
        } catch {
            throw Failure(
                .unavailable, "can't connect to \(options.busName): \(Self.reason(error)); " + Self.advice(options))
        }
    }

    private static func reason(_ error: SdError) -> String {
        // sd-bus reports this if no variable names a session bus.
        error.reason == "No medium found" ? "the environment has no address of it" : error.reason
    }

    private static func advice(_ options: Options) -> String {
        if options.address != nil { return "name another with --address, or leave it out for the session bus" }
        return options.bus == .system
            ? "check that D-Bus is running, or use --user for the session bus"
            : "set DBUS_SESSION_BUS_ADDRESS, or name a bus with --address or --system"
    }

    /// The connection.
    var bus: Bus {
        get throws(Failure) {
            if let connection { return connection }
            throw Failure(
                .unavailable, "\(options.busName) only has what was; leave out --replay to talk to the service itself")
        }
    }

    /// Whether there is a connection, and it is not lost.
    var isConnected: Bool { connection?.isOpen ?? false }

    // MARK: Calls

    /// Calls a method and waits for the reply.
    ///
    /// - Parameters:
    ///   - path: the path of the object.
    ///   - interface: the interface.
    ///   - member: the method.
    ///   - arguments: the arguments.
    ///   - activates: whether the bus may start the service.
    ///   - timeout: the time limit in µs; nil for 25 s.
    /// - Returns: The values of the reply.
    @discardableResult
    func call(
        _ path: String, _ interface: StaticString, _ member: String, _ arguments: [Value] = [], activates: Bool = true,
        timeout: UInt64? = nil
    ) throws(Failure) -> [Value] {
        let call = Recording.Call(path, "\(interface)", member, arguments)
        if connection == nil, let recording { return try recording.replayed(call, options) }
        do throws(CallFailure) {
            let values = try answer(to: BusNames.service, path, interface, member, arguments, activates, timeout)
            recording?.note(values, to: call)
            return values
        } catch {
            throw failure(error, path)
        }
    }

    /// Calls a method of the root object.
    @discardableResult
    func coordinator(_ member: String, _ arguments: Value..., timeout: UInt64? = nil) throws(Failure) -> [Value] {
        try call(Self.root, BusNames.Interface.coordinator, member, arguments, timeout: timeout)
    }

    /// Returns all properties of an interface.
    func properties(
        _ path: String, _ interface: StaticString, activates: Bool = true
    ) throws(Failure) -> Value {
        let answer = try call(
            path, BusNames.Interface.properties, "GetAll", [.string("\(interface)")], activates: activates)
        return answer.first ?? .dictionary([])
    }

    private func answer(
        to destination: StaticString, _ path: String, _ interface: StaticString, _ member: String, _ arguments: [Value],
        _ activates: Bool, _ timeout: UInt64?
    ) throws(CallFailure) -> [Value] {
        guard let bus = connection else { return [] }
        // On a terminal, a guard may ask the user for authorization.
        let answer = try bus.calling(
            destination.cString, path, interface.cString, member, timeout: timeout ?? 0, activates: activates,
            isInteractive: Terminal.isErrors
        ) { body throws(SdError) in
            for argument in arguments { try body.append(argument) }
        }
        do throws(SdError) {
            return try answer.message.readValues()
        } catch {
            throw .failed(error)
        }
    }

    // MARK: Signals

    /// Subscribes to signals; see ``Bus/subscribe(to:)``.
    func subscribe(_ rule: String) throws(Failure) {
        let bus = try bus
        do throws(CallFailure) { try bus.subscribe(to: rule) } catch { throw failure(error, Self.root) }
    }

    /// Subscribes to changes of the owner of the service's name.
    func subscribeToOwner() throws(Failure) {
        try subscribe(
            "type='signal',sender='\(BusNames.bus)',interface='\(BusNames.bus)',member='NameOwnerChanged',"
                + "path='\(BusNames.busPath)',arg0='\(BusNames.service)'")
        serviceOwner = (try? connection?.uniqueName(ofOwnerOf: "\(BusNames.service)")) ?? ""
    }

    /// Returns the next signal of the bus or the service; nil if there is none in time.
    ///
    /// Any client can send a signal to this connection, even without a match rule: others are ignored.
    func next(within time: UInt64? = nil) throws(Failure) -> Incoming? {
        let bus = try bus
        do throws(SdError) {
            while true {
                guard let message = try bus.nextMessage(within: time) else { return nil }
                guard let incoming = try Incoming(message.message) else { continue }
                if let owner = incoming.newOwner { serviceOwner = owner }
                if incoming.isOfBus || incoming.sender == serviceOwner { return incoming }
            }
        } catch {
            throw failure(.failed(error), Self.root)
        }
    }

    // MARK: The owner of the service's name

    /// Returns the owner of the service's name; nil if there is none. It does not start the service.
    func owner() -> Bus.Owner? { connection?.owner(of: "\(BusNames.service)") }

    /// What the program that stacks windows says of itself; nil if there is none. One that hangs is not waited for.
    func stacker() -> Stacker? {
        let path = "\(BusNames.stackerPath)"
        let arguments = [Value.string("\(BusNames.stacker)")]
        let call = Recording.Call(path, "\(BusNames.Interface.properties)", "GetAll", arguments)
        if connection == nil { return recording?.answer(to: call)?.first.map(Stacker.init) }
        guard connection?.owner(of: "\(BusNames.stacker)") != nil else { return nil }
        let values = try? answer(
            to: BusNames.stacker, path, BusNames.Interface.properties, "GetAll", arguments, false, 2_000_000)
        if let values { recording?.note(values, to: call) }
        return Stacker(values?.first ?? .dictionary([]))
    }

    /// Who an owner of presentables is: the presenter, if it is that, else the process; nil if neither is known.
    func name(ofOwner owner: String, presenter: String) -> String? {
        guard let connection else { return recording?.owner(owner) }
        // A unique name adds nothing to that of the owner.
        let isPresenter =
            !presenter.isEmpty && !presenter.hasPrefix(":")
            && (try? connection.uniqueName(ofOwnerOf: presenter)) == owner
        let process = isPresenter ? nil : connection.owner(of: owner)
        let name = isPresenter ? presenter : process?.processID == nil ? nil : process?.description
        if let name { recording?.note(owner: owner, name) }
        return name
    }

    // MARK: Failures

    private func failure(_ failure: CallFailure, _ path: String) -> Failure {
        switch failure {
        case .failed(let error) where error.isDisconnected:
            return Failure(.unavailable, "the connection to \(options.busName) is lost")
        case .failed(let error):
            return Failure(.inputOutput, "could not talk to the service: \(error)")
        case .refused(let name, let text):
            return refusal(name, text, path)
        }
    }

    private func refusal(_ name: String, _ text: String, _ path: String) -> Failure {
        let reason = text.isEmpty ? name : Names.line(text)
        switch name {
        case "\(BusNames.BusError.serviceUnknown)", "\(BusNames.BusError.nameHasNoOwner)":
            return noService()
        case "\(BusNames.BusError.unknownObject)" where path.hasPrefix("\(BusNames.tree)"):
            return Failure(.noInput, missing(path), errorName: name)
        case "\(BusNames.BusError.unknownObject)" where InstancePath.instance(at: path) != nil:
            let instance = InstancePath.instance(at: path) ?? 0
            return Failure(.noInput, Target.missing(instance: instance), errorName: name)
        case "\(BusNames.BusError.noReply)":
            // The bus sends this error if the service is gone; sd-bus uses another one for its own time limit.
            return Failure(
                .unavailable, "the service ended before it answered; whether the call was carried out is unknown",
                errorName: name)
        case "\(BusNames.BusError.timeout)", "\(BusNames.BusError.timedOut)":
            return Failure(.timeout, "the service did not answer in time: \(reason)", errorName: name)
        case FlowError.Code.timeout.busName:
            return Failure(.timeout, reason, errorName: name)
        case _ where name.hasPrefix(BusNames.BusError.spawnPrefix):
            return Failure(.unavailable, "the service could not be started: \(reason)", errorName: name)
        case "\(BusNames.BusError.accessDenied)" where text.isEmpty:
            return Failure(.refused, "the service or the bus does not allow this", errorName: name)
        // Refused by the `emitters` of a flow, and not by the bus or as a call for root.
        case "\(BusNames.BusError.accessDenied)" where canOwnName && text.hasPrefix("flow '"):
            return Failure(.refused, reason + "; '--as' owns a name for the call", errorName: name)
        // Refused to all but the owner of one name, which the reason quotes first.
        case "\(BusNames.BusError.accessDenied)" where canOwnName && text.hasPrefix("the outputs are set only by "):
            let owner = text.split(separator: "'").dropFirst().first ?? "NAME"
            return Failure(.refused, reason + "; '--as \(owner)' owns that name for the call", errorName: name)
        default:
            return Failure(
                .refused, reason, errorName: name, lines: text.split(separator: "\n").map(String.init))
        }
    }

    /// Returns the error for a service that is not running, and that the bus can't start.
    func noService() -> Failure {
        let advice =
            switch (options.address, options.bus) {
            case (let address?, _): "start it with 'flowbusd --address \(address)', or name another bus"
            case (nil, .system): "start it with 'systemctl start flowbusd', or look on the session bus with --user"
            case (nil, .user), (nil, nil):
                "start it with 'systemctl --user start flowbusd', or name another bus with --system or --address"
            }
        return Failure(.unavailable, "no service on \(options.busName): \(advice)")
    }

    /// Returns the message for a missing node, with a suggestion.
    private func missing(_ path: String) -> String {
        let node = NodePath(objectPath: path)?.text ?? path
        let all = (try? liveNodes().map(\.path.text)) ?? []
        let suggestion = Names.suggestion(for: node, among: all)
        return "there is no live flow or screen '\(node)'"
            + (suggestion.isEmpty ? "; 'flowbusctl tree' shows the live ones" : suggestion)
    }
}

extension ServiceClient {
    /// The definitions that the service uses, with the flows that clients registered.
    func definitions() throws(Failure) -> Definitions {
        let text = try coordinator("GetDefinitions").first?.text ?? ""
        do throws(DefinitionFailure) {
            return try DefinitionFiles.definitions(in: text)
        } catch {
            throw Failure(
                .refused, "the definitions of the service can't be read: \(Names.line(error.description))")
        }
    }
}

/// A signal.
struct Incoming {
    /// The unique name of the sender.
    let sender: String
    let path: String
    let interface: String
    let member: String
    let values: [Value]

    /// Reads a message; nil if it is no signal.
    init?(_ message: MessageReader) throws(SdError) {
        guard !message.isCall, let interface = message.interface else { return nil }
        sender = String(cString: message.sender)
        path = String(cString: message.path)
        self.interface = String(cString: interface)
        member = String(cString: message.member)
        values = try message.readValues()
    }

    /// Whether the bus itself sent it; no client can have its name.
    var isOfBus: Bool { sender == "\(BusNames.bus)" }

    /// The new owner of the service's name, empty if there is none; nil for any other signal.
    var newOwner: String? {
        guard isOfBus, member == "NameOwnerChanged", interface == "\(BusNames.bus)", values.count == 3,
            values[0].text == "\(BusNames.service)"
        else { return nil }
        return values[2].text
    }
}
