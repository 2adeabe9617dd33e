# SPDX-License-Identifier: Apache-2.0
"""Facts of other machines: properties here, which [[steppers]] of flowbusd follow."""

import pytest
from conftest import FLOWS
from gi.repository import GLib

FACTS = """
[facts]
gateOpen = { topic = "flowbus/gate/context", pointer = "/open", type = "bool", stale = "1s" }
floors   = { topic = "building/floors", pointer = "/list/1", type = "int64", online = "building/online" }
names    = { topic = "building/names", type = "as" }
"""

STEPPER = """
[[steppers]]
flow      = "main"
name      = "org.flowbus.Mqtt"
path      = "/org/flowbus/Mqtt/facts/gateOpen"
interface = "org.flowbus.Mqtt.Fact"
property  = "Value"
step      = "gate"
arguments = { open = "$value" }
absent    = { open = false }
"""


def fact(bridge, name, key="Value"):
    return bridge.property(key, f"/org/flowbus/Mqtt/facts/{name}", "org.flowbus.Mqtt.Fact")


def shows(name):
    """Whether this screen is in front: first that of the value that is absent, while nobody owns the name of the bridge."""
    return lambda tree: f"main/{name}" in tree and tree[f"main/{name}"].current


def publish(operator, topic, payload):
    operator.send(topic, payload, retain=True).wait_for_publish(30)


@pytest.fixture
def ruled(flowbus):
    made = flowbus(toml=FLOWS + STEPPER)
    made.start_flowbusd()
    return made


def test_a_rule_of_one_machine_follows_another(ruled, bridge, person):
    operator = person()
    publish(operator, "flowbus/gate/online", "true")
    publish(operator, "flowbus/gate/context", {"open": True})
    running = bridge(device=ruled, more=FACTS).start()
    ruled.wait_for(shows("opened"))
    assert fact(running, "gateOpen") is True
    assert fact(running, "gateOpen", "Absent") is False
    assert 0 < fact(running, "gateOpen", "Age") < 60_000_000
    publish(operator, "flowbus/gate/context", {"open": False})
    ruled.wait_for(shows("closed"))
    publish(operator, "flowbus/gate/context", {"open": True})
    ruled.wait_for(shows("opened"))


def test_absent_when_the_other_machine_is_offline(ruled, bridge, person):
    operator = person()
    publish(operator, "flowbus/gate/online", "true")
    publish(operator, "flowbus/gate/context", {"open": True})
    running = bridge(device=ruled, more=FACTS).start()
    ruled.wait_for(shows("opened"))
    publish(operator, "flowbus/gate/online", "false")
    # `absent` of the stepper.
    ruled.wait_for(shows("closed"))
    with pytest.raises(GLib.Error, match="org.flowbus.Mqtt.Error.Absent: nobody knows 'gateOpen' now"):
        fact(running, "gateOpen")
    assert fact(running, "gateOpen", "Absent") is True
    publish(operator, "flowbus/gate/online", "true")
    ruled.wait_for(lambda _tree: fact(running, "gateOpen", "Absent") is False)


def test_absent_when_the_broker_is_away_for_long(ruled, bridge, person, broker):
    operator = person()
    publish(operator, "flowbus/gate/online", "true")
    publish(operator, "flowbus/gate/context", {"open": True})
    running = bridge(device=ruled, more=FACTS).start()
    ruled.wait_for(shows("opened"))
    broker.kill()
    # Not at once: a broker restarts.
    ruled.wait_for(lambda _tree: running.property("Connected") is False)
    ruled.wait_for(shows("closed"))
    assert fact(running, "gateOpen", "Absent") is True


@pytest.mark.parametrize("payload", ["", "{", "true", '{"open": 1}', '{"open": null}', '{"opened": true}', "[]"])
def test_wrong_values_are_absent(ruled, bridge, person, payload):
    operator = person()
    publish(operator, "flowbus/gate/online", "true")
    publish(operator, "flowbus/gate/context", {"open": True})
    running = bridge(device=ruled, more=FACTS).start()
    ruled.wait_for(shows("opened"))
    publish(operator, "flowbus/gate/context", payload)
    ruled.wait_for(shows("closed"))
    assert fact(running, "gateOpen", "Absent") is True


def test_types_and_pointers(device, bridge, person, broker):
    (broker.folder / "acl").write_text((broker.folder / "acl").read_text() + """
user operator
topic readwrite building/#
user kiosk
topic read building/#
""")
    broker.restart()
    operator = person()
    publish(operator, "building/online", "true")
    publish(operator, "building/floors", {"list": [4, 5]})
    publish(operator, "building/names", ["a", "b"])
    running = bridge(more=FACTS).start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online", lambda there: there)
    # The answer to a step comes after the values that were retained.
    operator.ask("counted", {"number": 1})
    assert fact(running, "floors") == 5
    assert fact(running, "names") == ["a", "b"]
