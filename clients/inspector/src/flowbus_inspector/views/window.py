# SPDX-License-Identifier: Apache-2.0
"""The window."""

from gi.repository import Adw, Gio, GLib, Gtk

from .graph_page import GraphPage
from .log_page import LogPage
from .node_page import NodePage
from .processes_page import ProcessesPage
from .timeline import Timeline
from .timings_page import TimingsPage
from .tree_pane import TreePane
from .widgets import box, label, named

PAGES = ("node", "graph", "log", "timings", "processes")
STATUS = {
    "connecting": ("network-transmit-receive-symbolic", "Connecting", "to {bus}"),
    "no bus": ("network-offline-symbolic", "No connection to the bus",
               "{bus} can’t be reached: {error}\nThe inspector tries again and again."),
    "absent": ("system-search-symbolic", "flowbusd is not running",
               "Nobody owns org.flowbus.Navigation1 on {bus}. The inspector only looks, so it does not start the service; "
               "the first call of another program does, or `flowbusctl tree`. It is shown as soon as it is there."),
    "reading": ("content-loading-symbolic", "Reading the tree", ""),
}


class InspectorWindow(Adw.ApplicationWindow):
    """The tree on the left, the pages on the right, the slider over the history below."""

    def __init__(self, application, inspection):
        super().__init__(application=application, title="flowbus inspector", default_width=1180, default_height=760)
        self._inspection = inspection
        self._pane = TreePane(inspection)
        self._node_page = NodePage(inspection, self._pane)
        self._stack = Adw.ViewStack()
        self._graph = GraphPage(inspection, self._pane, self._choose_definition)
        for name, title, icon, page in (
                ("node", "Node", "flowbus-screen-symbolic", self._node_page),
                ("graph", "Graph", "flowbus-flow-symbolic", self._graph),
                ("log", "Log", "view-list-symbolic", LogPage(inspection, self._choose)),
                ("timings", "Timings", "preferences-system-time-symbolic", TimingsPage(inspection)),
                ("processes", "Processes", "system-run-symbolic", ProcessesPage(inspection, self._choose))):
            self._stack.add_titled_with_icon(page, name, title, icon)
        self._timeline = Timeline(inspection.recorder, inspection.recording is None)
        self._timeline.connect("chosen", lambda _: self._show_moment())
        self._emitting = named(Gtk.Switch(valign=Gtk.Align.CENTER), "emitting", "Emitting")
        self._emitting.connect("notify::active", lambda *_: inspection.emission.switch(self._emitting.get_active()))
        self._armed = Gtk.Revealer(child=label(
            "Emitting is on: steps that you emit change the device.", "armed-bar"))
        self._status = Adw.StatusPage(vexpand=True)
        self._absent = named(label("", "armed-bar", wrap=True), "absent")
        self._gone = Gtk.Revealer(child=self._absent)
        paned = Gtk.Paned(position=400, shrink_start_child=False, shrink_end_child=False, vexpand=True)
        paned.set_start_child(self._pane)
        paned.set_end_child(self._stack)
        self._main = box(paned, self._timeline, vertical=True, spacing=0)
        self._body = Gtk.Stack(transition_type=Gtk.StackTransitionType.NONE)
        self._body.add_named(self._status, "status")
        self._body.add_named(self._main, "main")
        self.set_content(box(self._header(), self._armed, self._gone, self._body, vertical=True, spacing=0))
        self._add_actions()
        inspection.observe("state", self._state_changed)
        inspection.observe("tree", self._tree_changed)
        inspection.emission.observe("switched", self._switched)
        inspection.recorder.observe("past", self._pane.update_foot)
        self._state_changed()

    def _header(self):
        switcher = Adw.ViewSwitcher(stack=self._stack, policy=Adw.ViewSwitcherPolicy.WIDE)
        named(switcher, "switcher", "Pages")
        header = Adw.HeaderBar(title_widget=switcher)
        self._where = named(label(self._inspection.bus_text, "dim-label", ellipsize=True), "bus")
        self._where.set_max_width_chars(26)
        self._where.set_tooltip_text(self._inspection.bus_text)
        header.pack_start(self._where)
        menu = Gio.Menu()
        menu.append("Find", "win.find")
        menu.append("Read again", "win.read")
        menu.append("Keyboard shortcuts", "win.show-help-overlay")
        menu.append("About the inspector", "app.about")
        header.pack_end(named(Gtk.MenuButton(icon_name="open-menu-symbolic", menu_model=menu), "menu", "Menu"))
        header.pack_end(box(label("Emitting"), self._emitting, spacing=8, margin_start=12, margin_end=6,
                            tooltip_text="Allows to emit steps. Without it the inspector only reads."))
        return header

    # Actions

    def _add_actions(self):
        application = self.get_application()
        for name, function, keys in (
                ("find", self._pane.focus_search, ["<Control>f"]), ("read", self._read_again, ["<Control>r", "F5"]),
                ("explain", self._node_page.form.explain, ["<Control>Return"]),
                ("live", self._timeline.go_live, ["Escape"]),
                ("earlier", lambda: self._timeline.choose(self._index() - 1), ["<Alt>Left"]),
                ("later", lambda: self._timeline.choose(self._index() + 1), ["<Alt>Right"])):
            action = Gio.SimpleAction.new(name, None)
            action.connect("activate", lambda *_, function=function: function())
            self.add_action(action)
            application.set_accels_for_action(f"win.{name}", keys)
        page = Gio.SimpleAction.new("page", GLib.VariantType("s"))
        page.connect("activate", lambda _, name: self.show_page(name.get_string()))
        self.add_action(page)
        for number, name in enumerate(PAGES, 1):
            application.set_accels_for_action(f"win.page::{name}", [f"<Alt>{number}"])
        self.set_help_overlay(shortcuts())

    def _index(self):
        moment = self._timeline.moment
        return len(self._inspection.recorder.past.moments) - 1 if moment is None else moment

    def _read_again(self):
        if self._inspection.reads and self._inspection.state == "live":
            self._inspection.read_definitions()
            self._inspection.read_timings()

    # What is shown

    def show_page(self, name):
        """Shows a page."""
        self._stack.set_visible_child_name(name)

    def reveal(self, path):
        """Chooses a node, as soon as it is known."""
        self._pane.reveal_when_there(path)

    def _choose(self, path):
        if self._pane.reveal(path):
            self.show_page("node")

    def _choose_definition(self, flow, screen):
        """Chooses the newest live node of a flow, or of a screen in a flow."""
        nodes = self._inspection.recorder.nodes
        flows = {node.get_path() for node in nodes if node.is_flow() and node.get_name() == flow}
        for node in reversed(nodes):
            is_it = (not node.is_flow() and node.get_name() == screen and node.get_parent_path() in flows) if screen else (
                node.get_path() in flows)
            if is_it:
                self._pane.reveal(node.get_path())
                return

    def _show_moment(self):
        moment = self._timeline.moment
        if moment is None:
            self._pane.show_live()
        else:
            self._pane.show_moment(moment)
        self._graph.update()

    def _tree_changed(self):
        if self._inspection.tree is not None:
            self._pane.show_live()

    def _state_changed(self):
        state, inspection = self._inspection.state, self._inspection
        is_known = bool(inspection.recorder.nodes) or state in {"live", "recorded"}
        words = STATUS.get(state)
        if words:
            icon, title, text = words
            text = text.format(bus=inspection.bus_text, error=inspection.error)
            self._status.set_icon_name(icon)
            self._status.set_title(title)
            self._status.set_description(GLib.markup_escape_text(text))
            # What was there stays in sight, as it was.
            self._absent.set_label({"absent": "flowbusd is gone. This is what was there; it is read again when it is back."}.get(
                state, title))
        self._gone.set_reveal_child(bool(words) and is_known)
        self._body.set_visible_child_name("main" if is_known else "status")
        self._emitting.set_sensitive(state == "live")
        self._node_page.set_sensitive(state in {"live", "recorded"})

    def _switched(self):
        is_on = self._inspection.emission.is_on
        self._emitting.set_active(is_on)
        self._armed.set_reveal_child(is_on)


def shortcuts():
    """The window with the keys."""
    group = Gtk.ShortcutsGroup(title="Inspector", visible=True)
    for keys, title in (("<Control>f", "Find a flow or screen"), ("<Control>Return", "Explain the step"),
                        ("<Alt>Left", "One moment earlier"), ("<Alt>Right", "One moment later"), ("Escape", "The live tree"),
                        ("<Alt>1...5", "The pages"), ("<Control>r", "Read again"), ("<Control>q", "Quit")):
        group.append(Gtk.ShortcutsShortcut(accelerator=keys, title=title, visible=True))
    section = Gtk.ShortcutsSection(section_name="shortcuts", visible=True)
    section.append(group)
    window = Gtk.ShortcutsWindow(modal=True)
    window.set_child(section)
    return window
