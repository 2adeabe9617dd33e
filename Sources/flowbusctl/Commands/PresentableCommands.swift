import ArgumentParser
import FlowCore
import FlowWire
import Platform

/// `show`
struct ShowCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Report that a flow or screen is shown; among tabs, select it.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The flow or screen.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let node = try Target(self.node)
        try caller.connect(context).call(node, BusNames.Interface.presentable, "SetVisible", .bool(true))
        return .success
    }
}

/// `hide`
struct HideCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "hide", abstract: "Report that a flow or screen is no longer shown.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The flow or screen.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let node = try Target(self.node)
        try caller.connect(context).call(node, BusNames.Interface.presentable, "SetVisible", .bool(false))
        return .success
    }
}

/// `dismiss`
struct DismissCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Dismiss a flow or screen, and everything below it.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The flow or screen.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let node = try Target(self.node)
        try caller.connect(context).call(node, BusNames.Interface.presentable, "Dismiss")
        return .success
    }
}

/// `wait`
struct WaitCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until a flow is ready.",
        discussion: """
            A flow is ready when its initial step is done, and the flows that this step contributed are ready or gone.
            """
    )

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The flow.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @Flag(help: "Wait until the flow is ready (required).")
    var ready = false

    @Option(help: ArgumentHelp("How long to wait, such as '5s' or '1min 30s' (default: 20s).", valueName: "time"))
    var timeout: String?

    func validate() throws {
        if !ready { throw ValidationError("Nothing to wait for: give --ready.") }
    }

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let node = try Target(self.node)
        let time = try TypedTime.span(timeout) ?? 20_000_000
        try context.connect().waitReady(node, within: time)
        return .success
    }
}

extension ServiceClient {
    /// Calls a method of a flow; a screen has none of them.
    ///
    /// - Parameters:
    ///   - node: the flow.
    ///   - path: the object to call; nil for that of the node.
    ///   - member: the method.
    ///   - timeout: the time limit in µs.
    /// - Returns: The values of the reply.
    @discardableResult
    func callFlow(
        _ node: Target, at path: String? = nil, _ member: String, timeout: UInt64? = nil
    ) throws(Failure) -> [Value] {
        do throws(Failure) {
            return try call(path ?? node.objectPath, BusNames.Interface.flow, member, timeout: timeout)
        } catch  where error.isUnknownMethod {
            let flow = node.parent.map { "; its flow is '\($0.text)'" } ?? ""
            throw Failure(.badValue, "'\(node.text)' is a screen, and the command is for flows\(flow)")
        }
    }

    /// Returns the instance path of a node.
    private func instancePath(of node: Target, timeout: UInt64) throws(Failure) -> String? {
        let answer = try call(
            node, BusNames.Interface.properties, "GetAll", .string("\(BusNames.Interface.presentable)"),
            timeout: min(timeout, 25_000_000))
        return answer.first.map { PropertyList($0) }?.number(.instance).map(InstancePath.path(of:))
    }

    /// Waits until a flow is ready. The service answers after 15 s at most, and is called again for the same instance,
    /// as another flow can be at the path by then.
    fileprivate func waitReady(_ node: Target, within time: UInt64) throws(Failure) {
        let late = Failure(.timeout, "'\(node.text)' is not ready in time; 'flowbusctl tree' shows what is not")
        let start = MonotonicClock.now
        var path: String?
        while true {
            let spent = MonotonicClock.now - start
            guard spent < time else { throw late }
            let left = time - spent
            do throws(Failure) {
                if path == nil { path = try instancePath(of: node, timeout: left) }
                // A little more than the service's own limit, so that its answer comes first.
                try callFlow(node, at: path, "WaitReady", timeout: min(left, 25_000_000))
                return
            } catch  where error.status == .timeout {
                continue
            } catch  where error.errorName == "\(BusNames.BusError.unknownObject)" && path != nil {
                throw Failure(
                    .refused, "'\(node.text)' ended before it was ready", errorName: FlowError.Code.flowEnded.busName)
            }
        }
    }
}

extension Failure {
    /// Whether the object lacks the method, or its interface.
    var isUnknownMethod: Bool {
        errorName == "\(BusNames.BusError.unknownMethod)"
            || errorName == "\(BusNames.BusError.unknownInterface)"
    }
}
