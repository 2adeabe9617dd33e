import BusTestSupport
import Testing

/// Children in front, and in layers, as clients on the bus see them (S-37).
@Suite("Layers")
struct LayerTests {
    private static let definitions = """
        [steps]
        start   = {}
        reverse = {}
        forward = {}
        locked  = {}
        unlock  = {}
        run     = {}
        ask     = {}
        [screens]
        page  = {}
        other = {}
        [[autostart]]
        flow = "device"
        [[autostart]]
        flow = "remote"
        [flows.device]
        initial  = "start"
        children = "layers"
        layers   = ["apps", "lock", "camera"]
        [flows.device.on]
        start   = { flow = "home" }
        reverse = { flow = "camera", layer = "camera", reuse = true }
        forward = { hide = "camera" }
        locked  = { flow = "lock", layer = "lock", reuse = true }
        unlock  = { dismiss = "lock" }
        [flows.home]
        whenEmpty = "stay"
        initial  = "start"
        children = "stack"
        [flows.home.on]
        start = [{ screen = "page" }, { screen = "other" }]
        run   = { screen = "page", reuse = "raise" }
        [flows.camera]
        whenEmpty = "stay"
        [flows.camera.on]
        start = { screen = "page" }
        [flows.lock]
        whenEmpty = "stay"
        emitters = ["com.vendor.Lock"]
        [flows.lock.on]
        start = { screen = "page" }
        [flows.remote]
        children  = "layers"
        layers    = ["low", "high"]
        navigator = { name = "\(Peer.name)", steps = ["ask"] }
        """

    private let service: Service

    init() throws { service = try Service(Self.definitions) }

    private func current() throws -> String? { try service.property("Current", of: "/device", "Flow").brief }

    @Test func `S-37 layers, hidden flows and raised children survive a restart`() throws {
        try service.listen()
        try service.emit("run", on: "/device/home")
        try service.emit("reverse", on: "/device")
        #expect(try current() == "/device/camera")
        try service.emit("locked", on: "/device")
        #expect(try current() == "/device/camera")
        #expect(try service.property("Presented", of: "/device/lock", "Presentable") == false)
        service.client.clearLog()
        try service.emit("forward", on: "/device")
        #expect(
            try service.client.waitForSignal("NavigationOccurred").values[5].brief
                == "[(hide camera /device/camera {})]")
        #expect(try current() == "/device/lock")
        #expect(
            try service.property("Children", of: "/device/home", "Flow").brief
                == "[/device/home/other, /device/home/page]")
        try service.restart()
        #expect(try current() == "/device/lock")
        #expect(try service.property("Visible", of: "/device/camera", "Presentable") == false)
        #expect(
            try service.property("Children", of: "/device/home", "Flow").brief
                == "[/device/home/other, /device/home/page]")
        #expect(try service.property("Current", of: "/device/home", "Flow").brief == "/device/home/page")
        try service.listen()
        try service.emit("unlock", on: "/device")
        #expect(
            try service.client.waitForSignal("NavigationOccurred").values[5].brief == "[(dismiss lock /device/lock {})]"
        )
        service.client.clearLog()
        try service.emit("unlock", on: "/device")
        #expect(try service.client.waitForSignal("NavigationOccurred").values[5].brief == "[(dismiss lock / {})]")
        #expect(try current() == "/device/home")
    }

    @Test func `S-37 a navigator gives a layer; a screen or an unknown layer fails the step`() throws {
        let peer = try service.peer()
        let failed = Service.name + ".Error.NavigatorFailed"
        for (kind, name, options): (String, String, BusValue) in [
            ("screen", "page", .options()), ("flow", "home", .options(["layer": "middle"])),
            ("flow", "home", .options(["reuse": "raise"])), ("screen", "page", .options(["layer": "high"])),
        ] {
            peer.playNavigator { _ in .contributors((kind, name, options)) }
            #expect(try service.refusal { try service.emit("ask", on: "/remote") }.name == failed)
        }
        peer.playNavigator { _ in
            .contributors(("flow", "lock", .options(["layer": "high"])), ("flow", "home", .options()))
        }
        try service.emit("ask", on: "/remote")
        #expect(try service.property("Current", of: "/remote", "Flow").brief == "/remote/lock")
        peer.playNavigator { _ in .contributors(("dismiss", "lock", .options()), ("show", "home", .options())) }
        try service.emit("ask", on: "/remote")
        #expect(try service.property("Current", of: "/remote", "Flow").brief == "/remote/home")
    }
}
