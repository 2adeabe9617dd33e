/// A good file with everything that the format has and this version acts on.
let example = """
    version = 1

    [steps]
    touched     = {}
    itemPicked  = { item = "int64", lang = "string?" }
    payAsked    = { cents = "uint32" }
    pinEntered  = { pin = "string" }
    paid        = { receipt = "string" }
    cancelAsked = {}
    paymentDone = { result = "string", receipt = "string?" }
    "media.play" = { tags = "as", at = "(ix)", more = "a{sv}", rate = "double", any = "v" }
    goHome      = {}
    settingsHome = {}

    [private]
    steps = ["pinEntered"]

    [screens]
    welcome = { application = { name = "com.kiosk.Ui", action = "front.welcome", timeout = "5s" } }
    detail  = { presenter = "com.kiosk.Shop", whenOwnerGone = "keep", arguments = { item = "int64", lang = "string" } }
    pay     = { presenter = { name = "com.vendor.Pay", path = "/", timeout = "30s" }, whenOwnerGone = "present", arguments = { cents = "uint32" } }
    receipt = { application = { name = "com.kiosk.Ui", open = "$receipt" }, arguments = { receipt = "string" } }
    player  = { presenter = "org.player", whenOwnerGone = "dismiss", arguments = { tags = "as", at = "(ix)", more = "a{sv}?", rate = "double" }, result = { why = "string?" } }

    [[autostart]]
    flow = "session"
    id   = "front"
    arguments = { lang = "en" }

    [[autostart]]
    flow = "session"
    arguments = { lang = "$$en" }
    step = "itemPicked"
    stepArguments = { item = 7 }

    [[autostart]]
    flow = "settings"

    [flows.session]
    initial   = "touched"
    children  = "stack"
    arguments = { lang = "string" }
    idle      = { after = "1min 30s", step = "goHome" }
    [flows.session.on]
    touched  = { screen = "welcome" }
    goHome   = [{ clear = true, screen = "welcome", id = "one", style = "modal", whenHidden = "allow" }, { current = "touched" }]
    payAsked = { flow = "payment", step = "payAsked", style = "modal", onDismissed = { step = "paymentDone", arguments = { result = "$reason", receipt = "$flow.lang" } } }
    "media.play" = { screen = "player", arguments = { tags = ["a", "$b"], at = [1, -2], more = { a = 1, b = ["x", 2] }, rate = 2 }, onResult = { step = "paymentDone", arguments = { result = "$name", receipt = "$result.why" } } }
    [[flows.session.on.itemPicked]]
    unless    = { alive = "payment", item = 0 }
    screen    = "detail"
    reuse     = true
    arguments = { item = "$item", lang = "$flow.lang" }
    [[flows.session.on.itemPicked]]
    when = { lang = "en" }
    do = [{ pop = "root" }, { screen = "welcome" }, { pop = "detail" }, { parent = "touched" }]
    [[flows.session.on.paymentDone]]
    when      = { result = "paid" }
    screen    = "receipt"
    arguments = { receipt = "none, $0" }
    [[flows.session.on.paymentDone]]
    none      = true

    [flows.payment]
    initial    = "payAsked"
    unique     = true
    whenHidden = "allow"
    announce   = true
    restore    = false
    onBack     = "cancelAsked"
    emitters   = ["com.vendor.Pay", "org.kiosk-1._x"]
    guard      = { name = "com.kiosk.Auth", path = "/com/kiosk/Auth", timeout = "5s", steps = ["paid", "pinEntered"] }
    [flows.payment.on]
    payAsked    = { screen = "pay", whenHidden = "queue", onDismissed = { step = "pinEntered", arguments = { pin = "$name" } } }
    pinEntered  = { none = true }
    cancelAsked = { end = "paymentDone", arguments = { result = "cancelled" } }
    paid        = { end = "paymentDone", arguments = { result = "paid", receipt = "$receipt" } }
    goHome      = { end = true }

    [flows.settings]
    initial   = "settingsHome"
    guard     = "com.kiosk.Auth"
    navigator = { name = "org.phone.Settings", path = "/org/phone/Settings", timeout = "10s", steps = ["settingsHome"] }

    """
