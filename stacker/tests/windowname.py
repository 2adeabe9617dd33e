"""The names of windows: how a program tells a stacker which screen a window shows."""

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
gi.require_version("GdkWayland", "4.0")
gi.require_version("GdkX11", "4.0")
from gi.repository import Gdk, GdkWayland, GdkX11, Gtk  # noqa: E402

TREE = "/org/flowbus/Navigation1/tree/"


def app_id(path, instance):
    """The application id of a screen's window on Wayland."""
    return f"org.flowbus.screen.{path.removeprefix(TREE).replace('/', '.')}-{instance}"


def is_screen(name):
    """Whether a window with this name shows a screen."""
    return name.startswith((app_id(TREE, "")[:-1], TREE))


def is_cover(name):
    """Whether a window with this name is the plain one of an output."""
    return name.startswith((app_id(f"{TREE}cover", ""), f"{TREE}cover "))


def style(text):
    """Adds to how the windows of this program look."""
    provider = Gtk.CssProvider()
    if hasattr(provider, "load_from_string"):  # GTK 4.12, which deprecates the other one.
        provider.load_from_string(text)
    else:
        provider.load_from_data(text.encode())
    Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), provider, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)


def name(window, path, instance):
    """Names a GTK window that is not shown yet."""
    Gtk.Widget.realize(window)
    surface = window.get_surface()
    if isinstance(surface, GdkWayland.WaylandToplevel):
        # Mapping creates the toplevel, with a name of GTK's. The compositor shows it with its first picture, which comes later.
        window.connect("map", lambda _window: surface.set_application_id(app_id(path, instance)))
    elif isinstance(surface, GdkX11.X11Surface):
        # GTK 4 does not set such properties; a short connection of its own does.
        from Xlib import display

        x11 = display.Display()
        atom, text = x11.intern_atom("_FLOWBUS_SCREEN"), x11.intern_atom("UTF8_STRING")
        surface.get_display().sync()
        xid = surface.get_xid()
        x11.create_resource_object("window", xid).change_property(atom, text, 8, f"{path} {instance}".encode())
        x11.sync()
        x11.close()
