from gi.repository import GLib
from pydbus import SessionBus, Variant


class Presenter:
    """
    <node><interface name="org.flowbus.Navigation1.Presenter">
      <method name="Present">
        <arg type="o" name="presentable" direction="in"/> <arg type="s" name="name" direction="in"/>
        <arg type="a{sv}" name="arguments" direction="in"/> <arg type="a{sv}" name="details" direction="in"/>
        <arg type="a{sv}" name="report" direction="out"/>
      </method>
      <method name="Withdraw">
        <arg type="o" name="presentable" direction="in"/> <arg type="t" name="instance" direction="in"/>
        <arg type="s" name="reason" direction="in"/>
      </method>
      <method name="Alive"/>
    </interface></node>
    """

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
