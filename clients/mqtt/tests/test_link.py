# SPDX-License-Identifier: Apache-2.0
"""The connection: brokers that are not there, are silent, refuse, or are cut off."""

import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

import pytest
from conftest import BRIDGE, Bridge, history


def test_no_broker_at_the_start(device, bridge, person, broker):
    broker.kill()
    running = bridge().start()
    assert running.property("Connected") is False
    broker.start()
    operator = person()
    operator.follow("flowbus/kiosk/#")
    assert operator.wait("flowbus/kiosk/online", lambda there: there) is True
    assert operator.ask("counted", {"number": 1})["verdict"] == "navigated"
    assert operator.wait("flowbus/kiosk/navigation", lambda told: told["step"] == "counted")["arguments"] == {"number": 1}


def test_last_will(device, bridge, person):
    operator = person()
    running = bridge().start()
    operator.follow("flowbus/kiosk/online")
    operator.wait("flowbus/kiosk/online", lambda there: there)
    running.kill()
    assert operator.wait("flowbus/kiosk/online") is False
    running.start()
    operator.wait("flowbus/kiosk/online", lambda there: there)
    running.stop()
    assert operator.wait("flowbus/kiosk/online") is False


def test_offline_the_oldest_navigations_are_dropped_and_told(device, bridge, person, broker):
    running = bridge().start()
    operator = person()
    operator.follow("flowbus/kiosk/#")
    operator.wait("flowbus/kiosk/online", lambda there: there)
    broker.kill()
    for number in range(80):
        device.emit("main", "counted", number=number)
    # flowbusd has told it of all of them.
    device.wait_for(lambda _tree: running.property("WaitingNavigations") == 50)
    running.kill()
    # Navigations are not retained: who follows them has to be there first.
    operator.granted.clear()
    broker.start()
    assert operator.granted.wait(30)
    running.start()
    told = [operator.wait("flowbus/kiosk/navigation", lambda told: "number" in told.get("arguments", {})) for _ in range(50)]
    assert [one["arguments"]["number"] for one in told] == list(range(30, 80))
    # And what else was dropped: none has a number that is not told.
    assert sum(one.get("dropped", 0) for one in told) == 30
    device.emit("main", "counted", number=80)
    assert "dropped" not in operator.wait("flowbus/kiosk/navigation", lambda told: told["arguments"]["number"] == 80)


def test_navigations_while_the_bridge_is_away(device, bridge, person):
    running = bridge().start()
    operator = person()
    operator.follow("flowbus/kiosk/#")
    operator.wait("flowbus/kiosk/tree")
    operator.ask("counted", {"number": 0})
    # What the broker has not acknowledged is published once more.
    while running.property("WaitingNavigations"):
        pass
    running.kill()
    for number in (1, 2):
        device.emit("main", "counted", number=number)
    running.start()
    for number in (0, 1, 2):
        assert operator.wait("flowbus/kiosk/navigation", lambda told: "arguments" in told)["arguments"] == {"number": number}


def test_connection_that_is_cut(device, bridge, person, wire):
    running = bridge(port=wire.port).start()
    operator = person()
    operator.follow("flowbus/kiosk/#")
    for number in range(5):
        assert operator.ask("counted", {"number": number})["verdict"] == "navigated"
        wire.cut()
        operator.wait("flowbus/kiosk/online", lambda there: not there)
        operator.wait("flowbus/kiosk/online", lambda there: there)
    assert history(device, "counted") == list(range(5))
    assert running.process.poll() is None


def answers_at_once(bridge):
    for _ in range(20):
        begun = time.monotonic()
        bridge.property("Connected")
        # Connecting takes seconds to fail; a machine that is busy takes less.
        assert time.monotonic() - begun < 2


def test_address_that_swallows(device, bridge, person, wire):
    wire.swallows = True
    running = bridge(port=wire.port).start()
    wire.wait_opened(1)
    answers_at_once(running)
    assert running.property("Connected") is False
    wire.swallows = False
    wire.cut()
    operator = person()
    operator.follow("flowbus/kiosk/#")
    operator.wait("flowbus/kiosk/online", lambda there: there)


@pytest.mark.parametrize("ends", [0, 1, None])
def test_connections_that_end_at_once(device, bridge, person, broker, wire, ends):
    """Closed, reset, or refused, while TLS begins: none of them is tried in a loop."""
    wire.ends = ends
    running = bridge(port=wire.port)
    if ends is None:
        wire.close()
    running.start()
    if ends is not None:
        wire.wait_opened(12)
    answers_at_once(running)
    ticks = os.sysconf("SC_CLK_TCK")
    fields = pathlib.Path(f"/proc/{running.process.pid}/stat").read_text().rpartition(")")[2].split()
    assert (int(fields[11]) + int(fields[12])) / ticks < 2


def test_name_server_that_is_dead(device, bridge, tmp_path):
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        silent.bind(("127.0.0.99", 53))
    except OSError as error:
        pytest.skip(f"no port 53 here: {error}")
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.99\noptions timeout:30\n")
    (tmp_path / "nsswitch.conf").write_text("hosts: dns\n")
    wrapped = tmp_path / "bridge"
    wrapped.write_text(
        f"#!/bin/sh\nmount --bind {tmp_path}/resolv.conf /etc/resolv.conf && mount --bind {tmp_path}/nsswitch.conf /etc/nsswitch.conf"
        f" || exit 77\nexec {BRIDGE} \"$@\"\n")
    wrapped.chmod(0o755)
    if subprocess.run(["unshare", "--mount", "mount", "--bind", wrapped, wrapped], capture_output=True, check=False).returncode:
        pytest.skip("no mounts here")
    running = bridge(host="broker.example")
    running.process = device.run(
        ["unshare", "--mount", wrapped, "--address", device.address, "--config", running.folder / "mqtt.toml", "--state",
         running.folder / "state"], owns="org.flowbus.Mqtt")
    silent.settimeout(30)
    assert b"broker" in silent.recv(2000)
    answers_at_once(running)
    # The process that waits for the name ends with the bridge, and holds nothing of it.
    running.kill()
    look = ["pgrep", "-f", str(running.folder)]
    assert any(not subprocess.run(look, capture_output=True, check=False).stdout.split() for _ in range(1000))


@pytest.mark.parametrize("settings, said", [
    ({"settings": 'client_id = "x"', "password": "wrong"}, "the broker refuses it: "),
    ({"host": "127.0.0.1"}, "IP address mismatch"),
    ({"ca": True}, "unable to get local issuer certificate"),
    ({"host": "localhost.invalid"}, "the name is not found: "),
])
def test_refused(device, bridge, broker, settings, said):
    password, other = settings.pop("password", None), settings.pop("ca", None)
    running = bridge(**settings)
    if password:
        (running.folder / "password").write_text(password)
    if other:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=other",
             "-keyout", running.folder / "other.key", "-out", running.folder / "other.pem"], check=True, capture_output=True)
        file = running.folder / "mqtt.toml"
        file.write_text(file.read_text().replace(str(broker.ca), "other.pem"))
    running.start()
    device.wait_said(said)
    assert said in running.property("Problem") and running.property("Connected") is False


class OldBroker:
    """A broker that knows MQTT 3.1.1 alone: it answers CONNECT, or closes the connection for MQTT 5."""

    def __init__(self, closes):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.versions = []
        self.closes = closes
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            packet = connection.recv(2000)
            version = packet[packet.index(b"MQTT") + 4] if b"MQTT" in packet else 0
            self.versions.append(version)
            if version == 4:
                connection.sendall(b"\x20\x02\x00\x00")
                threading.Thread(target=connection.recv, args=[1], daemon=True).start()
                self.kept = connection
            elif self.closes:
                connection.close()
            else:
                connection.sendall(b"\x20\x02\x00\x01")
                connection.close()


@pytest.mark.parametrize("closes", [False, True])
def test_broker_without_mqtt_5(device, tmp_path, closes):
    old = OldBroker(closes)
    old.tls = False
    running = Bridge(device, tmp_path / "bridge", old).start()
    try:
        device.wait_said("MQTT 3.1.1")
        device.wait_for(lambda _tree: running.property("Protocol") == "3.1.1")
        assert old.versions[0] == 5 and old.versions[-1] == 4
    finally:
        running.kill()
        old.server.close()


def test_pauses_grow_and_differ(device, bridge, person, wire, broker):
    """After a restart of the broker its devices come back at different times, and one that is refused asks less and less often."""
    broker.kill()
    bridge(port=wire.port, settings="").start()
    wire.wait_opened(6)
    pauses = [later - sooner for sooner, later in zip(wire.opened, wire.opened[1:])]
    assert len({round(pause, 3) for pause in pauses}) > 1
    # longest_pause is 400 ms: the later pauses are at least half of it.
    assert all(pause > 0.19 for pause in pauses[3:])



def test_keepalive_finds_a_broker_that_is_silent(device, bridge, person, broker):
    running = bridge(settings="keepalive = 5").start()
    device.wait_for(lambda _tree: running.property("Connected"))
    os.kill(broker.process.pid, signal.SIGSTOP)
    try:
        device.wait_for(lambda _tree: not running.property("Connected"))
    finally:
        os.kill(broker.process.pid, signal.SIGCONT)
    device.wait_for(lambda _tree: running.property("Connected"))
