import FlowCore
import Testing

@testable import FlowFile

@Suite("Example")
struct ExampleTests {
    private let loaded: Result<DefinitionFiles, DefinitionFailure> = Result { () throws(DefinitionFailure) in
        try DefinitionFiles.check([("example.toml", .success(example))])
    }

    private func rule(_ flow: String, _ step: String, _ definitions: Definitions) throws -> Rule {
        let flow = definitions[try #require(definitions.flow(named: flow))]
        let step = try #require(definitions.step(named: step))
        return try #require(flow.rules.first { $0.step == step })
    }

    @Test func `no errors, no warnings`() throws {
        #expect(try loaded.get().warnings == [])
        #expect(try loaded.get().files == ["example.toml"])
    }

    @Test func `steps and screens`() throws {
        let definitions = try loaded.get().definitions
        #expect(
            definitions.steps.map(\.name) == [
                "cancelAsked", "goHome", "itemPicked", "media.play", "paid", "payAsked", "paymentDone", "pinEntered",
                "settingsHome", "touched",
            ])
        #expect(definitions.steps.filter(\.isPrivate).map(\.name) == ["pinEntered"])
        let string = try #require(ValueType(name: "string"))
        #expect(
            definitions.steps[6].parameters == [
                Parameter("receipt", string, isOptional: true), Parameter("result", string),
            ])
        #expect(definitions.screens.map(\.name) == ["detail", "pay", "player", "receipt", "welcome"])
        #expect(definitions.screens[0].parameters.map(\.type.signature) == ["x", "s"])
    }

    @Test func `flows and their keys`() throws {
        let definitions = try loaded.get().definitions
        #expect(definitions.flows.map(\.name) == ["payment", "session", "settings"])
        let (payment, session) = (definitions.flows[0], definitions.flows[1])
        #expect(payment.name == "payment")
        #expect(payment.initial == definitions.step(named: "payAsked"))
        #expect(payment.isUnique && payment.announces && payment.whenHidden == .allow && payment.children == .free)
        #expect(session.children == .stack && !session.isUnique && !session.announces && session.whenHidden == .ignore)
        #expect(!payment.isRestored && session.isRestored)
        #expect(session.parameters.map(\.name) == ["lang"])
        #expect(session.rules.map(\.step.index) == session.rules.map(\.step.index).sorted())
        #expect(payment.onBack == definitions.step(named: "cancelAsked") && session.onBack == nil)
        #expect(payment.emitters == ["com.vendor.Pay", "org.kiosk-1._x"] && session.emitters == [])
        let goHome = try #require(definitions.step(named: "goHome"))
        #expect(session.idle == [TimedStep(after: 90_000_000, step: goHome)] && payment.idle == [])
    }

    @Test func `objects of other processes`() throws {
        let definitions = try loaded.get().definitions
        let (detail, pay) = (definitions.screens[0], definitions.screens[1])
        let (player, receipt, welcome) = (definitions.screens[2], definitions.screens[3], definitions.screens[4])
        let shop = Service("com.kiosk.Shop", path: "/com/kiosk/Shop", timeout: 60_000_000)
        #expect(detail.presenter == .service(shop) && detail.whenOwnerGone == .keep)
        let vendor = Service("com.vendor.Pay", path: "/", timeout: 30_000_000)
        #expect(pay.presenter == .service(vendor) && pay.whenOwnerGone == .present)
        #expect(player.presenter?.service.path == "/org/player" && player.whenOwnerGone == .dismiss)
        let ui = Service("com.kiosk.Ui", path: "/com/kiosk/Ui", timeout: 60_000_000)
        #expect(receipt.presenter == .application(ui, ApplicationCall(.open(.argument("receipt")))))
        let front = Service("com.kiosk.Ui", path: "/com/kiosk/Ui", timeout: 5_000_000)
        #expect(welcome.presenter == .application(front, ApplicationCall(.action("front.welcome", parameter: nil))))
        let (payment, settings) = (definitions.flows[0], definitions.flows[2])
        let paid = try #require(definitions.step(named: "paid"))
        let pinEntered = try #require(definitions.step(named: "pinEntered"))
        let auth = Service("com.kiosk.Auth", path: "/com/kiosk/Auth", timeout: 5_000_000)
        #expect(payment.guard == Guard(auth, steps: [paid, pinEntered]) && payment.navigator == nil)
        let usual = Service("com.kiosk.Auth", path: "/com/kiosk/Auth", timeout: 10_000_000)
        let phone = Service("org.phone.Settings", path: "/org/phone/Settings", timeout: 10_000_000)
        let home = try #require(definitions.step(named: "settingsHome"))
        #expect(settings.guard == Guard(usual) && settings.navigator == Navigator(phone, steps: [home]))
        #expect(
            definitions.busNames == [
                "com.kiosk.Auth", "com.kiosk.Shop", "com.kiosk.Ui", "com.vendor.Pay", "org.kiosk-1._x",
                "org.phone.Settings", "org.player",
            ])
    }

    @Test func `roots in file order`() throws {
        let definitions = try loaded.get().definitions
        let session = try #require(definitions.flow(named: "session"))
        #expect(
            definitions.autostart == [
                Autostart(session, id: "front", arguments: [Argument("lang", .string("en"))]),
                Autostart(
                    session, arguments: [Argument("lang", .string("$en"))],
                    step: definitions.step(named: "itemPicked"), stepArguments: [Argument("item", .int64(7))]),
                Autostart(try #require(definitions.flow(named: "settings"))),
            ])
    }

    @Test func `contributors in short form`() throws {
        let definitions = try loaded.get().definitions
        let welcome = try #require(definitions.screen(named: "welcome"))
        let touched = try #require(definitions.step(named: "touched"))
        #expect(
            try rule("session", "goHome", definitions).alternatives == [
                Alternative(contributors: [
                    .child(
                        ChildTemplate(.screen(welcome), id: "one", style: "modal", whenHidden: .allow, clears: true)),
                    .current(StepTemplate(touched)),
                ])
            ])
        #expect(try rule("payment", "goHome", definitions).alternatives == [Alternative(contributors: [.end(nil)])])
        #expect(try rule("payment", "pinEntered", definitions).alternatives == [Alternative(contributors: [])])
        let paymentDone = try #require(definitions.step(named: "paymentDone"))
        let end = StepTemplate(
            paymentDone,
            arguments: .given([Binding("receipt", .step("receipt")), Binding("result", .literal(.string("paid")))]))
        #expect(try rule("payment", "paid", definitions).alternatives == [Alternative(contributors: [.end(end)])])
    }

    @Test func `alternatives in long form`() throws {
        let definitions = try loaded.get().definitions
        let detail = try #require(definitions.screen(named: "detail"))
        let welcome = try #require(definitions.screen(named: "welcome"))
        let touched = try #require(definitions.step(named: "touched"))
        let arguments = ArgumentSource.given([Binding("item", .step("item")), Binding("lang", .flow("lang"))])
        #expect(
            try rule("session", "itemPicked", definitions).alternatives == [
                Alternative(
                    unless: [.alive("payment"), .argument("item", .int64(0))],
                    contributors: [.child(ChildTemplate(.screen(detail), arguments: arguments, reuses: true))]),
                Alternative(
                    when: [Condition.argument("lang", .string("en"))],
                    contributors: [
                        .pop(.root), .child(ChildTemplate(.screen(welcome))), .pop(.to("detail")),
                        .parent(StepTemplate(touched)),
                    ]),
            ])
    }

    @Test func `the step that a dismissed child triggers`() throws {
        let definitions = try loaded.get().definitions
        let payment = try #require(definitions.flow(named: "payment"))
        let pay = try #require(definitions.screen(named: "pay"))
        let payAsked = try #require(definitions.step(named: "payAsked"))
        let paymentDone = try #require(definitions.step(named: "paymentDone"))
        let pinEntered = try #require(definitions.step(named: "pinEntered"))
        let done = StepTemplate(
            paymentDone, arguments: .given([Binding("receipt", .flow("lang")), Binding("result", .reason)]))
        #expect(
            try rule("session", "payAsked", definitions).alternatives == [
                Alternative(contributors: [
                    .child(ChildTemplate(.flow(payment), step: payAsked, style: "modal", onDismissed: done))
                ])
            ])
        let entered = StepTemplate(pinEntered, arguments: .given([Binding("pin", .childName)]))
        #expect(
            try rule("payment", "payAsked", definitions).alternatives == [
                Alternative(contributors: [
                    .child(ChildTemplate(.screen(pay), whenHidden: .queue, onDismissed: entered))
                ])
            ])
    }

    @Test func `containers take the declared types, and only a leading dollar at the top refers`() throws {
        let definitions = try loaded.get().definitions
        let contributors = try rule("session", "media.play", definitions).alternatives[0].contributors
        guard case .child(let child) = contributors.first, case .given(let bindings) = child.arguments else {
            Issue.record("not a child with arguments: \(contributors)")
            return
        }
        let mixed = Value.array(element: "v", [.variant(.string("x")), .variant(.int64(2))])
        let more: [Value] = [
            .entry(key: .string("a"), value: .variant(.int64(1))), .entry(key: .string("b"), value: .variant(mixed)),
        ]
        #expect(
            bindings == [
                Binding("at", .literal(.structure([.int32(1), .int64(-2)]))),
                Binding("more", .literal(.array(element: "{sv}", more))),
                Binding("rate", .literal(.double(2))),
                Binding("tags", .literal(.array(element: "s", [.string("a"), .string("$b")]))),
            ])
    }

    @Test func `a dollar elsewhere has no meaning`() throws {
        let definitions = try loaded.get().definitions
        let contributors = try rule("session", "paymentDone", definitions).alternatives[0].contributors
        guard case .child(let child) = contributors.first else {
            Issue.record("not a child: \(contributors)")
            return
        }
        #expect(child.arguments == .given([Binding("receipt", .literal(.string("none, $0")))]))
    }
}
