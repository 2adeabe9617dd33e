import BusTestSupport
import FlowCore
import FlowWire
import Foundation
import FoundationXML
import SdBus
import Testing

/// The documented XML, the service's Introspect, and the output of `--introspect` agree.
@Suite("Introspection")
struct IntrospectionTests {
    static let interfaces = ["Stepper", "Presentable", "Flow", "Coordinator", "History"].map { Service.name + "." + $0 }

    @Test func `the documented interfaces are those that are served, with their annotations`() throws {
        let service = try Service(shopDefinitions)
        let documented = try Self.interfaces.flatMap { try members(of: Service.file("dbus/\($0).xml"), in: [$0]) }
        let served = try ["", "/tree/shop", "/tree/shop/list"].map { path -> Set<String> in
            Set(try members(of: introspect(service, Service.root + path), in: Self.interfaces))
        }
        func of(_ roles: String...) -> Set<String> {
            Set(documented.filter { line in roles.contains { line.hasPrefix("\(Service.name).\($0) ") } })
        }
        #expect(served[0] == of("Coordinator", "History"))
        #expect(served[1] == of("Stepper", "Presentable", "Flow"))
        #expect(served[2] == of("Stepper", "Presentable"))
        let instances = try [1, 2].map { try introspect(service, "\(Service.root)/instance/\($0)") }
        #expect(try instances.map { Set(try members(of: $0, in: Self.interfaces)) } == [served[1], served[2]])
        #expect(instances.allSatisfy { !$0.contains("<node name") })
        #expect(documented.count > 46)
    }

    @Test func `interfaces for other processes are documented with what the service sends`() throws {
        let asked = "flow.step.arguments.details"
        let expected = [
            "Guard": ["Adapt osa{sv}a{sv}sa{sv}", "\(asked).adaptedStep.adaptedArguments"],
            "Navigator": ["Navigate osa{sv}a{sv}a(ssa{sv})", "\(asked).contributors"],
            "Presenter": [
                "Present osa{sv}a{sv}a{sv}", "presentable.name.arguments.details.report", "Withdraw ots",
                "presentable.instance.reason", "Alive ", "",
            ],
        ]
        for (role, members) in expected {
            let xml = try Service.file("dbus/\(Service.name).\(role).xml")
            let body = try #require(xml.range(of: "<node").map { String(xml[$0.lowerBound...]) })
            let methods = try XMLDocument(xmlString: body).nodes(forXPath: "/node/interface/method")
            let found = try methods.flatMap { method in
                let arguments = try method.nodes(forXPath: "arg")
                let types = arguments.map { attribute("type", of: $0) }.joined()
                return [
                    "\(attribute("name", of: method)) \(types)",
                    arguments.map { attribute("name", of: $0) }.joined(separator: "."),
                ]
            }
            #expect(found == members)
        }
    }

    @Test func `the library and flowbusctl serve these interfaces with the documented names and types`() throws {
        for description in [InterfaceDescription.guard, .navigator, .presenter] {
            let xml = try Service.file("dbus/\(description.name).xml")
            #expect(
                try members(of: "<node>\(description.xml)</node>", in: ["\(description.name)"])
                    == members(of: xml, in: ["\(description.name)"]))
        }
    }

    @Test func `S-10 the documents list each kind of a contributor`() throws {
        func listed(_ role: String, from start: String, to end: String) throws -> Set<String> {
            let xml = try Service.file("dbus/\(Service.name).\(role).xml")
            let list = try #require(xml.range(of: start)).upperBound..<#require(xml.range(of: end)).lowerBound
            return Set(
                xml[list].split(separator: "\n").filter { $0.contains(" - \"") }.flatMap { line in
                    line.prefix { $0 != ":" }.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map {
                        String($0.element)
                    }
                })
        }
        #expect(
            try listed(
                "Navigator", from: "The kind and the name of a contributor are one of:", to: "Options of \"screen\"")
                == Set(NamedContributor.Kind.allCases.map(\.rawValue)))
        #expect(
            try listed("Flow", from: "Its kind is one of:", to: "Later versions may add kinds")
                == Set(Contribution.Kind.allCases.map(\.rawValue)))
    }

    @Test func `--introspect prints the served interfaces, one or all`() throws {
        for interface in Self.interfaces {
            let process = try Service.start(["--introspect", interface])
            #expect(try process.waitForExit() == .status(0))
            let printed = Set(try members(of: process.output, in: Self.interfaces))
            #expect(printed == Set(try members(of: Service.file("dbus/\(interface).xml"), in: Self.interfaces)))
        }
        let all = try Service.start(["--introspect"])
        #expect(try all.waitForExit() == .status(0))
        #expect(Set(try members(of: all.output, in: Self.interfaces).map { $0.prefix { $0 != " " } }).count == 5)
    }

    @Test func `an unknown interface is refused with the nearest name`() throws {
        let process = try Service.start(["--introspect", "org.flowbus.Navigation1.Steper"])
        #expect(try process.waitForExit() == .status(64))
        #expect(process.errors.contains("'org.flowbus.Navigation1.Steper'"))
        #expect(process.errors.contains("did you mean 'org.flowbus.Navigation1.Stepper'?"))
        #expect(process.output.isEmpty)
    }

    @Test func `each object lists its children, and leaves list none`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        #expect(try children(service, Service.tree) == ["shop"])
        #expect(try children(service, Service.tree + "/shop") == ["list", "pay"])
        #expect(try children(service, Service.tree + "/shop/pay") == ["basket"])
        #expect(try children(service, Service.tree + "/shop/pay/basket") == [])
    }

    private func introspect(_ service: Service, _ path: String) throws -> String {
        let answer = try service.client.call(
            Service.name, path, "org.freedesktop.DBus.Introspectable", "Introspect")
        return answer[0].text ?? ""
    }

    private func children(_ service: Service, _ path: String) throws -> [String] {
        let document = try XMLDocument(xmlString: introspect(service, path))
        return try document.nodes(forXPath: "/node/node/@name").compactMap(\.stringValue).sorted()
    }

    /// Every member of these interfaces, a line each, with arguments, types, directions and annotations.
    private func members(of xml: String, in interfaces: [String]) throws -> [String] {
        // Without its document type: the parser would look for the file it names.
        let body = xml.range(of: "<node").map { String(xml[$0.lowerBound...]) } ?? xml
        let document = try XMLDocument(xmlString: body)
        return try document.nodes(forXPath: "/node/interface").flatMap { interface -> [String] in
            let name = attribute("name", of: interface)
            guard interfaces.contains(name) else { return [] }
            return (interface.children ?? []).filter { $0.kind == .element }.map { member in
                let parts = (member.children ?? []).filter { $0.kind == .element }.map { part in
                    ["type", "name", "direction", "value"].map { attribute($0, of: part) }.joined(separator: ":")
                }
                // The order of arguments has a meaning, that of annotations has none.
                let annotations = (member.children ?? []).filter { $0.name == "annotation" }.count
                let sorted = parts.dropLast(annotations) + parts.suffix(annotations).sorted()
                let own = ["name", "type", "access"].map { attribute($0, of: member) }.joined(separator: " ")
                return "\(name) \(member.name ?? "") \(own) [\(sorted.joined(separator: ", "))]"
            }
        }
    }

    private func attribute(_ name: String, of node: XMLNode) -> String {
        (node as? XMLElement)?.attribute(forName: name)?.stringValue ?? ""
    }
}
