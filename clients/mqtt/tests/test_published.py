# SPDX-License-Identifier: Apache-2.0
"""What leaves the machine, and that nothing else does."""


def test_what_the_file_names_is_retained(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/kiosk/#")
    assert operator.wait("flowbus/kiosk/online") is True
    assert operator.wait("flowbus/kiosk/tree", lambda tree: tree.get("top") == "home") == {
        "screens": [{"path": "main/home", "name": "home"}], "top": "home"}
    # A private value is in no property of flowbusd, so the file can name it and nothing comes of it; the language is not named.
    assert operator.wait("flowbus/kiosk/context", lambda values: values) == {"floor": 2}
    device.emit("main", "evacuate", floor=3, note="hot")
    device.show("main/alarm")
    tree = operator.wait("flowbus/kiosk/tree", lambda tree: tree.get("top") == "alarm")
    assert tree["screens"] == [{"path": "main/alarm", "name": "alarm", "arguments": {"floor": 3}}]
    device.emit("main", "pin", code="1234")
    device.show("main/pin")
    tree = operator.wait("flowbus/kiosk/tree", lambda tree: tree.get("top") == "pin")
    assert tree["screens"] == [{"path": "main/pin", "name": "pin"}]
    assert "arguments" not in operator.wait("flowbus/kiosk/navigation", lambda told: told["step"] == "pin")
    device.emit("main", "floorIs", floor=7)
    assert operator.wait("flowbus/kiosk/context", lambda values: values["floor"] == 7) == {"floor": 7}
    late = person()
    late.follow("flowbus/kiosk/#")
    assert late.wait("flowbus/kiosk/tree")["top"] == "pin"
    assert late.wait("flowbus/kiosk/context") == {"floor": 7}


def test_step_with_a_verdict(device, bridge, person):
    operator = person()
    bridge().start()
    operator.follow("flowbus/kiosk/#", "flowbus/reply/#")
    operator.wait("flowbus/kiosk/online")
    told = operator.ask("counted", {"number": 5})
    assert told["verdict"] == "navigated" and told["serial"] > 0
    assert operator.wait("flowbus/kiosk/navigation", lambda told: told["step"] == "counted")["arguments"] == {"number": 5}
