import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

PRESENTER = "org.flowbus.Navigation1.Presenter"


class Presenter(dbus.service.Object):
    @dbus.service.method(PRESENTER, in_signature="osa{sv}a{sv}", out_signature="a{sv}")
    def Present(self, presentable, name, arguments, details):
        print("present", details["reason"], flush=True)
        return {"visible": True, "title": arguments["label"]}

    @dbus.service.method(PRESENTER, in_signature="ots")
    def Withdraw(self, presentable, instance, reason):
        print("withdrawn", instance, reason, flush=True)

    @dbus.service.method(PRESENTER)
    def Alive(self):
        print("alive", flush=True)


bus = dbus.SessionBus(mainloop=DBusGMainLoop())
presenter = Presenter(bus, "/org/example/Foreign")
name = dbus.service.BusName("org.example.Foreign", bus)
print("ready", flush=True)
GLib.MainLoop().run()
