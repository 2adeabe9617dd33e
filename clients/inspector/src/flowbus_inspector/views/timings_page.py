# SPDX-License-Identifier: Apache-2.0
"""How long screens took, beside their budgets."""

from gi.repository import Adw, Gtk

from ..model.names import duration_text
from ..model.timings import histogram, is_exact, place, scale_of
from .graph_page import write
from .widgets import Pill, box, clear_box, colour, label, named, text_colour

HEIGHT = 84
SIDE = 12


class Chart(Gtk.DrawingArea):
    """The histogram of a timing, with its budget."""

    def __init__(self, timing, scale):
        super().__init__(content_height=HEIGHT, hexpand=True)
        self._timing, self._scale = timing, scale
        self.set_draw_func(self._draw)
        self.set_tooltip_text("\n".join(
            f"{word}: {duration_text(value)}" for word, value in (
                ("median", timing.median), ("9 of 10 within", timing.p90), ("99 of 100 within", timing.p99),
                ("longest", timing.maximum), ("latest", timing.latest), ("budget", timing.budget)) if value))
        named(self, f"chart-{timing.screen}-{timing.start}",
              f"{timing.screen}, {timing.start}: median {duration_text(timing.median)}, longest {duration_text(timing.maximum)}"
              + (f", budget {duration_text(timing.budget)}" if timing.budget else ""))

    def _draw(self, area, context, width, height):
        timing, base = self._timing, height - 18
        text, blue = text_colour(area), colour(area, "accent_bg_color")
        red, orange = colour(area, "error_color"), colour(area, "warning_color")

        def across(value):
            return SIDE + place(value, *self._scale) * (width - 2 * SIDE)

        context.set_line_width(1)
        value = self._scale[0]
        while value <= self._scale[1] * 1.001:
            at = across(value)
            context.set_source_rgba(*text, 0.12)
            context.move_to(at, 4)
            context.line_to(at, base)
            context.stroke()
            write(context, duration_text(value), at, base + 9, (*text, 0.6), 10, is_centred=True)
            value *= 10
        budget = timing.budget or float("inf")
        for bar in histogram(timing, *self._scale):
            # What is above the budget has the colour of an error.
            for low, high, tone in ((bar.low, min(bar.high, budget), blue), (max(bar.low, budget), bar.high, red)):
                if high > low:
                    top = base - max(bar.height * (base - 12), 2)
                    context.set_source_rgba(*tone, 0.75)
                    context.rectangle(across(low) + 0.5, top, max(across(high) - across(low) - 1, 1), base - top)
                    context.fill()
        for sample in timing.samples:
            context.set_source_rgba(*text, 0.7)
            context.rectangle(across(sample) - 0.75, base - 4, 1.5, 8)
            context.fill()
        if timing.budget:
            at = across(timing.budget)
            context.set_source_rgba(*orange, 1)
            context.set_line_width(2)
            context.move_to(at, 2)
            context.line_to(at, base + 2)
            context.stroke()
            is_left = at > width * 0.7
            words = f"budget {duration_text(timing.budget)}"
            write(context, words, at - (6 + 5.6 * len(words)) if is_left else at + 5, 1, (*text, 0.8), 10)


class TimingsPage(Gtk.Box):
    """A card for each screen and start."""

    def __init__(self, inspection):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._inspection = inspection
        self._empty = Adw.StatusPage(
            icon_name="preferences-system-time-symbolic", title="Nothing was timed yet", vexpand=True,
            description="A screen with a presenter or an application is timed when it comes in sight for the first time.")
        self._cards = named(box(vertical=True, spacing=12, classes=["page"]), "timings", "Timings of screens")
        self._content = Gtk.ScrolledWindow(child=Adw.Clamp(child=self._cards, maximum_size=900), vexpand=True,
                                           hscrollbar_policy=Gtk.PolicyType.NEVER)
        self.append(self._empty)
        self.append(self._content)
        self._shown = []
        inspection.observe("timings", self._update)
        inspection.recorder.observe("moment", self._moved)
        self.connect("map", lambda _: inspection.read_timings())
        self._update()

    def _moved(self):
        """A screen that becomes visible can be timed by that. Nothing reports it, so it is read, as long as one looks."""
        if self.get_mapped():
            self._inspection.read_timings()

    def _update(self):
        timings = self._inspection.timings
        self._empty.set_visible(not timings)
        self._content.set_visible(bool(timings))
        if timings == self._shown:
            return
        self._shown = list(timings)
        clear_box(self._cards)
        self._cards.append(label(
            "From the step, or the user’s input, until the screen was visible, since the service started. All have one scale. "
            "The marks below are values that this inspector saw.",
            "dim-label", "small", wrap=True))
        scale = scale_of(timings)
        for timing in timings:
            verdict = Pill()
            verdict.show_word(timing.judgement_text, timing.judgement)
            kind = "each value is known" if is_exact(timing) else "drawn from the percentiles"
            facts = f"once · {duration_text(timing.latest)}" if timing.count == 1 else (
                f"{timing.count} times · median {duration_text(timing.median)} · 90 % {duration_text(timing.p90)} · "
                f"99 % {duration_text(timing.p99)} · longest {duration_text(timing.maximum)} · {kind}")
            head = box(label(timing.screen, "heading"), label(timing.start, "dim-label"), box(hexpand=True), verdict, spacing=8)
            card = box(head, label(facts, "small", "dim-label", "numeric", wrap=True), Chart(timing, scale), vertical=True,
                       spacing=4, margin_start=12, margin_end=12, margin_top=10, margin_bottom=8)
            frame = box(card, classes=["card"])
            self._cards.append(frame)
