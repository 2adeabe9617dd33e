/// Definitions that several tests share: a root with a stack, in which a child flow with a modal style can open.
package let shopDefinitions = """
    [steps]
    begin  = {}
    pick   = { item = "int64" }
    check  = {}
    card   = {}
    done   = { receipt = "string?" }
    closed = { receipt = "string?" }
    nobody = {}
    spin   = { again = "bool" }
    spun   = { again = "bool" }

    [screens]
    list   = {}
    detail = { arguments = { item = "int64" } }
    basket = {}

    [[autostart]]
    flow = "shop"

    [flows.shop]
    initial   = "begin"
    whenEmpty = "stay"
    children  = "stack"
    [flows.shop.on]
    begin  = { screen = "list" }
    pick   = { screen = "detail", style = "slide" }
    check  = { flow = "pay", style = "modal" }
    closed = { none = true }
    spin   = { current = "spun" }
    spun   = [{ when = { again = true }, current = "spun" }, { none = true }]

    [flows.pay]
    initial = "card"
    announce = true
    [flows.pay.on]
    card = { screen = "basket" }
    done = { end = "closed" }
    """
