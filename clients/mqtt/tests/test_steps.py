# SPDX-License-Identifier: Apache-2.0
"""Steps that come in: which, with which arguments, and what their senders learn."""

import json
import os
import signal
import threading

import paho.mqtt.client as mqtt
import pytest
from conftest import FLOWS, history


def test_response_topic_and_correlation_data(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    operator.send("flowbus/kiosk/step/counted", {"token": "a", "arguments": {"number": 1}}, "flowbus/reply/operator", b"\x00\x01")
    message = operator.wait_message("flowbus/reply/operator")
    assert message.properties.CorrelationData == b"\x00\x01"
    told = json.loads(message.payload)
    assert told == {"token": "a", "step": "counted", "verdict": "navigated", "serial": told["serial"]}


def test_response_topic_that_the_file_does_not_have(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    # A verdict must not become a step of another machine.
    operator.send("flowbus/kiosk/step/counted", {"token": "a", "arguments": {"number": 1}}, "flowbus/other/step/counted")
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    device.wait_said("may not go to 'flowbus/other/step/counted'")
    assert not [message for message in operator.seen if message.topic == "flowbus/other/step/counted"
                and b"verdict" in message.payload]


def test_mqtt_3_1_1(device, bridge, person):
    operator = person(protocol=mqtt.MQTTv311)
    running = bridge(settings='protocol = "3.1.1"').start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    assert operator.ask("counted", {"number": 1}, "a")["verdict"] == "navigated"
    assert running.property("Protocol") == "3.1.1"
    # Without MQTT 5 the broker sends what is retained, which would be a step again and again.
    operator.send("flowbus/kiosk/step/counted", {"token": "b", "arguments": {"number": 2}}, retain=True)
    operator.wait("flowbus/kiosk/verdict/b")
    running.stop()
    running.start()
    device.wait_said("a message to 'flowbus/kiosk/step/counted' is refused: a request is nothing to retain")
    assert history(device, "counted") == [1, 2]


def test_repeated_step_is_one_step(device, bridge, person):
    operator = person()
    running = bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    first = operator.ask("counted", {"number": 1}, "a")
    # The arguments are those of the first one: the token names the step.
    assert operator.ask("counted", {"number": 2}, "a") == first
    running.kill()
    running.start()
    assert operator.ask("counted", {"number": 3}, "a") == first
    assert history(device, "counted") == [1]


@pytest.mark.parametrize("payload, said", [
    ("", "the argument 'number' is missing"),
    ("{", "no JSON"),
    ("[1]", "a JSON object"),
    (b"\xff\xfe", "no JSON"),
    ('{"token": "t", "token": "u"}', "no JSON"),
    ({"arguments": {"number": "1"}}, '"1" is no integer'),
    ({"arguments": {"number": 1.5}}, "1.5 is no integer"),
    ({"arguments": {"number": True}}, "true is no integer"),
    ('{"token": "t", "arguments": {"number": 99999999999999999999}}', "no JSON"),
    ({"arguments": {"number": 1, "extra": 1}}, "'extra' is not one of those"),
    ({"arguments": []}, "'arguments' is no object"),
    ({"argument": {}}, "the payload has 'argument'"),
    ({"token": 5}, "a token is 1 to 64"),
    ({"token": "a/b"}, "a token is 1 to 64"),
    ({"token": "x" * 65}, "a token is 1 to 64"),
    (b"[" * 5000, "no JSON"),
    ('{"token": "t", "arguments": {"number": 1}}' + " " * 70000, "at most 65536 bytes"),
])
def test_wrong_payload(device, bridge, person, payload, said):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    if isinstance(payload, dict):
        payload.setdefault("token", "t")
    operator.send("flowbus/kiosk/step/counted", payload, "flowbus/reply/me")
    told = operator.wait("flowbus/reply/me")
    assert said in told["message"]
    assert told["error"].startswith("org.flowbus.Mqtt.Error.")
    # It goes on, and nothing has happened.
    assert operator.ask("counted", {"number": 7})["verdict"] == "navigated"
    assert history(device, "counted") == [7]


def test_values_that_may_come_in(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    told = operator.ask("evacuate", {"floor": 4})
    assert "'floor' is none of [1,2,3]" in told["message"]
    assert operator.ask("evacuate", {"floor": 2, "note": "Treppe süd"})["verdict"] == "navigated"
    assert device.tree()["main/alarm"].arguments == {"floor": 2, "note": "Treppe süd"}


def test_topics_that_steps_come_from(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    # The last level is the sender, which the ACL of the broker sees to; the record has it.
    operator.send("flowbus/all/step/evacuate/operator", {"token": "a", "arguments": {"floor": 1}})
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    device.wait_said("step 'evacuate' from 'flowbus/all/step/evacuate/operator': {\"token\":\"a\"")
    # These are steps of the flow, and no file lets them in.
    for name in ("pin", "start", "home", "counted/x"):
        operator.send(f"flowbus/kiosk/step/{name}", {"token": "b", "arguments": {}})
    assert operator.ask("goHome")["verdict"] == "navigated"
    assert not [message for message in operator.seen if message.topic == "flowbus/kiosk/verdict/b"]


def test_the_acl_of_the_broker(device, bridge, person):
    stranger, operator = person("stranger"), person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    stranger.send("flowbus/kiosk/step/counted", {"token": "a", "arguments": {"number": 1}}).wait_for_publish(30)
    assert operator.ask("counted", {"number": 2})["verdict"] == "navigated"
    assert history(device, "counted") == [2]


def test_verdicts_and_errors_of_flowbusd(device, bridge, person):
    operator = person()
    bridge(more="""
unknown = { on = "main", step = "nothing" }
nowhere = { on = "main/nowhere", step = "counted", arguments = { number = "int64" } }
wrong   = { on = "main", step = "counted", arguments = { number = "string" } }
""").start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    assert operator.ask("unknown")["error"] == "org.flowbus.Navigation1.Error.UnknownStep"
    assert operator.ask("nowhere", {"number": 1})["error"] == "org.freedesktop.DBus.Error.UnknownObject"
    assert operator.ask("wrong", {"number": "x"})["error"] == "org.flowbus.Navigation1.Error.InvalidArguments"
    assert operator.ask("later", {"number": 1})["verdict"] == "deferred"


def test_step_that_a_guard_decides(device, bridge, person):
    decided = threading.Event()
    device.guard("org.example.Guard", lambda _question: decided.wait(30))
    operator = person()
    running = bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    operator.send("flowbus/kiosk/step/guarded", {"token": "a"})
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "pending"
    # Others are not kept waiting for it by the bridge.
    operator.send("flowbus/kiosk/step/later", {"token": "b", "arguments": {"number": 1}})
    assert operator.wait("flowbus/kiosk/verdict/b")["verdict"] == "deferred"
    assert running.property("OpenSteps") == 1
    decided.set()
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    assert len(history(device, "guarded")) == 1


def test_step_waits_for_flowbusd(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/problems", lambda told: told["running"])
    device.kill_flowbusd(restart=False)
    operator.wait("flowbus/kiosk/problems", lambda told: not told["running"] and told["problem"])
    for number in range(3):
        operator.send("flowbus/kiosk/step/counted", {"token": f"t{number}", "arguments": {"number": number}})
    operator.send("flowbus/kiosk/step/counted", "[]", "flowbus/reply/me")
    operator.wait("flowbus/reply/me")
    device.start_flowbusd()
    for number in range(3):
        assert operator.wait(f"flowbus/kiosk/verdict/t{number}")["verdict"] == "navigated"
    assert history(device, "counted") == [0, 1, 2]
    operator.wait("flowbus/kiosk/problems", lambda told: told["running"])


def test_too_many_open_steps(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    os.kill(device.flowbusd.process_id, signal.SIGSTOP)
    try:
        for number in range(1030):
            operator.send("flowbus/kiosk/step/counted", {"token": f"t{number}", "arguments": {"number": number}})
        told = operator.wait("flowbus/kiosk/verdict/t1029", timeout=60)
        assert told["error"] == "org.flowbus.Mqtt.Error.LimitExceeded" and "1024" in told["message"]
    finally:
        os.kill(device.flowbusd.process_id, signal.SIGCONT)
    assert operator.wait("flowbus/kiosk/verdict/t1023", timeout=60)["verdict"] == "navigated"
    assert history(device, "counted") == list(range(1024))


def test_steps_of_others_are_no_input(flowbus, bridge, person):
    """S-56: nobody has touched this machine, so it becomes idle whatever comes in."""
    device = flowbus(toml=FLOWS.replace("[flows.main]\n", '[flows.main]\nidle = { after = "1s", step = "idled" }\n').replace(
        "[flows.main.on]\n", "[flows.main.on]\nidled = { none = true }\n").replace("[steps]\n", "[steps]\nidled = {}\n", 1))
    device.start_flowbusd()
    device.show("main/home")
    operator = person()
    bridge(device=device).start()
    operator.follow("flowbus/#")
    operator.ask("counted", {"number": 0})
    for number in range(1, 1000):
        operator.ask("counted", {"number": number})
        if history(device, "idled"):
            break
    else:
        raise AssertionError("it was never idle")
