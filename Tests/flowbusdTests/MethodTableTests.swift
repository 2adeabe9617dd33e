import BusTestSupport
import CSdBus
import FlowWire
import Glibc
import SdBus
import Testing

@testable import flowbusd

/// Calls are found as sd-bus would find them.
@Suite("Methods")
struct MethodTableTests {
    private static var interfaces: [InterfaceDescription] {
        [
            CoordinatorInterface.description, HistoryInterface.description, StepperInterface.description,
            PresentableInterface.description, FlowInterface.description,
        ]
    }

    private func found(_ call: OpaquePointer) -> MethodTable.Method? {
        MethodTable(
            root: Array(Self.interfaces[..<2]), presentables: Array(Self.interfaces[2..<4]), flows: [Self.interfaces[4]]
        ).method(of: MessageReader(call))
    }

    @Test func `each method is found by its name, interface and signature, and by no other`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let all = Self.interfaces.flatMap { interface in interface.methods.map { (interface.name, $0) } }
        #expect(all.count > 20)
        let members = all.map { "\($0.1.name)" } + ["", "Get", "emitStep", "EmitSte", "EmitStepp"]
        for interface in Self.interfaces.map({ "\($0.name)" }) + [nil, "org.flowbus.Navigation1", "a.B"] {
            for member in Set(members) where !member.isEmpty {
                let own = all.first { "\($0.0)" == interface && "\($0.1.name)" == member }?.1
                let signature = own?.inputs.map { "\($0.signature)" }.joined() ?? ""
                for sent in Set(["", "s", "sa{sv}", signature, signature + "s", String(signature.dropLast())]) {
                    guard let call = try Self.call(bus, interface, member, sent) else { continue }
                    defer { sd_bus_message_unref(call) }
                    let method = found(call)
                    #expect(
                        (method != nil) == (own != nil && sent == signature), "\(interface ?? "").\(member)(\(sent))")
                    guard let method else { continue }
                    #expect("\(method.name)" == member && "\(method.interface)" == interface)
                }
            }
        }
    }

    /// A call with empty values of these types; nil for an invalid signature.
    private static func call(
        _ bus: Bus, _ interface: String?, _ member: String, _ signature: String
    ) throws -> OpaquePointer? {
        var call: OpaquePointer?
        try check(
            "sd_bus_message_new_method_call",
            sd_bus_message_new_method_call(bus.handle, &call, "a.B", "/", interface, member))
        guard let call else { return nil }
        let body = MessageWriter(call)
        for type in types(of: signature) {
            do {
                try append(type, to: body)
            } catch {
                sd_bus_message_unref(call)
                return nil
            }
        }
        return call
    }

    private static func append(_ type: String, to body: MessageWriter) throws(SdError) {
        if type.hasPrefix("a") {
            try body.openContainer(.array, String(type.dropFirst()))
            return try body.closeContainer()
        }
        switch type {
        case "s": try body.append("" as String)
        case "o": try body.appendObjectPath("/" as String)
        case "b": try body.append(false)
        case "t": try body.append(0 as UInt64)
        case "u": try body.append(0 as UInt32)
        default: throw SdError("append", errno: 22)
        }
    }

    /// Complete types; a rest that is none comes last.
    private static func types(of signature: String) -> [String] {
        var (types, depth, type): ([String], Int, String) = ([], 0, "")
        for letter in signature {
            type.append(letter)
            if "({".contains(letter) { depth += 1 }
            if ")}".contains(letter) { depth -= 1 }
            if depth == 0, letter != "a" {
                types.append(type)
                type = ""
            }
        }
        return type.isEmpty ? types : types + [type]
    }

    // MARK: The service

    @Test func `what no table has, sd-bus refuses`() throws {
        let service = try Service(shopDefinitions)
        let bus = try Bus(.address(service.bus.address))
        let shop = Service.tree + "/shop"
        /// The error; empty if there is none.
        func error(_ path: String, _ interface: String?, _ member: String, _ texts: [String]) throws -> String {
            var call: OpaquePointer?
            try check(
                "sd_bus_message_new_method_call",
                sd_bus_message_new_method_call(bus.handle, &call, Service.name, path, interface, member))
            defer { sd_bus_message_unref(call) }
            for text in texts { try MessageWriter(try #require(call)).append(text) }
            var error = sd_bus_error()
            defer { sd_bus_error_free(&error) }
            _ = sd_bus_call(bus.handle, call, 0, &error, nil)
            return error.name.map { String(cString: $0) }?.replacing("org.freedesktop.DBus.Error.", with: "") ?? ""
        }
        let (coordinator, flow) = (Service.name + ".Coordinator", Service.name + ".Flow")
        let introspectable = "org.freedesktop.DBus.Introspectable"
        for (path, interface, member, texts, expected) in [
            (Service.root, coordinator, "GetSerial", [], ""), (Service.root, coordinator, "GetStack", [""], ""),
            (Service.root, coordinator, "GetStack", [], "InvalidArgs"),
            (Service.root, coordinator, "GetSerial", ["too much"], "InvalidArgs"),
            (Service.root, coordinator, "GetSeria", [], "UnknownMethod"),
            (Service.root, nil, "GetSerial", [], "UnknownObject"),
            (shop, coordinator, "GetSerial", [], "UnknownMethod"), (shop, flow, "GetLastNavigation", [], ""),
            (shop, flow, "GetLastNavigation", ["too much"], "InvalidArgs"),
            (shop, nil, "GetLastNavigation", [], "UnknownObject"),
            (shop + "/list", flow, "GetLastNavigation", [], "UnknownMethod"),
            (shop + "/gone", flow, "GetLastNavigation", [], "UnknownObject"),
            (shop + "/gone", Service.name + ".Stepper", "EmitStep", ["begin"], "UnknownObject"),
            (Service.tree, flow, "GetLastNavigation", [], "UnknownObject"), (Service.tree, nil, "Introspect", [], ""),
            (Service.tree + "ish", flow, "GetLastNavigation", [], "UnknownObject"),
            (Service.root + "/instance/1", flow, "GetLastNavigation", [], ""),
            (Service.root + "/instance/2", flow, "GetLastNavigation", [], "UnknownMethod"),
            (Service.root + "/instance/77", flow, "GetLastNavigation", [], "UnknownObject"),
            (Service.root + "/instance/77", introspectable, "Introspect", [], "UnknownObject"),
            (shop, introspectable, "Introspect", [], ""),
            (shop, introspectable, "Introspect", ["too much"], "InvalidArgs"),
            (Service.root + "/instance/01", flow, "GetLastNavigation", [], "UnknownObject"),
            (Service.root + "/other", flow, "GetLastNavigation", [], "UnknownObject"),
            ("/", coordinator, "GetSerial", [], "UnknownObject"),
        ] as [(String, String?, String, [String], String)] {
            #expect(try error(path, interface, member, texts) == expected, "\(path) \(interface ?? "").\(member)")
        }
    }

    @Test func `GetManagedObjects has what each object says of itself`() throws {
        let service = try Service(shopDefinitions)
        try service.coordinate("shop")
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        try service.emit("check", on: "/shop")
        let objects = try service.objects()
        #expect(objects.keys.count >= 6)
        for path in objects.keys {
            let interfaces = try #require(objects[path])
            let xml =
                try service.client.call(
                    Service.name, path, "org.freedesktop.DBus.Introspectable", "Introspect")[0].text ?? ""
            let named = xml.split(separator: "<interface name=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
            #expect(Set(interfaces.keys) == Set(named) && interfaces.keys.count == named.count, "\(path)")
            for interface in interfaces.keys {
                let all = try service.client.call(
                    Service.name, path, "org.freedesktop.DBus.Properties", "GetAll", .string(interface))[0]
                // No signal tells whether a flow is in sight (S-38).
                let known = all.elements.filter {
                    guard case .dictEntry("InSight", _) = $0 else { return true }
                    return !interfaces.keys.contains(Service.name + ".Flow")
                }
                #expect(interfaces[interface]?.elements == known, "\(interface) of \(path)")
            }
        }
    }
}
