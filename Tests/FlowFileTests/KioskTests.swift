import FlowCore
import Testing

@testable import FlowFile

/// The example of the file format's description.
private let kiosk = """
    version = 1                            # of this format; required in each file

    [steps]                                # name = { argument = type }; names with dots in quotes
    touched     = {}
    itemPicked  = { item = "int64" }
    payAsked    = { cents = "uint32" }
    pinEntered  = { pin = "string" }
    paid        = { receipt = "string" }
    failed      = { why = "string" }
    cancelAsked = {}
    paymentDone = { result = "string", receipt = "string?" }   # ? = may be left out
    goHome      = {}
    settingsHome = {}

    [private]                              # arguments of these stay out of broadcasts, history and properties
    steps = ["pinEntered"]

    [screens]                              # each screen once; an undeclared one is an error
    welcome = { application = "com.kiosk.Ui" }          # org.freedesktop.Application of a GTK/Qt program
    detail  = { presenter = "com.kiosk.Shop", whenOwnerGone = "keep", arguments = { item = "int64", lang = "string" } }
    pay     = { presenter = { name = "com.vendor.Pay", path = "/com/vendor/Pay", timeout = "30s" }, arguments = { cents = "uint32" } }
    receipt = { arguments = { receipt = "string" } }    # shown by whoever listens

    [[autostart]]                          # roots started with the daemon, in file order
    flow = "session"
    id   = "front"                         # default: the flow's name
    arguments = { lang = "en" }            # the flow's; also: step (instead of the flow's initial), stepArguments

    [flows.session]                        # a flow's keys stand before its [….on]
    initial   = "touched"
    children  = "stack"                    # stack | tabs | free (default)
    arguments = { lang = "string" }
    idle      = { after = "60s", step = "goHome" }
    [flows.session.on]                     # short form: step = contributor or list of contributors
    touched  = { screen = "welcome" }
    goHome   = { clear = true, screen = "welcome" }
    payAsked = { flow = "payment", step = "payAsked", style = "modal", onDismissed = { step = "paymentDone", arguments = { result = "$reason" } } }
    [[flows.session.on.itemPicked]]        # long form: one table a contributor or alternative
    unless    = { alive = "payment" }
    screen    = "detail"
    reuse     = true
    arguments = { item = "$item", lang = "$flow.lang" }
    [[flows.session.on.paymentDone]]
    when      = { result = "paid" }
    screen    = "receipt"
    arguments = { receipt = "$receipt" }
    [[flows.session.on.paymentDone]]
    none      = true

    [flows.payment]
    initial    = "payAsked"
    onBack     = "cancelAsked"             # Back sets this off instead of dismissing
    emitters   = ["com.vendor.Pay"]        # only owners of these names may emit here and on its screens, or send it Back
    restore    = false                     # not brought back after a restart on another bus (default true)
    unique     = false                     # true: at most one root of it (S-2)
    whenHidden = "ignore"                  # ignore | allow | latest | queue, for steps emitted on the flow itself
    announce   = false                     # true: NavigationWillOccur is sent
    guard      = { name = "com.kiosk.Auth", path = "/com/kiosk/Auth", timeout = "5s", steps = ["paid"] }   # without steps: all
    [flows.payment.on]
    payAsked    = { screen = "pay", onDismissed = { step = "failed", arguments = { why = "$reason" } } }
    cancelAsked = { end = "paymentDone", arguments = { result = "cancelled" } }
    paid        = { end = "paymentDone", arguments = { result = "paid", receipt = "$receipt" } }
    failed      = { end = "paymentDone", arguments = { result = "failed" } }

    [flows.settings]                       # a flow that lives in another process: navigator instead of on
    navigator = { name = "org.phone.Settings", path = "/org/phone/Settings", timeout = "10s", steps = ["settingsHome"] }

    """

@Suite("Kiosk")
struct KioskTests {
    @Test func `the example of the format's description`() throws {
        let loaded = try DefinitionFiles.check([("kiosk.toml", .success(kiosk))])
        #expect(
            loaded.warnings.map(\.description) == [
                "kiosk.toml:7: warning: [steps.pinEntered] no flow has a rule for the step 'pinEntered'",
                "kiosk.toml:22: warning: [screens.receipt] nobody is asked to show the screen 'receipt': it has neither "
                    + "'presenter' nor 'application', while others do, such as 'detail'",
                "kiosk.toml:65: warning: [flows.settings] nothing starts the flow 'settings': no [[autostart]] and no "
                    + "other flow's contributor; only a client can, with Coordinate",
            ])
        let definitions = loaded.definitions
        func step(_ name: String) throws -> StepID { try #require(definitions.step(named: name)) }
        let payment = definitions[try #require(definitions.flow(named: "payment"))]
        let session = definitions[try #require(definitions.flow(named: "session"))]
        #expect(session.idle == [TimedStep(after: 60_000_000, step: try step("goHome"))])
        #expect(payment.onBack == (try step("cancelAsked")))
        #expect(payment.emitters == ["com.vendor.Pay"])
        #expect(!payment.isRestored && session.isRestored)
        #expect(
            payment.guard
                == Guard(
                    Service("com.kiosk.Auth", path: "/com/kiosk/Auth", timeout: 5_000_000), steps: [try step("paid")]))
        let settings = definitions[try #require(definitions.flow(named: "settings"))]
        #expect(
            settings.navigator
                == Navigator(
                    Service("org.phone.Settings", path: "/org/phone/Settings", timeout: 10_000_000),
                    steps: [try step("settingsHome")]))
        #expect(settings.rules == [] && session.guard == nil && session.navigator == nil)
        func screen(_ name: String) throws -> ScreenDeclaration {
            definitions[try #require(definitions.screen(named: name))]
        }
        let ui = Service("com.kiosk.Ui", path: "/com/kiosk/Ui", timeout: 60_000_000)
        #expect(try screen("welcome").presenter == .application(ui, ApplicationCall(.activate)))
        let shop = Service("com.kiosk.Shop", path: "/com/kiosk/Shop", timeout: 60_000_000)
        #expect(try screen("detail").presenter == .service(shop))
        #expect(try screen("detail").whenOwnerGone == .keep)
        let vendor = Service("com.vendor.Pay", path: "/com/vendor/Pay", timeout: 30_000_000)
        #expect(try screen("pay").presenter == .service(vendor))
        #expect(try screen("receipt").presenter == nil)

        func contributors(_ flow: FlowDefinition, _ name: String) throws -> [[FlowContributor]] {
            let step = try step(name)
            return try #require(flow.rules.first { $0.step == step }).alternatives.map(\.contributors)
        }
        let welcome = try #require(definitions.screen(named: "welcome"))
        #expect(try contributors(session, "goHome") == [[.child(ChildTemplate(.screen(welcome), clears: true))]])
        let pay = try #require(definitions.screen(named: "pay"))
        let failed = StepTemplate(try step("failed"), arguments: .given([Binding("why", .reason)]))
        #expect(try contributors(payment, "payAsked") == [[.child(ChildTemplate(.screen(pay), onDismissed: failed))]])
        let receipt = try #require(definitions.screen(named: "receipt"))
        let child = ChildTemplate(.screen(receipt), arguments: .given([Binding("receipt", .step("receipt"))]))
        #expect(try contributors(session, "paymentDone") == [[.child(child)], []])
    }
}
