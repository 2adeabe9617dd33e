import FlowCore
import FlowWire
import Logging
import SdBus

// Calls to presenters and owners: Present, those of org.freedesktop.Application, Withdraw.

extension Daemon {
    /// Calls `Present` of a presenter, or the action of an application.
    func present(_ presentation: Presentation) {
        let service = presentation.presenter.service
        if presentation.owner == nil { knowOwner(of: service.name) }
        outbox.send(
            Outbox.OutgoingCall(
                question: presentation.id, destination: presentation.owner?.name ?? service.name,
                timeout: service.timeout
            ) { [unowned self] in
                switch presentation.presenter {
                case .service: try presentCall(presentation, to: service)
                case .application(_, let call): try applicationCall(call.method, presentation, to: service)
                }
            } conclude: { [unowned self] conclusion in
                // Read at once, so that the message need not be retained.
                let answer = read(presentation, conclusion)
                whenFree { [unowned self] in handle(.presenterReplied(presentation.id, answer)) }
            } concludeLate: { [unowned self] answer in
                var late = PresenterAnswer.failed(Self.noAnswer)
                if let answer, answer.errorName == nil { late = presented(presentation, answer) }
                whenFree { [unowned self] in handle(.presenterReplied(presentation.id, late)) }
            })
    }

    /// Has the bus start the program of a presenter, before that is called (S-44).
    func startService(_ name: String) throws {
        startingServices[name] = try output.call(.bus, "StartServiceByName", "su") { body in
            try body.append(name)
            // There are no flags.
            try body.append(UInt32(0))
        } answered: { [unowned self] answer in
            startingServices[name] = nil
            guard let error = answer.errorName, bus.isOpen, !isLost else { return }
            let text = answer.errorMessage.map { String(cString: $0) } ?? ""
            limiter.log(
                .warning, "The program of the presenter '\(name)' could not be started early", of: name,
                Names.error(String(cString: error), text),
                metadata: [LogField.peer: "\(name)"])
        }
    }

    private func presentCall(_ presentation: Presentation, to service: FlowCore.Service) throws -> UInt32 {
        var presenter = MessageOutput.Callee(
            presentation.owner?.name ?? service.name, service.path, BusNames.Interface.presenter)
        presenter.mayStart = presentation.owner == nil
        return try output.call(presenter, "Present", "osa{sv}a{sv}") { body in try append(presentation, to: body) }
    }

    private func append(_ presentation: Presentation, to body: Marshaller) throws {
        try body.append(path: presentation.path)
        try body.append(presentation.name)
        try body.append(presentation.arguments)
        try body.openContainer(.array, "{sv}")
        try body.appendEntry("instance", "t") { body in try body.append(presentation.instance) }
        if !presentation.style.isEmpty {
            try body.appendEntry("style", "s") { body in try body.append(presentation.style) }
        }
        if !presentation.styles.isEmpty {
            try body.appendEntry("styles", "as") { body in
                try body.openContainer(.array, "s")
                for style in presentation.styles { try body.append(style) }
                try body.closeContainer()
            }
        }
        try body.appendEntry("flow", "o") { body in try body.append(path: presentation.flow) }
        try body.appendEntry("root", "o") { body in try body.append(path: presentation.root) }
        if !presentation.output.isEmpty {
            try body.appendEntry("output", "s") { body in try body.append(presentation.output) }
        }
        if let size = presentation.size {
            try body.appendEntry("size", "(uu)") { body in
                try body.openContainer(.structure, "uu")
                try body.append(size.width)
                try body.append(size.height)
                try body.closeContainer()
            }
        }
        try body.appendEntry("serial", "t") { body in try body.append(presentation.serial) }
        try body.appendEntry("reason", "s") { body in try body.append(presentation.reason.rawValue) }
        if let direction = presentation.direction {
            try body.appendEntry("direction", "s") { body in try body.append(direction.rawValue) }
        }
        if presentation.isAgain { try body.appendEntry("again", "b") { body in try body.append(true) } }
        if !presentation.state.isEmpty {
            try body.appendEntry("state", "a{sv}") { body in try body.append(presentation.state) }
        }
        if presentation.isVisible { try body.appendEntry("visible", "b") { body in try body.append(true) } }
        if !presentation.title.isEmpty {
            try body.appendEntry("title", "s") { body in try body.append(presentation.title) }
        }
        if !presentation.answers.isEmpty {
            try body.appendEntry("answers", "a(ssa{sv})") { body in
                try body.openContainer(.array, "(ssa{sv})")
                for answer in presentation.answers {
                    try body.openContainer(.structure, "ssa{sv}")
                    try body.append(answer)
                    try body.closeContainer()
                }
                try body.closeContainer()
            }
        }
        if !presentation.context.isEmpty {
            try body.appendEntry("context", "a{sv}") { body in try body.append(presentation.context) }
        }
        if !presentation.run.isEmpty {
            try body.appendEntry("run", "a{sv}") { body in try body.append(presentation.run) }
        }
        if let token = presentation.activationToken {
            try body.appendEntry("activation-token", "s") { body in try body.append(token) }
        }
        try body.closeContainer()
    }

    /// Calls a program that knows nothing of flowbus (S-40). All three methods end with the platform data.
    private func applicationCall(
        _ method: ApplicationCall.Method, _ presentation: Presentation, to service: FlowCore.Service
    ) throws -> UInt32 {
        let program = MessageOutput.Callee(service.name, service.path, BusNames.Interface.application)
        switch method {
        case .open(let operand):
            guard let uris = operand.value(presentation.arguments) else { fallthrough }
            return try output.call(program, "Open", "asa{sv}") { body in
                try body.append(uris.elements.isEmpty ? [uris.text ?? ""] : uris.elements.compactMap(\.text))
                try appendPlatformData(of: presentation, to: body)
            }
        case .activate:
            return try output.call(program, "Activate", "a{sv}") { body in
                try appendPlatformData(of: presentation, to: body)
            }
        case .action(let action, let parameter):
            return try output.call(program, "ActivateAction", "sava{sv}") { body in
                try append(action, parameter?.value(presentation.arguments), to: body)
                try appendPlatformData(of: presentation, to: body)
            }
        }
    }

    private func appendPlatformData(of presentation: Presentation, to body: Marshaller) throws {
        try body.openContainer(.array, "{sv}")
        if let token = presentation.activationToken {
            try body.appendEntry("activation-token", "s") { body in try body.append(token) }
            // The name from before Wayland, the only one that GTK 3 knows.
            try body.appendEntry("desktop-startup-id", "s") { body in try body.append(token) }
        }
        try body.closeContainer()
    }

    /// The error of a call that gets no answer.
    private static let noAnswer = Fault("\(BusNames.BusError.noReply)", "there is no answer")

    /// Appends the name of an action, and its parameter.
    private func append(_ action: String, _ parameter: Value?, to body: Marshaller) throws(SdError) {
        try body.append(action)
        try body.openContainer(.array, "v")
        if let parameter { try body.appendVariant(parameter) }
        try body.closeContainer()
    }

    /// The answer of a program that shows the screen, with what it says of that. If something of it is wrong, that is logged, and only
    /// whether the screen is visible counts: the display must not stay blank because of a title.
    private func presented(_ presentation: Presentation, _ answer: MessageReader) -> PresenterAnswer {
        guard case .service = presentation.presenter, String(cString: answer.signature) == "a{sv}" else {
            return .presented(by: answer.client)
        }
        do {
            return .presented(by: answer.client, try readReport(answer, more: [("visible", "b")]))
        } catch {
            let name = presentation.presenter.service.name
            limiter.log(
                .warning, "'\(name)' shows the screen '\(presentation.name)', and its answer is wrong", of: name,
                (error as? FlowError)?.message ?? "\(error)", metadata: [LogField.peer: "\(name)"])
            return .presented(by: answer.client, ScreenReport(isVisible: try? Self.readVisible(answer)))
        }
    }

    /// Reads `visible` of a report in which something else is wrong; nil if it does not say so.
    private static func readVisible(_ answer: MessageReader) throws -> Bool? {
        try answer.rewind()
        var isVisible: Bool?
        _ = try answer.enterContainer(.array, "{sv}")
        while try answer.enterContainer(.dictEntry, "sv") {
            let option = String(cString: try answer.readString())
            let type = try answer.peekType()?.contents.map { String(cString: $0) }
            if option == "visible", type == "b", try answer.enterContainer(.variant, "b") {
                isVisible = try answer.readBool()
                try answer.exitContainer()
            } else {
                try answer.skip("v")
            }
            try answer.exitContainer()
        }
        return isVisible
    }

    /// Any answer without an error means that the screen is shown.
    private func read(_ presentation: Presentation, _ conclusion: Outbox.CallResult) -> PresenterAnswer {
        let why: String
        var outcome = PresenterAnswer.failed(Self.noAnswer)
        switch conclusion {
        case .unsent(is Outbox.Dropped): return outcome
        case .unsent(let error):
            why = "it could not be called: \(error)"
            outcome = .failed(Fault("\(BusNames.BusError.failed)", why))
        case .unreadable(let reason):
            why = reason
            outcome = .failed(Fault("\(BusNames.BusError.failed)", why))
        case .timedOut:
            why = "it did not answer in time"
            outcome = .timedOut
        case .answered(let answer):
            guard let name = answer.errorName else { return presented(presentation, answer) }
            let text = answer.errorMessage.map { String(cString: $0) } ?? ""
            outcome = .failed(Fault(String(cString: name), text))
            why = Names.error(String(cString: name), text)
        }
        // The reason is in the log alone; not if the screen is gone.
        guard coordinator.isAwaited(presentation.id) else { return outcome }
        let name = presentation.presenter.service.name
        limiter.log(
            .warning, "'\(name)' does not present the screen '\(presentation.name)'", of: name, why,
            metadata: [
                LogField.flow: "\(presentation.flow)", LogField.serial: "\(presentation.serial)",
                LogField.peer: "\(presentation.presenter.service.name)",
            ])
        return outcome
    }
}

// MARK: - Owners

extension Daemon {
    /// Calls `Withdraw` of an owner, or an application's action, without an answer.
    func send(_ withdrawal: Withdrawal) throws {
        if let action = withdrawal.closingAction { return try close(withdrawal, by: action) }
        try output.call(owner(withdrawal, BusNames.Interface.presenter), "Withdraw", "ots") { body in
            try body.append(path: withdrawal.path)
            try body.append(withdrawal.instance)
            try body.append(withdrawal.reason.busText)
        }
    }

    private func owner(_ withdrawal: Withdrawal, _ interface: StaticString) -> MessageOutput.Callee {
        var owner = MessageOutput.Callee(withdrawal.client.name, withdrawal.object, interface)
        (owner.expectsReply, owner.mayStart) = (false, false)
        return owner
    }

    private func close(_ withdrawal: Withdrawal, by action: String) throws {
        try output.call(owner(withdrawal, BusNames.Interface.application), "ActivateAction", "sava{sv}") { body in
            try append(action, nil, to: body)
            try body.append([] as Arguments)
        }
    }
}
