# SPDX-License-Identifier: Apache-2.0
"""Follows the live tree, and notes each change in the past."""

import time

from gi.repository import GLib

from .log import Entry, navigation_entry
from .names import COORDINATOR, HISTORY, now, short
from .observed import Observed
from .past import Moment, Past, navigation_text

PAGE = 1000
# How much of the history is read at first; a button reads the rest.
DEPTH = 2000
# For how long no change comes when a burst is over, in milliseconds.
PAUSE = 40


class Recorder(Observed):
    """The past of a tree. Tells ``past`` when it was read anew, ``moment`` when there is one more, and ``burst``.

    Changes that come together are one moment: they are noted when no more come for a while, or at the navigation that they belong
    to, which is reported after them.
    """

    def __init__(self, inspection):
        super().__init__()
        self._inspection = inspection
        self.past = Past()
        self.is_complete, self.error = True, ""
        # The latest burst: how many changes were noted at once, and how long they took.
        self.burst = None
        self._tree = None
        self._handlers, self.nodes = {}, []
        self._is_recording, self._flush, self._reading = False, 0, 0
        self._added, self._removed, self._changed = {}, {}, {}
        self._since = self._latest = 0.0
        self._last_serial = 0

    # The tree

    def follow(self, tree):
        """Follows another tree."""
        self._tree = tree
        tree.connect("items-changed", self._items_changed)

    def show(self, nodes):
        """Has the nodes of a recording, of which only the past is shown."""
        self.nodes = nodes
        self.read_again()

    def forget(self):
        """Follows no tree."""
        for node, handler in self._handlers.items():
            node.disconnect(handler)
        self._handlers, self.nodes, self._tree = {}, [], None
        self._is_recording = False
        self._reading += 1
        self._clear()

    def _clear(self):
        self._added, self._removed, self._changed = {}, {}, {}
        if self._flush:
            GLib.source_remove(self._flush)
            self._flush = 0

    def _items_changed(self, tree, position, removed, added):
        if tree is not self._tree:
            return
        new = [tree.get_item(at) for at in range(position, position + added)]
        gone = self.nodes[position:position + removed]
        self.nodes[position:position + removed] = new
        self._begin_burst()
        kept = set(gone) & set(new)  # They have another place.
        for node in gone:
            if node not in kept:
                node.disconnect(self._handlers.pop(node))
            if self._added.pop(node, None) is None:
                self._removed[node] = None
            self._changed.pop(node, None)
        for node in new:
            if node not in kept:
                self._handlers[node] = node.connect("notify", self._node_changed)
            self._added[node] = None

    def _node_changed(self, node, _property):
        self._begin_burst()
        if node not in self._added:
            self._changed[node] = None

    def _begin_burst(self):
        self._latest = time.monotonic()
        if not self._flush:
            self._since = self._latest
            self._flush = GLib.timeout_add(PAUSE, self._flushed)

    def _flushed(self):
        if time.monotonic() - self._latest < PAUSE / 1000:
            return GLib.SOURCE_CONTINUE
        self._flush = 0
        if self._is_recording and (self._added or self._removed or self._changed):
            self._note(Moment(now(), self._change_text()))
        else:
            self._clear()
        return GLib.SOURCE_REMOVE

    def navigated(self, moment, serial, flow, step, arguments):
        """A navigation, which comes after the changes that belong to it."""
        if self._is_recording and serial > self._last_serial:
            self._last_serial = serial
            self._note(Moment(moment, navigation_text(flow, step, arguments), serial, flow, step))

    def _note(self, moment):
        added, removed, changed = self._added, self._removed, self._changed
        if self._flush:
            GLib.source_remove(self._flush)
            self._flush = 0
        self._added, self._removed, self._changed = {}, {}, {}
        gone_and_back = [node for node in removed if node in added]
        count, begin = len(added) + len(removed) + len(changed), time.monotonic()
        self.past.record(moment, added, [*removed], changed)
        for node in gone_and_back:
            changed.pop(node, None)
        if count and self._since:
            self.burst = count, self._latest - self._since + time.monotonic() - begin
            self._since = 0.0
            self.tell("burst")
        self._log_changes(added, removed, changed)
        self.tell("moment")

    def _change_text(self):
        counts = [(len(self._added), "came"), (len(self._removed), "went"), (len(self._changed), "changed")]
        if sum(count for count, _ in counts) > 1:
            return ", ".join(f"{count} {word}" for count, word in counts if count)
        for nodes, word in ((self._added, "came"), (self._removed, "went"), (self._changed, "changed")):
            for node in nodes:
                return f"{short(node.get_path())} {word}"
        return ""

    def _log_changes(self, added, removed, changed):
        moment, entries = now(), []
        for nodes, word in ((removed, "went"), (added, "came")):
            for node in nodes:
                if not (node in added and node in removed):
                    entries.append(Entry("change", moment, node.get_path(), word, "flow" if node.is_flow() else "screen"))
        for node in changed:
            words = ["presented" if node.get_presented() else "visible" if node.get_visible() else "hidden"]
            if node.get_owner():
                words.append(f"owner {node.get_owner()}")
            entries.append(Entry("change", moment, node.get_path(), "changed", " · ".join(words), sender=node.get_owner() or ""))
        if entries:
            self._inspection.log.add(*entries)

    # The history

    def begin(self, depth=DEPTH):
        """Reads the history, and records from then on. After a restart of the service it goes on recording."""
        if self._is_recording:
            self._note(Moment(now(), "the service is back"))
            return
        self.read_again(depth)

    def read_again(self, depth=None):
        """Reads the latest navigations, or all of them."""
        self._reading += 1
        number, entries = self._reading, []
        self.error = ""

        def page(after):
            values = GLib.Variant.new_tuple(GLib.Variant("t", after), GLib.Variant("u", PAGE), GLib.Variant("a{sv}", {}))
            self._inspection.reads.call(HISTORY, "GetHistory", values, done=got)

        def got_serial(values, failure):
            if number == self._reading:
                serial = 0 if failure else values[0]
                after = max(serial - depth, 0) if depth else 0
                self.is_complete = after == 0
                page(after)

        def got(values, failure):
            if number != self._reading:
                return
            if failure:
                self.error = f"the history can't be read: {failure}"
            elif values[0]:
                entries.extend(values[0])
                if values[1]:
                    page(entries[-1][0])
                    return
            self._begin_with(entries)

        self._inspection.reads.call(COORDINATOR, "GetSerial", done=got_serial)

    def _begin_with(self, entries):
        """The past is what the history says, and from now on what is seen."""
        self._clear()
        self.past = Past()
        self.past.read(entries, self._inspection.definitions.initial_steps)
        self._last_serial = entries[-1][0] if entries else 0
        recording = self._inspection.recording
        if recording:
            self.past.watch(self.nodes, recording.time, "the recording was made")
        else:
            self.past.watch(self.nodes, now())
        log, known = self._inspection.log, {it.serial for it in self._inspection.log.entries if it.kind == "navigation"}
        lines = []
        for serial, flow, _definition, step, arguments, details in entries:
            if serial not in known:
                lines.append(navigation_entry(
                    details.get("time", 0), flow, serial, details.get("cause", 0), details.get("sender", ""), step, arguments,
                    details.get("contributors", ()), details))
        if lines:
            log.insert(lines)
        self._is_recording = recording is None
        self.tell("past")

    @property
    def burst_text(self):
        """The latest burst, for people."""
        if self.burst is None:
            return ""
        count, seconds = self.burst
        return f"{count} change{'s' if count > 1 else ''} in {seconds * 1000:.0f} ms"


def moment_title(moment):
    """A moment in a line."""
    return f"{moment.text} · {moment.serial}" if moment.serial else moment.text
