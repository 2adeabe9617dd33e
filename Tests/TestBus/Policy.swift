import SdBus

/// Who may do what on a bus, as dbus-broker wants it: lists of rules by user, by user and program, and for all.
enum Policy {
    /// Everyone may connect, own every name, send and receive everything.
    case open

    private static let send = "btssssuutt"
    private static let rules = "bta(btbs)a(\(send))a(\(send))"
    private static let whole = "a(u(\(rules)))a(buu(\(rules)))a(ss)bs"

    /// Appends it as a variant.
    func write(to body: MessageWriter) throws(SdError) {
        try inside(body, .variant, "(\(Self.whole))") { () throws(SdError) in
            try inside(body, .structure, Self.whole) { () throws(SdError) in
                try inside(body, .array, "(u(\(Self.rules)))") { () throws(SdError) in
                    try inside(body, .structure, "u(\(Self.rules))") { () throws(SdError) in
                        // All users.
                        try body.append(UInt32.max)
                        try inside(body, .structure, Self.rules) { () throws(SdError) in try writeRules(to: body) }
                    }
                }
                try inside(body, .array, "(buu(\(Self.rules)))") { () throws(SdError) in }
                try inside(body, .array, "(ss)") { () throws(SdError) in }
                // No AppArmor; and the kind of bus.
                try body.append(false)
                try body.append("session")
            }
        }
    }

    private func writeRules(to body: MessageWriter) throws(SdError) {
        // Whether it is allowed, and the priority of the rule.
        try body.append(true)
        try body.append(UInt64(1))
        try inside(body, .array, "(btbs)") { () throws(SdError) in
            try inside(body, .structure, "btbs") { () throws(SdError) in
                try body.append(true)
                try body.append(UInt64(1))
                // Each name that begins with this.
                try body.append(true)
                try body.append("")
            }
        }
        for _ in ["send", "receive"] {
            try inside(body, .array, "(\(Self.send))") { () throws(SdError) in
                try inside(body, .structure, Self.send) { () throws(SdError) in
                    try body.append(true)
                    try body.append(UInt64(1))
                    // Whatever name, path, interface, member and type, broadcast or not, with any number of descriptors.
                    for _ in 0..<4 { try body.append("") }
                    for _ in 0..<2 { try body.append(UInt32(0)) }
                    try body.append(UInt64(0))
                    try body.append(UInt64.max)
                }
            }
        }
    }

    private func inside(
        _ body: MessageWriter, _ container: Container, _ contents: String, _ write: () throws(SdError) -> Void
    ) throws(SdError) {
        try body.openContainer(container, contents)
        try write()
        try body.closeContainer()
    }
}
