"""What tests read of a compositor: its outputs, its windows in their order, and the focus. There are sway and X11."""

import contextlib
import json
import os
import socket
import struct
import sys
from typing import NamedTuple

import windowname
from gi.repository import Gdk, GdkWayland, GdkX11, GLib
from Xlib import X, display, error
from Xlib.protocol import request

PROGRAM = os.path.basename(sys.argv[0])


@contextlib.contextmanager
def while_there(what):
    """Ends this program, and says why, if what it writes to or reads from has ended."""
    try:
        yield
    except (ConnectionError, error.ConnectionClosedError):
        sys.exit(f"{PROGRAM}: {what} has ended")


class Window(NamedTuple):
    """A window of the compositor. Its name is that of the screen that it shows, or the application id of its program; many have none."""

    name: str
    number: int
    is_shown: bool
    area: tuple  # x, y, width, height
    process: int = 0  # That of the program, if it is known.
    is_mapped: bool = True  # Whether its program is asked to draw it.
    is_free: bool = True  # Whether it is neither tiled nor fullscreen.


class Sway:
    """A sway. It is one transaction what one message says, so no picture shows a part of it."""

    name = staticmethod(windowname.app_id)

    def __init__(self, changed, context):
        self._socket, events = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for connection in (self._socket, events):
            connection.connect(os.environ["SWAYSOCK"])
        self._ask(2, '["window", "workspace", "output"]', events)
        watch(events.fileno(), context, lambda: changed(self._receive(events)))

    @while_there("sway")
    def _receive(self, connection):
        def read(length):
            data = connection.recv(length, socket.MSG_WAITALL)
            if len(data) < length:
                raise ConnectionResetError
            return data

        # Titles are what programs say, in UTF-8 or not.
        return json.loads(read(struct.unpack("=6xII", read(14))[0]).decode(errors="replace"))

    @while_there("sway")
    def _ask(self, kind, text="", connection=None):
        connection = connection or self._socket
        connection.sendall(b"i3-ipc" + struct.pack("=II", len(text), kind) + text.encode())
        return self._receive(connection)

    def read(self):
        """The outputs with their areas, the windows from the lowest to the highest, and the numbers of those with the focus."""
        nodes, levels = [self._ask(4)], ([], [], [])  # Those that are tiled, that float, and that are fullscreen.
        for node in nodes:  # This list grows. Windows of an output that float are in order.
            nodes += node["nodes"] + node["floating_nodes"]
            if "shell" in node:
                name = node["app_id"] or node.get("window_properties", {}).get("class") or ""
                level = 2 if node["fullscreen_mode"] else node["type"] == "floating_con"
                levels[level].append(Window(name, node["id"], node["visible"], area_of(node), node["pid"], True, level == 1))
        # The first one, by its place, has the roots without an output.
        outputs = dict(sorted(((node["name"], area_of(node)) for node in nodes if node["type"] == "output" and node["name"] != "__i3"),
                              key=lambda it: it[1]))
        return outputs, sum(levels, []), [node["id"] for node in nodes if node["focused"]]


class X11:
    """A window manager of X11."""

    name = staticmethod("{} {}".format)
    ASKED = "_FLOWBUS_SCREEN", "WM_CLASS", "_NET_WM_PID", "_NET_WM_STATE"  # Properties of each window.

    def __init__(self, changed, context):
        self._display, events = display.Display(), display.Display()  # No event comes with an answer, unnoticed.
        self._root = self._display.screen().root
        self._fullscreen = self._display.intern_atom("_NET_WM_STATE_FULLSCREEN")
        events.screen().root.change_attributes(event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask)
        events.flush()

        @while_there("the X server")
        def read():
            return [events.next_event() for _ in range(events.pending_events())]

        watch(events.fileno(), context, lambda: changed(read()))

    def _get(self, window, atom):
        found = window.get_full_property(self._display.intern_atom(atom), X.AnyPropertyType)
        return list(found.value) if found else []

    def _ask_about(self, number):
        """Sends all questions about a window. Each answer of X11 takes its time, so nobody waits for one before the next is asked."""
        every = {"display": self._display.display, "defer": 1}
        return number, [request.GetProperty(**every, delete=0, window=number, property=self._display.intern_atom(name), type=0,
                                            long_offset=0, long_length=2**20) for name in self.ASKED] + [
            request.GetGeometry(**every, drawable=number), request.GetWindowAttributes(**every, window=number),
            request.TranslateCoords(**every, src_wid=number, dst_wid=self._root, src_x=0, src_y=0)]

    def _window(self, number, questions):
        try:
            for question in questions:
                question.reply()
        except error.XError:
            return None  # It is gone.
        name, kind, process, state, size, more, place = questions
        text = bytes(name.value[1]).decode(errors="replace") if name.value else ""
        # Of the two texts in WM_CLASS, which are in Latin-1, the second one is the class.
        text = text or bytes(kind.value[1] if kind.value else b"").decode("latin-1").rstrip("\0").rpartition("\0")[2]
        is_mapped, is_fullscreen = more.map_state == X.IsViewable, bool(state.value) and self._fullscreen in state.value[1]
        return Window(text, number, is_mapped, (place.x, place.y, size.width, size.height), process.value[1][0] if process.value else 0,
                      is_mapped, not is_fullscreen)

    @while_there("the X server")
    def read(self):
        """The outputs with their areas, the windows from the lowest to the highest, and the numbers of those with the focus."""
        monitors = self._root.xrandr_get_monitors().monitors
        outputs = {self._display.get_atom_name(it.name): (it.x, it.y, it.width_in_pixels, it.height_in_pixels) for it in monitors}
        asked = [self._ask_about(it) for it in self._get(self._root, "_NET_CLIENT_LIST_STACKING")]
        windows, covered = [it for it in (self._window(*it) for it in asked) if it], set()
        for at in reversed(range(len(windows))):  # What is below a cover is not seen.
            window = windows[at]
            on = {name for name, whole in outputs.items() if overlap(window.area, whole)}
            windows[at] = window._replace(is_shown=window.is_shown and not (on and on <= covered))
            if windowname.is_cover(window.name):
                covered |= {it for it in on if window.area[2] == outputs[it][2]}
        return outputs, windows, self._get(self._root, "_NET_ACTIVE_WINDOW")


def overlap(one, other):
    """Whether two areas have a part in common."""
    return all(one[it] < other[it] + other[it + 2] and other[it] < one[it] + one[it + 2] for it in (0, 1))


def area_of(node):
    """The area of a node of sway."""
    return tuple(node["rect"][it] for it in ("x", "y", "width", "height"))


def watch(file, context, function):
    """Calls a function in the main loop of a context whenever there is something to read."""
    source = GLib.unix_fd_source_new(file, GLib.IOCondition.IN)
    source.set_callback(lambda *_: function())
    source.attach(context)


def connect(changed, context=None):
    """The compositor of this session. It calls `changed` when its windows or outputs have changed, in a main loop of the context."""
    shown = Gdk.Display.get_default()  # That of the session's windows; there may be Xwayland, too.
    if isinstance(shown, GdkX11.X11Display):
        return X11(changed, context)
    if isinstance(shown, GdkWayland.WaylandDisplay) and "SWAYSOCK" in os.environ:
        return Sway(changed, context)
    why = (f"the Wayland compositor of '{shown.get_name()}' is not sway, as SWAYSOCK is not set" if shown else
           "there is no display: set WAYLAND_DISPLAY and SWAYSOCK, or DISPLAY")
    sys.exit(f"{PROGRAM}: {why}")
