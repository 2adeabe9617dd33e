#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""service.py   flowbus-run as a service of the user manager (S-59): Tests/user-manager.bash runs this as the user, who has such a manager."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, os.environ["FLOWBUS_TESTS"])
from conftest import FLOWS, TIMEOUT, News, Process

from gi.repository import Gio, GLib

FLOWBUS = "org.flowbus.Navigation1"
TREE = "/org/flowbus/Navigation1/tree/"


class Session:
    """The user's bus, with flowbusd and the manager."""

    def __init__(self):
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.changes = 0
        for sender in (FLOWBUS, "org.freedesktop.systemd1", "org.freedesktop.DBus"):
            self.bus.signal_subscribe(sender, None, None, None, None, Gio.DBusSignalFlags.NONE, self._changed)
        self.manager("Subscribe", None)

    def _changed(self, *_signal):
        self.changes += 1

    def call(self, name, path, interface, method, arguments):
        return self.bus.call_sync(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None).unpack()

    def manager(self, method, arguments):
        return self.call("org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", method, arguments)

    def emit(self, step, **arguments):
        values = {name: GLib.Variant("s", value) for name, value in arguments.items()}
        _serial, verdict = self.call(FLOWBUS, TREE + "main", FLOWBUS + ".Stepper", "EmitStep", GLib.Variant("(sa{sv})", (step, values)))
        assert verdict == "navigated", verdict

    def tree(self):
        objects, = self.call(FLOWBUS, "/org/flowbus/Navigation1", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", None)
        return {path.removeprefix(TREE): node[FLOWBUS + ".Presentable"] for path, node in objects.items()}

    def wait(self, condition, what):
        loop = GLib.MainContext.default()
        deadline = time.monotonic() + TIMEOUT
        over = GLib.timeout_add_seconds(TIMEOUT, lambda: True)
        while not condition():
            seen = self.changes
            while seen == self.changes:
                assert time.monotonic() < deadline, f"there is not {what}: {self.tree()}"
                loop.iteration(True)
        GLib.source_remove(over)

    def back(self, path):
        self.call(FLOWBUS, TREE + path, FLOWBUS + ".Stepper", "BackWithOptions", GLib.Variant("(a{sv})", ({},)))

    def scopes(self):
        units, = self.manager("ListUnitsByPatterns", GLib.Variant("(asas)", ([], ["flowbus-run-*.scope"])))
        return [unit[0] for unit in units]

    def owner(self, name):
        try:
            return self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", GLib.Variant("(s)", (name,)))[0]
        except GLib.Error:
            return None

    def kill(self, name):
        """Returns when the bus has seen it, too."""
        process, owner = self.process_of(name), self.owner(name)
        os.kill(process.number, signal.SIGKILL)
        process.wait_ended()
        self.wait(lambda: self.owner(name) != owner, f"an end of '{name}'")

    def process_of(self, name):
        return Process(self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            GLib.Variant("(s)", (name,)))[0])

    def end(self):
        """What the flow has learned of a screen that has gone; takes the screen that says it away."""
        self.wait(lambda: "main/end" in self.tree(), "the end of the screen")
        arguments = self.tree()["main/end"]["Arguments"]
        self.call(FLOWBUS, TREE + "main/end", FLOWBUS + ".Presentable", "Dismiss", None)
        return arguments


def scope_of(process):
    return Path(f"/proc/{process.number}/cgroup").read_text().strip().rsplit("/", 1)[1]


def presented(path):
    return lambda: session.tree().get(path, {}).get("Presented")


def starts():
    session.emit("shown", deed="stay", text="-x; $HOME %h")
    told = news.next()
    assert told["arguments"] == ["-x; $HOME %h"]
    process = Process(told["process"])
    session.wait(presented("main/program"), "the screen")
    instance = session.tree()["main/program"]["Instance"]
    assert session.scopes() == [scope_of(process)] and scope_of(process).endswith(f"-{instance}.scope")
    assert "NOTIFY_SOCKET" not in told["environment"] and "INVOCATION_ID" not in told["environment"]
    session.back("main/program")
    process.wait_ended()
    assert session.end()["reason"] == "back"
    session.wait(lambda: not session.scopes(), "no scope")


def environment():
    subprocess.run(["systemctl", "--user", "set-environment", "WAYLAND_DISPLAY=wayland-7"], check=True)
    session.emit("shown", deed="family")
    told = [news.next() for _ in range(2)]
    # flowbus-run was started before.
    assert [one["environment"]["WAYLAND_DISPLAY"] for one in told if "environment" in one] == ["wayland-7"]
    processes = [Process(one["process"]) for one in told]
    assert len({scope_of(process) for process in processes}) == 1
    session.wait(presented("main/program"), "the screen")
    session.back("main/program")
    for process in processes:
        process.wait_ended()
    session.end()


def leaves():
    session.emit("shown", deed="leave", text="5")
    processes = [Process(news.next()["process"]) for _ in range(2)]
    session.wait(presented("main/program"), "the screen")
    news.tell("go")
    for process in processes:
        process.wait_ended()
    assert session.end()["reason"] == "dismissed"


def withdrawn_at_once():
    for _ in range(20):
        session.emit("shown", deed="stay")
        session.emit("withdrawn")
    session.emit("shown", deed="stay", text="last")
    told = [news.next()]
    while told[-1]["arguments"] != ["last"]:
        told.append(news.next())
    session.wait(lambda: len(session.scopes()) == 1, "one scope")
    # Programs of before may have come to tell something, even later than the last one, and have ended.
    while not news.is_silent():
        told.append(news.next())
    for one in told:
        assert Process(one["process"]).is_alive() == (one["arguments"] == ["last"])
    session.emit("withdrawn")
    session.wait(lambda: not session.scopes(), "no scope")


def flowbusd_killed():
    session.emit("shown", deed="obey")
    process = Process(news.next()["process"])
    session.wait(presented("main/program"), "the screen")
    session.kill(FLOWBUS)
    session.wait(presented("main/program"), "the screen")
    assert process.is_alive() and news.is_silent()
    news.tell("exit 3")
    assert session.end()["error"] == "org.flowbus.Run.Error.Exited"
    assert news.is_silent()


def scope_stopped():
    session.emit("shown", deed="stay")
    process = Process(news.next()["process"])
    session.wait(presented("main/program"), "the screen")
    subprocess.run(["systemctl", "--user", "stop", scope_of(process)], check=True)
    assert session.end()["error"] == "org.flowbus.Run.Error.Killed"


def killed():
    """The old program ends late, and the new one waits for that: the screen never has two."""
    session.emit("kept", deed="deaf")
    session.emit("shown", deed="family")
    old = [Process(news.next()["process"]) for _ in range(3)]
    session.wait(presented("main/program"), "the screen")
    run = session.process_of("org.flowbus.Run")
    session.kill("org.flowbus.Run")
    for process in old[1:]:
        process.wait_ended()
    assert session.end()["reason"] == "ownerGone"
    told = news.next()
    assert told["deed"] == "deaf" and not old[0].is_alive()
    session.wait(presented("main/kept"), "the screen")
    assert news.is_silent() and session.process_of("org.flowbus.Run").number != run.number
    new = Process(told["process"])
    subprocess.run(["systemctl", "--user", "stop", "flowbus-run.service"], check=True)
    new.wait_ended()


home = Path.home()
flows = home / ".config/flowbus/flows.d"
flows.mkdir(parents=True)
news = News(home)
(flows / "test.toml").write_text(FLOWS.replace("@PROGRAM@", os.environ["FLOWBUS_TESTS"] + "/program").replace("@FIFO@", news.path))
session = Session()
session.call(FLOWBUS, TREE + "main/home", FLOWBUS + ".Presentable", "SetVisible", GLib.Variant("(b)", (True,)))
for scenario in (starts, environment, leaves, withdrawn_at_once, flowbusd_killed, scope_stopped, killed):
    print(f"run: as a service: {scenario.__name__}", flush=True)
    scenario()
