import os

from gi.repository import GLib
from pydbus import SessionBus, Variant


class Presenter:
    with open(os.environ["PRESENTER"], encoding="utf-8") as file:
        dbus = file.read()

    def Present(self, presentable, name, arguments, details):
        print("present", details["reason"], flush=True)
        return {"visible": Variant("b", True), "title": Variant("s", arguments["label"])}

    def Withdraw(self, presentable, instance, reason):
        print("withdrawn", instance, reason, flush=True)

    def Alive(self):
        print("alive", flush=True)


with SessionBus().publish("org.example.Foreign", ("/org/example/Foreign", Presenter())):
    print("ready", flush=True)
    GLib.MainLoop().run()
