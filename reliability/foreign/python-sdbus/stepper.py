import asyncio

import sdbus


class Trial(sdbus.DbusInterfaceCommonAsync, interface_name="org.flowbus.Navigation1.Stepper"):
    @sdbus.dbus_method_async("sa{sv}", "ts")
    async def emit_step(self, step, arguments):
        raise NotImplementedError

    @sdbus.dbus_method_async("s", "ts")
    async def emit(self, step):
        raise NotImplementedError


class Flow(sdbus.DbusInterfaceCommonAsync, interface_name="org.flowbus.Navigation1.Flow"):
    @sdbus.dbus_signal_async("ttssa{sv}a(ssoa{sv})a{sv}")
    def navigation_occurred(self):
        raise NotImplementedError


async def hear(flow):
    async for values in flow.navigation_occurred:
        print("heard", values[3], flush=True)


class UnknownStep(sdbus.DbusFailedError):
    dbus_error_name = "org.flowbus.Navigation1.Error.UnknownStep"


async def main():
    where = ("org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial", sdbus.sd_bus_open_user())
    trial = Trial.new_proxy(*where)
    hearing = asyncio.create_task(hear(Flow.new_proxy(*where)))
    print(*await trial.emit_step("started", {}))
    print(*await trial.emit_step("filled", {
        "count": ("i", 7), "below": ("i", -7), "factor": ("i", 7), "tags": ("as", ["a", "b"]),
        "style": ("a{ss}", {"colour": "red"}), "large": ("t", 2**63 + 1)}))
    try:
        await trial.emit_step("nope", {})
    except UnknownStep as error:
        print(error.dbus_error_name, error)
    print("ready", flush=True)
    await asyncio.to_thread(input)
    print(*await trial.emit("started"))
    await hearing


asyncio.run(main())
