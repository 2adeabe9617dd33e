"""The screen `item` with dbus-fast. The item 13 goes back, and a negative one fails."""
import asyncio

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

FLOWBUS, PATH = "org.flowbus.Navigation1", "/org/flowbus/Navigation1/instance"
OBJECT, TEXT, NUMBER, VALUES = "o", "s", "t", "a{sv}"


class Items(ServiceInterface):
    def __init__(self, bus):
        super().__init__(FLOWBUS + ".Presenter")
        self.bus = bus
        self.tasks = set()

    @method()
    def Present(self, presentable: OBJECT, name: TEXT, arguments: VALUES, details: VALUES) -> VALUES:
        print("present", details["reason"].value, flush=True)
        item = arguments["item"].value
        state = details["state"].value if "state" in details else {}
        seen = state["seen"].value + 1 if "seen" in state else 1
        # It runs after the answer, which makes this program the owner.
        task = asyncio.get_running_loop().create_task(self.tell(item, seen, details["instance"].value))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return {"visible": Variant("b", True), "title": Variant("s", f"Item {item}, seen {seen}")}

    async def tell(self, item, seen, instance):
        await self.call(instance, "Presentable", "SaveState", {"seen": Variant("x", seen)})
        if item < 0:
            await self.call(instance, "Presentable", "DismissWithOptions", {
                "error": Variant("s", "com.example.Error.NoItem"), "message": Variant("s", f"there is no item {item}")})
        elif item == 13:
            await self.call(instance, "Stepper", "BackWithOptions", {})

    async def call(self, instance, interface, member, options):
        message = Message(FLOWBUS, f"{PATH}/{instance}", f"{FLOWBUS}.{interface}", member, signature="a{sv}", body=[options])
        answer = await self.bus.call(message)
        if answer.message_type is MessageType.ERROR:
            print("error:", *answer.body, flush=True)

    @method()
    def Withdraw(self, presentable: OBJECT, instance: NUMBER, reason: TEXT):
        print("withdrawn:", instance, reason, flush=True)

    @method()
    def Alive(self):
        print("alive", flush=True)


async def main():
    bus = await MessageBus().connect()
    bus.export("/com/example/Item", Items(bus))
    await bus.request_name("com.example.Item")
    print("ready", flush=True)
    await bus.wait_for_disconnect()


asyncio.run(main())
