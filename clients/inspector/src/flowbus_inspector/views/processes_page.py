# SPDX-License-Identifier: Apache-2.0
"""Owners, open asks, evicted screens, services and steppers."""

from gi.repository import Adw, GLib, Gtk

from ..model.names import short
from ..model.processes import Processes
from .widgets import Pill, box, named

# Up to so many nodes are asked without being told to.
AUTOMATIC = 500


class ProcessesPage(Gtk.Box):
    """A group for each. ``chosen`` is called with the path of a node that is activated."""

    def __init__(self, inspection, chosen):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._inspection, self._chosen = inspection, chosen
        self._processes = Processes(inspection)
        self._processes.observe("changed", self._update)
        self._groups = named(box(vertical=True, spacing=24, classes=["page"]), "processes", "Processes")
        self.append(Gtk.ScrolledWindow(child=Adw.Clamp(child=self._groups, maximum_size=820), vexpand=True,
                                       hscrollbar_policy=Gtk.PolicyType.NEVER))
        self._made, self._waiting, self._shown = [], 0, None
        self._search = named(Gtk.Button(label="Look again", valign=Gtk.Align.CENTER), "look", "Look for asks and evicted screens")
        self._search.connect("clicked", lambda _: self._processes.search())
        self.connect("map", lambda _: self.read())
        for event in ("moment", "past"):
            inspection.recorder.observe(event, self._moved)
        inspection.observe("definitions", self._moved)
        inspection.observe("steppers", self._update)
        inspection.observe("state", self._moved)

    def _moved(self):
        if self.get_mapped() and not self._waiting:
            self._waiting = GLib.timeout_add(100, self._read_later)

    def _read_later(self):
        self._waiting = 0
        self.read()
        return GLib.SOURCE_REMOVE

    def read(self):
        """Reads all that no signal reports."""
        self._processes.read()
        if self._inspection.reads:
            self._inspection.read_steppers()
            if len(self._inspection.recorder.nodes) <= AUTOMATIC:
                self._processes.search()

    # What is shown

    def _update(self):
        shown = self._content()
        if shown == self._shown:
            return
        self._shown = shown
        for group in self._made:
            self._groups.remove(group)
        self._made = []
        if self._search.get_parent():
            self._search.unparent()
        for name, title, description, rows in shown:
            group = named(Adw.PreferencesGroup(title=title, description=description), name, title)
            for row in rows:
                group.add(self._row(*row))
            if name == "asks":
                group.set_header_suffix(self._search)
            self._groups.append(group)
            self._made.append(group)

    def _content(self):
        processes = self._processes
        owners = [(f"{it.names[0] if it.names else it.name}",
                   " · ".join(filter(None, (it.name, it.pid and f"process {it.pid}", ", ".join(map(short, it.owned[:20]))))),
                   f"{len(it.owned)} owned", "presented", it.owned[0]) for it in processes.processes]
        asks = [(short(path), "not answered, or not acknowledged", f"{count} open", "deferred", path)
                for path, count in processes.asks.items()]
        evicted = [(short(path), "its process gave it up while it was out of sight", "evicted", "deferred", path)
                   for path in processes.evicted]
        services = [(it.name, ", ".join(it.roles), "running" if it.owner else "not running", "presented" if it.owner else "", "")
                    for it in processes.services]
        steppers = [(f"{member}", f"{step} on {flow}, from {service}" + (f" ({details['reason']})" if details.get("reason") else ""),
                     details.get("state", ""), {"connected": "presented", "absent": "failed"}.get(details.get("state"), "pending"),
                     "") for flow, step, service, member, details in self._inspection.steppers]
        nothing = "" if processes.searched else "Not looked for yet: each flow and screen has to be asked."
        return [
            ("owners", "Owners", "" if owners else "No process owns a flow or screen.", owners),
            ("asks", "Open answers", "" if asks else nothing or "Nobody waits for an answer.", asks),
            ("evicted", "Evicted screens", "" if evicted else nothing or "Each screen is with its process.", evicted),
            ("services", "Services of the definitions", "" if services else "The definitions name none.", services),
            *([("steppers", "Steppers", "Properties and signals that emit steps", steppers)] if steppers else []),
        ]

    def _row(self, title, subtitle, word, kind, path):
        row = Adw.ActionRow(title=GLib.markup_escape_text(title), subtitle=GLib.markup_escape_text(subtitle), subtitle_lines=3)
        pill = Pill()
        pill.show_word(word, kind or "none")
        row.add_suffix(pill)
        if path:
            row.set_activatable(True)
            row.connect("activated", lambda _: self._chosen(path))
        return row
