import FlowCore
import FlowWire
import SdBus

// Values that several members of the contract have in common.

extension Marshaller {
    /// Writes an outcome, `tsss`: serial, verdict, the error's name and its message; 0 and empty where there is none.
    func append(outcome: Outcome?) throws {
        let texts = outcome?.busTexts ?? (verdict: "", errorName: "", errorMessage: "")
        try append(outcome?.serial ?? 0)
        try append(texts.verdict)
        try append(texts.errorName)
        try append(texts.errorMessage)
    }

    /// Writes the answer to an ask, `ssa{sv}`: the token, the outcome, and the result.
    func append(_ answer: AskAnswer) throws {
        try append(answer.token)
        try append(answer.outcome.rawValue)
        try append(answer.result)
    }

    /// Writes what Back would do, `sa{sv}`.
    func append(_ preview: BackPreview) throws {
        try append(preview.kind)
        try openContainer(.array, "{sv}")
        switch preview {
        case .dismiss(let instance, let path):
            try appendEntry("goes", "t") { body in try body.append(instance) }
            try appendEntry("reveals", "o") { body in try body.append(path: path) }
        case .step(let step): try appendEntry("step", "s") { body in try body.append(step) }
        case .hidden, .unhandled: break
        }
        try closeContainer()
    }

    /// Writes screens in sight, `a(ota{sv})`.
    func append(_ screens: [StackedScreen]) throws {
        try openContainer(.array, "(ota{sv})")
        for screen in screens {
            try openContainer(.structure, "ota{sv}")
            try append(path: screen.path)
            try append(screen.instance)
            try openContainer(.array, "{sv}")
            try appendEntry("visible", "b") { body in try body.append(screen.isVisible) }
            let texts: [(StaticString, String)] = [
                ("owner", screen.owner?.name ?? ""), ("style", screen.style), ("title", screen.title),
                ("waiting", screen.waiting), ("layer", screen.layer), ("output", screen.output),
                ("application", screen.application),
            ]
            for (name, text) in texts where !text.isEmpty {
                try appendEntry(name, "s") { body in try body.append(text) }
            }
            try closeContainer()
            try closeContainer()
        }
        try closeContainer()
    }

    /// Writes contributors that were applied, `a(ssoa{sv})`.
    func append(_ contributions: [Contribution]) throws {
        try openContainer(.array, "(ssoa{sv})")
        for contribution in contributions { try append(contribution) }
        try closeContainer()
    }

    private func append(_ contribution: Contribution) throws {
        try openContainer(.structure, "ssoa{sv}")
        try append(contribution.kind.rawValue)
        try append(contribution.name)
        try append(path: contribution.path)
        try openContainer(.array, "{sv}")
        if !contribution.style.isEmpty {
            try appendEntry("style", "s") { body in try body.append(contribution.style) }
        }
        if !contribution.arguments.isEmpty {
            try appendEntry("arguments", "a{sv}") { body in try body.append(contribution.arguments) }
        }
        try closeContainer()
        try closeContainer()
    }

    /// Writes the interfaces of a presentable with the properties that signals report, `a{sa{sv}}`.
    func append(_ state: PresentableState) throws {
        try appendInterfaces(ofFlow: state.isFlow) { property in state[property] }
    }

    /// Writes the interfaces of a presentable with those properties, of what a client reads at once, that have a value,
    /// `a{sa{sv}}`.
    func appendInterfaces(ofFlow isFlow: Bool, _ value: (NodeProperty) -> PropertyValue?) throws {
        try openContainer(.array, "{sa{sv}}")
        try append(Self.interfacesWithoutProperties)
        for interface in NodeProperty.Interface.allCases where isFlow || interface != .flow {
            try openContainer(.dictEntry, "sa{sv}")
            try append(interface.busName)
            try openContainer(.array, "{sv}")
            // Of a flow nothing reports whether it is in sight, so that would soon be wrong for who keeps it.
            for property in interface.propertiesReadAtOnce where !isFlow || property != .inSight {
                if let value = value(property) { try append(property, value) }
            }
            try closeContainer()
            try closeContainer()
        }
        try closeContainer()
    }

    /// Those of each presentable.
    private static let interfacesWithoutProperties: ReadyElements = {
        let names = BusNames.Interface.standard + [BusNames.Interface.stepper]
        do {
            return try ReadyElements(of: "{sa{sv}}", count: names.count) { body in
                for name in names {
                    try body.openContainer(.dictEntry, "sa{sv}")
                    try body.append(name)
                    try body.appendEmptyArray("{sv}")
                    try body.closeContainer()
                }
            }
        } catch {
            preconditionFailure("literals that can't be marshalled: \(error)")
        }
    }()
}
