# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a broker on loopback with TLS, passwords and an ACL, a bridge, people who send and follow, and a wire to cut."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import queue
import shutil
import socket
import struct
import subprocess
import threading
import time
import uuid

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

BRIDGE = os.environ["FLOWBUS_MQTT"]
FLEET = pathlib.Path(__file__).parent.parent / "flowbusctl-fleet"


def fleet_module():
    loader = importlib.machinery.SourceFileLoader("fleet", str(FLEET))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fleet", loader))
    loader.exec_module(module)
    return module


Client = fleet_module().Client
# Where the bridge finds flowbusctl.
os.environ["PATH"] = f"{pathlib.Path(os.environ['FLOWBUSCTL']).parent}:{os.environ['PATH']}"
TIMEOUT = 30

FLOWS = """
version = 1

[context]
floor    = { type = "int64", initial = 2 }
language = { type = "string", initial = "de" }
customer = { type = "string", initial = "Ada", private = true }

[steps]
start    = {}
counted  = { number = "int64" }
evacuate = { floor = "int64", note = "string?" }
prices   = {}
home     = {}
guarded  = {}
later    = { number = "int64" }
pin      = { code = "string" }
gate     = { open = "bool" }
floorIs  = { floor = "int64" }
broken   = {}

[private]
steps = ["pin"]

[screens]
home   = {}
prices = {}
alarm  = { arguments = { floor = "int64", note = "string?" } }
pin    = { arguments = { code = "string" } }
broken = { presenter = "org.example.Broken" }
opened = {}
closed = {}

[[autostart]]
flow = "main"
[flows.main]
initial  = "start"
children = "stack"
guard    = { name = "org.example.Guard", steps = ["guarded"], timeout = "60s" }
[flows.main.on]
start    = { screen = "home" }
counted  = { none = true }
guarded  = { none = true }
evacuate = { screen = "alarm" }
prices   = { screen = "prices", reuse = true }
home     = { pop = "root" }
pin      = { screen = "pin" }
floorIs  = { set = { floor = "$floor" } }
broken   = { screen = "broken" }
gate     = [{ when = { open = true }, screen = "opened", reuse = "raise" }, { screen = "closed", reuse = "raise" }]

[[autostart]]
flow = "queue"
[flows.queue]
initial    = "start"
whenHidden = "queue"
[flows.queue.on]
start = { none = true }
later = { none = true }
"""


class Broker:
    """mosquitto, with TLS, a password for each user, and an ACL."""

    def __init__(self, folder, tls=True):
        self.folder = folder
        self.tls = tls
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.ca = folder / "ca.pem"
        if tls:
            self._certificates()
        passwords = folder / "passwords"
        passwords.touch()
        for user in ("kiosk", "operator", "stranger"):
            subprocess.run(["mosquitto_passwd", "-b", passwords, user, f"{user}-secret"], check=True)
        (folder / "acl").write_text("""
user operator
topic readwrite flowbus/#
topic readwrite homeassistant/#
user kiosk
topic readwrite flowbus/kiosk/#
topic read flowbus/#
topic write flowbus/reply/#
topic write homeassistant/#
user stranger
topic write flowbus/stranger/#
topic read flowbus/stranger/#
""")
        (folder / "mosquitto.conf").write_text(f"""
listener {self.port} 127.0.0.1
allow_anonymous false
password_file {passwords}
acl_file {folder}/acl
log_dest stderr
user root
log_type all
""" + (f"certfile {folder}/server.pem\nkeyfile {folder}/server.key\n" if tls else ""))
        self.process = None
        self.start()

    def _certificates(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *map(str, arguments)], check=True, cwd=self.folder, capture_output=True)

        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
                "-keyout", "ca.key", "-out", "ca.pem")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                "-keyout", "server.key", "-out", "server.csr")
        (self.folder / "names").write_text("subjectAltName=DNS:localhost")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", "names", "-out", "server.pem")

    def start(self):
        self.process = subprocess.Popen(
            ["mosquitto", "-c", self.folder / "mosquitto.conf"], stderr=subprocess.PIPE, text=True, errors="replace")
        for line in self.process.stderr:
            if "running" in line:
                break
        else:
            raise RuntimeError(f"mosquitto ended with {self.process.wait()}")
        self.log = []
        threading.Thread(target=self._follow, args=[self.process.stderr], daemon=True).start()

    def _follow(self, lines):
        for line in lines:
            self.log.append(line)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()


class Person:
    """Somebody at the broker: sends, and keeps what comes."""

    def __init__(self, broker, user="operator", protocol=mqtt.MQTTv5):
        self.broker = broker
        self.version = protocol
        self.messages = queue.Queue()
        self.seen = []
        self.filters = []
        self.up = threading.Event()
        self.granted = threading.Event()
        version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = Client(*version, f"{user}-{uuid.uuid4()}", protocol=protocol)
        self.client.username_pw_set(user, f"{user}-secret")
        if broker.tls:
            self.client.tls_set(str(broker.ca))
        self.client.reconnect_delay_set(0.05, 0.2)
        self.client.on_connect = self._connected
        self.client.on_message = lambda _client, _data, message: self.messages.put(message)
        self.client.on_subscribe = lambda *_: self.granted.set()
        self.client.connect("localhost", broker.port)
        self.client.loop_start()
        assert self.up.wait(TIMEOUT)

    def _connected(self, client, *_):
        for topic in self.filters:
            client.subscribe(topic, 1)
        self.up.set()

    def follow(self, *topics):
        for topic in topics:
            self.granted.clear()
            self.filters.append(topic)
            self.client.subscribe(topic, 1)
            assert self.granted.wait(TIMEOUT)

    def wait(self, topic, fits=lambda payload: True, timeout=TIMEOUT):
        """The first message of this topic that fits, of those that no earlier call returned."""
        for message in self.seen:
            if message.topic == topic and fits(value(message)):
                self.seen.remove(message)
                return value(message)
        deadline = time.monotonic() + timeout
        while True:
            try:
                message = self.messages.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                seen = [(message.topic, value(message)) for message in self.seen]
                raise AssertionError(f"nothing that fits came to '{topic}'; there was {seen}") from None
            if message.topic == topic and fits(value(message)):
                return value(message)
            self.seen.append(message)

    def wait_message(self, topic):
        while True:
            message = self.messages.get(timeout=TIMEOUT)
            if message.topic == topic:
                return message
            self.seen.append(message)

    def send(self, topic, payload, response=None, correlation=None, retain=False):
        properties = None
        if response:
            properties = Properties(PacketTypes.PUBLISH)
            properties.ResponseTopic = response
            if correlation:
                properties.CorrelationData = correlation
        data = payload if isinstance(payload, (str, bytes)) else json.dumps(payload)
        return self.client.publish(topic, data, 1, retain, properties)

    def ask(self, name, arguments=None, token=None, device="kiosk", timeout=TIMEOUT):
        """Emits a step, and repeats it until there is a verdict that is not "pending"."""
        token = token or uuid.uuid4().hex
        payload = {"token": token, "arguments": arguments or {}}
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            self.send(f"flowbus/{device}/step/{name}", payload)
            try:
                return self.wait(f"flowbus/{device}/verdict/{token}", lambda told: told.get("verdict") != "pending", 1)
            except AssertionError:
                continue
        raise AssertionError(f"no verdict for '{name}' with the token '{token}'")

    def close(self):
        self.client.loop_stop()
        self.client.disconnect()


def value(message):
    try:
        return json.loads(message.payload)
    except ValueError:
        return message.payload


class Wire:
    """A TCP connection to the broker that can be cut, or that swallows all."""

    def __init__(self, port):
        self.to = port
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.pairs = []
        self.swallows = False
        self.ends = None  # 0: it closes each connection at once, 1: by a reset
        self.opened = []
        self.came = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            with self.came:
                self.opened.append(time.monotonic())
                self.came.notify_all()
            if self.ends is not None:
                near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", self.ends, 0))
                near.close()
                continue
            if self.swallows:
                self.pairs.append((near, near))
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                near.close()
                continue
            self.pairs.append((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=[source, sink], daemon=True).start()

    def wait_opened(self, count):
        with self.came:
            assert self.came.wait_for(lambda: len(self.opened) >= count, TIMEOUT)

    @staticmethod
    def _pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs.clear()

    def close(self):
        self.server.close()
        self.cut()


CONFIG = """
version = 1
device  = "{device}"

[broker]
host          = "{host}"
port          = {port}
user          = "kiosk"
password_file = "password"
spread        = "200ms"
longest_pause = "400ms"
responses     = ["flowbus/reply/#"]
kept          = 50
{broker}
{tls}

[publish]
tree       = {{ screens = ["home", "prices", "alarm", "pin", "broken"], titles = ["*"], arguments = {{ alarm = ["floor"], pin = ["code"] }} }}
context    = ["floor", "customer"]
navigation = {{ steps = ["*"], arguments = {{ counted = ["number"], pin = ["code"] }} }}
problems   = {{}}

[steps]
counted  = {{ on = "main", arguments = {{ number = "int64" }} }}
later    = {{ on = "queue", arguments = {{ number = "int64" }} }}
evacuate = {{ on = "main", arguments = {{ floor = {{ type = "int64", among = [1, 2, 3] }}, note = "string?" }}, from = ["flowbus/kiosk/step/evacuate", "flowbus/all/step/evacuate/+"] }}
guarded  = {{ on = "main" }}
prices   = {{ on = "main" }}
goHome   = {{ on = "main", step = "home" }}
{more}
"""


class Bridge:
    def __init__(self, device, folder, broker, port=None, more="", name="kiosk", host="localhost", settings=""):
        self.device = device
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "password").write_text("kiosk-secret\n")
        (folder / "mqtt.toml").write_text(CONFIG.format(
            device=name, port=port or broker.port, more=more, host=host, broker=settings,
            tls=f'tls = {{ ca = "{broker.ca}" }}' if broker.tls else ""))
        self.process = None

    def start(self, wait=True):
        self.process = self.device.run(
            [BRIDGE, "--address", self.device.address, "--config", self.folder / "mqtt.toml", "--state", self.folder / "state"],
            owns="org.flowbus.Mqtt" if wait else None)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._wait_gone()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(TIMEOUT) == 0
        self._wait_gone()

    def _wait_gone(self):
        """A bus learns a moment later that a process has ended."""
        from gi.repository import Gio, GLib

        while self.device.connection.call_sync(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
                GLib.Variant("(s)", ("org.flowbus.Mqtt",)), None, Gio.DBusCallFlags.NONE, 5000, None).unpack()[0]:
            pass

    def property(self, name, path="/org/flowbus/Mqtt", interface="org.flowbus.Mqtt"):
        from gi.repository import Gio, GLib

        return self.device.connection.call_sync(
            "org.flowbus.Mqtt", path, "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (interface, name)), None,
            Gio.DBusCallFlags.NONE, 5000, None).unpack()[0]


@pytest.fixture
def broker(tmp_path):
    if shutil.which("mosquitto") is None and os.path.exists("/usr/sbin/mosquitto"):
        os.environ["PATH"] += ":/usr/sbin"
    folder = tmp_path / "broker"
    folder.mkdir()
    made = Broker(folder)
    yield made
    made.kill()


@pytest.fixture
def person(broker):
    people = []

    def make(*arguments, **options):
        people.append(Person(broker, *arguments, **options))
        return people[-1]

    yield make
    for one in people:
        one.close()


@pytest.fixture
def device(flowbus):
    made = flowbus(toml=FLOWS)
    made.start_flowbusd()
    made.show("main/home")
    made.hide("queue")
    return made


@pytest.fixture
def bridge(device, broker, tmp_path):
    made = []

    def make(**options):
        folder = tmp_path / f"bridge-{options.get('name', 'kiosk')}"
        made.append(Bridge(options.pop("device", device), folder, broker, **options))
        return made[-1]

    yield make
    for one in made:
        if one.process and one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture
def wire(broker):
    made = Wire(broker.port)
    yield made
    made.close()


def history(device, step):
    """The numbers of this step in the history, oldest first."""
    from gi.repository import GLib

    numbers, after = [], 0
    while True:
        entries, more = device.call(
            "/org/flowbus/Navigation1", "org.flowbus.Navigation1.History", "GetHistory", GLib.Variant("(tua{sv})", (after, 1000, {})))
        for serial, _path, _flow, name, arguments, _details in entries:
            after = serial
            if name == step:
                numbers.append(arguments.get("number", serial))
        if not more:
            return numbers
