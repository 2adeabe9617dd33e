local lgi = require "lgi"
local Gio, GLib = lgi.Gio, lgi.GLib
local Variant = GLib.Variant
local NAME, PATH = "org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial"

local bus = Gio.bus_get_sync(Gio.BusType.SESSION)
local function step(method, values)
  local answer, problem = bus:call_sync(NAME, PATH, NAME .. ".Stepper", method, values, nil, {}, -1)
  if answer then
    print(string.format("%d %s", answer:get_child_value(0).value, answer:get_child_value(1).value))
  else
    print(problem.message)
  end
end
bus:signal_subscribe(NAME, NAME .. ".Flow", "NavigationOccurred", PATH, nil, {},
  function(_, _, _, _, _, values) print("heard", values:get_child_value(3).value) end)

step("EmitStep", Variant("(sa{sv})", { "started", {} }))
step("EmitStep", Variant("(sa{sv})", { "filled", {
  count = Variant("i", 7), below = Variant("i", -7), factor = Variant("i", 7), tags = Variant("as", { "a", "b" }),
  style = Variant("a{ss}", { colour = "red" }) } }))
step("EmitStep", Variant("(sa{sv})", { "nope", {} }))
print("ready")
io.stdout:flush()
io.read()
step("Emit", Variant("(s)", { "started" }))
io.stdout:setvbuf("line")
GLib.MainLoop():run()
