from twisted.internet import defer, task, threads
from txdbus import client, error, marshal


@defer.inlineCallbacks
def main(reactor):
    bus = yield client.connect(reactor, "session")
    trial = yield bus.getRemoteObject("org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial")
    trial.notifyOnSignal("NavigationOccurred", lambda *values: print("heard", values[3], flush=True))
    print(*(yield trial.callRemote("EmitStep", "started", {})))
    print(*(yield trial.callRemote("EmitStep", "filled", {
        "count": 7, "below": -7, "factor": 7, "tags": ["a", "b"], "style": {"colour": "red"},
        "large": marshal.UInt64(2**63 + 1)})))
    try:
        yield trial.callRemote("EmitStep", "nope", {})
    except error.RemoteError as failure:
        print(failure.errName, failure.message)
    print("ready", flush=True)
    yield threads.deferToThread(input)
    print(*(yield trial.callRemote("Emit", "started")))
    yield defer.Deferred()


task.react(main)
