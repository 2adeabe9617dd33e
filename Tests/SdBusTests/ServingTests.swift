import BusTestSupport
import Foundation
import SdBus
import Testing

@Suite("Serving objects")
struct ServingTests {
    private let name = "org.example.Service"
    private let one = ExampleService.tree + "/one"
    private let interface = "org.example.Example"

    @Test func `a fallback vtable serves what the lookup finds, and nothing else`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        try client.call(name, one, interface, "Tell", "hello")
        try client.call(name, ExampleService.tree + "/two/deep", interface, "Tell", "there")
        #expect(service.seen == ["\(one) hello", "\(ExampleService.tree)/two/deep there"])
        let error = #expect(throws: BusError.self) {
            try client.call(name, ExampleService.tree + "/three", interface, "Tell", "?")
        }
        #expect(error?.name == "org.freedesktop.DBus.Error.UnknownObject")
        withExtendedLifetime(service) {}
    }

    @Test func `introspection equals the description`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let xml = try #require(
            try client.call(name, one, "org.freedesktop.DBus.Introspectable", "Introspect").first?.text)
        for description in [ExampleService.example, ExampleService.other] {
            let element = try #require(Self.element(description.name.description, of: xml))
            // sd-bus does not know the types of Qt.
            let own = description.xml.split(separator: "\n").filter { !$0.contains("org.qtproject.") }
            #expect(Self.squeezed(element) == Self.squeezed(own.joined(separator: "\n")))
        }
        withExtendedLifetime(service) {}
    }

    @Test func `properties are read`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        #expect(try client.property(name, one, interface, "Count") == .uint32(7))
        #expect(try client.property(name, one, interface, "Hint") == "hint")
        #expect(try client.property(name, one, interface, "Path") == .objectPath(one))
        withExtendedLifetime(service) {}
    }

    @Test func `the same interface twice on one prefix is refused`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let error = #expect(throws: SdError.self) {
            try service.bus.addObjectVtable(
                path: ExampleService.root, interface: ExampleService.other.name,
                vtable: ExampleService.otherVtable)
        }
        #expect(error?.isTaken == true)
        withExtendedLifetime(client) {}
    }

    /// One `<interface>` element of an introspection.
    private static func element(_ name: String, of xml: String) -> String? {
        guard let start = xml.range(of: "<interface name=\"\(name)\">"),
            let end = xml.range(of: "</interface>", range: start.upperBound..<xml.endIndex)
        else { return nil }
        return String(xml[start.lowerBound..<end.upperBound])
    }

    /// Without the white space between elements.
    private static func squeezed(_ xml: String) -> [String] {
        xml.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
