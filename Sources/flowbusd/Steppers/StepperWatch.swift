import FlowCore
import FlowWire
import SdBus

/// Watches one property or signal of another service (S-42).
///
/// It follows the owner of the service's name, asks for the object's path if a call answers that, and for the property. Nothing
/// waits: each answer continues with the next call. All of it begins anew with the next owner, and on the next connection.
final class StepperWatch {
    /// What is known of the service.
    enum State: Equatable {
        /// The answer of the bus or of the service is still expected.
        case connecting
        /// The property or signal can't be had, and why.
        case absent(String)
        /// The object is watched: this one, or every object for nil.
        case connected(path: String?)
    }

    /// What it reports.
    enum News {
        case changed(StepperValue)
        case signalled([Value])
        case failed(FlowError)
    }

    let stepper: StepperDefinition
    /// The place in the present definitions; nil once they don't have the stepper any more.
    var id: StepperID?
    private(set) var state = State.connecting
    /// The property as it was reported last.
    private(set) var latest: StepperValue?

    /// Whether a change waits to be handled, which will find the latest value.
    var isPosted = false

    private let report: (StepperWatch, News) -> Void
    /// Runs when the service answers, and when it does not.
    private let stateChanged: (StepperWatch) -> Void
    private var bus: Bus?
    private var matches: [MessageReceiver] = []
    /// The call whose answer is expected.
    private var call: MessageReceiver?
    /// The unique name of the service.
    private var owner: String?
    /// The object; nil as long as it is not known, and if every object counts.
    private var object: String?

    init(
        _ stepper: StepperDefinition, _ id: StepperID, report: @escaping (StepperWatch, News) -> Void,
        stateChanged: @escaping (StepperWatch) -> Void
    ) {
        (self.stepper, self.id, self.report, self.stateChanged) = (stepper, id, report, stateChanged)
    }

    // MARK: The connection

    /// Begins to watch on a connection.
    func begin(_ bus: Bus) throws(SdError) {
        self.bus = bus
        state = .connecting
        let name = stepper.name
        try match(
            "type='signal',sender='\(BusNames.bus)',interface='\(BusNames.bus)',member='NameOwnerChanged',"
                + "path='\(BusNames.busPath)',arg0='\(name)'"
        ) { watch, signal throws(SdError) in
            _ = try signal.readString()
            _ = try signal.readString()
            watch.ownerChanged(to: String(cString: try signal.readString()))
        }
        switch stepper.source {
        case .property:
            try match(rule("\(BusNames.Interface.properties)", "PropertiesChanged") + ",arg0='\(stepper.interface)'") {
                watch, signal throws(SdError) in watch.takeChanges(signal)
            }
        case .signal(let member):
            try match(rule("\(stepper.interface)", member)) { watch, signal throws(SdError) in watch.takeSignal(signal)
            }
        }
        if stepper.startsService { try startService(bus) } else { try askForOwner(bus) }
    }

    /// The connection is gone, or was never there.
    func end(_ why: String) {
        (bus, matches, call, owner, object) = (nil, [], nil, nil, nil)
        become(.absent(why))
    }

    /// Watches nothing any more.
    func stop() { (bus, matches, call, owner, object, id) = (nil, [], nil, nil, nil, nil) }

    private func rule(_ interface: String, _ member: String) -> String {
        var rule = "type='signal',sender='\(stepper.name)',interface='\(interface)',member='\(member)'"
        if case .path(let path) = stepper.object { rule += ",path='\(path)'" }
        return rule
    }

    private func match(
        _ rule: String, _ handler: @escaping (StepperWatch, MessageReader) throws(SdError) -> Void
    ) throws(SdError) {
        let receiver = try bus?.match(rule) { [unowned self] why in
            end("the bus refuses to report it: \(why)")
        } handler: { [unowned self] message in
            // A message that can't be read is as good as none.
            try? handler(self, message)
        }
        if let receiver { matches.append(receiver) }
    }

    // MARK: The service

    /// Has the bus start the service, and then asks for it, whether it came or not.
    private func startService(_ bus: Bus) throws(SdError) {
        call = try bus.startService(stepper.name) { [unowned self] _ in
            do throws(SdError) { try askForOwner(bus) } catch {
                become(.absent("it can't be asked for: \(error.reason)"))
            }
        }
    }

    private func askForOwner(_ bus: Bus) throws(SdError) {
        call = try bus.call("GetNameOwner", about: stepper.name).call { [unowned self] answer in
            guard BusNames.bus.isSpelled(answer.sender) else { return }
            ownerChanged(
                to: answer.errorName == nil ? (try? answer.readString()).map { String(cString: $0) } ?? "" : "")
        }
    }

    private func ownerChanged(to name: String) {
        // The calls to the former owner don't count any more.
        (call, owner, object) = (nil, name.isEmpty ? nil : name, nil)
        guard owner != nil else { return become(.absent("nobody owns the name")) }
        state = .connecting
        switch stepper.object {
        case .any: become(.connected(path: nil))
        case .path(let path): watchObject(path)
        case .answer(let question):
            ask(question.object, question.interface, question.member) { body throws(SdError) in
                for value in question.arguments { try body.append(value) }
            } answered: { watch, answer throws(SdError) in
                watch.watchObject(String(cString: try answer.readObjectPath()))
            }
        }
    }

    private func watchObject(_ path: String) {
        object = path
        become(.connected(path: path))
        if stepper.isProperty { askForProperty(path) }
    }

    private func askForProperty(_ path: String) {
        ask(path, "\(BusNames.Interface.properties)", "Get") { [stepper] body throws(SdError) in
            try body.append(stepper.interface)
            try body.append(stepper.member)
        } answered: { watch, answer throws(SdError) in
            watch.become(.connected(path: path))
            watch.takeValue(answer)
        }
    }

    /// Calls the service. An error, or an answer that can't be read, makes it absent.
    private func ask(
        _ path: String, _ interface: String, _ member: String,
        _ arguments: (MessageWriter) throws(SdError) -> Void,
        answered: @escaping (StepperWatch, MessageReader) throws(SdError) -> Void
    ) {
        guard let bus, let owner else { return }
        do throws(SdError) {
            let message = try OutgoingMessage(
                call: bus, destination: owner, path: path, interface: interface, member: member)
            try message.setAutoStart(false)
            try arguments(message.body)
            call = try message.call { [unowned self] answer in
                let isError = answer.errorName != nil
                guard owner.isSpelled(answer.sender) || (isError && BusNames.bus.isSpelled(answer.sender)) else {
                    return become(.absent("another process answered \(member)"))
                }
                if let name = answer.errorName {
                    let text = answer.errorMessage.map { String(cString: $0) } ?? ""
                    return become(.absent("\(member) failed: \(Names.error(String(cString: name), text))"))
                }
                do throws(SdError) {
                    try answered(self, answer)
                } catch {
                    become(.absent("the answer to \(member) can't be read"))
                }
            }
        } catch {
            become(.absent("\(member) could not be called: \(error.reason)"))
        }
    }

    // MARK: What it says

    private func become(_ new: State) {
        if case .absent = new {
            call = nil
            if stepper.isProperty { tell(.absent) }
        }
        guard state != new else { return }
        state = new
        stateChanged(self)
    }

    private func tell(_ value: StepperValue) {
        latest = value
        report(self, .changed(value))
    }

    /// Whether a signal is that of the watched object.
    private func isOwn(_ signal: MessageReader) -> Bool {
        guard let owner, owner.isSpelled(signal.sender) else { return false }
        return object?.isSpelled(signal.path) ?? (stepper.object == .any)
    }

    private func takeSignal(_ signal: MessageReader) {
        guard isOwn(signal) else { return }
        do {
            report(self, .signalled(try ArgumentsReader.readValues(signal)))
        } catch {
            fail(error)
        }
    }

    /// Reads the variant that is the next value.
    private func takeValue(_ message: MessageReader) {
        do {
            tell(.value(try ArgumentsReader.readVariant(message, named: stepper.member)))
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        report(self, .failed(error as? FlowError ?? FlowError(.invalidArguments, "its message can't be read")))
    }

    private func takeChanges(_ signal: MessageReader) {
        // Until the object is known, the answer of Get is newer. A service can report a change after Get has failed.
        guard isOwn(signal), let path = object else { return }
        do throws(SdError) {
            _ = try signal.readString()
            guard try signal.enterContainer(.array, "{sv}") else { return }
            while try signal.enterContainer(.dictEntry, "sv") {
                if stepper.member.isSpelled(try signal.readString()) {
                    become(.connected(path: path))
                    return takeValue(signal)
                }
                try signal.skip("v")
                try signal.exitContainer()
            }
            try signal.exitContainer()
            if try signal.readStrings().contains(stepper.member) { askForProperty(path) }
        } catch {
            fail(error)
        }
    }
}
