"""A page of the terminal in one function: it returns a title, a text and buttons, and is asked again when what it shows changes."""

import sys
from pathlib import Path

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gtk  # noqa: E402

if not Gtk.init_check():
    sys.exit("there is no display")  # Before the bus name is taken; so flowbusd learns of it at once, and tries again.

STYLE = Gtk.CssProvider()
STYLE.load_from_path(str(Path(__file__).with_name("pages.css")))
Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), STYLE, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)


def page(presenter, name):
    """Registers the function of a page. It gets the screen and the values of its context, and returns a title, a text, and what can be
    pressed: a dict of labels and functions. The function with the label "…" gets what is typed."""

    def register(content):
        @presenter.screen(name)
        def show(screen):
            window = Gtk.Window(css_classes=[name], decorated=False)
            screen.on_context(lambda screen: fill(window, *content(screen, **screen.context)))
            fill(window, *content(screen, **screen.context))
            return window

        return content

    return register


def fill(window, title, text, buttons):
    """Puts a content into a window."""
    window.set_title(title)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=24, valign=Gtk.Align.CENTER, halign=Gtk.Align.CENTER)
    box.append(Gtk.Label(label=title, css_classes=["title"]))
    box.append(Gtk.Label(label=text, wrap=True, justify=Gtk.Justification.CENTER))
    for label, pressed in buttons.items():
        if label == "…":
            widget = Gtk.PasswordEntry()
            widget.connect("activate", lambda entry, pressed=pressed: pressed(entry.get_text()))
        else:
            widget = Gtk.Button(label=label)
            widget.connect("clicked", lambda _button, pressed=pressed: pressed())
        box.append(widget)
    window.set_child(box)
