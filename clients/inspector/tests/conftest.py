# SPDX-License-Identifier: Apache-2.0
"""A device, the model without a display, and the inspector with one, before which sits a person.

clients/inspector/test loads the plugin of clients/python, which plays the device.
"""

import json
import select
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gi.repository import Gio, GLib

from person import Display, Person

from flowbus_inspector.model.inspection import Inspection
from flowbus_inspector.model.names import FLOW, FLOWBUS, STEPPER, TREE

HERE = Path(__file__).parent
TIMEOUT = 90


class Waiting(GLib.Source):
    """Looks at a condition in each turn of the main loop: whatever may make it true has happened by then."""

    def __init__(self, condition, found):
        super().__init__()
        self._condition, self._found = condition, found

    def prepare(self):
        """Whether the condition holds now."""
        return bool(self._condition()), -1

    def check(self):
        """The same after the turn."""
        return bool(self._condition())

    def dispatch(self, _callback, _arguments):
        """Tells it once."""
        self._found()
        return GLib.SOURCE_REMOVE


def wait_until(condition, what="it"):
    """Runs the main loop until the condition holds."""
    loop, over = GLib.MainLoop(), []
    source = Waiting(condition, loop.quit)
    source.attach()
    limit = GLib.timeout_add_seconds(TIMEOUT, lambda: (over.append(True), loop.quit()))
    loop.run()
    source.destroy()
    if over:
        raise AssertionError(f"after {TIMEOUT} s {what} does not hold")
    GLib.source_remove(limit)


@pytest.fixture
def device(flowbus):
    """A shop: its program shows the list and the detail."""
    device = flowbus(HERE / "flows")
    device.presenter("list")
    device.presenter("detail")
    device.wait_presented("shop/list")
    return device


@pytest.fixture
def look(device):
    """Makes the model look at the device, and waits until it knows it."""
    made = []

    def make(address=None):
        inspection = Inspection(address or device.address)
        inspection.start()
        made.append(inspection)
        wait_until(lambda: inspection.state == "live" and inspection.recorder.past.moments and inspection.steps, "live")
        return inspection

    yield make
    for inspection in made:
        inspection.stop()


class Monitor:
    """The calls that others make of flowbusd."""

    def __init__(self, address):
        self._connection, self._marks = connect(address), 0
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            ["busctl", f"--address={address}", "--json=short", "monitor"], stdout=subprocess.PIPE, stderr=self._errors, text=True)
        # With --json, busctl says since 257 no more when it listens. It does when it has seen one of these.
        for _ in range(10 * TIMEOUT):
            self._mark()
            if select.select([self._process.stdout], [], [], 0.1)[0]:
                break
        else:
            self.close()
            raise TimeoutError(f"after {TIMEOUT} s the monitor has seen no message of the bus; busctl said: {self._said()}")
        self.calls("")

    def _mark(self):
        """Sends a signal that is seen in its place among the messages."""
        self._marks += 1
        self._connection.emit_signal(None, "/", "org.example.Test", "Mark", GLib.Variant("(u)", (self._marks,)))

    def _said(self):
        """What busctl said beside the messages."""
        self._errors.seek(0)
        return self._errors.read().strip() or "nothing"

    def calls(self, sender):
        """The calls of a connection of flowbusd since the last time: interface and member."""
        self._mark()
        owner = self._connection.call_sync(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner", GLib.Variant("(s)", (FLOWBUS,)), None,
            Gio.DBusCallFlags.NONE, -1, None).unpack()[0]
        found = []
        for line in self._process.stdout:
            message = json.loads(line)
            if message["type"] == "signal" and message.get("member") == "Mark" and message["payload"]["data"] == [self._marks]:
                return found
            if message["type"] == "method_call" and message["sender"] == sender and message["destination"] in {FLOWBUS, owner}:
                found.append((message.get("interface"), message["member"]))
        raise RuntimeError(f"the monitor has ended, with status {self._process.wait()}; busctl said: {self._said()}")

    def close(self):
        """Ends it."""
        self._process.kill()
        self._process.communicate()
        self._connection.close_sync(None)


def connect(address):
    """A connection of the test's own."""
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


@pytest.fixture
def monitor(device):
    """Sees all calls on the bus of the device."""
    monitor = Monitor(device.address)
    yield monitor
    monitor.close()


@pytest.fixture(scope="session")
def display():
    """A display that nobody sees, with a window manager. Returns the environment of programs that use it."""
    for program in ("Xvfb", "openbox", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no program '{program}'")
    with Display() as environment:
        yield {**environment, "G_DEBUG": "fatal-criticals"}


@pytest.fixture
def inspect(device, display):
    """Starts the inspector on the bus of the device."""
    people = []

    def start(*arguments, environment=None):
        people.append(Person({**display, **(environment or {})}, "--address", device.address, *arguments))
        return people[-1]

    yield start
    for person in people:
        person.close()


def emit(address, node, step, **arguments):
    """Emits a step by a connection of its own, and waits for no more than the verdict."""
    return connect(address).call_sync(
        FLOWBUS, TREE + node, STEPPER, "EmitStep", GLib.Variant("(sa{sv})", (step, arguments)), None, Gio.DBusCallFlags.NONE, 60_000,
        None).unpack()[1]


def fill(address, groups=10, size=998):
    """Makes thousands of screens, by several clients, as each has a quota."""
    first = connect(address)

    def call(connection, path, interface, member, values):
        return connection.call_sync(FLOWBUS, path, interface, member, values, None, Gio.DBusCallFlags.NONE, 60_000, None).unpack()

    for _ in range(groups):
        assert call(first, TREE + "shop", STEPPER, "EmitStep", GLib.Variant("(sa{sv})", ("many", {})))[1] == "navigated"
    (children,) = call(first, TREE + "shop", "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (FLOW, "Children")))

    def make(path):
        connection = connect(address)
        steps = [("cellMade", {"number": GLib.Variant("x", number)}) for number in range(size)]
        return call(connection, path, STEPPER, "EmitSteps", GLib.Variant("(a(sa{sv}))", (steps,)))

    with ThreadPoolExecutor(2) as pool:
        for (outcomes,) in pool.map(make, [path for path in children if "/cells" in path]):
            assert {it[1] for it in outcomes} == {"navigated"}
