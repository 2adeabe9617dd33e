"""What the stacker needs of a compositor: its outputs, its windows in their order, and to arrange them.

There are sway, by its IPC, and X11, by the EWMH of a window manager that has _NET_RESTACK_WINDOW.
"""

import contextlib
import json
import os
import socket
import struct
import sys
from typing import NamedTuple

import windowname
from gi.repository import Gdk, GdkWayland, GdkX11, GLib
from Xlib import X, display, error, protocol
from Xlib.ext import composite
from Xlib.protocol import request

PROGRAM = os.path.basename(sys.argv[0])
KNOWN = "It knows sway, and openbox on X11"


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
    refusal = "SWAYSOCK is of another compositor than the one that shows the windows of this session"
    # A program that draws a floating window in the size that it was asked for before undoes a new one, and no event of sway tells.
    # sway waits for 200 ms for a window; one of a program that begins may take longer.
    LOOK_AGAIN = 250, 1000  # ms after windows got another size or place

    def __init__(self, changed, context):
        self._changed, self._context, self._looks, self._focused = changed, context, [], []
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
        self._focused = [node["id"] for node in nodes if node["focused"]]
        return outputs, sum(levels, []), self._focused

    def check(self):
        """Does nothing: it does as it is asked."""

    def keep_drawn(self):
        """Does nothing: what is drawn in a window is kept until it is shown."""

    def prepare(self, aim):
        """Does nothing: a window gets its size in the transaction that shows it, and no event would tell that it has another one."""

    @staticmethod
    def is_undrawn(_window):
        """Whether a window that was prepared is not drawn in its size yet."""
        return False

    def arrange(self, aims, hidden, _waiting, focus):
        """Shows windows where they are to be, the lowest first, hides others, and gives one the focus."""
        def show(aim):
            # Of two windows that are fullscreen, sway 1.10 shows the former one.
            do = f"[con_id={aim.window.number}] fullscreen disable, floating enable, move window to output {aim.output}"
            place = "border none, resize set {2} px {3} px, move absolute position {0} {1}".format(*aim.area)
            return do if aim.keeps_size else f"{do}, {place}"

        commands = []
        if focus.number not in self._focused:
            commands += [f"{show(it)}, focus" for it in aims if it.window == focus]
        for aim in aims:
            if aim.is_raised and aim.window == focus:
                commands.append(f"{show(aim)}, focus")  # This raises it, also if it has the focus.
            else:  # A window that comes from elsewhere is above all others. It does not take the focus, not even for a moment.
                commands += [f"[con_id={aim.window.number}] move window to workspace hidden"] * (aim.is_raised and aim.window.is_shown)
                commands.append(show(aim))
        # The focus is elsewhere by now. Else it would be given to any window that stays, such as a strip.
        commands += [f"[con_id={it.number}] move window to workspace hidden" for it in hidden]
        self._ask(0, "; ".join(commands))
        for look in self._looks:
            look.destroy()
        self._looks = [after(time, self._context, lambda: self._look(aims)) for time in self.LOOK_AGAIN]

    def _look(self, aims):
        """Raises once more what is above other screens, and leaves the focus where it is. sway 1.10 draws a window that was fullscreen or
        hidden above all others when its program has drawn it, whatever the order in its tree is."""
        again = []
        for output in {it.output for it in aims}:
            windows = [it.window for it in aims if it.output == output and not it.is_bar]
            again += [f"[con_id={it.number}] focus" for it in windows[2:]]  # The first one is the cover.
        if again:
            self._ask(0, "; ".join(again + [f"[con_id={it}] focus" for it in self.read()[2]]))
        self._changed()


class X11:
    """A window manager of X11."""

    name = staticmethod("{} {}".format)
    ASKED = "_FLOWBUS_SCREEN", "WM_CLASS", "_NET_WM_PID", "_NET_WM_STATE"  # Properties of each window.
    DRAWN = 100  # ms after which a window is drawn in a new size; no event of X11 tells

    def __init__(self, changed, context):
        self._changed, self._context, self._undrawn, self._focused = changed, context, {}, []
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
        self._focused = self._get(self._root, "_NET_ACTIVE_WINDOW")
        return outputs, windows, self._focused

    def _send(self, number, kind, *data):
        window, kind = self._display.create_resource_object("window", number), self._display.intern_atom(kind)
        event = protocol.event.ClientMessage(window=window, client_type=kind, data=(32, [*data, 0, 0, 0, 0][:5]))
        self._root.send_event(event, X.SubstructureRedirectMask | X.SubstructureNotifyMask)

    def _place(self, aim, flags=0x2F00):
        # Without a title bar, which has a button that closes the window.
        hints = self._display.intern_atom("_MOTIF_WM_HINTS")
        self._display.create_resource_object("window", aim.window.number).change_property(hints, hints, 32, [2, 0, 0, 0, 0])
        self._send(aim.window.number, "_NET_MOVERESIZE_WINDOW", flags, *aim.area)

    @property
    def refusal(self):
        """Why windows do not get their places."""
        return f"the window manager {self._manager()} does not give windows the size of the display"

    def _manager(self):
        check = self._get(self._root, "_NET_SUPPORTING_WM_CHECK")
        name = check and self._get(self._display.create_resource_object("window", check[0]), "_NET_WM_NAME")
        return f"'{bytes(name).decode(errors='replace')}'" if name else "of this display"

    @while_there("the X server")
    def check(self):
        """Ends if windows can't be ordered here."""
        if self._display.intern_atom("_NET_RESTACK_WINDOW") not in self._get(self._root, "_NET_SUPPORTED"):
            why = f"the window manager {self._manager()} can't order windows, as it does not support _NET_RESTACK_WINDOW"
            sys.exit(f"{PROGRAM}: {why}. {KNOWN}")
        if self._get(self._root, "_NET_NUMBER_OF_DESKTOPS") == [1]:
            self._send(self._root.id, "_NET_NUMBER_OF_DESKTOPS", 2)
            self._display.flush()

    @while_there("the X server")
    def keep_drawn(self):
        """Has the server keep what is drawn in a window that others cover. Else it is drawn when it is raised, and seen before."""
        if self._display.has_extension(composite.extname):
            self._root.composite_redirect_subwindows(composite.RedirectAutomatic)

    @while_there("the X server")
    def prepare(self, aim):
        """Gives a window that is not seen yet its size; not its place, as openbox raises what has the size and the place of a display."""
        number = aim.window.number
        self._place(aim, 0x2C00)
        self._display.flush()

        def drawn():
            del self._undrawn[number]
            self._changed()

        if number in self._undrawn:
            self._undrawn[number].destroy()
        self._undrawn[number] = after(self.DRAWN, self._context, drawn)

    def is_undrawn(self, window):
        """Whether a window that was prepared may not be drawn in its size yet."""
        return window.number in self._undrawn

    @while_there("the X server")
    def arrange(self, aims, hidden, waiting, focus):
        """Shows windows where they are to be, the lowest first, hides others, and gives one the focus. Those that wait until they are
        drawn stay, below all others."""
        # A desktop that nobody sees has what is hidden: the window manager gives the focus to none of them, as to one that is lowered,
        # and shows them without the focus, unlike one that is iconified.
        here, = self._get(self._root, "_NET_CURRENT_DESKTOP")
        elsewhere = self._get(self._root, "_NET_NUMBER_OF_DESKTOPS")[0] - 1
        above, below = [self._display.intern_atom(f"_NET_WM_STATE_{it}") for it in ("ABOVE", "BELOW")]
        # What makes room for a strip does so when that is there: else the background would be seen.
        last = [it for it in aims if it.window.is_shown and not it.is_bar and it.window.area[3] > it.area[3]]
        for aim in aims:
            # The window manager may let new windows begin below.
            self._send(aim.window.number, "_NET_WM_STATE", *((1, above) if aim.is_exempt else (0, below, self._fullscreen)))
            if aim.window.area != aim.area and aim not in last:
                self._place(aim)
            if not aim.window.is_mapped:
                self._display.create_resource_object("window", aim.window.number).map()  # If it is iconified.
                self._send(aim.window.number, "_NET_WM_DESKTOP", here, 2)
        if focus.number not in self._focused:
            self._send(focus.number, "_NET_ACTIVE_WINDOW", 2)
        lower = {}
        for aim in aims:
            # Each goes above the one that it is to be above of, so nothing is seen that is not to be, and the focus stays where it is.
            if aim.is_raised and aim.output in lower:
                self._send(aim.window.number, "_NET_RESTACK_WINDOW", 2, lower[aim.output], X.Above)
            if not aim.is_bar:
                lower[aim.output] = aim.window.number
        for aim in last:
            self._place(aim)
        for window in waiting:
            self._send(window.number, "_NET_WM_DESKTOP", here, 2)
            self._send(window.number, "_NET_RESTACK_WINDOW", 2, 0, X.Below)
        for window in hidden:
            if window not in waiting:
                self._send(window.number, "_NET_WM_DESKTOP", elsewhere, 2)
        self._display.flush()


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


def after(milliseconds, context, function):
    """Calls a function in the main loop of a context, once."""
    def once(*_):
        function()
        return GLib.SOURCE_REMOVE

    source = GLib.timeout_source_new(milliseconds)
    source.set_callback(once)
    source.attach(context)
    return source


def connect(changed, context=None):
    """The compositor of this session. It calls `changed` when its windows or outputs have changed, in a main loop of the context."""
    shown = Gdk.Display.get_default()  # That of the session's windows; there may be Xwayland, too.
    if isinstance(shown, GdkX11.X11Display):
        return X11(changed, context)
    if isinstance(shown, GdkWayland.WaylandDisplay) and "SWAYSOCK" in os.environ:
        return Sway(changed, context)
    why = (f"the Wayland compositor of '{shown.get_name()}' is not sway, as SWAYSOCK is not set" if shown else
           "there is no display: set WAYLAND_DISPLAY and SWAYSOCK, or DISPLAY")
    sys.exit(f"{PROGRAM}: {why}. {KNOWN}")
