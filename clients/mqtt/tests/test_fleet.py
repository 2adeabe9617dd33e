# SPDX-License-Identifier: Apache-2.0
"""`flowbusctl fleet`: what machines show, what is wrong, and a step for each of them, once."""

import concurrent.futures
import json
import os
import queue
import ssl
import subprocess

import paho.mqtt.client as mqtt
import pytest
from conftest import FLEET, FLOWS, Client, history

FLOWBUSCTL = os.environ["FLOWBUSCTL"]


@pytest.fixture
def fleet(broker, tmp_path):
    (tmp_path / "secret").write_text("operator-secret\n")
    file = tmp_path / "fleet.toml"
    file.write_text(
        f'host = "localhost"\nport = {broker.port}\nuser = "operator"\npassword_file = "secret"\ntls = {{ ca = "{broker.ca}" }}\n')

    def run(*arguments, status=0, json_lines=True):
        result = subprocess.run(
            [FLEET, "--config", file, *arguments, *(["--json"] if json_lines else [])], capture_output=True, text=True, check=False,
            timeout=120)
        assert result.returncode == status, result.stdout + result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()] if json_lines else result.stdout

    return run


@pytest.fixture
def three(flowbus, bridge, broker, person):
    """Machines kiosk, kiosk-2 and kiosk-3; the last one is on another floor. They have one user, which may write for all."""
    acl = broker.folder / "acl"
    acl.write_text(acl.read_text().replace("topic readwrite flowbus/kiosk/#", "topic readwrite flowbus/#"))
    broker.restart()
    operator = person()
    operator.follow("flowbus/#")
    made = []
    for name, floor in (("kiosk", 2), ("kiosk-2", 2), ("kiosk-3", 3)):
        device = flowbus(toml=FLOWS)
        device.start_flowbusd()
        device.show("main/home")
        device.emit("main", "floorIs", floor=floor)
        running = bridge(device=device, name=name)
        # The steps have the topics of each machine.
        file = running.folder / "mqtt.toml"
        record = {"kiosk": "[record]\n", "kiosk-3": "[record]\nbytes = 1024\n"}.get(name, "")
        file.write_text(file.read_text().replace("flowbus/kiosk/step/evacuate", f"flowbus/{name}/step/evacuate") + record)
        running.start()
        operator.wait(f"flowbus/{name}/context", lambda values, floor=floor: values == {"floor": floor})
        operator.wait(f"flowbus/{name}/problems")
        made.append((device, running))
    return made


def test_tree(three, fleet):
    rows = fleet("tree")
    assert [(row["device"], row["online"], row["screen"], row["context"]) for row in rows] == [
        ("kiosk", True, "home", {"floor": 2}), ("kiosk-2", True, "home", {"floor": 2}), ("kiosk-3", True, "home", {"floor": 3})]
    assert fleet("tree", "--where", "context.floor=3", json_lines=False) == (
        "DEVICE   ONLINE  SCREEN  CONTEXT\nkiosk-3  true    home    floor=3\n")
    assert [row["device"] for row in fleet("tree", "--where", "device=kiosk-*", "--where", "screen=home")] == ["kiosk-2", "kiosk-3"]
    assert fleet("tree", "--where", "context.floor=true") == []


def test_emit_on_a_floor(three, fleet):
    rows = fleet("emit", "evacuate", "floor=2", "note=hot", "--where", "context.floor=2")
    assert [(row["device"], row["verdict"]) for row in rows] == [("kiosk", "navigated"), ("kiosk-2", "navigated")]
    assert ["main/alarm" in device.tree() for device, _ in three] == [True, True, False]
    for device, _ in three[:2]:
        device.show("main/alarm")
    assert fleet("wait", "screen=alarm", "--where", "context.floor=2") == []
    assert [row["device"] for row in fleet("wait", "screen=alarm", "--timeout", "1", status=1)] == ["kiosk-3"]


def test_a_broker_with_room_for_one_message(three, fleet, broker):
    settings = broker.folder / "mosquitto.conf"
    settings.write_text(settings.read_text() + "max_inflight_messages 1\n")
    broker.restart()
    assert fleet("wait", "online=true", "--timeout", "60") == []
    rows = fleet("emit", "evacuate", "floor=2", "note=hot")
    assert [(row["device"], row["verdict"]) for row in rows] == [(name, "navigated") for name in ("kiosk", "kiosk-2", "kiosk-3")]


def test_a_broker_that_goes_meanwhile(three, fleet, broker, person):
    settings = broker.folder / "mosquitto.conf"
    settings.write_text(settings.read_text() + "max_inflight_messages 1\n")
    broker.restart()
    assert fleet("wait", "online=true", "--timeout", "60") == []
    watcher = person()
    watcher.follow("flowbus/kiosk/step/evacuate")
    for _, running in three:
        os.kill(running.process.pid, 19)  # SIGSTOP
    with concurrent.futures.ThreadPoolExecutor() as pool:
        rows = pool.submit(fleet, "emit", "evacuate", "floor=2", "note=hot", "--timeout", "6", status=1)
        watcher.wait("flowbus/kiosk/step/evacuate", bool)
        broker.kill()
        assert {row["verdict"] for row in rows.result()} == {"silent"}


def test_emit_twice_by_one_token(three, fleet):
    first = fleet("emit", "counted", "number=1", "--token", "once")
    assert fleet("emit", "counted", "number=1", "--token", "once") == first
    assert [history(device, "counted") for device, _ in three] == [[1], [1], [1]]


def test_who_does_not_answer_is_named(three, fleet, person):
    three[1][1].kill()
    os.kill(three[2][1].process.pid, 19)  # SIGSTOP: it is online until its keepalive is over
    watcher = person()
    watcher.follow("flowbus/kiosk-2/online")
    watcher.wait("flowbus/kiosk-2/online", lambda there: not there)
    rows = fleet("emit", "counted", "number=1", "--timeout", "2", status=1)
    assert [(row["device"], row["verdict"]) for row in rows] == [("kiosk", "navigated"), ("kiosk-2", "offline"), ("kiosk-3", "silent")]
    os.kill(three[2][1].process.pid, 18)
    assert [row["device"] for row in fleet("problems", status=1)] == ["kiosk-2"]
    assert "offline" in fleet("problems", status=1, json_lines=False)


def test_record_and_replay(three, fleet, tmp_path):
    device, _ = three[0]
    device.emit("main", "pin", code="secret-code")
    device.emit("main", "counted", number=5)
    file = tmp_path / "recording"
    fleet("record", "kiosk", "--since", "10min", "--output", file, json_lines=False)
    assert file.stat().st_mode & 0o777 == 0o600 and b"secret" not in file.read_bytes()
    replayed = subprocess.run([FLOWBUSCTL, "--replay", file, "tree", "--json"], capture_output=True, text=True, check=True).stdout
    paths = [json.loads(line)["path"] for line in replayed.splitlines()]
    assert paths == list(device.tree())
    log = subprocess.run([FLOWBUSCTL, "--replay", file, "log", "--json"], capture_output=True, text=True, check=True).stdout
    assert [line["arguments"] for line in map(json.loads, log.splitlines()) if line["step"] == "counted"] == [{"number": 5}]


def test_record_only_what_the_file_allows(three, fleet, tmp_path):
    file = tmp_path / "recording"
    command = [FLEET, "--config", tmp_path / "fleet.toml", "record", "--output", file]

    def refused(device, *arguments):
        result = subprocess.run([*command, device, *arguments], capture_output=True, text=True, check=False)
        assert not file.exists()
        return result.returncode, result.stderr

    # Two of the machines have no [record], or a small one.
    assert refused("kiosk-2", "--timeout", "1") == (1, (
        "flowbusctl fleet: 'kiosk-2' does not answer; its file may have no [record], or not this topic, or not the response topic\n"))
    status, said = refused("kiosk-3")
    assert status == 1 and "1024 may leave (record.bytes); ask for a shorter time" in said
    status, said = refused("kiosk", "--since", "10mim")
    assert status == 1 and "--since '10mim' is neither a time span above 0 nor a time" in said
    status, said = refused("kiosk-9")
    assert status == 69 and "'kiosk-9' is not online" in said
    command[command.index(file)] = "/nowhere/file"
    status, said = refused("kiosk")
    assert status == 73 and "'/nowhere/file' can't be written" in said


def test_errors_have_their_message(three, fleet):
    rows = fleet("emit", "evacuate", "floor=9", "--where", "device=kiosk", status=1)
    assert rows[0]["verdict"] == "failed" and "none of [1,2,3]" in rows[0]["message"]


def test_others_publish_what_they_like(three, fleet, person):
    operator = person()
    for topic in ("odd/tree", "odd/context", "odd/problems", "odd/online"):
        for payload in ("[1", "[]", '"x"', "\x1b[31m"):
            operator.send(f"flowbus/{topic}", payload, retain=True).wait_for_publish(30)
    assert "kiosk" in [row["device"] for row in fleet("tree")]


@pytest.mark.parametrize("arguments, status, said", [
    (["tree", "--where", "floor=2"], 64, "context.floor=2"),
    (["emit", "x", "y"], 64, "'y' is no argument"),
    ([], 64, "required"),
    (["--broker", "localhost:x", "tree"], 64, "no HOST or HOST:PORT"),
    (["--broker", "localhost:1", "tree"], 69, "no connection to 'localhost'"),
    (["--config", "/nowhere", "tree"], 78, "can't be read"),
])
def test_wrong_usage(tmp_path, arguments, status, said):
    result = subprocess.run(
        [FLEET, *arguments], capture_output=True, text=True, check=False, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)})
    assert result.returncode == status and said in result.stderr


def test_connection_that_breaks_while_something_is_written(broker, monkeypatch):
    """The thread of the client goes on, and connects once more."""
    loop, broken, events = mqtt.Client.loop_write, [], queue.SimpleQueue()

    def break_once(client, *arguments):
        if client.is_connected() and not broken:
            broken.append(True)
            raise ssl.SSLEOFError(8, "EOF occurred in violation of protocol")
        return loop(client, *arguments)

    monkeypatch.setattr(mqtt.Client, "loop_write", break_once)
    version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
    client = Client(*version, "breaks", protocol=mqtt.MQTTv5)
    client.username_pw_set("operator", "operator-secret")
    client.tls_set(broker.ca)
    client.on_connect = lambda *_: (events.put("connected"), client.publish("flowbus/breaks", "x", 1))
    client.on_publish = lambda *_: events.put("published")
    client.connect("localhost", broker.port)
    client.loop_start()
    assert [events.get(timeout=30) for _ in range(3)] == ["connected", "connected", "published"] and broken
    client.disconnect()
    client.loop_stop()
