import asyncio

import sdbus


class Presenter(sdbus.DbusInterfaceCommonAsync, interface_name="org.flowbus.Navigation1.Presenter"):
    @sdbus.dbus_method_async("osa{sv}a{sv}", "a{sv}")
    async def present(self, presentable, name, arguments, details):
        print("present", details["reason"][1], flush=True)
        return {"visible": ("b", True), "title": arguments["label"]}

    @sdbus.dbus_method_async("ots", flags=sdbus.DbusNoReplyFlag)
    async def withdraw(self, presentable, instance, reason):
        print("withdrawn", instance, reason, flush=True)

    @sdbus.dbus_method_async()
    async def alive(self):
        print("alive", flush=True)


async def main():
    bus = sdbus.sd_bus_open_user()
    presenter = Presenter()
    presenter.export_to_dbus("/org/example/Foreign", bus)
    await bus.request_name_async("org.example.Foreign", 0)
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
