from gi.repository import Gio, GLib

XML = """<node><interface name="org.flowbus.Navigation1.Presenter">
  <method name="Present">
    <arg type="o" direction="in"/> <arg type="s" direction="in"/> <arg type="a{sv}" direction="in"/>
    <arg type="a{sv}" direction="in"/> <arg type="a{sv}" direction="out"/>
  </method>
  <method name="Withdraw">
    <arg type="o" direction="in"/> <arg type="t" direction="in"/> <arg type="s" direction="in"/>
  </method>
  <method name="Alive"/>
</interface></node>"""


def called(connection, sender, path, interface, method, arguments, call):
    values = arguments.unpack()
    if method == "Present":
        print("present", values[3]["reason"], flush=True)
        report = {"visible": GLib.Variant("b", True), "title": GLib.Variant("s", values[2]["label"])}
        call.return_value(GLib.Variant("(a{sv})", [report]))
    else:
        print("withdrawn" if method == "Withdraw" else "alive", *values[1:], flush=True)
        call.return_value(None)


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object("/org/example/Foreign", Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], called)
Gio.bus_own_name_on_connection(bus, "org.example.Foreign", 0, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
