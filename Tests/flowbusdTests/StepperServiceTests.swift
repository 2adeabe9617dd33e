import BusTestSupport
import Foundation
import Testing

/// Steppers on a service that behaves in all ways that D-Bus allows.
@Suite("Steppers of another service")
struct StepperServiceTests {
    private static let name = "com.example.Vehicle"
    private static let interface = "com.example.Vehicle1"
    private static let properties = "org.freedesktop.DBus.Properties"

    private static let flow = """
        [steps]
        start = {}
        gear  = { gear = "string", isKnown = "bool?" }
        horn  = { times = "int32?", text = "string?" }
        key   = { code = "string" }
        [private]
        steps = ["key"]
        [[autostart]]
        flow = "device"
        [flows.device]
        initial = "start"
        [flows.device.on]
        start = { none = true }
        gear  = { none = true }
        horn  = { none = true }
        key   = { none = true }

        """
    private static let gear = """
        [[steppers]]
        flow      = "device"
        name      = "com.example.Vehicle"
        path      = { call = "GetVehicle", signature = "us", arguments = [7, "x"], object = "/all", of = "com.example.All" }
        interface = "com.example.Vehicle1"
        property  = "Gear"
        step      = "gear"
        arguments = { gear = "$value", isKnown = true }
        absent    = { gear = "none" }

        """
    private static let horn = """
        [[steppers]]
        flow      = "device"
        name      = "com.example.Vehicle"
        interface = "com.example.Vehicle1"
        signal    = "Horn"
        step      = "horn"
        arguments = { times = "$0", text = "$1" }

        """

    private func start(_ definitions: String) throws -> Service {
        let service = try Service(definitions)
        // Nobody owns the name yet, and the step for that has been taken.
        try service.poll(for: "no service") {
            let steppers = "\(try service.coordinator("GetSteppers"))"
            return steppers.contains("absent") && !steppers.contains("connecting")
        }
        try service.listen()
        return service
    }

    private func vehicle(_ service: Service, gear: BusValue? = "P") throws -> TestClient {
        let vehicle = try TestClient(service.bus)
        vehicle.serve("/all", "com.example.All", "GetVehicle") { call in
            call.values == [.uint32(7), "x"]
                ? .values([.objectPath("/vehicle/1")]) : .error(BusError("com.example.Error", "wrong"))
        }
        vehicle.serve("/vehicle/1", Self.properties, "Get") { call in
            guard call.values == [.string(Self.interface), "Gear"], let gear else {
                return .error(BusError("com.example.Error.NoGear", "no gear"))
            }
            return .values([.variant(gear)])
        }
        service.client.turn(vehicle)
        try vehicle.requestName(Self.name)
        return vehicle
    }

    private func waitForStep(_ service: Service, _ step: String) throws -> ReceivedMessage {
        try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == .string(step) }
    }

    private func change(
        _ vehicle: TestClient, _ values: KeyValuePairs<String, BusValue>, invalid: [String] = [],
        at path: String = "/vehicle/1"
    ) throws {
        try vehicle.signal(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged", .string(Self.interface), .options(values),
            .array(of: "s", invalid.map { .string($0) }))
    }

    @Test func `S-42 a property by Get and by its changes, told by the service's name`() throws {
        let service = try start(Self.flow + Self.gear)
        let vehicle = try vehicle(service)
        let first = try waitForStep(service, "gear")
        #expect(first.values[2] == .string(Self.name) && first.values[4]["gear"] == "P")
        try change(vehicle, ["Gear": "X"], at: "/vehicle/2")
        try change(vehicle, ["Speed": .double(3), "Gear": "R"])
        #expect(try waitForStep(service, "gear").values[4]["gear"] == "R")
        // Without its value the property is read again.
        try change(vehicle, [:], invalid: ["Speed", "Gear"])
        #expect(try waitForStep(service, "gear").values[4]["gear"] == "P")
    }

    @Test func `S-42 a service that comes, goes and comes again`() throws {
        let service = try start(Self.flow + Self.gear)
        for _ in 0..<2 {
            let vehicle = try vehicle(service)
            #expect(try waitForStep(service, "gear").values[4]["gear"] == "P")
            vehicle.disconnect()
            #expect(try waitForStep(service, "gear").values[4]["gear"] == "none")
        }
    }

    @Test func `S-42 a Get that fails makes the property absent, until it changes`() throws {
        let service = try start(Self.flow + Self.gear)
        let vehicle = try vehicle(service, gear: nil)
        _ = try vehicle.waitForCall("Get")
        try service.synchronize()
        try change(vehicle, ["Gear": "D"])
        #expect(try waitForStep(service, "gear").values[4]["gear"] == "D")
    }

    @Test func `S-42 only the owner of the name counts`() throws {
        let service = try start(Self.flow + Self.gear + Self.horn)
        let vehicle = try vehicle(service)
        _ = try waitForStep(service, "gear")
        let other = try service.peer("com.example.Other")
        try change(other, ["Gear": "X"])
        try other.signal("/vehicle/1", "com.example.Vehicle1", "Horn", .int32(1))
        // Also where a signal goes to the service alone, and no match rule counts.
        try service.synchronize(other)
        try vehicle.signal("/any", "com.example.Vehicle1", "Horn", .int32(2), "loud")
        let horn = try waitForStep(service, "horn")
        #expect(horn.values[4]["times"] == .int32(2) && horn.values[4]["text"] == "loud")
    }

    @Test func `S-42 values that can't be arguments are reported`() throws {
        let service = try start(Self.flow + Self.gear + Self.horn)
        let vehicle = try vehicle(service, gear: .int32(1))
        let failed = try service.client.waitForSignal("NavigationFailed")
        #expect(failed.values[1] == .string(Self.name) && failed.values[2] == "gear")
        #expect(failed.values[4] == .string(Service.name + ".Error.InvalidArguments"))
        try vehicle.signal("/any", "com.example.Vehicle1", "Horn", "loud")
        #expect(try service.client.waitForSignal("NavigationFailed").values[2] == "horn")
        try vehicle.signal(
            "/any", "com.example.Vehicle1", "Horn", .int32(1), .string(String(repeating: "x", count: 70_000)))
        let large = try service.client.waitForSignal("NavigationFailed")
        #expect(large.values[4] == .string(Service.name + ".Error.LimitExceeded"))
        try vehicle.signal("/any", "com.example.Vehicle1", "Horn")
        #expect(try waitForStep(service, "horn").values[4] == .options([:]))
    }

    @Test func `S-42 a reload adds and removes steppers, and those that stay go on`() throws {
        let service = try start(Self.flow + Self.gear)
        let vehicle = try vehicle(service)
        _ = try waitForStep(service, "gear")
        try service.write(Self.flow + Self.horn + Self.gear)
        _ = try service.coordinator("Reload")
        try change(vehicle, ["Gear": "R"])
        #expect(try waitForStep(service, "gear").values[4]["gear"] == "R")
        #expect(vehicle.calls("Get").count == 1)
        try service.write(Self.flow + Self.horn)
        _ = try service.coordinator("Reload")
        try change(vehicle, ["Gear": "N"])
        try vehicle.signal("/any", "com.example.Vehicle1", "Horn", .int32(3))
        #expect(try service.client.waitForSignal("NavigationOccurred").values[3] == "horn")
    }

    @Test func `S-42 start = true starts the service, and without it nothing does`() throws {
        let services = try TemporaryDirectory()
        let folder = try TemporaryDirectory()
        try services.write(
            "[D-BUS Service]\nName=\(Self.name)\nExec=/bin/sh -c \"echo x >> \(folder.path)/started; exit 1\"\n",
            to: "vehicle.service")
        let started = folder.path + "/started"
        for starts in [false, true] {
            let service = try Service(
                Self.flow + Self.horn + (starts ? "start = true\n" : ""),
                bus: PrivateBus(.daemon, serviceDirectories: [services.path]))
            try service.poll(for: "an answer of the bus") {
                try service.coordinator("GetSteppers").first.map { "\($0)".contains("absent") } ?? false
            }
            #expect((try? String(contentsOfFile: started, encoding: .utf8)) == (starts ? "x\n" : nil))
        }
    }

    @Test func `S-10 S-42 the value of a private step is nowhere`() throws {
        let service = try start(
            Self.flow
                + Self.gear.replacing("\"gear\"\n", with: "\"key\"\n").replacing(
                    "{ gear = \"$value\", isKnown = true }", with: "{ code = \"$value\" }"
                ).replacing("absent    = { gear = \"none\" }\n", with: ""))
        let vehicle = try vehicle(service, gear: "1234")
        #expect(try waitForStep(service, "key").values[4] == .options([:]))
        #expect(!"\(try service.coordinator("GetSteppers"))".contains("1234"))
        try change(vehicle, ["Gear": "4321"])
        #expect(try waitForStep(service, "key").values[4] == .options([:]))
        #expect(!service.process.errors.contains("4321"))
    }
}
