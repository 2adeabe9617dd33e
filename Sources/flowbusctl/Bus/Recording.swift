import FlowCore
import FlowTrace
import FlowWire
import Platform

// What a recording has for commands. Who makes one reads by the same calls, so that each of these commands finds its answers.

extension Recording {
    /// Reads a file of `record`.
    init(file: String) throws(Failure) {
        let text: String
        do throws(SystemError) {
            text = try InputFile.text(of: file)
        } catch {
            throw Failure(
                error.isMissing ? .noInput : .inputOutput, "can't read '\(Names.escaped(file))': \(error.reason)")
        }
        do throws(Trace.Mismatch) {
            try self.init(text)
        } catch {
            throw Failure(.badValue, "'\(Names.escaped(file))', \(Names.line(error.description))")
        }
    }

    /// The answer to a call.
    func replayed(_ call: Call, _ options: Options) throws(Failure) -> [Value] {
        if call.member == "GetHistory", call.interface == "\(BusNames.Interface.history)" {
            return history(call.arguments)
        }
        if let values = answer(to: call) { return values }
        throw Failure(
            .noInput,
            "\(options.busName) has no answer to '\(call.member)': it has what tree, status, log, steps, flows, stack, context, "
                + "timings, outputs and graph --live show")
    }

    /// All navigations, the oldest first.
    private var navigations: [Value] {
        answers.filter { $0.call.member == "GetHistory" }.flatMap { $0.values.first?.elements ?? [] }
    }

    /// The answer of GetHistory to any arguments.
    private func history(_ arguments: [Value]) -> [Value] {
        let after = arguments.first?.number ?? 0
        let limit = arguments.dropFirst().first?.number ?? 0
        let flow = arguments.last?["flow"]?.text
        let found = navigations.filter { navigation in
            let (serial, path) = (
                navigation.elements.first?.number ?? 0, navigation.elements.dropFirst().first?.text ?? ""
            )
            return serial > after && (flow.map { path == $0 || path.hasPrefix($0 + "/") } ?? true)
        }
        let page = limit == 0 ? found[...] : found.prefix(Int(clamping: limit))
        return [.array(element: "(tossa{sv}a{sv})", Array(page)), .bool(page.count < found.count)]
    }

    /// The same without texts that programs gave. Nothing declares whether these are private, as `[private]` does for arguments,
    /// which the service has left out.
    func withoutTexts() -> (recording: Recording, hasLeftOut: Bool) {
        var other = Recording(since: since, time: time)
        var hasLeftOut = false
        for (call, values) in answers {
            let isAbout = ["GetManagedObjects", "GetStack", "GetSteppers"].contains(call.member)
            other.note(isAbout ? values.map { $0.withoutTexts(&hasLeftOut) } : values, to: call)
        }
        for (name, text) in owners { other.note(owner: name, text) }
        return (other, hasLeftOut)
    }
}

extension Value {
    /// The properties and details that are texts of programs: titles, and errors of presenters and of services.
    private static let texts: Set = ["Title", "title", "Waiting", "waiting", "reason"]
    /// Dictionaries whose keys the definitions name.
    private static let declared: Set = ["Arguments", "Context"]

    /// The value with a note in place of each such text.
    fileprivate func withoutTexts(_ hasLeftOut: inout Bool) -> Value {
        switch self {
        case .variant(let value): return .variant(value.withoutTexts(&hasLeftOut))
        case .array(let element, let values):
            return .array(element: element, values.map { $0.withoutTexts(&hasLeftOut) })
        case .structure(let values): return .structure(values.map { $0.withoutTexts(&hasLeftOut) })
        case .entry(.string(let key), _) where Self.declared.contains(key): return self
        case .entry(.string(let key), let value) where Self.texts.contains(key) && !(value.text ?? "").isEmpty:
            hasLeftOut = true
            return .entry(key: .string(key), value: .variant(.string("(left out)")))
        case .entry(let key, let value): return .entry(key: key, value: value.withoutTexts(&hasLeftOut))
        default: return self
        }
    }
}
