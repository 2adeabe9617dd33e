import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

bus = dbus.SessionBus(mainloop=DBusGMainLoop())
node = bus.get_object("org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial", follow_name_owner_changes=True)
trial = dbus.Interface(node, "org.flowbus.Navigation1.Stepper")
node.connect_to_signal("NavigationOccurred", lambda *values: print("heard", values[3], flush=True))

print(*trial.EmitStep("started", {}))
print(*trial.EmitStep("filled", {
    "count": 7, "below": -7, "factor": 7, "tags": ["a", "b"], "style": {"colour": "red"}, "large": dbus.UInt64(2**63 + 1)}))
try:
    trial.EmitStep("nope", {})
except dbus.DBusException as error:
    print(error.get_dbus_name(), error.get_dbus_message())
print("ready", flush=True)
input()
print(*trial.Emit("started"))
GLib.MainLoop().run()
