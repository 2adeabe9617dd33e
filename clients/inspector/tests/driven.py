#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""driven.py [OPTION]...   The inspector, with someone who tells a test what is seen.

Each line of the standard input is an expression in JSON. It is evaluated in each turn of the main loop until it is true; then a
line with its value is written. Nothing is done with the window: that is what the pointer and the keyboard are for.
"""

import json
import re
import subprocess
import sys
import traceback

import flowbus_inspector.views  # It chooses the versions.
from flowbus_inspector.application import make, options_of
from flowbus_inspector.model.names import short
from gi.repository import GdkX11, GLib

Gtk = flowbus_inspector.views.Gtk

LIMIT = 90_000


class Eyes:
    """What is seen of a window."""

    def __init__(self, application):
        self.application = application
        self._painted = 0

    @property
    def window(self):
        """The window in front."""
        return self.application.get_active_window()

    def all(self, widget=None):
        """All widgets."""
        widget = widget or self.window
        yield widget
        child = widget.get_first_child()
        while child:
            yield from self.all(child)
            child = child.get_next_sibling()

    def widget(self, name):
        """The mapped widget with a name; None if there is none."""
        return next((it for it in self.all() if it.get_name() == name and it.get_mapped()), None)

    def text(self, name):
        """The text of a widget; empty if it is not seen."""
        widget = self.widget(name)
        return widget.get_label() if isinstance(widget, (Gtk.Label, Gtk.Button)) else widget.get_text() if widget else ""

    def sensitive(self, name):
        """Whether a widget can be used."""
        widget = self.widget(name)
        return widget is not None and widget.is_sensitive()

    def rows(self):
        """The rows of the tree that are seen: the paths, with the state that each shows."""
        found = {}
        for row in self._rows():
            path, *_rest, state, _current = row._pane.describe(row._item)
            found[short(path)] = state
        return found

    def _rows(self):
        return [it for it in self.all() if type(it).__name__ == "TreeRow" and it._item is not None and it.get_mapped()]

    def row(self, path):
        """Where the row of a path is."""
        for row in self._rows():
            if short(row._pane.describe(row._item)[0]) == path:
                return self._area(row, 0.3)
        return None

    def area(self, name, part=0.5):
        """Where a widget is, that can be used: a place of it, and the window."""
        widget = self.widget(name)
        return self._area(widget, part) if widget is not None and widget.is_sensitive() else None

    def _area(self, widget, part):
        native = widget.get_native()
        found, bounds = widget.compute_bounds(native)
        if not found or not bounds.get_width() or not self.window.is_active():
            return None
        left, top = native.get_surface_transform()
        surface = native.get_surface()
        return [left + bounds.get_x() + part * bounds.get_width(), top + bounds.get_y() + bounds.get_height() / 2,
                GdkX11.X11Surface.get_xid(surface)]

    def follows_timers(self):
        """Whether timers are read once a second."""
        return any(it._clock for it in self.all() if type(it).__name__ == "NodePage")

    def frame(self):
        """Where the window is on the display, without its shadow: left, top, width and height."""
        surface = self.window.get_surface()
        found = subprocess.run(["xwininfo", "-id", str(GdkX11.X11Surface.get_xid(surface))], capture_output=True, text=True, check=True)
        corner = [int(re.search(f"Absolute upper-left {axis}: +(-?[0-9]+)", found.stdout)[1]) for axis in "XY"]
        left, top = self.window.get_surface_transform()
        return [corner[0] + left, corner[1] + top, self.window.get_width(), self.window.get_height()]

    def drawn(self):
        """Whether everything is on the display: the second time that it is asked after a frame."""
        if not self._painted:
            self._painted = 1
            clock = self.window.get_frame_clock()

            def painted(_clock):
                self._painted += 1
                if self._painted < 4:
                    self.window.queue_draw()

            self._handler = clock.connect("after-paint", painted)
            self.window.queue_draw()
        if self._painted < 4:
            return False
        self.window.get_frame_clock().disconnect(self._handler)
        self._painted = 0
        return True


class Question(GLib.Source):
    """An expression that is looked at in each turn of the main loop."""

    def __init__(self, expression, names):
        super().__init__()
        self._code, self._names, self._value = compile(expression, "test", "eval"), names, None

    def _look(self):
        self._value = eval(self._code, dict(self._names))
        return bool(self._value)

    def prepare(self):
        """Whether it is true now."""
        return self._look(), -1

    def check(self):
        """Whether it is true after a turn."""
        return self._look()

    def dispatch(self, _callback, _arguments):
        """Says its value."""
        print(json.dumps({"value": self._value}, default=str), flush=True)
        return GLib.SOURCE_REMOVE


def failed(kind, error, trace):
    """Says that a callback of the inspector has failed: GTK goes on after that."""
    print(json.dumps({"error": "".join(traceback.format_exception(kind, error, trace))}), flush=True)


def main():
    """Runs the inspector, and answers."""
    sys.excepthook = failed
    application = make(options_of(sys.argv[1:]))
    eyes = Eyes(application)
    names = {name: getattr(eyes, name) for name in ("widget", "text", "sensitive", "rows", "row", "area", "drawn", "frame", "follows_timers")}
    names["inspection"] = application.inspection
    waiting = []

    def over(question, expression):
        if not question.is_destroyed():
            question.destroy()
            seen = {it.get_name(): eyes.text(it.get_name()) for it in eyes.all()
                    if isinstance(it, Gtk.Label) and it.get_name() != "GtkLabel" and it.get_mapped()}
            print(json.dumps({"error": f"is not true after {LIMIT // 1000} s; rows {eyes.rows()}, texts {seen}"}), flush=True)
        return GLib.SOURCE_REMOVE

    def asked(_channel, _condition):
        line = sys.stdin.readline()
        if not line:
            application.quit()
            return GLib.SOURCE_REMOVE
        expression = json.loads(line)
        question = Question(expression, names)
        question.set_priority(GLib.PRIORITY_LOW)
        question.attach()
        waiting[:] = [question]
        GLib.timeout_add(LIMIT, over, question, expression)
        return GLib.SOURCE_CONTINUE

    GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, asked)
    sys.exit(application.run([]))


main()
