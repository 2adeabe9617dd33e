import SdBus

/// The settings of the kiosk: a navigator. flowbusd asks it by Navigate where each step of its flow leads, and it answers
/// with contributors as they stand in a definition file.
///
/// A definition file could say nearly all of this. What it can't: the language that is set is known to this program, and
/// stays when the flow ends.
@main
final class Settings {
    private static let name = "org.example.Settings"
    private static let path = "/org/example/Settings"

    private var language = "en"

    /// Serves until the bus ends.
    static func main() throws {
        let (bus, loop) = (try Bus(.session), try EventLoop())
        let settings = Settings()
        // The object is there before the name is: the call that this program was started for comes right after the name.
        try bus.addObjectVtable(
            path: path, interface: navigator.name, vtable: navigator.makeVtable(),
            userdata: Unmanaged.passUnretained(settings).toOpaque())
        try bus.requestName(name)
        try bus.attach(to: loop)
        try bus.onDisconnect { try? loop.exit(0) }
        _ = try withExtendedLifetime(settings) { try loop.run() }
    }

    private static var navigator: InterfaceDescription {
        InterfaceDescription(
            "org.flowbus.Navigation1.Navigator",
            methods: [
                .init(
                    "Navigate",
                    in: [
                        .init("flow", "o"), .init("step", "s"), .init("arguments", "a{sv}"), .init("details", "a{sv}"),
                    ],
                    out: [.init("contributors", "a(ssa{sv})")]
                ) { message, userdata, _ in
                    // A C callback: it captures nothing, and the object comes in as a pointer.
                    answering(message) { call throws(SdError) in
                        guard let userdata else { return }
                        try Unmanaged<Settings>.fromOpaque(userdata).takeUnretainedValue().navigate(call)
                    }
                }
            ])
    }

    /// Answers with the contributors of a step.
    private func navigate(_ call: MessageReader) throws(SdError) {
        _ = try call.readObjectPath()
        let step = String(cString: try call.readString())
        let arguments = try Self.texts(call)

        let answer = try OutgoingMessage(replyTo: call)
        try answer.body.openContainer(.array, "(ssa{sv})")
        switch step {
        case "languagePicked":
            language = arguments["lang"] ?? language
            // The screen that is there already is shown with the new language.
            try contribute("screen", "settings", reusing: true, to: answer.body)
        case "settingsDone":
            // The flow ends, and the one above it takes this step.
            try contribute("end", "welcome", to: answer.body)
        default:
            try contribute("screen", "settings", to: answer.body)
        }
        try answer.body.closeContainer()
        try answer.send()
    }

    /// A contributor that gets the language: its kind, its name, its options.
    private func contribute(
        _ kind: String, _ name: String, reusing: Bool = false, to body: MessageWriter
    ) throws(SdError) {
        try body.openContainer(.structure, "ssa{sv}")
        try body.append(kind)
        try body.append(name)
        try body.openContainer(.array, "{sv}")
        try Self.append("arguments", "a{sv}", to: body) { () throws(SdError) in
            try body.openContainer(.array, "{sv}")
            try Self.append("lang", "s", to: body) { () throws(SdError) in try body.append(language) }
            try body.closeContainer()
        }
        if reusing { try Self.append("reuse", "b", to: body) { () throws(SdError) in try body.append(true) } }
        try body.closeContainer()
        try body.closeContainer()
    }

    /// An entry of a dictionary `a{sv}`.
    private static func append(
        _ name: String, _ type: StaticString, to body: MessageWriter, _ value: () throws(SdError) -> Void
    ) throws(SdError) {
        try body.openContainer(.dictEntry, "sv")
        try body.append(name)
        try body.openContainer(.variant, type)
        try value()
        try body.closeContainer()
        try body.closeContainer()
    }

    /// The entries of a dictionary `a{sv}`, which are all texts.
    private static func texts(_ message: MessageReader) throws(SdError) -> [String: String] {
        var texts: [String: String] = [:]
        _ = try message.enterContainer(.array, "{sv}")
        while try message.enterContainer(.dictEntry, "sv") {
            let name = String(cString: try message.readString())
            _ = try message.enterContainer(.variant, "s")
            texts[name] = String(cString: try message.readString())
            try message.exitContainer()
            try message.exitContainer()
        }
        try message.exitContainer()
        return texts
    }
}
