from dasbus.connection import SessionMessageBus
from dasbus.loop import EventLoop
from dasbus.server.interface import dbus_interface
from dasbus.typing import Dict, ObjPath, Str, UInt64, Variant, get_variant


@dbus_interface("org.flowbus.Navigation1.Presenter")
class Presenter:
    def Present(self, presentable: ObjPath, name: Str, arguments: Dict[Str, Variant],
                details: Dict[Str, Variant]) -> Dict[Str, Variant]:
        print("present", details["reason"].unpack(), flush=True)
        return {"visible": get_variant("b", True), "title": arguments["label"]}

    def Withdraw(self, presentable: ObjPath, instance: UInt64, reason: Str):
        print("withdrawn", instance, reason, flush=True)

    def Alive(self):
        print("alive", flush=True)


bus = SessionMessageBus()
bus.publish_object("/org/example/Foreign", Presenter())
bus.register_service("org.example.Foreign")
print("ready", flush=True)
EventLoop().run()
