"""In place of the package `flowbus`: the same program without flowbus. What a step leads to is a window of this process, opened at once.

For the comparison of test/latency. It prints a line for each window that has painted its first picture: its title, and how long that was
after the user's input, in microseconds. At each line of its standard input, it closes the newest window and prints "closed". With ASKS in
the environment it asks the bus for its id first, and opens the window when the answer is there.
"""

import os
import sys
import time

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402

DBUS = "org.freedesktop.DBus"
SCREENS = {"moviePicked": "movieDetail", "castPicked": "castDetail"}


class Screen:
    """What a function for a screen gets."""

    def __init__(self, presenter):
        self._presenter = presenter

    def emit(self, step, **arguments):
        """Opens the window that the step leads to."""
        def on_answer(bus, result):
            bus.call_finish(result)
            self._presenter.open(SCREENS[step], **arguments)

        if "ASKS" in os.environ:
            bus = Gio.bus_get_sync(Gio.BusType.SESSION)
            bus.call(DBUS, "/org/freedesktop/DBus", DBUS, "GetId", None, None, Gio.DBusCallFlags.NONE, -1, None, on_answer)
        else:
            self._presenter.open(SCREENS[step], **arguments)


class Presenter:
    """The program."""

    def __init__(self, _bus_name):
        self._functions, self._windows, self._input = {}, [], 0

    def screen(self, name, **_options):
        """Says which function shows a screen."""
        def register(function):
            self._functions[name] = function
            return function
        return register

    def open(self, name, **arguments):
        """Opens a window."""
        window = self._functions[name](Screen(self), **arguments)
        self._windows.append(window)
        click = Gtk.GestureClick(propagation_phase=Gtk.PropagationPhase.CAPTURE)
        click.connect("released", self._on_released)
        window.add_controller(click)
        window.connect("map", self._on_map)
        window.present()

    def _on_released(self, click, *_place):
        # As libflowbus-gtk4 does: the time of the event, if that is of the monotonic clock.
        now = time.monotonic_ns() // 1000
        ago = (now // 1000 - click.get_current_event_time()) % 2**32
        self._input = now - ago * 1000 if ago < 60000 else now

    def _on_map(self, window):
        clock, begin = window.get_frame_clock(), self._input

        def on_painted(_clock):
            clock.disconnect(handler)
            print(window.get_title(), time.monotonic_ns() // 1000 - begin, sep="\t", flush=True)

        handler = clock.connect("after-paint", on_painted)
        clock.request_phase(Gdk.FrameClockPhase.PAINT)

    def run(self):
        """Shows the first screen until standard input ends."""
        Gtk.init()
        loop = GLib.MainLoop()

        def on_line(*_):
            if not sys.stdin.readline():
                loop.quit()
                return False
            self._windows.pop().destroy()
            print("closed", flush=True)
            return True

        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, on_line)
        self.open(next(iter(self._functions)))
        loop.run()
