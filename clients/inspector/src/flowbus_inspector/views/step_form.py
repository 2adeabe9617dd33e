# SPDX-License-Identifier: Apache-2.0
"""A step with its arguments: what would become of it, and then the step itself."""

from gi.repository import Adw, GLib, Gtk, Pango

from ..model.forms import arguments_of, fields_of
from ..model.names import STEPPER, TREE, short
from .widgets import Pill, box, clear_box, label, named


class ArgumentRow(Adw.ActionRow):
    """A field for an argument of a step."""

    def __init__(self, field, changed):
        super().__init__(title=field.name, subtitle=field.type_text + (", may be left out" if field.is_optional else ""))
        self.field, self._changed = field, changed
        self._given = None
        if field.is_optional:
            self._given = named(Gtk.CheckButton(valign=Gtk.Align.CENTER, tooltip_text="Give this argument"),
                                f"give-{field.name}", f"Give the argument {field.name}")
            self._given.connect("toggled", lambda _: changed())
            self.add_prefix(self._given)
        if field.is_choice:
            self._entry = Gtk.Switch(valign=Gtk.Align.CENTER)
            self._entry.connect("notify::active", lambda *_: self._edited())
        else:
            self._entry = Gtk.Entry(valign=Gtk.Align.CENTER, placeholder_text=field.hint, width_chars=22, hexpand=True)
            self._entry.connect("changed", lambda _: self._edited())
        named(self._entry, f"argument-{field.name}", f"{field.name}, {field.type_text}")
        self.add_suffix(self._entry)
        self.set_activatable_widget(self._entry)

    def _edited(self):
        if self._given and not self._given.get_active():
            self._given.set_active(True)
        self._changed()

    def fill(self, text):
        """Fills in a text."""
        if isinstance(self._entry, Gtk.Switch):
            self._entry.set_active(text == "true")
        else:
            self._entry.set_text(text)

    def connect_activate(self, function):
        """Calls the function when Enter is pressed."""
        if isinstance(self._entry, Gtk.Entry):
            self._entry.connect("activate", lambda _: function())

    @property
    def text(self):
        """What is filled in; None if the argument is left out."""
        if self._given and not self._given.get_active():
            return None
        if isinstance(self._entry, Gtk.Switch):
            return "true" if self._entry.get_active() else "false"
        text = self._entry.get_text()
        return None if not text and self.field.signature != "s" else text

    def show_error(self, error):
        """Says what is wrong with it; an empty text is nothing."""
        is_wrong = bool(error) and isinstance(self._entry, Gtk.Entry)
        (self._entry.add_css_class if is_wrong and self._entry.get_text() else self._entry.remove_css_class)("error")
        self._entry.set_tooltip_text(error or self.field.hint)


class StepForm(Gtk.Box):
    """What a node accepts, a form for the arguments, Explain, and Emit."""

    def __init__(self, inspection, concluded):
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=12)
        self._inspection, self._concluded = inspection, concluded
        self._node, self._accepted, self._rows = None, [], []
        self._explained = None
        self._names = Gtk.StringList()
        self._step = named(Gtk.DropDown(model=self._names, hexpand=True, valign=Gtk.Align.CENTER), "step", "Step")
        self._step.connect("notify::selected", lambda *_: self._chosen())
        self._all = named(Gtk.CheckButton(label="all declared steps"), "all-steps", "Show all declared steps")
        self._all.connect("toggled", lambda _: self._fill())
        self._fields = named(Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE), "arguments", "Arguments of the step")
        self._fields.add_css_class("boxed-list")
        self._explain = named(Gtk.Button(label="Explain"), "explain", "Explain what the step would do")
        self._explain.add_css_class("suggested-action")
        self._explain.connect("clicked", lambda _: self.explain())
        self._emit = named(Gtk.Button(label="Emit"), "emit", "Emit the step")
        self._emit.connect("clicked", lambda _: self.emit())
        self._note = label("", "dim-label", "small", wrap=True, expand=True)
        self._verdict = named(Pill(halign=Gtk.Align.START), "verdict")
        self._heading = label("", "heading")
        self._text = named(Gtk.Label(xalign=0, yalign=0, selectable=True, wrap=True, focusable=True), "explanation",
                           "What the step would do")
        self._text.set_wrap_mode(Pango.WrapMode.WORD_CHAR)
        self._text.add_css_class("explanation")
        self._result = box(box(self._heading, self._verdict, spacing=10), self._frame(self._text), vertical=True, visible=False)
        for child in (box(self._step, self._all, spacing=12), self._fields,
                      box(self._explain, self._emit, self._note, spacing=8), self._result):
            self.append(child)
        inspection.emission.observe("switched", self.update)
        inspection.observe("definitions", self._fill)

    @staticmethod
    def _frame(child):
        frame = Gtk.Frame(child=child)
        frame.add_css_class("view")
        return frame

    def show_node(self, node):
        """Shows what a live node accepts; None for nothing."""
        is_same = node is self._node
        self._node = node
        if node is None:
            self._accepted = []
            self._fill()
            return
        if not is_same:
            self._accepted = []
            self._result.set_visible(False)
            self._fill()
        self.read()

    def read(self):
        """Reads again what the node accepts."""
        node = self._node

        def got(values, failure):
            if node is self._node and not failure and values[0] != self._accepted:
                self._accepted = values[0]
                self._fill()

        self._inspection.reads.call(STEPPER, "GetAcceptedSteps", path=node.get_path(), done=got)

    def _fill(self):
        names = sorted(self._inspection.steps) if self._all.get_active() else self._accepted
        before = self.step_name
        if [self._names.get_string(at) for at in range(self._names.get_n_items())] != list(names):
            self._names.splice(0, self._names.get_n_items(), list(names))
            if before in names:
                self._step.set_selected(list(names).index(before))
            self._chosen()
        self.update()

    @property
    def step_name(self):
        """The chosen step; empty if there is none."""
        item = self._step.get_selected_item()
        return item.get_string() if item else ""

    def choose(self, step, texts):
        """Chooses a step, and fills in its arguments."""
        for at in range(self._names.get_n_items()):
            if self._names.get_string(at) == step:
                self._step.set_selected(at)
        for row in self._rows:
            if row.field.name in texts:
                row.fill(texts[row.field.name])

    def _chosen(self):
        clear_box(self._fields)
        self._rows = [ArgumentRow(field, self.update) for field in fields_of(self._inspection.steps.get(self.step_name, {}))]
        for row in self._rows:
            row.connect_activate(self.explain)
            self._fields.append(row)
        self._fields.set_visible(bool(self._rows))
        self.update()

    def _values(self):
        return arguments_of([row.field for row in self._rows], {row.field.name: row.text for row in self._rows})

    def update(self):
        """Sets what is active, and says why."""
        arguments, errors = self._values()
        for row in self._rows:
            row.show_error(errors.get(row.field.name, ""))
        is_live = self._node is not None and self._inspection.state == "live"
        is_ready = is_live and bool(self.step_name) and not errors
        self._explain.set_sensitive(is_ready)
        is_on = self._inspection.emission.is_on
        is_explained = self._explained == self._question(arguments)
        self._emit.set_sensitive(is_ready and is_on and is_explained)
        (self._emit.add_css_class if self._emit.get_sensitive() else self._emit.remove_css_class)("destructive-action")
        filled = [row for row in self._rows if row.field.name in errors and row.text]
        if filled:
            self._note.set_label(errors[filled[0].field.name])
        elif not self.step_name:
            self._note.set_label("This takes no steps." if is_live else "")
        elif errors:
            self._note.set_label(next(iter(errors.values())))
        elif not is_on:
            self._note.set_label("Read only: Emit needs the switch “Emitting” above.")
        else:
            self._note.set_label("" if is_explained else "Explain it first, then Emit is active.")

    def _question(self, arguments):
        return (self._node.get_instance(), self.step_name, arguments.print_(True)) if self._node else None

    # Explain, and emit

    def explain(self):
        """Shows what would become of the step. Nothing changes by that."""
        arguments, errors = self._values()
        if errors or self._node is None or not self.step_name:
            return
        question, step = self._question(arguments), self.step_name

        def got(values, failure):
            if self._question(self._values()[0]) != question:
                return
            if failure:
                self._show(f"{step} can’t be explained", "failed", str(failure))
                return
            verdict, error, lines = values
            self._explained = question
            self._show("It would be", verdict or error.rpartition(".")[2], "\n".join(lines).replace(TREE, ""))
            self.update()

        values = GLib.Variant.new_tuple(GLib.Variant("s", step), arguments)
        self._inspection.reads.call(STEPPER, "Explain", values, self._node.get_path(), got)

    def emit(self):
        """Emits the step that was explained."""
        arguments, errors = self._values()
        if errors or not self._inspection.emission.is_on or self._explained != self._question(arguments):
            return
        step, path = self.step_name, short(self._node.get_path())
        # The device is another one afterwards, so the explanation counts no more.
        self._explained = None
        self.update()

        def done(verdict, serial, failure):
            if failure:
                self._show("Emitted, and it", "failed", str(failure))
            else:
                what = f"{step} on {path}" + (f": navigation {serial}" if serial else "")
                self._show("Emitted, and it was", verdict, what)
            self._concluded()

        self._inspection.emit(self._node, step, arguments, done)

    def _show(self, heading, verdict, text):
        self._heading.set_label(heading)
        kind = verdict if verdict in {"navigated", "deferred", "pending", "rejected", "hidden", "unhandled"} else "failed"
        self._verdict.show_word(verdict, kind)
        self._text.set_label(text)
        self._result.set_visible(True)
