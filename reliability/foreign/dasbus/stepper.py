from dasbus.connection import SessionMessageBus
from dasbus.error import DBusError
from dasbus.loop import EventLoop
from dasbus.typing import get_variant

trial = SessionMessageBus().get_proxy("org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial")
trial.NavigationOccurred.connect(lambda *values: print("heard", values[3], flush=True))

print(*trial.EmitStep("started", {}))
print(*trial.EmitStep("filled", {
    "count": get_variant("i", 7), "below": get_variant("i", -7), "factor": get_variant("i", 7),
    "tags": get_variant("as", ["a", "b"]), "style": get_variant("a{ss}", {"colour": "red"}),
    "large": get_variant("t", 2**63 + 1)}))
try:
    trial.EmitStep("nope", {})
except DBusError as error:
    print(error.dbus_name, error)
print("ready", flush=True)
input()
print(*trial.Emit("started"))
EventLoop().run()
