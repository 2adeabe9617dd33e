import FlowCore
import FlowWire
import SdBus
import Testing

@Suite("Properties of presentables in messages")
struct NodePropertyWireTests {
    private let presentable: Value = .dictionary([
        ("Name", .string("page")), ("Instance", .uint64(7)), ("ParentFlow", .objectPath("/")), ("Visible", .bool(true)),
        ("Arguments", .dictionary([("item", .int32(1))])),
        // Of a later version, and of another type than described.
        ("Colour", .string("red")), ("Presented", .string("yes")),
    ])

    private func interfaces(_ interfaces: (String, Value)...) -> Value {
        .array(element: "{sa{sv}}", interfaces.map { .entry(key: .string($0.0), value: $0.1) })
    }

    @Test func `a property is found by the name of its description, and by another copy of it`() {
        for property in NodeProperty.allCases {
            #expect(NodeProperty(name: property.description.name.cString) == property)
            #expect("\(property.description.name)".withCString { NodeProperty(name: $0) } == property)
        }
        #expect("Colour".withCString { NodeProperty(name: $0) } == nil)
    }

    @Test func `a screen is decoded from its interfaces; unknown properties and wrong types are left out`() throws {
        let object = interfaces(("\(BusNames.Interface.presentable)", presentable))
        let state = try #require(PresentableState(path: "/a", interfaces: object))
        #expect(
            state
                == PresentableState(
                    path: "/a", isFlow: false,
                    properties: [
                        .name: .text("page"), .instance: .number(7), .parentFlow: .path(nil), .visible: .flag(true),
                        .arguments: .arguments([Argument("item", .int32(1))]),
                    ]))
        #expect(state.isReady && !state.isPresented && state.owner.isEmpty && state.current == nil)
    }

    @Test func `a flow has the properties of both interfaces; no presentable is no state`() throws {
        let flow: Value = .dictionary([("Ready", .bool(false)), ("Current", .objectPath("/a/b"))])
        let object = interfaces(
            ("\(BusNames.Interface.presentable)", presentable), ("\(BusNames.Interface.flow)", flow))
        let state = try #require(PresentableState(path: "/a", interfaces: object))
        #expect(state.isFlow && !state.isReady && state.current == "/a/b" && state.name == "page")
        #expect(PresentableState(path: "/a", interfaces: interfaces(("\(BusNames.Interface.flow)", flow))) == nil)
    }
}
