-- The screen `item` with lgi. The item 13 goes back, and a negative one fails.
local lgi = require "lgi"
local Gio, GLib, GObject = lgi.Gio, lgi.GLib, lgi.GObject
local Variant = GLib.Variant
local FLOWBUS = "org.flowbus.Navigation1"

-- What is exported: of the installed file, or of the one that is given.
local path = os.getenv("PRESENTER") or "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Presenter.xml"
local file = assert(io.open(path))
local interface = Gio.DBusNodeInfo.new_for_xml(file:read("*a")).interfaces[1]
file:close()
local bus = Gio.bus_get_sync(Gio.BusType.SESSION)

-- A dictionary is read by its key: by .value it would be empty.
local function lookup(values, key)
  local value = values and values:lookup_value(key)
  return value and value.value
end

local function tell(instance, role, member, options)
  local screen = string.format("/org/flowbus/Navigation1/instance/%d", instance)
  local answer, problem = bus:call_sync(FLOWBUS, screen, FLOWBUS .. role, member, Variant("(a{sv})", { options }), nil, {}, -1)
  if not answer then
    print("error: " .. problem.message)
  end
end

local function present(arguments, details, call)
  print("present", lookup(details, "reason"))
  local item = lookup(arguments, "item")
  local seen = (lookup(details:lookup_value("state"), "seen") or 0) + 1
  local title = Variant("s", string.format("Item %d, seen %d", item, seen))
  call:return_value(Variant("(a{sv})", { { visible = Variant("b", true), title = title } }))

  -- The answer has made this program the owner of the screen.
  local instance = lookup(details, "instance")
  tell(instance, ".Presentable", "SaveState", { seen = Variant("x", seen) })
  if item < 0 then
    local message = string.format("there is no item %d", item)
    tell(instance, ".Presentable", "DismissWithOptions",
      { error = Variant("s", "com.example.Error.NoItem"), message = Variant("s", message) })
  elseif item == 13 then
    tell(instance, ".Stepper", "BackWithOptions", {})
  end
end

local function called(_, _, _, _, method, values, call)
  if method == "Present" then
    return present(values:get_child_value(2), values:get_child_value(3), call)
  elseif method == "Withdraw" then
    print(string.format("withdrawn: %d %s", values:get_child_value(1).value, values:get_child_value(2).value))
  else
    print("alive")
  end
  call:return_value(nil)
end

io.stdout:setvbuf("line")
bus:register_object("/com/example/Item", interface, GObject.Closure(called))
Gio.bus_own_name_on_connection(bus, "com.example.Item", 0, GObject.Closure(function() print("ready") end))
GLib.MainLoop():run()
