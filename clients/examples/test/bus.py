"""What happens on the bus: a monitor, calls of flowbusd, and processes."""

import itertools
import json
import os
import select
import signal
import subprocess
import tempfile

from gi.repository import Gio, GLib

FLOWBUS, ROOT = "org.flowbus.Navigation1", "/org/flowbus/Navigation1"
BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
SESSION = Gio.bus_get_sync(Gio.BusType.SESSION)
MARKS = itertools.count()


def call(name, path, interface, member, values=None):
    """The answer to a call; it starts no program."""
    return SESSION.call_sync(name, path, interface, member, values, None, Gio.DBusCallFlags.NO_AUTO_START, 20000, None).unpack()


def stack():
    """The screens in sight, as GetStack has them: path, instance and more. None while flowbusd has not been started again."""
    try:
        return call(FLOWBUS, ROOT, f"{FLOWBUS}.Coordinator", "GetStack", GLib.Variant("(s)", ("",)))[0]
    except GLib.Error as error:
        if Gio.DBusError.get_remote_error(error) in {f"org.freedesktop.DBus.Error.{it}" for it in ("NameHasNoOwner", "NoReply")}:
            return None
        raise


def unique_name(name):
    """The connection that owns a bus name."""
    return call(*BUS, "GetNameOwner", GLib.Variant("(s)", (name,)))[0]


def process(name):
    """The process that owns a bus name."""
    return call(*BUS, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)))[0]


def kill(number, how=signal.SIGKILL):
    """Sends a signal to a process. Returns when the process has ended if the signal is SIGKILL."""
    pidfd = os.pidfd_open(number)
    signal.pidfd_send_signal(pidfd, how)
    if how == signal.SIGKILL:
        ended(pidfd)
    os.close(pidfd)


def ended(pidfd):
    """Waits until a process has ended."""
    if not select.select([pidfd], [], [], 20)[0]:
        raise AssertionError("after 20 s the process is still there")


def mark():
    """Sends a signal that a monitor sees in its place among the messages. Returns its number."""
    number = next(MARKS)
    SESSION.emit_signal(None, "/", "org.example.Test", "Mark", GLib.Variant("(u)", (number,)))
    return number


class Monitor:
    """The messages of the bus, in order."""

    def __init__(self):
        self._log = open("messages.log", "w", encoding="utf-8")
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        self._process = subprocess.Popen(
            ["busctl", "--user", "--json=short", "monitor"], stdout=subprocess.PIPE, stderr=self._errors, text=True)
        # With --json, busctl says since 257 no more when it listens. It does when it has seen one of these.
        for _ in range(200):
            mark()
            if select.select([self._process.stdout], [], [], 0.1)[0]:
                break
        else:
            self._process.kill()
            self._process.wait()
            raise TimeoutError(f"after 20 s the monitor has seen no message of the bus; busctl said: {self._said()}")
        self.until_now()

    def _said(self):
        """What busctl said beside the messages."""
        self._errors.seek(0)
        return self._errors.read().strip() or "nothing"

    def next(self):
        """The next message."""
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the monitor has ended, with status {self._process.wait()}; busctl said: {self._said()}")
        self._log.write(line)
        self._log.flush()
        message = json.loads(line)
        message["data"] = message.get("payload", {}).get("data", [])
        return message

    def until(self, is_wanted):
        """Waits for a message. Returns those up to it."""
        found = []
        while not found or not is_wanted(found[-1]):
            found.append(self.next())
        return found

    def until_call(self, member, is_wanted=lambda _data: True):
        """Waits for a call. Returns the messages up to it."""
        return self.until(lambda it: it["type"] == "method_call" and it.get("member") == member and is_wanted(it["data"]))

    def until_reply(self, member, is_wanted=lambda _data: True):
        """Waits for the reply to the next such call, which may not be an error. Returns the messages up to it."""
        found = self.until_call(member, is_wanted)
        asked = found[-1]
        found += self.until(
            lambda it: it.get("reply_cookie") == asked["cookie"] and it.get("destination") == asked["sender"])
        if found[-1]["type"] != "method_return":
            raise AssertionError(f"{member} failed: {found[-1]}")
        return found

    def until_now(self):
        """The messages that were sent before this call."""
        number = mark()
        return self.until(lambda it: it["type"] == "signal" and it.get("member") == "Mark" and it["data"] == [number])[:-1]
