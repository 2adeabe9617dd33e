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
from gi.repository import GLib
from Xlib import error

SHELL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = windowname.TREE
STRIP = 48  # The height of the bar.
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


class Windows:
    """The windows of this session, compared with the screens in sight."""

    def __init__(self, compositor):
        self.compositor, self._layers = compositor, {}

    def windows(self):
        """The windows that are seen, the lowest first but without the plain one below all others, and the numbers of those with the
        focus."""
        _outputs, windows, focused = self.read()
        return without_cover([it for it in windows if it.is_shown]), focused

    def read(self):
        """What the compositor has: the outputs, the windows, and the numbers of those with the focus."""
        while True:
            try:
                return self.compositor.read()
            except error.XError:
                continue  # One of them has gone since it was listed.

    def screens(self):
        """The screens in sight, the lowest first: the name of the window of each, and more about it; None without flowbusd."""
        stack = bus.stack()
        return stack and [(more.get("application") or self.compositor.name(path, instance), path.removeprefix(TREE), more)
                          for path, instance, more in stack]

    def difference(self, screens, windows, focused):
        """How the windows that are seen differ from the screens that are visible; empty if they agree. For a screen that is not visible
        yet there is what was there before, unless it is a lock. Below all others there may be a plain window."""
        self._layers.update((name, more.get("layer")) for name, _, more in screens)
        hidden = {name for name, _, more in screens if not more["visible"]}
        layers = {self._layers[it] for it in hidden}
        # Only what covers the whole display without letting anything be seen below is a lock.
        is_locking = any(more.get("style") == "lock" for name, _, more in screens if name in hidden)
        former = {it.name for it in windows if hidden and (not is_locking or self._layers.get(it.name) in layers)}
        windows = without_cover(windows)
        names = [it.name for it in windows]
        strips = {name for name, _, more in screens if more.get("style") == "bar"}
        wanted = [name for name, _, more in screens if more["visible"]]
        former -= set(wanted)
        # A strip is beside the others, not above them.
        if set(names) - former != set(wanted) or [it for it in wanted if it not in strips] != unique(
                it for it in names if it not in strips | former):
            return f"GetStack has {wanted}, but the windows are {names}"
        high = [it.number for it in windows if it.name not in strips][-1:]
        return f"{focused} has the focus, not {high}" if high and focused != high else ""

    def agreement(self):
        """The screens in sight with their windows, if all are visible, and the compositor shows just these, in this order, and the right
        one has the focus; else what differs."""
        screens = self.screens()
        windows, focused = self.windows()
        if not screens:
            return "flowbusd does not answer, or nothing is in sight"
        if hidden := [path for _, path, more in screens if not more["visible"]]:
            return f"not visible yet: {hidden}"
        return self.difference(screens, windows, focused) or [
            (path, next(it for it in windows if it.name == name)) for name, path, _ in screens]


class Device(Windows):
    """The device of this session."""

    def __init__(self):
        super().__init__(compositors.connect(lambda *_: True))
        self.display = display.current(f"{os.environ['LOGS']}/*.log")
        self.monitor = bus.Monitor()

    # What is there.

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
        self.display.click(number_of(window), x, y, **more)

    def point(self, window, x, y):
        """Moves the pointer there."""
        self.display.point(number_of(window), x, y)

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


def is_live(path):
    """Whether there is a flow or screen; nobody knows while there is no flowbusd."""
    try:
        bus.call(bus.FLOWBUS, TREE + path, "org.freedesktop.DBus.Properties", "GetAll", GLib.Variant("(s)", ("",)))
        return True
    except GLib.Error:
        return False


def number_of(window):
    """The number of a window, as its display has it."""
    return window.number if "SWAYSOCK" in os.environ else hex(window.number)


def without_cover(windows):
    """Windows, the lowest first, without the plain one that the stacker has below all others but strips."""
    lowest = next((it for it in windows if it.area[3] != STRIP), None)
    return [it for it in windows if it is not lowest or not windowname.is_cover(it.name)]


def has_owner(name):
    """Whether somebody has a bus name."""
    return bus.call(*bus.BUS, "NameHasOwner", GLib.Variant("(s)", (name,)))[0]


def unique(names):
    """Without those that are there already: a program may have several windows."""
    return list(dict.fromkeys(names))
