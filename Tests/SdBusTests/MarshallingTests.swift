import BusTestSupport
import CSdBus
import Glibc
import Testing

@testable import SdBus

/// What is marshalled here has the bytes of sd-bus, but for the number of the message.
@Suite("Marshalling")
struct MarshallingTests {
    /// The signatures of messages; what is inside their variants is random.
    private static let signatures: [StaticString] = [
        "", "y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g", "v", "ay", "as", "ao", "ag", "ab", "an", "aq",
        "ai", "au", "ax", "at", "ad", "av", "aas", "a(y)", "a{sv}", "a{yv}", "a{ta{sv}}", "yay", "yas", "yan", "yax",
        "ya(sv)", "ya{yy}", "yv", "sg", "gy", "yyt", "(yyt)", "y(y(y(y)))", "a(ssoa{sv})", "oa{sa{sv}}", "sa{sv}as",
        "ttssa{sv}a(ssoa{sv})a{sv}", "vvvv", "yvqvtv", "aaaat", "a{oa{sa{sv}}}", "nqiuxtdybsog",
    ]

    /// A connection with two ways to send.
    private final class Writers {
        let played: PlayedBus
        let output: MessageOutput
        var random: RandomValues

        init(_ seed: UInt64) throws {
            played = try PlayedBus()
            output = try MessageOutput(played.bus.handle)
            random = RandomValues(seed)
        }

        /// Compares what sd-bus sends with what is marshalled here.
        func compare(_ what: String, sdBus: () throws -> Void, own: () throws -> Void) throws {
            try sdBus()
            try own()
            #expect(output.flush())
            played.receive()
            var messages = played.takeMessages()
            try #require(messages.count == 2 && played.received.isEmpty, "\(what)")
            for place in messages.indices { messages[place].replaceSubrange(8..<12, with: [0, 0, 0, 0]) }
            if messages[0] != messages[1] { Issue.record("\(what):\n\(messages[0])\n\(messages[1])") }
        }

        func body(_ values: [BusValue], _ writer: some BodyWriter) throws {
            for value in values { try value.write(to: writer) }
        }

        /// A call that was received, which has to be retained.
        func call(from sender: String, expectsReply: Bool) throws -> RetainedMessage {
            played.call("Some", from: sender, expectsReply: expectsReply)
            var message: OpaquePointer?
            while message == nil {
                let result = sd_bus_process(played.bus.handle, &message)
                try #require(result > 0)
            }
            return RetainedMessage(taking: try #require(message))
        }
    }

    private static let seeds = (1...8).map { UInt64($0) }

    @Test(arguments: seeds) func `signals`(_ seed: UInt64) throws {
        let writers = try Writers(seed)
        for _ in 1...150 {
            let signature = writers.random.one(of: Self.signatures)
            let values = writers.random.values(of: "\(signature)")
            let path = writers.random.path()
            let receiver = writers.random.chance(2) ? nil : ":1.\(writers.random.number(0...100_000))"
            try writers.compare("\(values) to \(receiver ?? "all")") {
                let signal = try OutgoingMessage(
                    signal: writers.played.bus, path: path, interface: "org.example.Interface", member: "Happened")
                if let receiver { try signal.setDestination(receiver) }
                try writers.body(values, signal.body)
                try signal.send()
            } own: {
                try writers.output.signal("org.example.Interface", "Happened", at: path, to: receiver, signature) {
                    try writers.body(values, $0)
                }
            }
        }
    }

    @Test(arguments: seeds) func `answers and errors`(_ seed: UInt64) throws {
        let writers = try Writers(seed)
        for round in 1...100 {
            let call = try writers.call(from: ":1.\(writers.random.number(0...100_000))", expectsReply: true)
            let signature = writers.random.one(of: Self.signatures)
            let values = writers.random.values(of: "\(signature)")
            try writers.compare("\(values)") {
                let answer = try OutgoingMessage(replyTo: call.message)
                try writers.body(values, answer.body)
                try answer.send()
            } own: {
                try writers.output.answer(Caller(call.message), signature) { try writers.body(values, $0) }
            }
            let (name, text) = (writers.random.one(of: ["a.B", "org.example.Error.Refused"]), writers.random.text())
            try writers.compare("\(name): \(text)") {
                try call.message.replyError(name: name, text: text)
            } own: {
                try writers.output.answer(Caller(call.message), errorName: name, text: text)
            }
            try writers.compare("errno \(round)") {
                try OutgoingMessage(errorTo: call.message, errno: Int32(round)).send()
            } own: {
                try writers.output.answer(Caller(call.message), errno: Int32(round))
            }
        }
    }

    @Test(arguments: seeds) func `calls`(_ seed: UInt64) throws {
        let writers = try Writers(seed)
        for _ in 1...150 {
            let signature = writers.random.one(of: Self.signatures)
            let values = writers.random.values(of: "\(signature)")
            let destination = writers.random.one(of: [":1.5", "org.example.Service", "a.b", "org.freedesktop.DBus"])
            var callee = MessageOutput.Callee(destination, writers.random.path(), "org.example.Interface")
            callee.mayStart = writers.random.chance(2)
            callee.isInteractive = writers.random.chance(2)
            callee.expectsReply = writers.random.chance(2)
            try writers.compare("\(values) to \(callee)") {
                let call = try OutgoingMessage(
                    call: writers.played.bus, destination: destination, path: callee.path,
                    interface: "org.example.Interface", member: "Do")
                try call.setAutoStart(callee.mayStart)
                try call.setAllowsInteractiveAuthorization(callee.isInteractive)
                if !callee.expectsReply { try call.setExpectsNoReply() }
                try writers.body(values, call.body)
                if callee.expectsReply { _ = try call.sendCall() } else { try call.send() }
            } own: {
                try writers.output.call(callee, "Do", signature) { try writers.body(values, $0) }
            }
        }
    }

    @Test(arguments: seeds) func `entries with literal names, and ready elements`(_ seed: UInt64) throws {
        let writers = try Writers(seed)
        let names: [StaticString] = ["org.example.One", "org.example.Three", "a.B"]
        func append(_ names: [StaticString], to body: some BodyWriter) throws {
            for name in names {
                try body.openContainer(.dictEntry, "sa{sv}")
                try body.append(name)
                try body.appendEmptyArray("{sv}")
                try body.closeContainer()
            }
        }
        let ready = try ReadyElements(of: "{sa{sv}}", count: 3) { try append(names, to: $0) }
        for _ in 1...100 {
            let (text, number) = (writers.random.text(), writers.random.generator.next())
            let texts = writers.random.value(of: "as")
            let (isBehind, isReady) = (writers.random.chance(2), writers.random.chance(2))
            func values(
                _ body: some BodyWriter, _ entry: (StaticString, StaticString, () throws -> Void) throws -> Void
            ) throws {
                try body.append(text)
                try body.openContainer(.array, "{sv}")
                try entry("title", "s") { try body.append(text) }
                try entry("x", "t") { try body.append(number) }
                try entry("a name of more bytes", "as") { try texts.write(to: body) }
                try entry("y", "y") { try body.append(UInt8(truncatingIfNeeded: number)) }
                try entry("none", "a{sv}") { try body.appendEmptyArray("{sv}") }
                try body.closeContainer()
            }
            try writers.compare("'\(text)' \(number) \(texts)") {
                let signal = try OutgoingMessage(
                    signal: writers.played.bus, path: "/", interface: "a.B", member: "C")
                let body = signal.body
                try values(body) { name, type, value in
                    try body.openContainer(.dictEntry, "sv")
                    try body.append(name)
                    try body.openContainer(.variant, type)
                    try value()
                    try body.closeContainer()
                    try body.closeContainer()
                }
                try body.append(1 as UInt8)
                try body.openContainer(.array, "{sa{sv}}")
                if isBehind { try append(["first"], to: body) }
                try append(names, to: body)
                try append(["last"], to: body)
                try body.closeContainer()
                try signal.send()
            } own: {
                try writers.output.signal("a.B", "C", at: "/", "sa{sv}ya{sa{sv}}") { body in
                    try values(body) { name, type, value in
                        if isReady {
                            try body.appendEntry(ReadyEntry(name, type)) { _ in try value() }
                        } else {
                            try body.appendEntry(name, type) { _ in try value() }
                        }
                    }
                    try body.append(1 as UInt8)
                    try body.openContainer(.array, "{sa{sv}}")
                    if isBehind { try append(["first"], to: body) }
                    try body.append(ready)
                    try append(["last"], to: body)
                    try body.closeContainer()
                }
            }
        }
    }

    @Test(arguments: seeds) func `entries of basic types`(_ seed: UInt64) throws {
        let writers = try Writers(seed)
        for _ in 1...100 {
            let bits = writers.random.generator.next()
            let numbers: [(name: String, type: UInt8, bits: UInt64)] = "bynqiuxtd".utf8.map { type in
                let width: UInt64 =
                    switch type {
                    case UInt8(ascii: "b"): 1
                    case UInt8(ascii: "y"): 8
                    case UInt8(ascii: "n"), UInt8(ascii: "q"): 16
                    case UInt8(ascii: "i"), UInt8(ascii: "u"): 32
                    default: 64
                    }
                return (writers.random.text(), type, bits & .max >> (64 - width))
            }
            let texts: [(name: String, type: UInt8, text: String)] = [
                (writers.random.text(), UInt8(ascii: "s"), writers.random.text()), ("", UInt8(ascii: "s"), ""),
                (writers.random.text(), UInt8(ascii: "o"), writers.random.path()), ("none", UInt8(ascii: "g"), ""),
                (writers.random.text(), UInt8(ascii: "g"), writers.random.type()),
            ]
            func append(to body: some BodyWriter) throws {
                try body.openContainer(.array, "{sv}")
                for entry in numbers { try body.appendEntry(entry.name, of: entry.type, bits: entry.bits) }
                for entry in texts { try body.appendEntry(entry.name, of: entry.type, entry.text) }
                for entry in numbers.reversed() { try body.appendEntry(entry.name, of: entry.type, bits: entry.bits) }
                try body.closeContainer()
            }
            try writers.compare("\(numbers) \(texts)") {
                let signal = try OutgoingMessage(
                    signal: writers.played.bus, path: "/", interface: "a.B", member: "C")
                try append(to: signal.body)
                try signal.send()
            } own: {
                try writers.output.signal("a.B", "C", at: "/", "a{sv}") { try append(to: $0) }
            }
        }
    }

    @Test func `nobody is answered who wants no answer`() throws {
        let writers = try Writers(1)
        let call = try writers.call(from: ":1.5", expectsReply: false)
        try writers.output.answer(Caller(call.message), "s") { _ in Issue.record("nothing is made") }
        try writers.output.answer(Caller(call.message), errorName: "a.B", text: "")
        try writers.output.answer(Caller(call.message), errno: ENOENT)
        #expect(writers.output.unsentBytes == 0)
    }

    @Test func `messages of one write begin anywhere`() throws {
        let writers = try Writers(9)
        var expected: [[BusValue]] = []
        for _ in 1...200 {
            let values = writers.random.values(of: "yv")
            expected.append(values)
            try writers.output.signal("a.B", "C", at: "/", "yv") { try writers.body(values, $0) }
        }
        #expect(writers.output.flush())
        writers.played.receive()
        let together = writers.played.takeMessages()
        try #require(together.count == expected.count && writers.played.received.isEmpty)
        for (values, message) in zip(expected, together) {
            try writers.output.signal("a.B", "C", at: "/", "yv") { try writers.body(values, $0) }
            writers.output.flush()
            writers.played.receive()
            #expect(writers.played.takeMessages().map { $0[12...] } == [message[12...]])
        }
    }

    // MARK: Texts

    @Test func `texts, paths and destinations are as valid as for sd-bus`() throws {
        let writers = try Writers(3)
        let message = try OutgoingMessage(signal: writers.played.bus, path: "/", interface: "a.B", member: "C")
        var scalars: [UInt32] = [
            0xfffd, 0xfffe, 0xffff, 0x1fffe, 0x1ffff, 0x10fffe, 0x10ffff, 0xfdcf, 0xfdd0, 0xfdef, 0xfdf0,
        ]
        scalars += (0..<2000).map { _ in UInt32(writers.random.number(1...0x10ffff)) }
        var invalid = 0
        for scalar in scalars.compactMap(Unicode.Scalar.init) {
            let text = "a\(scalar)b"
            let isValid = (try? message.body.append(text)) != nil
            if !isValid { invalid += 1 }
            #expect(
                Self.isAccepted(text, "s", "s", by: writers.output) == isValid, "U+\(String(scalar.value, radix: 16))")
        }
        #expect(invalid >= 8)
        // A C string ends there.
        #expect(!Self.isAccepted("a\0b", "s", "s", by: writers.output))
        let paths = [
            "", "/", "//", "a", "/a", "/a/", "/a//b", "/a-b", "/ä", "/_/9", "/a b", String(repeating: "/a", count: 300),
        ]
        for path in paths {
            let isValid = (try? message.body.append(UInt8(ascii: "o"), path)) != nil
            #expect(Self.isAccepted(path, "o", "o", by: writers.output) == isValid, "'\(path)'")
        }
    }

    private static func isAccepted(
        _ text: String, _ type: Unicode.Scalar, _ signature: StaticString, by output: MessageOutput
    ) -> Bool {
        let before = output.unsentBytes
        do {
            try output.signal("a.B", "C", at: "/", signature) { try $0.append(UInt8(ascii: type), text) }
            return true
        } catch {
            #expect((error as? SdError)?.code == EINVAL)
            #expect(output.unsentBytes == before)
            return false
        }
    }

    @Test(arguments: ["", "a", ":1", "org.example.", "org..example", "1.a", "org.exämple", "org.example/x"])
    func `an invalid destination is refused`(_ name: String) throws {
        let writers = try Writers(1)
        let call = #expect(throws: SdError.self) { try writers.output.call(.init(name, "/", "a.B"), "C") }
        let signal = #expect(throws: SdError.self) { try writers.output.signal("a.B", "C", at: "/", to: name) }
        #expect(call?.code == EINVAL && signal?.code == EINVAL)
        #expect(throws: SdError.self) { try writers.output.call(.init(":1.5", "no path", "a.B"), "C") }
        #expect(writers.output.unsentBytes == 0)
    }

    // MARK: Limits

    @Test func `a message that is too large is not sent, and the next one is`() throws {
        let writers = try Writers(1)
        let bytes = [UInt8](repeating: 7, count: Marshaller.mostArrayBytes)
        func refused(_ signature: StaticString, _ body: (Marshaller) throws -> Void) {
            let error = #expect(throws: SdError.self) {
                try writers.output.signal("a.B", "C", at: "/", signature, body)
            }
            #expect(error?.code == EMSGSIZE)
            #expect(writers.output.unsentBytes == 0)
        }
        refused("ay") { try $0.append(bytes + [7]) }
        refused("ayay") { body in for _ in 1...2 { try body.append(bytes) } }
        refused("aay") { body in
            try body.openContainer(.array, "ay")
            for _ in 1...2 { try body.append(Array(bytes.dropLast(8))) }
            try body.closeContainer()
        }
        refused("v") { body in
            for _ in 0...Marshaller.mostContainers { try body.openContainer(.variant, "v") }
        }
        try writers.output.signal("a.B", "C", at: "/", "y") { try $0.append(7 as UInt8) }
        #expect(writers.output.flush())
        writers.played.receive()
        #expect(try writers.played.messages().map(\.body) == [[7]])
    }

    #if DEBUG
        @Test func `a value that does not fit the signature is found in debug builds`() throws {
            let output = try Writers(1).output
            func refused(_ signature: StaticString, _ body: (Marshaller) throws -> Void) {
                #expect(throws: SdError.self, "\(signature)") {
                    try output.signal("a.B", "C", at: "/", signature, body)
                }
                #expect(output.unsentBytes == 0)
            }
            refused("s") { try $0.append(1 as UInt32) }
            refused("s") { _ in }
            refused("") { try $0.append("too much") }
            refused("u") { try $0.append(1 as Int32) }
            refused("ay") { body in try body.openContainer(.array, "s") }
            refused("as") { body in try body.openContainer(.array, "s") }
            refused("as") { body in
                try body.openContainer(.array, "s")
                try body.appendObjectPath("/")
                try body.closeContainer()
            }
            refused("a{sv}") { body in
                try body.openContainer(.array, "{sv}")
                try body.openContainer(.dictEntry, "sv")
                try body.append("no value")
                try body.closeContainer()
            }
            refused("(ss)") { body in
                try body.openContainer(.structure, "ss")
                try body.append("one")
                try body.closeContainer()
            }
            refused("v") { body in
                try body.openVariant(of: UInt8(ascii: "u"))
                try body.append("another type")
            }
            refused("v") { body in
                try body.openContainer(.variant, "u")
                try body.append(1 as UInt32)
                try body.append(2 as UInt32)
            }
            refused("s") { body in
                try body.append("one")
                try body.closeContainer()
            }
        }
    #endif
}
