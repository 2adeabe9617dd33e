# SPDX-License-Identifier: Apache-2.0
"""The definitions of the tests: a shop, in which a payment needs a guard."""

SHOP = """
version = 1

[steps]
start      = {}
itemPicked = { item = "int64" }
weighed    = { kilograms = "double", tags = "as" }
payAsked   = { cents = "uint32" }
paid       = {}
failed     = { why = "string" }
contactAsked = {}
mapAsked   = {}
closed     = {}
waited     = {}
idled      = {}

[screens]
list    = { presenter = "org.example.Shop", whenOwnerGone = "present" }
detail  = { presenter = "org.example.Shop", arguments = { item = "int64" } }
form    = { presenter = { name = "org.example.Form", path = "/form" }, whenOwnerGone = "present", evictAfter = "30d" }
picker  = { presenter = "org.example.Picker", result = { contact = "int64" } }
pay     = { presenter = "org.example.Pay", arguments = { cents = "uint32" } }
map     = { application = "org.example.Map" }
bare    = {}
slip    = { presenter = "org.example.Shop" }

[outputs]
setter = "org.example.Stacker"

[[autostart]]
flow = "shop"

[flows.shop]
initial  = "start"
children = "stack"
[flows.shop.on]
start      = { screen = "list" }
itemPicked = { screen = "detail", reuse = true, onDismissed = { step = "failed", arguments = { why = "$reason" } } }
weighed    = { none = true }
payAsked   = { flow = "payment", step = "payAsked", style = "modal" }
failed     = { none = true }
contactAsked = { screen = "picker" }
mapAsked   = { screen = "map" }
closed     = { pop = "root" }

[flows.payment]
children = "stack"
guard    = { name = "org.example.Auth", steps = ["paid"] }
[flows.payment.on]
payAsked = { screen = "pay" }
paid     = { end = true }

[flows.desk]
initial = "start"
[flows.desk.on]
start        = { screen = "slip", whenHidden = "turn" }
contactAsked = { screen = "picker" }
waited       = { none = true }

[flows.view]
idle = { after = "20ms", step = "idled" }
[flows.view.on]
idled  = { screen = "bare", clear = true }
waited = { none = true }

[flows.mail]
initial  = "start"
children = "stack"
[flows.mail.on]
start        = { screen = "form" }
contactAsked = { screen = "picker" }
idled        = { evict = true }

[flows.wizard]
initial   = "start"
children  = "stack"
navigator = { name = "org.example.Wizard", steps = ["start", "itemPicked", "closed"] }

[flows.plain]
initial = "start"
[flows.plain.on]
start = { screen = "bare" }
"""
