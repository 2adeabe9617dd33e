from twisted.internet import defer, task
from txdbus import client, objects
from txdbus.interface import DBusInterface, Method


class Presenter(objects.DBusObject):
    dbusInterfaces = [DBusInterface(
        "org.flowbus.Navigation1.Presenter", Method("Present", "osa{sv}a{sv}", "a{sv}"), Method("Withdraw", "ots"), Method("Alive"))]

    def dbus_Present(self, presentable, name, arguments, details):
        print("present", details["reason"], flush=True)
        return {"visible": True, "title": arguments["label"]}

    def dbus_Withdraw(self, presentable, instance, reason):
        print("withdrawn", instance, reason, flush=True)

    def dbus_Alive(self):
        print("alive", flush=True)


@defer.inlineCallbacks
def main(reactor):
    bus = yield client.connect(reactor, "session")
    bus.exportObject(Presenter("/org/example/Foreign"))
    yield bus.requestBusName("org.example.Foreign")
    print("ready", flush=True)
    yield defer.Deferred()


task.react(main)
