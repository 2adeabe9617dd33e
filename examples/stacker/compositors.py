"""What the stacker needs of a compositor: its outputs, its windows in their order, and to arrange them.

There are sway, by its IPC, and X11, by the EWMH of a window manager.
"""

import json
import os
import socket
import struct
from typing import NamedTuple

import windowname
from gi.repository import GLib
from Xlib import X, display, error, protocol
from Xlib.ext import composite
from Xlib.protocol import request


class Window(NamedTuple):
    """A window of the compositor. Its name is that of the screen that it shows, or the application id of its program; many have none."""

    name: str
    number: int
    is_shown: bool
    area: tuple | None  # x, y, width, height


class Sway:
    """A sway. It is one transaction what one message says, so no picture shows a part of it."""

    name = staticmethod(windowname.app_id)
    # A program that draws a floating window in the size that it was asked for before undoes a new one, and no event of sway tells.
    # sway waits for 200 ms for a window; one of a program that begins may take longer.
    LOOK_AGAIN = 250, 1000  # ms after windows got another size

    def __init__(self, changed, context):
        self._changed, self._context, self._looks = changed, context, []
        self._socket, events = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for connection in (self._socket, events):
            connection.connect(os.environ["SWAYSOCK"])
        self._ask(2, '["window", "workspace", "output"]', events)
        watch(events.fileno(), context, lambda: changed(self._receive(events)))

    def _receive(self, connection):
        length = struct.unpack("=6xII", connection.recv(14, socket.MSG_WAITALL))[0]
        # Titles are what programs say, in UTF-8 or not.
        return json.loads(connection.recv(length, socket.MSG_WAITALL).decode(errors="replace"))

    def _ask(self, kind, text="", connection=None):
        connection = connection or self._socket
        connection.sendall(b"i3-ipc" + struct.pack("=II", len(text), kind) + text.encode())
        return self._receive(connection)

    def read(self):
        """The outputs with their areas, the windows from the lowest to the highest, and the numbers of those with the focus."""
        nodes, found = [self._ask(4)], []
        for node in nodes:  # This list grows. Windows of an output are in order, as all of them float.
            nodes += node["nodes"] + node["floating_nodes"]
            if "shell" in node:
                name = node["app_id"] or node.get("window_properties", {}).get("class") or ""
                # A tiled one gets another size when it floats.
                found.append(Window(name, node["id"], node["visible"], area_of(node) if node["type"] == "floating_con" else None))
        outputs = {node["name"]: area_of(node) for node in nodes if node["type"] == "output" and node["name"] != "__i3"}
        return outputs, found, [node["id"] for node in nodes if node["focused"]]

    def keep_drawn(self):
        """Does nothing: what is drawn in a window is kept until it is shown."""

    def prepare(self, aim):
        """Does nothing: a window gets its size in the transaction that shows it, and no event would tell that it has another one."""

    @staticmethod
    def is_undrawn(_window):
        """Whether a window that was prepared is not drawn in its size yet."""
        return False

    def arrange(self, aims, hidden):
        """Shows windows where they are to be, the lowest first, and hides others."""
        commands = []
        for aim in aims:
            do = f"[con_id={aim.window.number}] floating enable, border none, move window to output {aim.output}"
            if aim.window.area != aim.area:
                do += ", resize set {2} px {3} px, move absolute position {0} {1}".format(*aim.area)
            # The focus raises a window. Nothing is above a strip, so it can do without.
            commands.append(do if aim.is_bar or not aim.is_raised else do + ", focus")
        # The focus is elsewhere by now. Else it would be given to any window that stays, such as a strip.
        commands += [f"[con_id={it.number}] move window to workspace hidden" for it in hidden]
        self._ask(0, "; ".join(commands))
        if any(it.window.area != it.area for it in aims):
            for look in self._looks:
                look.destroy()
            self._looks = [after(time, self._context, self._changed) for time in self.LOOK_AGAIN]


class X11:
    """A window manager of X11."""

    name = staticmethod("{} {}".format)
    DRAWN = 100  # ms after which a window is drawn in a new size; no event of X11 tells

    def __init__(self, changed, context):
        self._changed, self._context, self._undrawn = changed, context, {}
        self._display, events = display.Display(), display.Display()  # No event comes with an answer, unnoticed.
        self._root = self._display.screen().root
        events.screen().root.change_attributes(event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask)
        events.flush()

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
                                            long_offset=0, long_length=2**20) for name in ("_FLOWBUS_SCREEN", "WM_CLASS")] + [
            request.GetGeometry(**every, drawable=number), request.GetWindowAttributes(**every, window=number),
            request.TranslateCoords(**every, src_wid=number, dst_wid=self._root, src_x=0, src_y=0)]

    @staticmethod
    def _window(number, questions):
        try:
            for question in questions:
                question.reply()
        except error.XError:
            return None  # It is gone.
        name, kind, size, more, place = questions
        text = bytes(name.value[1]).decode(errors="replace") if name.value else ""
        # Of the two texts in WM_CLASS, which are in Latin-1, the second one is the class.
        text = text or bytes(kind.value[1] if kind.value else b"").decode("latin-1").rstrip("\0").rpartition("\0")[2]
        return Window(text, number, more.map_state == X.IsViewable, (place.x, place.y, size.width, size.height))

    def read(self):
        """The outputs with their areas, the windows from the lowest to the highest, and the numbers of those with the focus."""
        outputs = {self._display.get_atom_name(it.name): (it.x, it.y, it.width_in_pixels, it.height_in_pixels)
                   for it in self._root.xrandr_get_monitors().monitors}
        asked = [self._ask_about(it) for it in self._get(self._root, "_NET_CLIENT_LIST_STACKING")]
        windows = [self._window(*it) for it in asked]
        return outputs, [it for it in windows if it], self._get(self._root, "_NET_ACTIVE_WINDOW")

    def _send(self, number, kind, *data):
        window, kind = self._display.create_resource_object("window", number), self._display.intern_atom(kind)
        event = protocol.event.ClientMessage(window=window, client_type=kind, data=(32, [*data, 0, 0, 0, 0][:5]))
        self._root.send_event(event, X.SubstructureRedirectMask | X.SubstructureNotifyMask)

    def _place(self, aim, flags=0x2F00):
        self._send(aim.window.number, "_NET_MOVERESIZE_WINDOW", flags, *aim.area)

    def keep_drawn(self):
        """Has the server keep what is drawn in a window that others cover. Else it is drawn when it is raised, and seen before."""
        if self._display.has_extension(composite.extname):
            self._root.composite_redirect_subwindows(composite.RedirectAutomatic)

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

    def arrange(self, aims, hidden):
        """Shows windows where they are to be, the lowest first, and hides others."""
        below = self._display.intern_atom("_NET_WM_STATE_BELOW")
        # What makes room for a strip does so when that is there: else the background would be seen.
        last = [it for it in aims if it.window.is_shown and not it.is_bar and it.window.area[3] > it.area[3]]
        for aim in aims:
            self._send(aim.window.number, "_NET_WM_STATE", 0, below)  # Where the window manager lets new windows begin there.
            if aim.window.area != aim.area and aim not in last:
                self._place(aim)
            if aim.is_raised and not (aim.is_bar and aim.window.is_shown):
                self._send(aim.window.number, "_NET_ACTIVE_WINDOW", 2)  # It brings back what is hidden, and raises it.
        for aim in last:
            self._place(aim)
        for window in hidden:
            self._send(window.number, "WM_CHANGE_STATE", 3)
        self._display.flush()


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
    return (Sway if "SWAYSOCK" in os.environ else X11)(changed, context)
