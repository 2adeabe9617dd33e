import Testing

@testable import FlowCore

@Suite("Node properties")
struct NodePropertyTests {
    private let forest: Forest
    private let flow: NodeSlot
    private let screen: NodeSlot

    init() {
        var forest = Forest(base: "")
        flow = forest.add("main", .free)
        screen = forest.add("page", below: flow)
        self.forest = forest
    }

    @Test(arguments: NodeProperty.allCases)
    func `a value has the type that is described, at a flow and at a screen`(_ property: NodeProperty) {
        for slot in [flow, screen] {
            #expect(forest.value(of: property, at: slot).signature == "\(property.description.signature)")
        }
    }

    @Test func `a name stands for one property`() {
        for property in NodeProperty.allCases {
            #expect(NodeProperty(name: "\(property.description.name)") == property)
        }
        #expect(NodeProperty(name: "name") == nil)
    }

    @Test func `a state has what signals report, and a screen nothing that only flows have`() {
        let reported = NodeProperty.allCases.filter { $0.description.change != .explicit }
        #expect(
            forest.state(of: flow).properties.entries.map(\.property)
                == reported.filter { $0 != .inSight })
        #expect(
            forest.state(of: screen).properties.entries.map(\.property)
                == reported.filter { $0.description.interface == .presentable })
    }

    @Test func `what follows from a change names each property`() {
        for property in NodeProperty.allCases {
            #expect(Array(Node.Changes.reports(property).properties) == [property])
            #expect(Node.Changes.reported.contains(.reports(property)))
        }
        #expect(Array(Node.Changes([.born, .record, .activity, .reclaimIfLeft]).properties).isEmpty)
    }

    @Test func `a list has a property once, in the order of signals`() {
        var list: PropertyList = [.owner: .text("a"), .name: .text("b"), .owner: .text("c")]
        #expect(list.entries.map(\.property) == [.name, .owner])
        #expect(list.text(.owner) == "c" && list.text(.style) == nil)
        list[.name] = nil
        list[.visible] = .flag(true)
        #expect(list == [.visible: .flag(true), .owner: .text("c")])
        #expect(list.flag(.owner) == nil && list.number(.visible) == nil && list.arguments(.visible) == nil)
    }
}
