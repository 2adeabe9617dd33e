#!/usr/bin/python3
"""raise.py   Under sway: a window comes to the front with the token of the click that asked for its screen, and not without one.

INPUT is the client that has a pointer. Both screens are shown by this program, side by side.
"""

import itertools
import json
import os
import subprocess
import sys

import gi

gi.require_version("FlowbusGtk4", "1")
from gi.repository import FlowbusGtk4, Flowbus, Gio, GLib, Gtk  # noqa: E402

FLOWBUS = "org.flowbus.Navigation1"
screens, updated = {}, []
places = {}  # Where windows have the pointer.


def tree():
    """All nodes of sway."""
    nodes = [json.loads(subprocess.check_output(["swaymsg", "-r", "-t", "get_tree"]))]
    for node in nodes:  # This list grows.
        nodes += node["nodes"] + node["floating_nodes"]
    return nodes


def app_id(name):
    """The application id of the window of a screen."""
    return f"org.flowbus.screen.side.{name}-{screens[name].get_instance()}"


def focused():
    """The application id of the window with the focus."""
    return next((it.get("app_id") for it in tree() if it["focused"]), None)


def wait(what, is_done):
    """Waits until something is so; what no event tells is asked again and again. After 20 s the test has failed."""
    limit = GLib.timeout_add_seconds(20, lambda: sys.exit(f"after 20 s: {what() if callable(what) else what}"))
    while not is_done():
        GLib.MainContext.default().iteration(False)
    GLib.source_remove(limit)


def tell(*lines):
    """Uses the pointer."""
    for line in lines:
        print(line, file=pointer.stdin, flush=True)
        assert pointer.stdout.readline() == "done\n"


def point(name):
    """Moves the pointer to the middle of the window of a screen, again and again, until the window has it there. While sway arranges
    windows none has it, and a click would be lost."""
    def is_there():
        nodes = tree()
        whole = next(it["rect"] for it in nodes if it["type"] == "root")
        area = next(it["rect"] for it in nodes if it.get("app_id") == app_id(name))
        x, y = [(area[at] + area[size] / 2) / whole[size] for at, size in (("x", "width"), ("y", "height"))]
        # A pointer that stays where it is tells nothing.
        tell(f"move {round(x * 10000) + next(steps) % 2} {round(y * 10000)}")
        Gtk.Widget.get_display(FlowbusGtk4.screen_get_bound_widget(screens[name])).sync()
        while GLib.MainContext.default().iteration(False):
            pass
        place = places.get(name)
        return place and abs(place[0] - area["width"] / 2) < 2 and abs(place[1] - area["height"] / 2) < 2

    steps = itertools.count()
    wait(lambda: f"the pointer is not in the middle of '{name}': {places}", is_there)


def emit(path, step, number):
    """Emits a step from a connection without a window, which has no token."""
    values = GLib.Variant("(sa{sv})", (step, {"number": GLib.Variant("x", number)}))
    bus.call(FLOWBUS, path, f"{FLOWBUS}.Stepper", "EmitStep", values, None, Gio.DBusCallFlags.NONE, -1, None, None)


def show(_presenter, screen):
    """Shows a screen, with a button that fills its window and asks for the other one."""
    screens[screen.get_name()] = screen
    button = Gtk.Button(label=screen.get_name())
    button.set_detailed_action_name("screen.emit(('renamed', {'number': <7>}))")
    screen.connect("updated", lambda it: updated.append(it.get_int64("number")))
    window = Gtk.Window(title=screen.get_name(), child=button)
    motion = Gtk.EventControllerMotion(propagation_phase=Gtk.PropagationPhase.CAPTURE)
    for event in "enter", "motion":
        motion.connect(event, lambda _motion, x, y: places.update({screen.get_name(): (x, y)}))
    motion.connect("leave", lambda _motion: places.pop(screen.get_name(), None))
    window.add_controller(motion)
    FlowbusGtk4.screen_bind_window(screen, window)


Gtk.init()
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
pointer = subprocess.Popen([os.environ["INPUT"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert pointer.stdout.readline() == "done\n"
presenter = Flowbus.Presenter(bus_name="org.example.Windows")
presenter.connect("present", show)
wait("the presenter has no name", presenter.get_name_owned)
values = GLib.Variant("(ssa{sv}a{sv})", ("side", "", {}, {}))
bus.call(FLOWBUS, "/org/flowbus/Navigation1", f"{FLOWBUS}.Coordinator", "Coordinate", values, None, 0, -1, None, None)
side = "/org/flowbus/Navigation1/tree/side"
for step, name in ("opened", "page"), ("renamed", "single"):
    emit(side, step, 1)
    wait(f"{name} is not seen", lambda name=name: name in screens and screens[name].get_visible() and focused() == app_id(name))

# The click gives this window the focus, and then the other one by its token.
point("page")
tell("press left", "release left")
wait("the screen has no new argument", lambda: 7 in updated)
wait(lambda: f"with a token: {focused()} has the focus", lambda: focused() == app_id("single"))

# Without a token, the window that the user looks at keeps it.
subprocess.run(["swaymsg", "-q", f"[app_id={app_id('page')}] focus"], check=True)
wait("page has no focus", lambda: focused() == app_id("page"))
emit(side, "renamed", 8)
wait("the screen has no new argument", lambda: 8 in updated)
Gtk.Widget.get_display(FlowbusGtk4.screen_get_bound_widget(screens["single"])).sync()
if focused() != app_id("page"):
    sys.exit(f"without a token: {focused()} has the focus")
print("raise: by a token, and not without one")
