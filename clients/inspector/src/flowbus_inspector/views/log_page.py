# SPDX-License-Identifier: Apache-2.0
"""The log as it comes, with a filter."""

from gi.repository import Gio, GLib, GObject, Gtk

from ..model.log import KINDS, Filter, words_of
from ..model.names import ROOT, day_text, short
from .widgets import box, label, named


class LogItem(GObject.Object):
    """An entry of the log."""

    def __init__(self, entry):
        super().__init__()
        self.entry = entry


class LogRow(Gtk.Box):
    """An entry in a line."""

    def __init__(self):
        super().__init__(spacing=10)
        self.add_css_class("log-row")
        self._mark = Gtk.Box(valign=Gtk.Align.CENTER)
        self._mark.add_css_class("kind")
        self._time, self._where = label("", "dim-label", "small", "numeric"), label("", "small", ellipsize=True)
        self._where.set_size_request(170, -1)
        self._where.set_max_width_chars(24)
        self._title = label("")
        self._detail = label("", "dim-label", "small", ellipsize=True, expand=True)
        self._serial = label("", "dim-label", "small", "numeric")
        for child in (self._mark, self._time, self._where, self._title, self._detail, self._serial):
            self.append(child)
        self._kind, self._tip = None, ""
        self.set_has_tooltip(True)
        self.connect("query-tooltip", lambda _row, _x, _y, _key, tip: tip.set_text(self._tip) or True)

    def show_entry(self, entry):
        """Shows an entry."""
        if self._kind:
            self.remove_css_class(self._kind)
        self._kind = entry.kind
        self.add_css_class(entry.kind)
        where = "" if entry.path == ROOT else short(entry.path)
        self._time.set_label(day_text(entry.time))
        self._where.set_label(where)
        self._title.set_label(entry.title)
        self._detail.set_label(entry.detail)
        cause = f"{entry.cause} → " if entry.cause else ""
        self._serial.set_label(f"{cause}{entry.serial}" if entry.serial else "")
        notes = [f"{entry.kind} at {day_text(entry.time)}", where, f"{entry.title}: {entry.detail}"]
        notes.append(f"triggered by navigation {entry.cause}" if entry.cause else "")
        notes.append(f"from {entry.sender}" if entry.sender else "")
        self._tip = "\n".join(filter(None, notes))


class LogPage(Gtk.Box):
    """The log. ``chosen`` is called with the path of an entry that is activated."""

    def __init__(self, inspection, chosen):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._log, self._filter = inspection.log, Filter()
        self._store = Gio.ListStore.new(LogItem)
        self._waiting, self._fill = [], 0
        self._custom = Gtk.CustomFilter.new(lambda item: self._filter.passes(item.entry))
        self._shown = Gtk.FilterListModel(model=self._store, filter=self._custom)
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", lambda _, item: item.set_child(LogRow()))
        factory.connect("bind", lambda _, item: item.get_child().show_entry(item.get_item().entry))
        self._list = named(Gtk.ListView(model=Gtk.SingleSelection(model=self._shown, autoselect=False, can_unselect=True),
                                        factory=factory), "log", "Log")
        self._list.add_css_class("log")
        self._list.connect("activate", lambda _, at: chosen(self._shown.get_item(at).entry.path))
        self._scrolled = Gtk.ScrolledWindow(child=self._list, vexpand=True)
        self._is_following = True
        self._scrolled.get_vadjustment().connect("value-changed", self._scrolled_to)
        self._scrolled.get_vadjustment().connect("changed", self._grew)
        self._search = named(Gtk.SearchEntry(placeholder_text="Words that occur", hexpand=True), "log-filter", "Filter the log")
        self._search.connect("search-changed", lambda _: self._filtered())
        self._kinds = {}
        kinds = box(spacing=0, classes=["linked"])
        for kind, word in KINDS.items():
            if kind == "announced":
                continue
            button = named(Gtk.ToggleButton(label=word, active=True), f"log-{kind}", f"Show {word.lower()}")
            button.connect("toggled", lambda _: self._filtered())
            self._kinds[kind] = button
            kinds.append(button)
        clear = named(Gtk.Button(icon_name="edit-clear-all-symbolic", tooltip_text="Clear the log"), "log-clear", "Clear the log")
        clear.connect("clicked", lambda _: self._log.clear())
        self._count = named(label("", "dim-label"), "log-count")
        self._count.add_css_class("foot")
        self.append(box(self._search, kinds, clear, spacing=8, margin_start=12, margin_end=12, margin_top=8, margin_bottom=8))
        self.append(self._scrolled)
        self.append(self._count)
        self._log.observe("added", self._added)
        self._log.observe("cleared", self._cleared)
        self._shown.connect("items-changed", lambda *_: self._counted())
        self._counted()

    def _added(self, entries):
        self._waiting.extend(map(LogItem, entries))
        if not self._fill:
            # What comes together is put into the list at once.
            self._fill = GLib.idle_add(self._put)

    def _put(self):
        self._fill = 0
        waiting, self._waiting = self._waiting, []
        over = self._store.get_n_items() + len(waiting) - self._log.limit
        if over > 0:
            self._store.splice(0, min(over, self._store.get_n_items()), [])
        self._store.splice(self._store.get_n_items(), 0, waiting[-self._log.limit:])
        return GLib.SOURCE_REMOVE

    def _cleared(self):
        self._waiting = []
        self._store.remove_all()

    def _filtered(self):
        kinds = {kind for kind, button in self._kinds.items() if button.get_active()}
        if "navigation" in kinds:
            kinds.add("announced")
        self._filter = Filter(frozenset(kinds), words_of(self._search.get_text()))
        self._custom.changed(Gtk.FilterChange.DIFFERENT)

    def _counted(self):
        shown, count = self._shown.get_n_items(), self._store.get_n_items()
        self._count.set_label(f"{count} entries" if shown == count else f"{shown} of {count} entries")

    # The newest entry stays in sight, unless one has scrolled away from it.

    def _scrolled_to(self, adjustment):
        self._is_following = adjustment.get_value() >= adjustment.get_upper() - adjustment.get_page_size() - 2

    def _grew(self, adjustment):
        if self._is_following:
            adjustment.set_value(adjustment.get_upper() - adjustment.get_page_size())
