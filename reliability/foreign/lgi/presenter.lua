local lgi = require "lgi"
local Gio, GLib, GObject = lgi.Gio, lgi.GLib, lgi.GObject
local Variant = GLib.Variant

local file = assert(io.open(os.getenv("PRESENTER")))
local interface = Gio.DBusNodeInfo.new_for_xml(file:read("*a")).interfaces[1]
file:close()

local function called(_, _, _, _, method, values, call)
  if method == "Present" then
    print("present", values:get_child_value(3):lookup_value("reason").value)
    local label = values:get_child_value(2):lookup_value("label")
    call:return_value(Variant("(a{sv})", { { visible = Variant("b", true), title = label } }))
  else
    if method == "Withdraw" then
      print(string.format("withdrawn %d %s", values:get_child_value(1).value, values:get_child_value(2).value))
    else
      print("alive")
    end
    call:return_value(nil)
  end
end

io.stdout:setvbuf("line")
local bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus:register_object("/org/example/Foreign", interface, GObject.Closure(called))
Gio.bus_own_name_on_connection(bus, "org.example.Foreign", 0, GObject.Closure(function() print("ready") end))
GLib.MainLoop():run()
