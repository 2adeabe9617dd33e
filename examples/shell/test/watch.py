"""What must never happen, whatever is tapped or killed: a saved state is lost, or something is seen past the lock."""

import threading

import bus
import compositors
import windowname
from gi.repository import GLib
from Xlib import error


class States:
    """Compares the state that Present gives back with what SaveState was called with; reads the messages of the bus in a thread.

    `changed` is when flowbusd has reported the latest change of a tree.
    """

    def __init__(self, monitor):
        self._monitor, self._known, self._calls, self._arguments = monitor, {}, {}, {}
        self.saved, self.given, self.wrong, self.changed = 0, 0, [], 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            self._take(self._monitor.next())

    def _take(self, message):
        path = message.get("path", "")
        if message["type"] == "signal" and path.startswith(bus.ROOT):
            self.changed = message["timestamp-realtime"] / 1e6
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


class Lock:
    """Looks at the windows whenever the compositor reports a change, in a thread, and notes what is seen while it may not be."""

    def __init__(self):
        self.is_locked, self.looks, self.wrong = False, 0, []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        context = GLib.MainContext.new()
        context.push_thread_default()
        self._compositor = compositors.connect(self._changed, context)
        GLib.MainLoop.new(context, False).run()

    def _changed(self, _event):
        try:
            outputs, windows, _focused = self._compositor.read()
        except error.XError:
            return True  # A window was gone.
        self.look(outputs, windows)
        return True

    def look(self, outputs, windows):
        """Notes what is seen while it may not be."""
        if self.is_locked:
            self.looks += 1
            if seen := past(windows, next(iter(outputs.values()))):
                self.wrong.append(f"seen past the lock: {seen}; the windows are {windows}")


def past(windows, whole):
    """The names of the windows that are seen although the device is locked: those that none of the lock or of a call covers."""
    lock = [f"{windowname.TREE}device/{it}" for it in ("lock/", "call/")] + [f"{windowname.TREE}cover "]
    lock += [windowname.app_id(f"{windowname.TREE}device/{it}/", "")[:-1] for it in ("lock", "call")] + [
        windowname.app_id(f"{windowname.TREE}cover", "")]
    seen = []
    for window in windows:  # The lowest first.
        if not window.is_shown:
            continue
        if not window.name.startswith(tuple(lock)):
            seen.append(window.name)
        elif window.area == whole:
            seen = []
    return seen
