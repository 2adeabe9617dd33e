import BusTestSupport
import SdBus

/// A service for the tests of this module. Its handlers get it as userdata.
final class ExampleService {
    static let root = "/org/example"
    static let tree = root + "/tree"

    let bus: Bus
    let loop: EventLoop
    /// Serves the connection, unless sd-bus does.
    private(set) var pump: MessagePump?
    var objects: [String] = [tree + "/one", tree + "/two", tree + "/two/deep"]
    var seen: [String] = []
    var count: UInt32 = 7
    var held: [PendingCall] = []

    /// The service on a bus, and a client that runs its loop.
    static func start(
        on daemon: PrivateBus, withPump: Bool = false
    ) throws -> (service: ExampleService, client: TestClient) {
        let service = try ExampleService(daemon, withPump: withPump)
        let client = try TestClient(daemon)
        client.turn(service.loop)
        return (service, client)
    }

    private init(_ daemon: PrivateBus, withPump: Bool) throws {
        bus = try Bus(.address(daemon.address))
        loop = try EventLoop()
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        for (interface, vtable) in [(Self.example, Self.exampleVtable), (Self.other, Self.otherVtable)] {
            try bus.addFallbackVtable(
                prefix: Self.tree, interface: interface.name, vtable: vtable, userdata: userdata
            ) { _, path, _, userdata, found, _ in
                guard let path, let service = ExampleService.from(userdata) else { return 0 }
                found?.pointee = userdata
                return service.objects.contains(String(cString: path)) ? 1 : 0
            }
        }
        try bus.addObjectVtable(
            path: Self.root, interface: Self.other.name, vtable: Self.otherVtable, userdata: userdata)
        try bus.addObjectManager(path: Self.root)
        try bus.requestName("org.example.Service")
        if withPump { pump = try MessagePump(bus, loop) } else { try bus.attach(to: loop) }
    }

    static func from(_ userdata: UnsafeMutableRawPointer?) -> ExampleService? {
        userdata.map { Unmanaged<ExampleService>.fromOpaque($0).takeUnretainedValue() }
    }

    // Tables are never written after they are made.
    nonisolated(unsafe) static let exampleVtable = example.makeVtable()
    nonisolated(unsafe) static let otherVtable = other.makeVtable()

    static var example: InterfaceDescription {
        InterfaceDescription(
            "org.example.Example",
            methods: [
                .init("Echo", in: [.init("values", "a(sv)")], out: [.init("same", "a(sv)")]) { message, _, _ in
                    answering(message) { call throws(SdError) in
                        let answer = try OutgoingMessage(replyTo: call)
                        try answer.body.copy(from: call, all: true)
                        try answer.send()
                    }
                },
                .init("Tell", in: [.init("what", "s")]) { message, userdata, _ in
                    answering(message) { call throws(SdError) in
                        guard let service = ExampleService.from(userdata) else { return }
                        let what = try call.readString()
                        service.seen.append("\(String(cString: call.path)) \(String(cString: what))")
                        let signal = try OutgoingMessage(
                            signal: service.bus, path: call.path, interface: "org.example.Example", member: "Notified")
                        try signal.body.append(what)
                        try signal.body.appendEmptyArray("{sv}")
                        try signal.send()
                        try call.replyEmpty()
                    }
                },
                .init("Hold", in: [.init("what", "s")], out: [.init("answer", "s")]) { message, userdata, _ in
                    answering(message) { call throws(SdError) in
                        ExampleService.from(userdata)?.held.append(try PendingCall(call))
                    }
                },
                .init("Refuse", in: [.init("why", "s")]) { message, _, _ in
                    answering(message) { call throws(SdError) in
                        let why = String(cString: try call.readString())
                        try call.replyError(name: "org.example.Error.Refused", text: why)
                    }
                },
                .init("Misread", in: [.init("number", "u")]) { message, _, _ in
                    answering(message) { call throws(SdError) in _ = try call.readString() }
                },
                .init("SetError", deprecated: true) { _, _, error in
                    setting(error, name: "org.example.Error.Set", text: "set by the handler")
                },
                .init("Sum", in: [.init("numbers", "as")], out: [.init("all", "s"), .init("count", "u")]) {
                    message, _, _ in
                    answering(message) { call throws(SdError) in
                        var all = ""
                        var count: UInt32 = 0
                        guard try call.enterContainer(.array, "s") else { return }
                        while let text = try call.nextString() {
                            all += String(cString: text)
                            count += 1
                        }
                        try call.exitContainer()
                        let answer = try OutgoingMessage(replyTo: call)
                        try answer.body.append(all)
                        try answer.body.append(count)
                        try answer.send()
                    }
                },
                .init("Fire", in: [.init("x", "t")], withoutReply: true) { message, userdata, _ in
                    answering(message) { call throws(SdError) in
                        let number = try call.readUInt64()
                        ExampleService.from(userdata)?.seen.append("fire \(number) \(call.expectsReply)")
                    }
                },
            ],
            signals: [
                .init("Notified", [.init("what", "s"), .init("details", "a{sv}")]), .init("Old", deprecated: true),
            ],
            properties: [
                .init("Count", "u", .emits) { _, _, _, _, reply, userdata, _ in
                    filling(reply) { body throws(SdError) in
                        try body.append(ExampleService.from(userdata)?.count ?? 0)
                    }
                },
                .init("Path", "o", .constant) { _, path, _, _, reply, _, _ in
                    filling(reply) { body throws(SdError) in
                        guard let path else { return }
                        try body.appendObjectPath(path)
                    }
                },
                .init("Hint", "s", .invalidates) { _, _, _, _, reply, _, _ in
                    filling(reply) { body throws(SdError) in try body.append("hint") }
                },
                .init("Quiet", "b", .silent, deprecated: true) { _, _, _, _, reply, _, _ in
                    filling(reply) { body throws(SdError) in try body.append(true) }
                },
            ])
    }

    static var other: InterfaceDescription {
        InterfaceDescription(
            "org.example.Other",
            methods: [
                .init("Nothing") { message, _, _ in
                    answering(message) { call throws(SdError) in try call.replyEmpty() }
                }
            ])
    }
}
