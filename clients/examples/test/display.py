"""A display with windows of flowbus's screens, and a person before it: where the windows are, clicks and keys."""

import itertools
import json
import os
import subprocess

import protocol
import windowname

TREE = "/org/flowbus/Navigation1/tree/"


class X11:
    """A display of X11, with xdotool."""

    _size = None

    def windows(self):
        """The names of the windows of screens that are seen, the lowest first, with their numbers."""
        found = []
        for number in self._ids("_NET_CLIENT_LIST_STACKING"):
            text = self._run("xprop", "-id", number, "_FLOWBUS_SCREEN", "WM_STATE")
            if "= " in text and "window state: Normal" in text:
                found.append((text.split('"')[1], number))
        return without_cover(found)

    def focused(self):
        """The numbers of the windows with the focus."""
        return self._ids("_NET_ACTIVE_WINDOW")

    @staticmethod
    def name(path, instance):
        """The name of a screen's window."""
        return f"{path} {instance}"

    def _area(self, number):
        lines = [line.split(":") for line in self._run("xwininfo", "-id", number).splitlines()]
        known = {line[0].strip(): line[1] for line in lines if len(line) == 2}
        return [int(known[it]) for it in ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")]

    def click(self, number, x, y, button="left", has_focus=True):
        """Clicks at a place of a window, given as parts of its width and height. A strip never has the focus."""
        self.point(number, x, y, has_focus)
        self._xdotool("click", {"left": "1", "back": "8"}[button])

    def tap(self, x, y):
        """Clicks at a place of the display, given as parts of its width and height, whatever is there."""
        self._size = self._size or [int(it) for it in self._run("xdotool", "getdisplaygeometry").split()]
        self._xdotool("mousemove", str(round(x * self._size[0])), str(round(y * self._size[1])), "click", "1")

    def drag(self, number, start, end):
        """Drags from one place of a window to another one, in steps, as a hand does."""
        self.point(number, *start)
        self._xdotool("mousedown", "1")
        for part in range(1, 11):
            self.point(number, *(a + (b - a) * part / 10 for a, b in zip(start, end)))
        self._xdotool("mouseup", "1")

    def point(self, number, x, y, has_focus=True):
        """Moves the pointer, again and again, until the window has it and the focus: one that is raised may be below another one yet,
        and a click would be lost."""
        for _ in itertools.count():
            left, top, width, height = self._area(number)
            self._xdotool("mousemove", str(round(left + x * width)), str(round(top + y * height)))
            pointed = self._run("xdotool", "getmouselocation", "--shell").partition("WINDOW=")[2].strip()
            # The window manager puts each window into one of its own.
            parent = self._run("xwininfo", "-children", "-id", number).partition("Parent window id: ")[2].split()[:1]
            if pointed in (str(int(it, 16)) for it in [number, *parent]) and (not has_focus or self._focus() == int(number, 16)):
                return

    def _focus(self):
        return int(self._run("xdotool", "getwindowfocus").strip() or 0)

    def press(self, key):
        """Presses a key."""
        self._xdotool("key", key)

    def write(self, text):
        """Types a text."""
        self._xdotool("type", text)

    def close(self):
        """Closes the window with the focus, as the window manager does for a person."""
        self._xdotool("key", "alt+F4")

    def shoot(self, file):
        """Takes a picture."""
        subprocess.run(["import", "-window", "root", file], check=True)

    def _ids(self, atom):
        values = self._run("xprop", "-root", atom).partition("#")[2].split(",")
        return [it.strip() for it in values if it.strip()]

    @staticmethod
    def _run(*arguments):
        # A window can be gone by now; then there is no output.
        return subprocess.run(arguments, capture_output=True, text=True, check=False).stdout

    @staticmethod
    def _xdotool(*arguments):
        subprocess.run(["xdotool", *arguments], check=True)


class Wayland:
    """A compositor of Wayland, with a pointer and a keyboard of the tests' own for the whole run."""

    def __init__(self):
        self._input = subprocess.Popen([os.environ["INPUT"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._await_input()

    def tap(self, x, y):
        """Clicks at a place of the display, given as parts of its width and height, whatever is there."""
        self._tell(f"move {round(x * 10000)} {round(y * 10000)}", "press left", "release left")

    def press(self, key):
        """Presses a key."""
        self._tell(f"key {key}")

    def write(self, text):
        """Types a text."""
        self._tell(f"text {text}")

    def shoot(self, file):
        """Takes a picture."""
        subprocess.run(["grim", file], check=True)

    def _tell(self, *lines):
        for line in lines:
            print(line, file=self._input.stdin, flush=True)
            self._await_input()

    def _await_input(self):
        if self._input.stdout.readline() != "done\n":
            raise RuntimeError("the pointer and keyboard of the test have ended")


class Sway(Wayland):
    """A sway, which tells where its windows are."""

    def __init__(self, logs):
        super().__init__()
        self._pointer = protocol.Pointer(logs)
        self._ask("bindsym --no-warn Alt+F4 kill")

    def windows(self):
        """The names of the windows of screens that are seen, the lowest first, with their numbers."""
        return without_cover([(it["app_id"], it["id"]) for it in self._nodes()
                              if it.get("visible") and (it.get("app_id") or "").startswith("org.flowbus.screen.")])

    def focused(self):
        """The numbers of the windows with the focus."""
        return [it["id"] for it in self._nodes() if it["focused"]]

    @staticmethod
    def name(path, instance):
        """The name of a screen's window."""
        return f"org.flowbus.screen.{path.removeprefix(TREE).replace('/', '.')}-{instance}"

    def click(self, number, x, y, button="left", has_focus=True):
        """Clicks at a place of a window, given as parts of its width and height. That of a strip may be without the focus."""
        self.point(number, x, y)
        self._tell(f"press {button}", f"release {button}")

    def drag(self, number, start, end):
        """Drags from one place of a window to another one, in steps, as a hand does."""
        self.point(number, *start)
        self._tell("press left")
        for part in range(1, 11):
            self.point(number, *(a + (b - a) * part / 10 for a, b in zip(start, end)))
        self._tell("release left")

    def point(self, number, x, y):
        """Moves the pointer, again and again, until the program has it where it is meant: see protocol.py. A window that gets another size
        meanwhile has it elsewhere."""
        former = None
        for step in itertools.count():
            nodes = self._nodes()
            window = next(it for it in nodes if it["id"] == number)
            area, whole = window["rect"], next(it["rect"] for it in nodes if it["type"] == "root")
            if area == former:
                return
            place = [(area[at] + part * area[size] - whole[at]) / whole[size]
                     for at, size, part in (("x", "width", x), ("y", "height", y))]
            # A pointer that stays where it is tells nothing.
            self._tell(f"move {round(place[0] * 10000) + step % 2} {round(place[1] * 10000)}")
            found = self._pointer.read()
            is_there = found and found[0] == window["app_id"] and all(
                abs(at - part * area[size]) < 2 for at, part, size in zip(found[1:], (x, y), ("width", "height")))
            former = area if is_there else None

    def close(self):
        """Closes the window with the focus, as the compositor does for a person."""
        self._tell("key Alt+F4")

    @staticmethod
    def _ask(*arguments):
        return json.loads(subprocess.check_output(["swaymsg", "-r", *arguments]))

    def _nodes(self):
        nodes = [self._ask("-t", "get_tree")]
        for node in nodes:  # This list grows.
            nodes += node["nodes"] + node["floating_nodes"]
        return nodes


def without_cover(windows):
    """Windows, the lowest first, without the plain one that the stacker has below all others: it shows no screen."""
    return windows[1:] if windows and windowname.is_cover(windows[0][0]) else windows


def current(logs="program.log"):
    """The display of this session, in which programs print what they say to a Wayland compositor to these files."""
    return Sway(logs) if "SWAYSOCK" in os.environ else X11()
