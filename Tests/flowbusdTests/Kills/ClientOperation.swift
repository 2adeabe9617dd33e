import BusTestSupport

/// An operation of a client.
enum ClientOperation: Equatable {
    /// A step, with its number if it has one.
    case emit(Step, on: String)
    case emitAll([Step], on: String)
    case back(on: String)
    case show(String, Bool)
    case claim(String)
    case release(String)
    case dismiss(String)
    /// A root of this flow.
    case coordinate(String, id: String)

    struct Step: Equatable {
        var name: String
        var number: Int?

        var arguments: BusValue {
            guard let number else { return .options() }
            return .options(["number": .int64(Int64(number))])
        }
    }

    /// Whether it can have a token, so that it can be repeated.
    var takesToken: Bool {
        switch self {
        case .emit, .coordinate: true
        case .emitAll, .back, .show, .claim, .release, .dismiss: false
        }
    }

    /// The path of its object.
    var path: String {
        switch self {
        case .emit(_, let path), .emitAll(_, let path), .back(let path), .show(let path, _), .claim(let path),
            .release(let path), .dismiss(let path):
            path
        case .coordinate(_, let id): "/" + id
        }
    }

    /// Calls flowbusd.
    func start(by client: TestClient, token: String?, waits: Bool = true) throws -> AwaitedReply {
        func call(_ role: String, _ member: String, _ arguments: BusValue...) throws -> AwaitedReply {
            try client.start(Service.name, Service.tree + path, Service.name + "." + role, member, arguments)
        }
        switch self {
        case .emit(let step, _):
            guard let token else { return try call("Stepper", "EmitStep", .string(step.name), step.arguments) }
            return try call(
                "Stepper", "EmitStepWithOptions", .string(step.name), step.arguments,
                .options(["token": .string(token), "wait": .bool(waits)]))
        case .emitAll(let steps, _):
            let list = steps.map { BusValue.structure([.string($0.name), $0.arguments]) }
            return try call("Stepper", "EmitSteps", .array(of: "(sa{sv})", list))
        case .back: return try call("Flow", "Back")
        case .show(_, let isVisible): return try call("Presentable", "SetVisible", .bool(isVisible))
        case .claim: return try call("Presentable", "Claim")
        case .release: return try call("Presentable", "Release")
        case .dismiss: return try call("Presentable", "Dismiss")
        case .coordinate(let flow, let id):
            let options: BusValue =
                token.map { .options(["id": .string(id), "token": .string($0)]) } ?? .options(["id": .string(id)])
            return try client.start(
                Service.name, Service.root, Service.name + ".Coordinator", "Coordinate",
                [.string(flow), "", .options(), options])
        }
    }
}

/// The answer to a call, without serials, which are not predictable.
enum CallOutcome: Equatable {
    case done
    case verdicts([String])
    case flow(String)
    case error(String)

    /// Creates an outcome from a reply; its serials are checked elsewhere.
    init(_ message: ReceivedMessage, to operation: ClientOperation) {
        if case .error(let error) = message.kind {
            self = .error(error.name)
            return
        }
        switch operation {
        case .emit, .back: self = .verdicts([message.values.last?.text ?? ""])
        // The verdict, or the error's name: the other one is empty.
        case .emitAll:
            self = .verdicts(
                message.values[0].elements.map { $0.elements[1...2].map { $0.text ?? "" }.joined() })
        case .coordinate: self = .flow(message.values[0].text ?? "")
        case .show, .claim, .release, .dismiss: self = .done
        }
    }
}

extension ReceivedMessage {
    /// Whether it reports that the callee died, or was not there, so that it is unknown whether the call was taken
    /// (D-4).
    var reportsDeath: Bool {
        guard case .error(let error) = kind, error.name.hasPrefix("org.freedesktop.DBus.Error.") else { return false }
        let name = error.name.dropFirst("org.freedesktop.DBus.Error.".count)
        return ["NoReply", "ServiceUnknown", "NameHasNoOwner", "Disconnected"].contains(name)
            || name.hasPrefix("Spawn.")
    }

    /// The serials of navigations in an answer.
    var serials: [UInt64] {
        values.flatMap { value -> [UInt64] in
            switch value {
            case .uint64(let serial): [serial]
            case .array(_, let elements): elements.flatMap(\.elements).compactMap { $0.number.map(UInt64.init) }
            default: []
            }
        }.filter { $0 > 0 }
    }
}
