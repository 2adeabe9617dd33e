# SPDX-License-Identifier: Apache-2.0
"""The tree, live or as it was."""

from gi.repository import Gio, GLib, GObject, Gtk

from ..model.facts import STATES, facts_of, state_of
from ..model.names import ident, parent_of, short
from .widgets import Dot, Gathered, Pill, label, named, put_items


class PastNode(GObject.Object):
    """A flow or screen as it was at the chosen moment. Each span has one, whatever moment is chosen."""

    __gsignals__ = {"changed": (GObject.SignalFlags.RUN_FIRST, None, ())}

    def __init__(self, span):
        super().__init__()
        self.span, self.facts, self.is_sure, self.above = span, None, True, None
        self.children = Gio.ListStore.new(PastNode)

    def take(self, lived, above):
        """Takes the facts of a moment."""
        facts = above.facts if above else None
        if (self.facts, self.is_sure, self.above and self.above.facts) != (lived.facts, lived.is_sure, facts):
            self.facts, self.is_sure, self.above = lived.facts, lived.is_sure, above
            self.emit("changed")
        self.above = above


class TreeRow(Gtk.Box):
    """A flow or screen in a line: its state, id, arguments, and whether it is the current one."""

    def __init__(self):
        super().__init__(spacing=8)
        self.add_css_class("tree-row")
        self._dot, self._icon = Dot(), Gtk.Image()
        self._id, self._arguments = label(""), label("", "dim-label", "arguments", ellipsize=True, expand=True)
        self._current, self._state = Pill(), label("", "dim-label", "small")
        for child in (self._dot, self._icon, self._id, self._arguments, self._current, self._state):
            self.append(child)
        self._item, self._handlers, self._pane = None, [], None
        self._tip = ""
        # A text that is set would ask the display server where the pointer is: for each row, at each change.
        self.set_has_tooltip(True)
        self.connect("query-tooltip", lambda _row, _x, _y, _key, tip: tip.set_text(self._tip) or True)

    def bind(self, item, pane):
        """Shows an item, and follows it."""
        self._item, self._pane = item, pane
        if isinstance(item, PastNode):
            self._handlers = [(item, item.connect("changed", self._update))]
        else:
            self._handlers = [(item, item.connect("notify", self._update))]
            above = pane.live_parent(item)
            if above:
                self._handlers.append((above, above.connect("notify", self._update)))
        self._update()

    def unbind(self):
        """Follows it no more."""
        for item, handler in self._handlers:
            item.disconnect(handler)
        self._item, self._handlers = None, []

    def _update(self, *_):
        path, name, is_flow, facts, state, is_current = self._pane.describe(self._item)
        self._dot.show_state(state)
        self._icon.set_from_icon_name("flowbus-flow-symbolic" if is_flow else "flowbus-screen-symbolic")
        own = ident(path)
        self._id.set_label(own if own == name else f"{own} ({name})")
        self._arguments.set_label("  ".join(filter(None, (facts.arguments, facts.title and f"“{facts.title}”"))))
        self._current.show_word("current" if is_current else "")
        self._state.set_label(state)
        for widget, style, wanted in ((self._id, "presented-name", state == "presented"), (self, "perhaps", state == "perhaps"),
                                      (self._id, "dim-label", state in {"out of sight", "covered", "hidden"})):
            (widget.add_css_class if wanted else widget.remove_css_class)(style)
        self._tip = f"{short(path)}: {state} – {STATES[state]}" + (facts.waiting and f"; it waits after: {facts.waiting}")
        self.update_property([Gtk.AccessibleProperty.LABEL], [f"{'flow' if is_flow else 'screen'} {own}, {state}"])


class TreePane(Gtk.Box):
    """The list with its search and its foot. Emits ``selected`` when another node is chosen."""

    __gsignals__ = {"selected": (GObject.SignalFlags.RUN_FIRST, None, ())}

    def __init__(self, inspection):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._inspection = inspection
        self._moment, self._past_nodes = None, {}
        self._past_roots = Gio.ListStore.new(PastNode)
        self._search = named(Gtk.SearchEntry(placeholder_text="Find a flow or screen", margin_start=12, margin_end=12,
                                             margin_top=8, margin_bottom=8), "search", "Find a flow or screen")
        self._search.connect("search-changed", lambda _: self._find(False))
        self._search.connect("activate", lambda _: self._find(True))
        self._selection = Gtk.SingleSelection(autoselect=False, can_unselect=True)
        self._selection.connect("notify::selected-item", lambda *_: self._chosen())
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", lambda _, item: self._set_up(item))
        factory.connect("bind", lambda _, item: self._bind(item))
        factory.connect("unbind", lambda _, item: item.get_child().get_child().unbind())
        self._list = named(Gtk.ListView(model=self._selection, factory=factory), "tree", "Flows and screens")
        self._list.add_css_class("tree")
        self._foot = named(label("", "dim-label", ellipsize=True), "tree-foot")
        self._foot.add_css_class("foot")
        for child in (self._search, Gtk.ScrolledWindow(child=self._list, vexpand=True, hscrollbar_policy=Gtk.PolicyType.NEVER),
                      self._foot):
            self.append(child)
        self._rows, self._is_setting = None, False
        self.selected_path, self._wanted, self._looking = "", "", 0
        inspection.recorder.observe("burst", self.update_foot)
        inspection.recorder.observe("moment", self.update_foot)

    # What is shown

    def show_live(self):
        """Shows the live tree."""
        self._moment = None
        tree = self._inspection.tree
        self._show(Gathered.of(tree.get_roots()) if tree is not None else Gio.ListStore.new(PastNode))

    def show_moment(self, moment):
        """Shows the tree as it was after a moment."""
        lived = self._inspection.recorder.past.at(moment)
        by_path, children, nodes = {}, {}, {}
        for it in lived:
            node = self._past_nodes.get(it.span) or PastNode(it.span)
            nodes[it.span] = by_path[it.span.path] = node
            above = by_path.get(parent_of(it.span.path))
            node.take(it, above)
            children.setdefault(above, []).append(node)
        self._past_nodes = nodes
        for node in nodes.values():
            put_items(node.children, children.get(node, []))
        put_items(self._past_roots, children.get(None, []))
        if self._moment is None:
            self._moment = moment
            self._show(self._past_roots)
        self._moment = moment
        self.update_foot()
        self._chosen()

    @property
    def moment(self):
        """The moment that is shown; None for the live tree."""
        return self._moment

    def _show(self, roots):
        path = self.selected_path
        self._is_setting = True
        self._rows = Gtk.TreeListModel.new(roots, False, True, self._children_of)
        self._rows.connect("items-changed", lambda *_: self._look_later())
        self._selection.set_model(self._rows)
        self._is_setting = False
        if not (path and self.reveal(path)):
            self._chosen()
        self.update_foot()

    @staticmethod
    def _children_of(item):
        if isinstance(item, PastNode):
            return item.children if item.span.is_flow else None
        return Gathered.of(item.get_children()) if item.is_flow() else None

    def live_parent(self, node):
        """The flow above a live node."""
        tree = self._inspection.tree
        return tree.lookup(node.get_parent_path()) if tree is not None else None

    def describe(self, item):
        """Path, name, whether it is a flow, facts, state, and whether it is the current one of its siblings."""
        if isinstance(item, PastNode):
            span, above = item.span, item.above.facts if item.above else None
            state = state_of(span.is_flow, item.facts, above) if item.is_sure else "perhaps"
            return span.path, span.name, span.is_flow, item.facts, state, bool(above) and above.current == span.path
        above, facts = self.live_parent(item), facts_of(item)
        state = state_of(item.is_flow(), facts, facts_of(above) if above else None)
        path = item.get_path()
        return path, item.get_name(), item.is_flow(), facts, state, bool(above) and above.get_current() == path

    def update_foot(self):
        """Says how many nodes there are, and how long they took."""
        if self._moment is not None:
            self._foot.set_label(f"{len(self._past_nodes)} flows and screens, as it was")
            return
        texts = [f"{len(self._inspection.recorder.nodes)} flows and screens", self._inspection.fill_text]
        if self._inspection.recorder.burst:
            texts.append(f"latest: {self._inspection.recorder.burst_text}")
        self._foot.set_label(" · ".join(filter(None, texts)))

    # Rows

    def _set_up(self, item):
        expander = Gtk.TreeExpander(child=TreeRow())
        item.set_child(expander)

    def _bind(self, item):
        row = item.get_item()
        expander = item.get_child()
        expander.set_list_row(row)
        # A row whose flow or screen is gone is bound once more before the list drops it.
        if row.get_item() is not None:
            expander.get_child().bind(row.get_item(), self)

    # What is chosen

    @property
    def selected(self):
        """The chosen item: a Flowbus.Node, a PastNode, or None."""
        row = self._selection.get_selected_item()
        return row.get_item() if row else None

    def _chosen(self):
        if self._is_setting:
            return
        item = self.selected
        if item:
            self.selected_path = item.span.path if isinstance(item, PastNode) else item.get_path()
        self.emit("selected")

    def reveal(self, path):
        """Chooses what is at a path, and scrolls to it. Returns whether it is there."""
        row, model, above = None, self._rows, ""
        if model is None:
            return False
        for part in short(path).split("/"):
            above = f"{above}/{part}" if above else part
            row = self._child_row(model, row, above)
            if row is None:
                return False
            if above != short(path):
                row.set_expanded(True)
        position = row.get_position()
        self._selection.set_selected(position)
        self._list.activate_action("list.scroll-to-item", GLib.Variant("u", position))
        return True

    def reveal_when_there(self, path):
        """Chooses what is at a path, now or as soon as it is there."""
        self._wanted = path
        self._look()

    def _look_later(self):
        if self._wanted and not self._looking:
            self._looking = GLib.idle_add(self._look)

    def _look(self):
        self._looking = 0
        if self._wanted and self.reveal(self._wanted):
            self._wanted = ""
        return GLib.SOURCE_REMOVE

    @staticmethod
    def _child_row(model, row, path):
        items = model.get_model() if row is None else row.get_children()
        if items is None:
            return None
        for position in range(items.get_n_items()):
            item = items.get_item(position)
            if short(item.span.path if isinstance(item, PastNode) else item.get_path()) == path:
                return model.get_child_row(position) if row is None else row.get_child_row(position)
        return None

    def _paths(self):
        if self._moment is not None:
            return [span.path for span in self._past_nodes]
        return [node.get_path() for node in self._inspection.recorder.nodes]

    def _find(self, is_next):
        text = self._search.get_text().casefold()
        if not text:
            return
        paths = self._paths()
        begin = paths.index(self.selected_path) + is_next if self.selected_path in paths else 0
        for path in paths[begin:] + paths[:begin]:
            if text in short(path).casefold():
                self.reveal(path)
                return

    def focus_search(self):
        """Goes to the search."""
        self._search.grab_focus()
