from gi.repository import Gio, GLib

NAME, PATH = "org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial"
trial = Gio.DBusProxy.new_for_bus_sync(
    Gio.BusType.SESSION, 0, None, NAME, PATH, NAME + ".Stepper", None)
flow = Gio.DBusProxy.new_for_bus_sync(Gio.BusType.SESSION, 0, None, NAME, PATH, NAME + ".Flow", None)
flow.connect("g-signal", lambda proxy, sender, signal, values: print("heard", signal, values[3], flush=True))

print(*trial.EmitStep("(sa{sv})", "started", {}))
print(*trial.EmitStep("(sa{sv})", "filled", {
    "count": GLib.Variant("i", 7), "below": GLib.Variant("i", -7), "factor": GLib.Variant("i", 7),
    "tags": GLib.Variant("as", ["a", "b"]), "style": GLib.Variant("a{ss}", {"colour": "red"}),
    "large": GLib.Variant("t", 2**63 + 1)}))
try:
    trial.EmitStep("(sa{sv})", "nope", {})
except GLib.Error as error:
    print(Gio.DBusError.get_remote_error(error), error.message)


def followed(proxy, _):
    if proxy.get_name_owner():  # Until the main loop hears of it, a proxy calls the owner that is gone.
        print(*proxy.Emit("(s)", "started"), flush=True)


trial.connect("notify::g-name-owner", followed)
print("ready", flush=True)
GLib.MainLoop().run()
