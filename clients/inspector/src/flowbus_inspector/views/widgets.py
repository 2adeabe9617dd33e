# SPDX-License-Identifier: Apache-2.0
"""Small widgets that several views have."""

from gi.repository import Gio, GLib, GObject, Gtk, Pango


def named(widget, name, label=None):
    """Gives a widget a name for styles and tests, and one for people who do not see it."""
    widget.set_name(name)
    if label:
        widget.update_property([Gtk.AccessibleProperty.LABEL], [label])
    return widget


def styled(widget, *classes):
    """Adds style classes."""
    for it in classes:
        widget.add_css_class(it)
    return widget


def label(text="", *classes, wrap=False, selectable=False, xalign=0.0, expand=False, ellipsize=False):
    """A label."""
    widget = Gtk.Label(label=text, xalign=xalign, selectable=selectable, hexpand=expand)
    if wrap:
        widget.set_wrap(True)
        widget.set_wrap_mode(Pango.WrapMode.WORD_CHAR)
        widget.set_natural_wrap_mode(Gtk.NaturalWrapMode.NONE)
    if ellipsize:
        widget.set_ellipsize(Pango.EllipsizeMode.END)
    return styled(widget, *classes)


def box(*children, vertical=False, spacing=6, classes=(), **properties):
    """A box with children."""
    orientation = Gtk.Orientation.VERTICAL if vertical else Gtk.Orientation.HORIZONTAL
    widget = Gtk.Box(orientation=orientation, spacing=spacing, **properties)
    for child in children:
        widget.append(child)
    return styled(widget, *classes)


def style_word(state):
    """A state as a style class."""
    return state.replace(" ", "-")


class Pill(Gtk.Label):
    """A word on a coloured ground."""

    def __init__(self, **properties):
        super().__init__(valign=Gtk.Align.CENTER, **properties)
        self.add_css_class("pill")
        self._kind = None

    def show_word(self, text, kind=None):
        """Shows a word in the colour of its kind; none for an empty one."""
        kind = style_word(kind or text)
        self.set_label(text)
        self.set_visible(bool(text))
        if kind != self._kind:
            if self._kind:
                self.remove_css_class(self._kind)
            if kind:
                self.add_css_class(kind)
            self._kind = kind


class Dot(Gtk.Box):
    """The state of a flow or screen as a dot."""

    def __init__(self):
        super().__init__(valign=Gtk.Align.CENTER)
        self.add_css_class("dot")
        self._state = None

    def show_state(self, state):
        """Shows a state."""
        if state != self._state:
            if self._state:
                self.remove_css_class(style_word(self._state))
            self.add_css_class(style_word(state))
            self._state = state


def put_items(store, wanted):
    """Makes a Gio.ListStore hold these items, by one splice: what is the same at both ends stays."""
    count = store.get_n_items()
    first = 0
    while first < min(count, len(wanted)) and store.get_item(first) is wanted[first]:
        first += 1
    last = 0
    while last < min(count, len(wanted)) - first and store.get_item(count - 1 - last) is wanted[len(wanted) - 1 - last]:
        last += 1
    if first + last < count or first + last < len(wanted):
        store.splice(first, count - first - last, wanted[first:len(wanted) - last])


class Gathered:
    """A list that follows another one, with all that changed before the next frame in one step.

    A view of GTK binds rows anew at each change of its list. A burst of a thousand changes would be a thousand times that.
    """

    @classmethod
    def of(cls, source):
        """The list that follows this one; there is one for each."""
        found = getattr(source, "gathered", None)
        if found is None:
            # It lives as long as the list that it follows.
            found = source.gathered = cls(source)
        return found.store

    def __init__(self, source):
        self.store = Gio.ListStore.new(GObject.Object)
        self._waiting = 0
        source.connect("items-changed", lambda source, *_: self._changed(source))
        put_items(self.store, list(source))

    def _changed(self, source):
        if not self._waiting:
            self._waiting = GLib.idle_add(self._put, source, priority=GLib.PRIORITY_HIGH_IDLE)

    def _put(self, source):
        self._waiting = 0
        put_items(self.store, list(source))
        return GLib.SOURCE_REMOVE


def clear_box(widget):
    """Removes all children of a box or a list box."""
    child = widget.get_first_child()
    while child:
        following = child.get_next_sibling()
        widget.remove(child)
        child = following


def colour(widget, name, fallback=(0.5, 0.5, 0.5)):
    """A named colour of the theme, as red, green and blue."""
    found, rgba = widget.get_style_context().lookup_color(name)
    return (rgba.red, rgba.green, rgba.blue) if found else fallback


def text_colour(widget):
    """The colour of text."""
    rgba = widget.get_style_context().get_color()
    return rgba.red, rgba.green, rgba.blue
