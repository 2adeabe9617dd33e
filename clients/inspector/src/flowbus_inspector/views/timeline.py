# SPDX-License-Identifier: Apache-2.0
"""The slider over the history."""

from gi.repository import GLib, GObject, Gtk, Pango

from ..model.names import day_text
from .widgets import box, label, named


class Timeline(Gtk.Box):
    """Chooses a moment. Emits ``chosen`` when another one is, or the live tree, which a recording does not have."""

    __gsignals__ = {"chosen": (GObject.SignalFlags.RUN_FIRST, None, ())}

    def __init__(self, recorder, has_live=True):
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        self.add_css_class("timeline")
        self._recorder, self._has_live, self._is_live, self._is_setting, self._update_id = recorder, has_live, has_live, False, 0
        self._scale = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 1, 1), "slider", "Moment of the history")
        self._scale.set_hexpand(True)
        self._scale.set_round_digits(0)
        self._scale.connect("value-changed", lambda _: self._moved())
        self._back = self._button("go-previous-symbolic", "earlier", "One moment earlier", -1)
        self._forth = self._button("go-next-symbolic", "later", "One moment later", 1)
        self._live = named(Gtk.Button(label="Live"), "live", "Show the live tree")
        self._live.connect("clicked", lambda _: self.go_live())
        self._live.set_visible(has_live)
        self._text = named(label("", expand=True), "moment")
        self._text.set_ellipsize(Pango.EllipsizeMode.MIDDLE)
        self._older = named(Gtk.Button(label="Read all of the history", has_frame=False), "older", "Read all of the history")
        self._older.connect("clicked", lambda _: recorder.read_again())
        self.append(box(self._back, self._scale, self._forth, self._live, spacing=6))
        self.append(box(self._text, self._older, spacing=6))
        recorder.observe("past", self._read)
        recorder.observe("moment", self._more)
        self._update()

    def _button(self, icon, name, text, step):
        button = named(Gtk.Button(icon_name=icon, tooltip_text=text, has_frame=False), name, text)
        button.connect("clicked", lambda _: self.choose(self._value() + step))
        return button

    # The chosen moment

    @property
    def moment(self):
        """The chosen moment; None for the live tree."""
        return None if self._is_live else self._value()

    def _value(self):
        return round(self._scale.get_value())

    def choose(self, moment):
        """Chooses a moment."""
        count = len(self._recorder.past.moments)
        if count:
            self._scale.set_value(min(max(moment, 0), count - 1))

    def go_live(self):
        """Goes back to the live tree, or to the end of the recording."""
        self._is_live = self._has_live
        self._update()
        if not self._is_live:
            self._to_the_end()
        self.emit("chosen")

    def _to_the_end(self):
        self._is_setting = True
        self._scale.set_value(max(len(self._recorder.past.moments) - 1, 0))
        self._is_setting = False
        self._describe()

    def _moved(self):
        if self._is_setting:
            return
        self._is_live = False
        self._describe()
        # A drag moves it faster than a large tree can be shown: what is shown is where it is when nothing else waits.
        if not self._update_id:
            self._update_id = GLib.idle_add(self._show)

    def _show(self):
        self._update_id = 0
        if not self._is_live:
            self.emit("chosen")
        return GLib.SOURCE_REMOVE

    # What there is

    def _read(self):
        """The past was read anew, so the moments are other ones."""
        if not self._is_live:
            self.go_live()
        self._update()

    def _more(self):
        """One more moment: the live tree is always the last one."""
        if not self._update_id:
            self._update_id = GLib.idle_add(self._updated)

    def _updated(self):
        self._update_id = 0
        self._update()
        return GLib.SOURCE_REMOVE

    def _update(self):
        count = len(self._recorder.past.moments)
        self._is_setting = True
        self._scale.set_range(0, max(count - 1, 1))
        if self._is_live:
            self._scale.set_value(max(count - 1, 1))
        self._is_setting = False
        self._scale.set_sensitive(count > 1)
        self._older.set_visible(not self._recorder.is_complete)
        self._describe()

    def _describe(self):
        moments = self._recorder.past.moments
        at = self._value()
        self._back.set_sensitive(bool(moments) and at > 0)
        self._forth.set_sensitive(not self._is_live and at < len(moments) - 1)
        self._live.set_sensitive(not self._is_live)
        (self.remove_css_class if self._is_live else self.add_css_class)("past")
        if self._is_live:
            word = self._recorder.error or (f"Live · {len(moments)} moments to go back to" if moments else "Live")
            self._text.set_label(word)
        elif moments:
            moment = moments[at]
            serial = f" · navigation {moment.serial}" if moment.serial else ""
            self._text.set_label(f"As it was at {day_text(moment.time)} · {moment.text}{serial} · {at + 1} of {len(moments)}")
