from jeepney import DBusAddress, DBusErrorResponse, MatchRule, message_bus, new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection
from jeepney.wrappers import unwrap_msg

trial = DBusAddress("/org/flowbus/Navigation1/tree/trial", "org.flowbus.Navigation1", "org.flowbus.Navigation1.Stepper")
navigated = MatchRule(type="signal", interface="org.flowbus.Navigation1.Flow", member="NavigationOccurred")

with open_dbus_connection() as bus:
    def call(method, signature, *values):
        return unwrap_msg(bus.send_and_get_reply(new_method_call(trial, method, signature, values)))

    Proxy(message_bus, bus).AddMatch(navigated)
    print(*call("EmitStep", "sa{sv}", "started", {}))
    print(*call("EmitStep", "sa{sv}", "filled", {
        "count": ("i", 7), "below": ("i", -7), "factor": ("i", 7), "tags": ("as", ["a", "b"]),
        "style": ("a{ss}", {"colour": "red"}), "large": ("t", 2**63 + 1)}))
    try:
        call("EmitStep", "sa{sv}", "nope", {})
    except DBusErrorResponse as error:
        print(error.name, *error.data)
    print("ready", flush=True)
    input()
    with bus.filter(navigated) as queue:
        print(*call("Emit", "s", "started"))
        print("heard", bus.recv_until_filtered(queue).body[3], flush=True)
