from gi.repository import GLib
from pydbus import SessionBus, Variant

trial = SessionBus().get("org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial")
trial.NavigationOccurred.connect(lambda *values: print("heard", values[3], flush=True))

print(*trial.EmitStep("started", {}))
print(*trial.EmitStep("filled", {
    "count": Variant("i", 7), "below": Variant("i", -7), "factor": Variant("i", 7), "tags": Variant("as", ["a", "b"]),
    "style": Variant("a{ss}", {"colour": "red"}), "large": Variant("t", 2**63 + 1)}))
try:
    trial.EmitStep("nope", {})
except GLib.Error as error:
    print(error.message)
print("ready", flush=True)
input()
print(*trial.Emit("started"))
GLib.MainLoop().run()
