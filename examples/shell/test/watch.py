"""What must never happen, whatever is tapped or killed: a saved state is lost, or something is seen past the lock."""

import threading
import time

import bus
import compositors
import device
import windowname
from gi.repository import Gio, GLib


class States:
    """Compares the state that Present gives back with what SaveState was called with; reads the messages of the bus in a thread."""

    def __init__(self, monitor):
        self._monitor, self._known, self._calls, self._arguments = monitor, {}, {}, {}
        self.saved, self.given, self.wrong = 0, 0, []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            self._take(self._monitor.next())

    def _take(self, message):
        path = message.get("path", "")
        if message["type"] == "method_call" and message.get("member") == "SaveState" and "/instance/" in path:
            # Until it is answered, it may count or not: flowbusd may be killed.
            instance = int(path.rpartition("/")[2])
            self._calls[message["sender"], message["cookie"]] = instance, message["data"][0]
            self._known.setdefault(instance, [{}]).append(message["data"][0])
        elif message["type"] in ("method_return", "error"):
            call = self._calls.pop((message.get("destination"), message.get("reply_cookie")), None)
            if not call:
                return
            instance, state = call
            states = self._known.get(instance, [])
            at = max((at for at, it in enumerate(states) if it is state), default=None)
            if message["type"] == "error" and at is not None:
                del states[at]
            elif at is not None:
                self.saved += 1
                del states[:at]  # Those that were answered before, or not at all, are over.
        elif message["type"] == "method_call" and message.get("member") == "Present":
            _path, _name, arguments, details = message["data"]
            instance, state = details["instance"]["data"], details.get("state", {}).get("data", {})
            if self._arguments.setdefault(instance, arguments) != arguments:
                self._arguments[instance] = arguments
                self._known.pop(instance, None)  # Other arguments drop what was saved for the former ones.
            states = self._known.get(instance, [{}])
            self.given += bool(state)
            if state not in states:
                self.wrong.append(f"instance {instance} ({_name}): Present has the state {state}, not one of {states}")


class Windows:
    """Looks at the windows whenever flowbusd or the compositor reports a change, in a thread. It notes what is seen while that may not
    be, and for how long the windows differ from GetStack."""

    def __init__(self):
        self.is_locked, self.looks, self.wrong, self.times = False, 0, [], []
        self._event, self._since = None, None
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        self._context = GLib.MainContext.new()
        self._context.push_thread_default()
        self._windows = device.Windows(compositors.connect(self._compositor_changed, self._context))
        bus.SESSION.signal_subscribe(bus.FLOWBUS, None, None, None, None, Gio.DBusSignalFlags.NONE, self._changed)
        Gio.bus_watch_name_on_connection(bus.SESSION, bus.FLOWBUS, Gio.BusNameWatcherFlags.NONE, self._changed, None)
        GLib.MainLoop.new(self._context, False).run()

    def _compositor_changed(self, _event):
        outputs, windows, _focused = self._windows.read()
        self.look(outputs, windows)
        self._changed()
        return True

    def _changed(self, *_):
        """Compares, once all that has happened by now is read."""
        if self._event is None:
            self._event = time.monotonic()
            idle = GLib.idle_source_new()
            idle.set_callback(self._compare)
            idle.attach(self._context)

    def _compare(self, *_):
        event, self._event = self._event, None
        _outputs, windows, focused = self._windows.read()
        screens = self._windows.screens()
        if screens is None:
            return GLib.SOURCE_REMOVE  # flowbusd has gone. Its next one is noticed.
        if self._windows.difference(screens, [it for it in windows if it.is_shown], focused):
            self._since = self._since or event
        elif self._since:
            self.times.append(time.monotonic() - self._since)
            self._since = None
        return GLib.SOURCE_REMOVE

    def look(self, outputs, windows):
        """Notes what is seen while it may not be."""
        if self.is_locked:
            self.looks += 1
            if seen := past(windows, next(iter(outputs.values()))):
                self.wrong.append(f"seen past the lock: {seen}; the windows are {windows}")


def past(windows, whole):
    """The names of the windows that are seen although the device is locked: those that none of the lock or of a call covers."""
    lock = [f"{windowname.TREE}device/{it}" for it in ("lock/", "call/")]
    lock += [windowname.app_id(f"{windowname.TREE}device/{it}/", "")[:-1] for it in ("lock", "call")]
    seen = []
    for window in windows:  # The lowest first.
        if not window.is_shown:
            continue
        if not (windowname.is_cover(window.name) or window.name.startswith(tuple(lock))):
            seen.append(window.name)
        elif window.area == whole:
            seen = []
    return seen
