# SPDX-License-Identifier: Apache-2.0
"""The graph of the definitions, with what is live and presented."""

import math
import threading

from gi.repository import Gdk, GLib, Gtk, Pango, PangoCairo

from ..model.graph import DASHED, DOTTED, GraphError, lay_out, marks_of
from .widgets import box, colour, label, named, text_colour

MARGIN = 16
ZOOMS = (0.4, 0.5, 0.65, 0.8, 1.0, 1.25, 1.6, 2.0)


class GraphPage(Gtk.Box):
    """The drawing. ``chosen`` is called with the name of a flow and perhaps of a screen that is clicked."""

    def __init__(self, inspection, pane, chosen):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._inspection, self._pane, self._chosen = inspection, pane, chosen
        self._layout, self._marks, self._latest = None, {}, ("", "")
        self._zoom, self._is_fitted, self._fitting, self._number = 1.0, True, 0, 0
        self._area = named(Gtk.DrawingArea(focusable=True), "graph", "Graph of the definitions")
        self._area.set_draw_func(self._draw)
        click = Gtk.GestureClick()
        click.connect("released", self._clicked)
        self._area.add_controller(click)
        self._scrolled = Gtk.ScrolledWindow(child=self._area, vexpand=True, hexpand=True)
        scroll = Gtk.EventControllerScroll(flags=Gtk.EventControllerScrollFlags.VERTICAL)
        scroll.connect("scroll", self._wheel)
        self._scrolled.add_controller(scroll)
        for adjustment in (self._scrolled.get_hadjustment(), self._scrolled.get_vadjustment()):
            adjustment.connect("notify::page-size", lambda *_: self._fit_later())
        self._note = named(label("", "dim-label", wrap=True, expand=True), "graph-note")
        buttons = box(spacing=0, classes=["linked"])
        for icon, text, step in (("zoom-out-symbolic", "Smaller", -1), ("zoom-fit-best-symbolic", "Fit", 0),
                                 ("zoom-in-symbolic", "Larger", 1)):
            button = named(Gtk.Button(icon_name=icon, tooltip_text=text), f"graph-{text.lower()}", text)
            button.connect("clicked", lambda _, step=step: self._step_zoom(step))
            buttons.append(button)
        self.append(self._scrolled)
        self.append(box(self._note, buttons, spacing=12, classes=["foot"]))
        inspection.observe("definitions", self._read)
        inspection.observe("tree", self.update)
        inspection.recorder.observe("moment", self.update)
        inspection.recorder.observe("past", self.update)
        self._read()

    # What is drawn

    def _read(self):
        self._number += 1
        number, definitions = self._number, self._inspection.definitions

        def work():
            try:
                done = lay_out(definitions), ""
            except GraphError as error:
                done = None, str(error)
            GLib.idle_add(put, *done)

        def put(layout, error):
            if number == self._number:
                self._layout = layout
                self._note.set_label(error or self._inspection.definitions_error)
                self._fit()
                self.update()
            return GLib.SOURCE_REMOVE

        threading.Thread(target=work, daemon=True).start()

    def update(self):
        """Marks what is live now, or was at the chosen moment."""
        lived, moment = [], self._pane.moment
        past = self._inspection.recorder.past
        if moment is not None:
            for it in past.at(moment):
                lived.append((it.span.path, it.span.name, it.span.is_flow, it.facts.presented))
        else:
            for node in self._inspection.recorder.nodes:
                lived.append((node.get_path(), node.get_name(), node.is_flow(), node.get_presented()))
        self._marks = marks_of(lived)
        names = {path: name for path, name, is_flow, _ in lived if is_flow}
        moments = past.moments[:moment + 1] if moment is not None else past.moments
        latest = next((it for it in reversed(moments) if it.serial), None)
        self._latest = (names.get(latest.flow, ""), latest.step) if latest else ("", "")
        if latest and not self._note.get_label().startswith("there is no"):
            self._note.set_label(f"The latest navigation: {latest.text}")
        self._area.queue_draw()

    # Size

    def _step_zoom(self, step):
        self._is_fitted = step == 0
        if step:
            sizes = [zoom for zoom in ZOOMS if (zoom > self._zoom + 0.01 if step > 0 else zoom < self._zoom - 0.01)]
            if sizes:
                self._zoom = sizes[0] if step > 0 else sizes[-1]
        self._fit()

    def _wheel(self, controller, _x, y):
        if not controller.get_current_event_state() & Gdk.ModifierType.CONTROL_MASK:
            return False
        self._step_zoom(-1 if y > 0 else 1)
        return True

    def _fit_later(self):
        """The room changes while GTK gives it out; another size is asked for afterwards."""
        if not self._fitting:
            self._fitting = GLib.idle_add(self._fit)

    def _fit(self):
        self._fitting = 0
        layout = self._layout
        if layout is None or not layout.width:
            return GLib.SOURCE_REMOVE
        if self._is_fitted:
            width = self._scrolled.get_hadjustment().get_page_size() - 2 * MARGIN - 4
            height = self._scrolled.get_vadjustment().get_page_size() - 2 * MARGIN - 4
            if width <= 0 or height <= 0:
                return GLib.SOURCE_REMOVE
            self._zoom = min(max(min(width / layout.width, height / layout.height), 0.4), 1.5)
        self._area.set_content_width(math.ceil(layout.width * self._zoom + 2 * MARGIN))
        self._area.set_content_height(math.ceil(layout.height * self._zoom + 2 * MARGIN))
        self._area.queue_draw()
        return GLib.SOURCE_REMOVE

    def _origin(self, width, height):
        """Where the drawing begins: it is in the middle if there is more room."""
        layout = self._layout
        return (max((width - layout.width * self._zoom) / 2, MARGIN), max((height - layout.height * self._zoom) / 2, MARGIN))

    def _clicked(self, _gesture, _count, x, y):
        if self._layout is None:
            return
        left, top = self._origin(self._area.get_width(), self._area.get_height())
        x, y = (x - left) / self._zoom, (y - top) / self._zoom
        for shape in reversed(self._layout.shapes):
            if abs(x - shape.x) <= shape.width / 2 and abs(y - shape.y) <= shape.height / 2:
                self._chosen(shape.flow, shape.name if shape.kind == "screen" else "")
                return

    # Drawing

    def _draw(self, area, context, width, height):
        if self._layout is None:
            return
        context.translate(*self._origin(width, height))
        context.scale(self._zoom, self._zoom)
        text, accent = text_colour(area), colour(area, "accent_color")
        green, red = colour(area, "success_color"), colour(area, "error_color")
        for shape in self._layout.shapes:
            if shape.kind == "flow":
                self._draw_flow(context, shape, text, green)
        for line in self._layout.lines:
            is_latest = (line.flow, line.step) == self._latest and bool(line.step)
            tone = accent if is_latest else red if line.kind == "end" else text
            self._draw_line(context, line, tone, 1 if is_latest else 0.55, is_latest)
        for shape in self._layout.shapes:
            if shape.kind != "flow":
                self._draw_shape(context, shape, text, accent, green)

    def _draw_flow(self, context, shape, text, green):
        live, presented = self._marks.get(("flow", shape.flow, shape.flow), (0, 0))
        outline(context, shape, 10)
        context.set_source_rgba(*(green if live else text), 0.09 if presented else 0.04)
        context.fill_preserve()
        context.set_source_rgba(*(green if live else text), 0.9 if live else 0.25)
        context.set_line_width(2 if presented else 1)
        context.stroke()
        title = shape.name + (f"  ×{live}" if live > 1 else "")
        left, top = shape.x - shape.width / 2 + 10, shape.y - shape.height / 2 + 6
        write(context, title, left, top, (*text, 1), 13, is_bold=True)
        for note in shape.notes:
            write(context, note, left, top + 16, (*text, 0.6), 9.5)

    def _draw_shape(self, context, shape, text, accent, green):
        if shape.kind in {"begin", "end"}:
            context.arc(shape.x, shape.y, shape.width / 2, 0, 2 * math.pi)
            context.set_source_rgba(*text, 0.8)
            context.fill()
            if shape.kind == "end":
                context.arc(shape.x, shape.y, shape.width / 2 + 2, 0, 2 * math.pi)
                context.set_line_width(1)
                context.stroke()
            return
        is_step = shape.kind == "step"
        live, presented = (0, 0) if is_step else self._marks.get(("screen", shape.flow, shape.name), (0, 0))
        is_latest = is_step and (shape.flow, shape.name) == self._latest
        outline(context, shape, shape.height / 2 if is_step else 3)
        fill = (*green, 0.35) if presented else (*green, 0.1) if live else (*accent, 0.3) if is_latest else (*text, 0.0)
        context.set_source_rgba(*(fill if is_step or live else (*text, 0.09)))
        context.fill_preserve()
        context.set_source_rgba(*(green if live else accent if is_latest else text), 0.95 if live or is_latest else 0.35)
        context.set_line_width(2 if presented or is_latest else 1.4 if live else 1)
        if is_step and not shape.has_rule:
            context.set_dash([3, 3])
        context.stroke()
        context.set_dash([])
        name = shape.name + (f" ×{live}" if live > 1 else "")
        write(context, name, shape.x, shape.y, (*text, 1), 10.5, is_bold=bool(presented), is_centred=True)

    @staticmethod
    def _draw_line(context, line, tone, alpha, is_bold):
        points = line.points
        if not points:
            return
        context.set_source_rgba(*tone, alpha)
        context.set_line_width(2 if is_bold or line.kind == "initial" else 1.1)
        context.set_dash([5, 3] if line.kind in DASHED else [1.5, 3] if line.kind in DOTTED else [])
        context.move_to(*points[0])
        for at in range(1, len(points) - 2, 3):
            context.curve_to(*points[at], *points[at + 1], *points[at + 2])
        context.stroke()
        context.set_dash([])
        if line.tip:
            arrow(context, points[-1], line.tip)
        if line.label_at:
            write(context, line.label, *line.label_at, (*tone, max(alpha, 0.7)), 8.5, is_centred=True)


def outline(context, shape, radius):
    """The outline of a shape, with round corners."""
    left, top = shape.x - shape.width / 2, shape.y - shape.height / 2
    right, bottom = left + shape.width, top + shape.height
    context.new_sub_path()
    context.arc(right - radius, top + radius, radius, -math.pi / 2, 0)
    context.arc(right - radius, bottom - radius, radius, 0, math.pi / 2)
    context.arc(left + radius, bottom - radius, radius, math.pi / 2, math.pi)
    context.arc(left + radius, top + radius, radius, math.pi, 1.5 * math.pi)
    context.close_path()


def arrow(context, end, tip):
    """The head of an arrow."""
    angle = math.atan2(tip[1] - end[1], tip[0] - end[0])
    context.move_to(*tip)
    for turn in (math.pi - 0.42, math.pi + 0.42):
        context.line_to(tip[0] + 8 * math.cos(angle + turn), tip[1] + 8 * math.sin(angle + turn))
    context.close_path()
    context.fill()


def write(context, text, x, y, rgba, size, is_bold=False, is_centred=False):
    """Writes a text, from its upper left corner, or around its middle."""
    layout = PangoCairo.create_layout(context)
    font = Pango.FontDescription.from_string("Sans")
    font.set_absolute_size(size * Pango.SCALE)
    font.set_weight(Pango.Weight.BOLD if is_bold else Pango.Weight.NORMAL)
    layout.set_font_description(font)
    layout.set_text(text, -1)
    width, height = layout.get_pixel_size()
    context.set_source_rgba(*rgba)
    context.move_to(x - width / 2 if is_centred else x, y - height / 2 if is_centred else y)
    PangoCairo.show_layout(context, layout)
