# SPDX-License-Identifier: Apache-2.0
"""All that is known of one flow or screen."""

from gi.repository import Adw, Gdk, GLib, Gtk

from ..model.names import FLOW, PRESENTABLE, ROOT, STEPPER, arguments_text, ident, parent_of, short, span_text
from .step_form import StepForm
from .tree_pane import PastNode
from .widgets import Pill, box, clear_box, label, named

YES = {True: "yes", False: "no"}
# How long a fact is that stands in one of two columns.
SHORT = 28


class NodePage(Gtk.Box):
    """The chosen node: its state, its facts, and what it accepts."""

    def __init__(self, inspection, pane):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._inspection, self._pane = inspection, pane
        self._item, self._handler, self._more = None, 0, {}
        self._empty = Adw.StatusPage(icon_name="flowbus-flow-symbolic", title="Choose a flow or a screen", vexpand=True,
                                     description="The tree on the left is what is live on the device.")
        self._title = named(label("", "title-2", selectable=True, wrap=True), "node-title")
        self._state, self._current = named(Pill(), "node-state"), Pill()
        self._path = named(label("", "dim-label", selectable=True, wrap=True), "node-path")
        self._facts = Gtk.Grid(column_spacing=18, row_spacing=5)
        self._form = StepForm(inspection, self.read)
        self._steps = box(label("Steps", "title-4"), self._form, vertical=True, spacing=10)
        content = box(
            box(box(self._title, self._state, self._current, spacing=10), self._path, vertical=True, spacing=3),
            self._facts, self._steps, vertical=True, spacing=20, classes=["page"])
        self._content = Gtk.ScrolledWindow(child=Adw.Clamp(child=content, maximum_size=760, tightening_threshold=600),
                                           hscrollbar_policy=Gtk.PolicyType.NEVER, vexpand=True)
        self.append(self._empty)
        self.append(self._content)
        pane.connect("selected", lambda _: self._selected())
        inspection.observe("state", self._state_changed)
        inspection.observe("definitions", self._follow_timers)
        inspection.observe("back", self._back_changed)
        inspection.observe("context", self._context_changed)
        inspection.observe("timers", self._update)
        self._clock = 0
        self.connect("map", lambda _: self._follow_timers())
        self.connect("unmap", lambda _: self._follow_timers())
        inspection.recorder.observe("moment", self._moved)
        self._selected()

    @property
    def form(self):
        """The form of the steps."""
        return self._form

    def _selected(self):
        item = self._pane.selected
        if item is not self._item:
            if self._handler:
                self._item.disconnect(self._handler)
            self._item, self._more, self._handler = item, {}, 0
            if item:
                signal = "changed" if isinstance(item, PastNode) else "notify"
                self._handler = item.connect(signal, self._changed)
        is_live = item is not None and not isinstance(item, PastNode)
        self._empty.set_visible(item is None)
        self._content.set_visible(item is not None)
        self._steps.set_visible(is_live)
        self._form.show_node(item if is_live and item.is_live() else None)
        if is_live:
            self.read()
            if item.is_flow() and item.is_live() and self._inspection.reads is not None:
                self._inspection.read_context(item.get_path())
        self._follow_timers()
        self._update()

    # Timers: no signal tells that a time began anew, so it is asked once a second, while it is seen.

    def _declared_timers(self):
        """The timers of the chosen flow, by its definition."""
        item = self._item
        if item is None or isinstance(item, PastNode) or not item.is_live() or not item.is_flow():
            return []
        return self._inspection.definitions.timers(item.get_name())

    def _are_timers_seen(self):
        surface = self.get_native().get_surface() if self.get_mapped() else None
        return surface is not None and not surface.get_state() & Gdk.ToplevelState.MINIMIZED

    def _follow_timers(self):
        is_wanted = self.get_mapped() and bool(self._declared_timers())
        if is_wanted:
            self._inspection.read_timers()
        if is_wanted and not self._clock:
            self._clock = GLib.timeout_add_seconds(1, self._second_is_over)
        elif not is_wanted and self._clock:
            GLib.source_remove(self._clock)
            self._clock = 0

    def _second_is_over(self):
        if not self._declared_timers():
            self._clock = 0
            return GLib.SOURCE_REMOVE
        if self._are_timers_seen() and self._inspection.state == "live":
            self._inspection.read_timers()
        return GLib.SOURCE_CONTINUE

    def _timers_text(self):
        """The timers whose time runs, and when their steps come."""
        if not self._declared_timers():
            return ""
        running = self._inspection.timers.get(self._item.get_path(), [])
        return ", ".join(f"{kind} {step} in {span_text(left)}" for kind, step, left in running) or "none runs at the moment"

    def _state_changed(self):
        # No signal tells what a restart has changed.
        self._more.pop("back", None)
        if self._inspection.state == "live":
            self._selected()
        self._form.update()

    def _moved(self):
        """A step can be accepted now that was not before, and Back can lead elsewhere."""
        if self._item is not None and not isinstance(self._item, PastNode) and self._item.is_live():
            self.read()

    def _back_changed(self, path, back):
        if self._item is not None and not isinstance(self._item, PastNode) and self._item.get_path() == path:
            self._more["back"] = back
            self._update()

    def _context_changed(self, path):
        if self._item is not None and not isinstance(self._item, PastNode) and path in (ROOT, self._item.get_path()):
            self._update()

    def _changed(self, *_):
        self._update()
        if not isinstance(self._item, PastNode) and not self._item.is_live():
            self._form.show_node(None)

    def read(self):
        """Reads what no signal reports."""
        node, reads = self._item, self._inspection.reads
        if node is None or isinstance(node, PastNode) or not node.is_live() or reads is None:
            return
        path = node.get_path()

        def take(name, value):
            if node is self._item and self._more.get(name) != value:
                self._more[name] = value
                self._update()

        for interface, name in ((PRESENTABLE, "Evicted"), (PRESENTABLE, "Asks"), (PRESENTABLE, "Presenter")):
            if name != "Asks" and node.is_flow():
                continue
            reads.property(path, interface, name,
                           lambda value, failure, name=name: None if failure else take(name, value))
        if node.is_flow():
            reads.call(FLOW, "GetLastNavigation", path=path,
                       done=lambda values, failure: None if failure else take("last", values))
        # A root reports it from then on.
        if "back" not in self._more or parent_of(path):
            reads.call(STEPPER, "PeekBack", path=path,
                       done=lambda values, failure: None if failure else take("back", values))
        self._form.read()

    # What is shown

    def _update(self):
        item = self._item
        if item is None:
            return
        path, name, is_flow, facts, state, is_current = self._pane.describe(item)
        is_past = isinstance(item, PastNode)
        is_gone = not is_past and not item.is_live()
        self._title.set_label(ident(path))
        self._state.show_word("gone" if is_gone else state, "failed" if is_gone else state)
        self._current.show_word("current" if is_current else "")
        self._path.set_label(f"{'Flow' if is_flow else 'Screen'} at {short(path)}")
        span = item.span if is_past else None
        rows = [("Name", name), ("Instance", str(span.instance if is_past else item.get_instance()) if
                                 not is_past or span.instance else "")]
        rows += [("Arguments", facts.arguments), ("Title", facts.title)]
        if facts.is_known:
            if not is_flow:
                rows += [("Visible", YES[facts.visible]), ("In sight", YES[facts.in_sight])]
            else:
                rows += [("Visible", YES[facts.visible]), ("Ready", YES[facts.ready]), ("Current child", ident(facts.current)),
                         ("Output", facts.output)]
            rows.append(("Owner", facts.owner or ("" if is_flow else "nobody")))
        rows.append(("Waits after", facts.waiting))
        rows.append(("Timers", "" if is_past or is_gone else self._timers_text()))
        rows.append(("Style", (span.style if is_past else item.get_style()) or ""))
        rows += self._more_rows()
        if not is_past and not is_gone:
            context = self._inspection.context
            rows += [("Context", arguments_text(context.get(path, {}))), ("Context of all", arguments_text(context.get(ROOT, {})))]
        self._show_rows([(name, value) for name, value in rows if value])

    def _more_rows(self):
        more = self._more
        rows = [("Presenter", more.get("Presenter", "")), ("Evicted", "yes: its process lost it while it was out of sight"
                                                           if more.get("Evicted") else "")]
        if more.get("Asks"):
            rows.append(("Open asks", f"{more['Asks']}, not answered or not acknowledged"))
        if more.get("last", (0,))[0]:
            serial, step, arguments = more["last"]
            rows.append(("Last step", f"{step or 'back'} {arguments_text(arguments)}".strip() + f" (navigation {serial})"))
        if "back" in more:
            rows.append(("Back would", self._back_text(*more["back"])))
        return rows

    def _show_rows(self, rows):
        """Short facts stand in two columns, long ones below them."""
        clear_box(self._facts)
        short_ones = [row for row in rows if len(row[1]) <= SHORT]
        half = (len(short_ones) + 1) // 2
        for at, (name, value) in enumerate(short_ones):
            self._attach(name, value, at // half * 2, at % half, 1)
        for at, (name, value) in enumerate((row for row in rows if len(row[1]) > SHORT), half):
            self._attach(name, value, 0, at, 3)

    def _attach(self, name, value, column, row, width):
        self._facts.attach(label(name, "dim-label", xalign=1), column, row, 1, 1)
        fact = label(value, selectable=True, wrap=True, expand=True)
        self._facts.attach(named(fact, f"fact-{name.lower().replace(' ', '-')}", name), column + 1, row, width, 1)

    def _back_text(self, kind, details):
        """What PeekBack says, in words."""
        if kind == "dismiss":
            tree = self._inspection.tree
            goes = tree.lookup_instance(details.get("goes", 0)) if tree is not None else None
            revealed = short(details.get("reveals", ""))
            what = short(goes.get_path()) if goes else f"instance {details.get('goes', 0)}"
            return f"dismiss {what}" + (f", and reveal {revealed}" if revealed.strip("/") else "")
        if kind == "step":
            return f"take the step {details.get('step', '')}"
        return {"hidden": "do nothing: this is not presented", "unhandled": "do nothing: no flow can go back"}.get(kind, kind)
