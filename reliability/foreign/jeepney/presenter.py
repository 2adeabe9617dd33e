from jeepney import HeaderFields, MessageType, message_bus, new_method_return
from jeepney.io.blocking import Proxy, open_dbus_connection

with open_dbus_connection() as bus:
    Proxy(message_bus, bus).RequestName("org.example.Foreign")
    print("ready", flush=True)
    while True:
        call = bus.receive()
        if call.header.message_type != MessageType.method_call:
            continue
        method, values = call.header.fields[HeaderFields.member], call.body
        if method == "Present":
            print("present", values[3]["reason"][1], flush=True)
            report = {"visible": ("b", True), "title": ("s", values[2]["label"][1])}
            bus.send(new_method_return(call, "a{sv}", (report,)))
        elif method == "Withdraw":
            print("withdrawn", *values[1:], flush=True)
        elif method == "Alive":
            print("alive", flush=True)
            bus.send(new_method_return(call))
