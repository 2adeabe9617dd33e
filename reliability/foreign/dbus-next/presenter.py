import asyncio

from dbus_next import Variant
from dbus_next.aio import MessageBus
from dbus_next.service import ServiceInterface, method

PATH, TEXT, NUMBER, VALUES = "o", "s", "t", "a{sv}"


class Presenter(ServiceInterface):
    @method()
    def Present(self, presentable: PATH, name: TEXT, arguments: VALUES, details: VALUES) -> VALUES:
        print("present", details["reason"].value, flush=True)
        return {"visible": Variant("b", True), "title": arguments["label"]}

    @method()
    def Withdraw(self, presentable: PATH, instance: NUMBER, reason: TEXT):
        print("withdrawn", instance, reason, flush=True)

    @method()
    def Alive(self):
        print("alive", flush=True)


async def main():
    bus = await MessageBus().connect()
    bus.export("/org/example/Foreign", Presenter("org.flowbus.Navigation1.Presenter"))
    await bus.request_name("org.example.Foreign")
    print("ready", flush=True)
    await bus.wait_for_disconnect()


asyncio.run(main())
