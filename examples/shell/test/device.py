"""A device and a person before it: what is to be seen, where, with which focus; and taps at it."""

import contextlib
import os
import re
import signal
import subprocess
import sys

import bus
import compositors
import display
import windowname
from gi.repository import Gio, GLib
from Xlib import error

SHELL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = windowname.TREE
LIMIT = 20  # What takes longer, in seconds, has failed.


@contextlib.contextmanager
def limit(seconds, found):
    """Ends a wait that is in vain, by an error with what was found last."""
    def too_late(*_):
        raise AssertionError(f"after {seconds} s: {found()}")

    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def events():
    """Something at once, and whenever the stacker has arranged the windows."""
    yield ""
    for line in sys.stdin:  # What `yield from` iterates over is closed with this generator.
        yield line
    raise AssertionError("the stacker has ended")


class Device:
    """The device of this session."""

    def __init__(self):
        self.compositor = compositors.connect(lambda *_: True)
        self.display = display.current(f"{os.environ['LOGS']}/*.log")
        self.monitor = bus.Monitor()

    # What is there.

    def windows(self):
        """The windows that are seen, the lowest first, and the numbers of those with the focus."""
        _outputs, windows, focused = self.read()
        return [it for it in windows if it.is_shown], focused

    def read(self):
        """What the compositor has: the outputs, the windows, and the numbers of those with the focus."""
        while True:
            try:
                return self.compositor.read()
            except error.XError:
                continue  # One of them has gone since it was listed.

    def screens(self):
        """The screens in sight, the lowest first: the names that a window of each can have, and more about it; None without flowbusd."""
        stack = bus.stack()
        return stack and [((self.compositor.name(path, instance), program_of(path)), path.removeprefix(TREE), more)
                          for path, instance, more in stack]

    def agreement(self):
        """The screens in sight with their windows, if the compositor shows just these, in this order, and the right one has the focus;
        else what differs."""
        screens = self.screens()
        windows, focused = self.windows()
        if not screens:
            return "flowbusd does not answer, or nothing is in sight"
        if hidden := [path for _, path, more in screens if not more["visible"]]:
            return f"not visible yet: {hidden}"
        names = [it.name for it in windows]
        wanted = [next((it for it in both if it in names), both[0]) for both, _, _ in screens]
        strips = {name for name, (_, _, more) in zip(wanted, screens) if more.get("style") == "bar"}
        # A strip is beside the others, not above them.
        if set(names) != set(wanted) or [it for it in wanted if it not in strips] != unique(it for it in names if it not in strips):
            return f"GetStack has {wanted}, but the windows are {names}"
        high = [it for it in windows if it.name not in strips][-1:]
        if focused != [it.number for it in high]:
            return f"{focused} has the focus, not {high}"
        return [(path, next(it for it in windows if it.name == name)) for name, (_, path, _) in zip(wanted, screens)]

    def agree(self, *expected, seconds=LIMIT):
        """Waits until just these screens are in sight, and the windows agree. Returns the window of each, by its name."""
        found = None
        with limit(seconds, lambda: f"there is not {' and '.join(expected)}, but: {found}"):
            for _line in events():
                found = self.agreement()
                if isinstance(found, list):
                    if sorted(path.rpartition("/")[2] for path, _ in found) == sorted(expected):
                        return {path.rpartition("/")[2]: window for path, window in found}
                    found = [path for path, _ in found]

    # What the person does.

    def tap(self, window, x, y, **more):
        """Taps at a place of a window, given as parts of its width and height."""
        number = window.number if "SWAYSOCK" in os.environ else hex(window.number)
        self.display.click(number, x, y, **more)

    def shoot(self, file):
        """Takes a picture."""
        self.display.shoot(file)

    # What happens around it.

    @staticmethod
    def simulate(*what):
        """What comes from outside."""
        subprocess.run([f"{SHELL}/simulate", *what], check=True)

    @staticmethod
    def tree():
        """The tree, as flowbusctl shows it, without what differs in each run."""
        text = subprocess.run(["flowbusctl", "tree", "--arguments"], capture_output=True, text=True, check=True).stdout
        return re.sub(r"owner :1\.\d+ ", "owner ", text)


def program_of(path):
    """The program that a definition names for a screen."""
    try:
        return bus.call(bus.FLOWBUS, path, "org.freedesktop.DBus.Properties", "Get",
                        GLib.Variant("(ss)", (f"{bus.FLOWBUS}.Presentable", "Presenter")))[0]
    except GLib.Error as failure:
        if Gio.DBusError.is_remote_error(failure):
            return ""
        raise


def has_owner(name):
    """Whether somebody has a bus name."""
    return bus.call(*bus.BUS, "NameHasOwner", GLib.Variant("(s)", (name,)))[0]


def unique(names):
    """Without those that are there already: a program may have several windows."""
    return list(dict.fromkeys(names))
