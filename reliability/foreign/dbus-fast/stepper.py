import asyncio

from dbus_fast import DBusError, Variant
from dbus_fast.aio import MessageBus

NAME, PATH = "org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial"


async def main():
    bus = await MessageBus().connect()
    node = bus.get_proxy_object(NAME, PATH, await bus.introspect(NAME, PATH))
    trial = node.get_interface(NAME + ".Stepper")
    node.get_interface(NAME + ".Flow").on_navigation_occurred(lambda *values: print("heard", values[3], flush=True))

    print(*await trial.call_emit_step("started", {}))
    print(*await trial.call_emit_step("filled", {
        "count": Variant("i", 7), "below": Variant("i", -7), "factor": Variant("i", 7), "tags": Variant("as", ["a", "b"]),
        "style": Variant("a{ss}", {"colour": "red"}), "large": Variant("t", 2**63 + 1)}))
    try:
        await trial.call_emit_step("nope", {})
    except DBusError as error:
        print(error.type, error.text)
    print("ready", flush=True)
    await asyncio.to_thread(input)
    print(*await trial.call_emit("started"))
    await bus.wait_for_disconnect()


asyncio.run(main())
