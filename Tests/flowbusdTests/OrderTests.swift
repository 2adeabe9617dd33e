import BusTestSupport
import Testing

/// The signals and replies of one client, in the order of the wire.
@Suite("Order on the wire")
struct OrderTests {
    @Test func `a navigation: additions, properties, NavigationOccurred, then the answer`() throws {
        let service = try Service(shopDefinitions)
        try service.show("/shop/list")
        try service.listen()
        try service.emit("pick", ["item": .int64(7)], on: "/shop/list")
        let sender = service.client.uniqueName
        let item = "{item: 7}"
        #expect(
            service.client.transcript == [
                "InterfacesAdded /shop/detail",
                "PropertiesChanged /shop Current=/shop/detail",
                "PropertiesChanged /shop/list Presented=false",
                "NavigationOccurred /shop 2 0 \(sender) pick \(item) "
                    + "[(screen detail /shop/detail {style: slide, arguments: \(item)})] {}",
                "StackChanged   [(/shop/detail 3 {visible: false, style: slide})]",
                "BackChanged /shop dismiss {goes: 3, reveals: /shop/list}",
                "answer 2 navigated",
            ])
    }

    @Test func `S-7 S-8 a cascade: triggered steps follow the step, with its serial as cause`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        try service.emit("check", on: "/shop")
        let sender = service.client.uniqueName
        #expect(
            service.client.transcript == [
                "InterfacesAdded /shop/pay",
                "PropertiesChanged /shop Current=/shop/pay",
                "NavigationOccurred /shop 2 0 \(sender) check {} [(flow pay /shop/pay {style: modal})] {}",
                "NavigationWillOccur /shop/pay card {} {}",
                "InterfacesAdded /shop/pay/basket",
                "PropertiesChanged /shop/pay Ready=true",
                "NavigationOccurred /shop/pay 3 2 \(sender) card {} [(screen basket /shop/pay/basket {})] {}",
                "StackChanged   [(/shop/pay/basket 4 {visible: false})]",
                "BackChanged /shop dismiss {goes: 3, reveals: /shop/list}",
                "answer 2 navigated",
            ])
    }

    @Test
    func `S-21 an end: children are removed, properties, NavigationOccurred, the rest of the flow, the parent's step`()
        throws
    {
        let service = try Service(shopDefinitions)
        try service.show("/shop/list")
        try service.emit("check", on: "/shop")
        try service.show("/shop/pay/basket")
        try service.listen()
        try service.emit("done", ["receipt": "r"], on: "/shop/pay/basket")
        let sender = service.client.uniqueName
        #expect(
            service.client.transcript == [
                "NavigationWillOccur /shop/pay done {receipt: r} {}",
                "InterfacesRemoved /shop/pay/basket",
                "PropertiesChanged /shop Current=/shop/list",
                "PropertiesChanged /shop/list Presented=true",
                "NavigationOccurred /shop/pay 4 0 \(sender) done {receipt: r} "
                    + "[(end closed /shop {arguments: {receipt: r}})] {}",
                "InterfacesRemoved /shop/pay",
                "NavigationOccurred /shop 5 4 \(sender) closed {receipt: r} [] {}",
                "StackChanged   [(/shop/list 2 {visible: true})]", "BackChanged /shop unhandled {}",
                "answer 4 navigated",
            ])
    }

    @Test func `S-22 a dismissal: newest leaf first, then uncovered presentables, then the answer`() throws {
        let service = try Service(shopDefinitions)
        try service.show("/shop/list")
        try service.emit("check", on: "/shop")
        try service.listen()
        try service.dismiss("/shop/pay")
        #expect(
            service.client.transcript == [
                "InterfacesRemoved /shop/pay/basket", "InterfacesRemoved /shop/pay",
                "PropertiesChanged /shop Current=/shop/list", "PropertiesChanged /shop/list Presented=true",
                "StackChanged   [(/shop/list 2 {visible: true})]", "BackChanged /shop unhandled {}", "answer ",
            ])
    }

    @Test func `S-27 a deep link is marked as one, and each flow has its verdict`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        try service.listen()
        try service.coordinator("Navigate", "closed", .options(), .options())
        #expect(
            service.client.transcript == [
                "NavigationOccurred /shop 4 0 \(service.client.uniqueName) closed {} [] {deepLink: true}",
                "answer [(/shop 4 navigated  ), (/shop/pay 0 unhandled  )]",
            ])
    }

    @Test func `S-12 a failed step that no caller waits for is reported`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        try service.coordinate("shop", step: "nobody", options: ["id": "second"])
        #expect(
            service.client.transcript == [
                "InterfacesAdded /second",
                "NavigationFailed /second 0 \(service.client.uniqueName) nobody unhandled  "
                    + "flow 'shop' has no rule for step 'nobody'",
                "PropertiesChanged /second Ready=true", "answer /second",
            ])
    }

    @Test func `S-11 a loop is reported once, and earlier changes stay`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        #expect(try service.emit("spin", ["again": true], on: "/shop") == [.uint64(2), "navigated"])
        let lines = service.client.transcript
        #expect(lines.count { $0.hasPrefix("NavigationOccurred") } == 257)
        #expect(lines.count { $0.hasPrefix("NavigationFailed") } == 1)
        #expect(lines.dropLast().last?.contains("org.flowbus.Navigation1.Error.NavigationLoop") == true)
        #expect(try service.coordinator("GetSerial") == [.uint64(258)])
    }
}
