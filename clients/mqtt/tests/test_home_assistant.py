# SPDX-License-Identifier: Apache-2.0
"""Home Assistant finds the machine by its discovery, and its entities work; problems are told."""

import re

from conftest import history

HOME = """
[home_assistant]
screens = { home = "goHome", prices = "prices" }
buttons = ["prices"]
"""


def test_discovery(device, bridge, person):
    operator = person()
    operator.follow("homeassistant/#", "flowbus/#")
    bridge(more=HOME).start()
    select = operator.wait("homeassistant/select/flowbus-kiosk/screen/config")
    assert select["options"] == ["home", "prices"]
    assert select["state_topic"] == "flowbus/kiosk/tree" and select["command_topic"] == "flowbus/kiosk/screen/set"
    assert select["unique_id"] == "flowbus-kiosk-screen" and select["device"]["identifiers"] == ["flowbus-kiosk"]
    assert (select["availability_topic"], select["payload_available"]) == ("flowbus/kiosk/online", "true")
    # What Jinja makes of the templates, as far as the test can tell without Home Assistant: the keys are there.
    tree = operator.wait("flowbus/kiosk/tree", lambda tree: "top" in tree)
    assert re.search(r"value_json\.(\w+)", select["value_template"])[1] in tree
    problems = operator.wait("flowbus/kiosk/problems")
    for name in ("problem", "service", "waiting", "store"):
        sensor = operator.wait(f"homeassistant/binary_sensor/flowbus-kiosk/{name}/config")
        assert sensor["device_class"] == "problem"
        assert re.search(r"value_json\.(\w+)", sensor["value_template"])[1] in problems
    button = operator.wait("homeassistant/button/flowbus-kiosk/prices/config")
    # As Home Assistant does: neither a token nor a response topic.
    operator.send(button["command_topic"], button["payload_press"])
    operator.wait("flowbus/kiosk/navigation", lambda told: told["step"] == "prices")
    device.show("main/prices")
    operator.wait("flowbus/kiosk/tree", lambda tree: tree.get("top") == "prices")
    operator.send(select["command_topic"], "home")
    operator.wait("flowbus/kiosk/tree", lambda tree: tree.get("top") == "home")
    operator.send(select["command_topic"], "pin")
    device.wait_said("'pin' is no screen that can be chosen")
    assert len(history(device, "prices")) == 1


def test_nothing_without_the_table(device, bridge, person):
    operator = person()
    operator.follow("homeassistant/#", "flowbus/#")
    bridge().start()
    operator.ask("counted", {"number": 1})
    operator.send("flowbus/kiosk/screen/set", "home")
    operator.ask("counted", {"number": 2})
    assert not [message for message in operator.seen if message.topic.startswith("homeassistant")]
    assert history(device, "home") == []


def test_problems(device, bridge, person):
    device.presenter("broken", fails="no display")
    operator = person()
    operator.follow("flowbus/#")
    bridge().start()
    assert operator.wait("flowbus/kiosk/problems") == {
        "problem": False, "running": True, "durable": True, "waiting": [], "programs": [], "absent": []}
    device.emit("main", "broken")
    told = operator.wait("flowbus/kiosk/problems", lambda told: told["waiting"])
    # The text of the error can have anything in it: it needs a word of the file.
    assert told["waiting"] == [{"path": "main/broken", "name": "broken"}] and told["programs"] == ["org.example.Broken"]
    assert told["problem"] is True


def test_texts_of_problems(device, bridge, person, tmp_path):
    device.presenter("broken", fails="no display")
    operator = person()
    operator.follow("flowbus/#")
    running = bridge()
    file = running.folder / "mqtt.toml"
    file.write_text(file.read_text().replace("problems   = {}", "problems   = { texts = true }"))
    running.start()
    device.emit("main", "broken")
    assert "no display" in operator.wait("flowbus/kiosk/problems", lambda told: told["waiting"])["waiting"][0]["why"]


def test_what_no_longer_leaves_goes_from_the_broker(device, bridge, person):
    operator = person()
    running = bridge().start()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/context", lambda values: values)
    running.stop()
    file = running.folder / "mqtt.toml"
    file.write_text(file.read_text().replace('context    = ["floor", "customer"]', ""))
    running.start()
    operator.wait("flowbus/kiosk/context", lambda values: values == b"")


def test_nothing_leaves_by_default(device, bridge, person):
    operator = person()
    running = bridge()
    file = running.folder / "mqtt.toml"
    file.write_text(file.read_text().split("[publish]")[0])
    operator.follow("flowbus/#", "homeassistant/#")
    running.start()
    operator.wait("flowbus/kiosk/online", lambda there: there)
    device.emit("main", "counted", number=1)
    running.stop()
    operator.wait("flowbus/kiosk/online", lambda there: not there)
    assert [message for message in operator.seen if message.payload] == []
