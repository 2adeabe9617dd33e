import BusTestSupport

extension TestClient {
    /// The same without what is in sight, and where Back leads (S-10).
    var transcriptOfTree: [String] {
        transcript.filter { !$0.hasPrefix("StackChanged") && !$0.hasPrefix("BackChanged") }
    }

    /// The received messages in short: member, path and values of signals; replies as they are. Changes of `InSight`, which
    /// go with other changes, are left out.
    var transcript: [String] {
        log.compactMap { message -> String? in
            switch message.kind {
            case .reply: return "answer \(message.values.map(\.brief).joined(separator: " "))"
            case .error(let error): return "error \(error.name)"
            case .call: return "call \(message.member)"
            case .signal: break
            }
            let path = message.path.dropFirst(Service.tree.count)
            switch message.member {
            case "InterfacesAdded", "InterfacesRemoved":
                return "\(message.member) \((message.values[0].text ?? "").dropFirst(Service.tree.count))"
            case "PropertiesChanged":
                let names = message.values[1].keys.filter { $0 != "InSight" }.sorted()
                if names.isEmpty { return nil }
                let values = names.map { "\($0)=\(message.values[1][$0]?.brief ?? "")" }
                return "PropertiesChanged \(path) \(values.joined(separator: " "))"
            default:
                return "\(message.member) \(path) \(message.values.map(\.brief).joined(separator: " "))"
            }
        }
    }
}

extension BusValue {
    /// Each outcome of an answer `a(tsss)` or `a(otsss)`, in short: the path, the serial unless it is 0, and the verdict or
    /// the error's name. An outcome has one of these; and a message if it is an error.
    var outcomes: [String] {
        elements.map { outcome in
            let texts = outcome.elements.suffix(3).map { $0.text ?? "" }
            guard texts.count == 3, texts[0].isEmpty || texts[1].isEmpty, texts[1].isEmpty == texts[2].isEmpty else {
                return "no outcome: \(outcome.brief)"
            }
            let rest = outcome.elements.dropLast(3).map(\.brief).filter { $0 != "0" }
            return (rest + texts.prefix(2).filter { !$0.isEmpty }).joined(separator: " ")
        }
    }

    /// The value in short, without types; paths of the tree without what they all begin with.
    var brief: String {
        switch self {
        case .objectPath(let path): path.hasPrefix(Service.tree) ? String(path.dropFirst(Service.tree.count)) : path
        case .array(let element, let values) where element.hasPrefix("{"):
            "{" + values.map(\.brief).joined(separator: ", ") + "}"
        case .array(_, let values): "[" + values.map(\.brief).joined(separator: ", ") + "]"
        case .structure(let values): "(" + values.map(\.brief).joined(separator: " ") + ")"
        case .dictEntry(let key, let value): "\(key.brief): \(value.brief)"
        case .variant(let value): value.brief
        case .bool(let value): "\(value)"
        default: text ?? number.map { "\($0)" } ?? "\(self)"
        }
    }
}
