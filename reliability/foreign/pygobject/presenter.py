import os

from gi.repository import Gio, GLib


def called(connection, sender, path, interface, method, arguments, call):
    values = arguments.unpack()
    if method == "Present":
        print("present", values[3]["reason"], flush=True)
        report = {"visible": GLib.Variant("b", True), "title": GLib.Variant("s", values[2]["label"])}
        call.return_value(GLib.Variant("(a{sv})", [report]))
    else:
        print("withdrawn" if method == "Withdraw" else "alive", *values[1:], flush=True)
        call.return_value(None)


with open(os.environ["PRESENTER"], encoding="utf-8") as file:
    interface = Gio.DBusNodeInfo.new_for_xml(file.read()).interfaces[0]
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object("/org/example/Foreign", interface, called)
Gio.bus_own_name_on_connection(bus, "org.example.Foreign", 0, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
