#!/usr/bin/python3
"""unseen.py   Under sway: of a window that is hidden nothing is painted, and Present is answered all the same.

All screens are pages of one window, which has been painted before. That sway hides it is no event for GTK.
"""

import subprocess
import sys
import time

import gi

gi.require_version("FlowbusGtk4", "1")
from gi.repository import FlowbusGtk4, Flowbus, Gio, GLib, Gtk  # noqa: E402

FLOWBUS, ROOT = "org.flowbus.Navigation1", "/org/flowbus/Navigation1"
PAGES = f"{ROOT}/tree/pages"
screens = []


def wait(what, is_done):
    """Waits until something is so; what no event tells is asked again and again. After 20 s the test has failed."""
    limit = GLib.timeout_add_seconds(20, lambda: sys.exit(f"after 20 s: {what}"))
    while not is_done():
        GLib.MainContext.default().iteration(False)
    GLib.source_remove(limit)


def call(path, interface, member, values, told=None):
    """A call of flowbusd, whose answer is told."""
    def answered(connection, result):
        values = connection.call_finish(result).unpack()
        if told:
            told(values)

    bus.call(FLOWBUS, path, interface, member, values, None, 0, -1, None, answered)


def ask(screen, name):
    """A property of a screen."""
    found = []
    call(f"{ROOT}/instance/{screen.get_instance()}", "org.freedesktop.DBus.Properties", "Get",
         GLib.Variant("(ss)", (f"{FLOWBUS}.Presentable", name)), found.extend)
    wait(f"there is no {name}", lambda: found)
    return found[0]


def open_page():
    """Has a new page shown, and returns its screen."""
    number = len(screens)
    call(PAGES, f"{FLOWBUS}.Stepper", "EmitStep", GLib.Variant("(sa{sv})", ("opened", {"number": GLib.Variant("x", number)})))
    wait("no page is presented", lambda: len(screens) > number)
    return screens[-1]


def is_painted(page):
    """Whether a page, whose Present is answered, is painted within half a second."""
    wait(f"page {len(screens)} has no owner", lambda: ask(page, "Owner"))
    over = []
    GLib.timeout_add(500, lambda: over.append(True))
    while not over and not page.get_visible():
        GLib.MainContext.default().iteration(True)
    return page.get_visible()


def show(_presenter, screen):
    screens.append(screen)
    view.add(screen, Gtk.Label(label="A page"))


def sway(command):
    """Whether sway carries out a command."""
    return subprocess.run(["swaymsg", "-q", command]).returncode == 0


Gtk.init()
Gtk.Settings.get_default().props.gtk_enable_animations = False
view = FlowbusGtk4.NavigationView()
Gtk.Window(child=view, default_width=200, default_height=200)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
presenter = Flowbus.Presenter(bus_name="org.example.Windows")
presenter.connect("present", show)
wait("the presenter has no name", presenter.get_name_owned)
call(f"{ROOT}", f"{FLOWBUS}.Coordinator", "Coordinate", GLib.Variant("(ssa{sv}a{sv})", ("pages", "", {}, {})))
first = open_page()
wait("the first page is not visible", first.get_visible)
wait("sway has no window", lambda: sway("[title=.*] move container to scratchpad"))
# sway hides it a moment later, and until then GTK paints.
limit = time.monotonic() + 20
while is_painted(page := open_page()):
    assert time.monotonic() < limit, "after 20 s: a page is painted in a window that is hidden"
assert not ask(page, "Visible")
assert sway("scratchpad show")
wait("the last page is not visible", lambda: ask(page, "Visible"))
