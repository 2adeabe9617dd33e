# SPDX-License-Identifier: Apache-2.0
"""The tree as it was: spans of life, by what the history says and by what was seen.

The history has each navigation with its contributors, so it says when children were made, and when a rule or Back removed them.
It does not say when an owner left, a client dismissed something, or a flow was empty: such a child is "perhaps" there from the
last moment at which the history mentions it. From the moment at which the inspector looks, it sees everything.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from .facts import Facts, facts_of
from .names import arguments_text, ident, parent_of, short

# An id is the name, with a number if that is taken.
NUMBER = re.compile(r"_[0-9]+$")


@dataclass(slots=True)
class Moment:
    """A place of the slider: a navigation, or a change that was seen."""

    time: int
    text: str
    serial: int = 0
    flow: str = ""
    step: str = ""


class Span:
    """A flow or screen from its beginning to its end, as indexes of moments."""

    __slots__ = ("path", "name", "is_flow", "begin", "end", "since", "evidence", "changes", "order", "instance", "style")

    def __init__(self, path, name, is_flow, begin, order, facts, style="", instance=0):
        self.path, self.name, self.is_flow, self.style, self.instance = path, name, is_flow, style, instance
        self.begin, self.order = begin, order
        self.end = None
        # The first and the last moment at which it is known to have been there; no last one if its end is known.
        self.since, self.evidence = begin, None
        self.changes = [(begin, facts)]

    def facts(self, moment):
        """The facts at a moment."""
        return self.changes[bisect_right(self.changes, moment, key=lambda it: it[0]) - 1][1]

    def put(self, moment, facts):
        """Notes facts from a moment on."""
        if self.changes[-1][1] == facts:
            return
        if self.changes[-1][0] == moment:
            self.changes[-1] = (moment, facts)
        else:
            self.changes.append((moment, facts))

    def is_sure(self, moment):
        """Whether it was there at a moment of its span for sure."""
        return self.since <= moment and (self.evidence is None or moment <= self.evidence)


@dataclass(slots=True)
class Lived:
    """A flow or screen as it was at a moment, with its depth."""

    span: Span
    facts: Facts
    is_sure: bool
    depth: int


class Past:
    """The moments and spans."""

    def __init__(self):
        self.moments = []
        self.spans = []
        self._open = {}
        self._children = {}
        self._ended = {}
        self._order = 0
        self._initial = {}

    # From the history

    def read(self, entries, initial_steps=None):
        """Takes entries of GetHistory, the oldest first. The initial steps of definitions tell a root that was started anew."""
        self._initial = initial_steps or {}
        for entry in entries:
            self._read(*entry)

    def _read(self, serial, flow, definition, step, arguments, details):
        moment = len(self.moments)
        self.moments.append(Moment(details.get("time", 0), navigation_text(flow, step, arguments), serial, flow, step))
        known = self._open.get(flow)
        is_start = (not parent_of(flow) and step == self._initial.get(definition) and step and not details.get("cause")
                    and not details.get("sender"))
        if known and (known.name != definition or is_start):
            self._lose(flow, moment)
        if is_start:
            self._begin(flow, definition, True, moment, Facts())
        self._mention(flow, definition, moment)
        for contributor in details.get("contributors", ()):
            self._contribute(moment, flow, *contributor)

    def _mention(self, path, name, moment):
        """The flow was live, and so were those above it."""
        above = parent_of(path)
        if above:
            self._mention(above, None, moment)
        if path not in self._open:
            self._begin_earlier(path, name or NUMBER.sub("", ident(path)), True, moment, Facts())
        self._open[path].evidence = moment

    def _contribute(self, moment, flow, kind, name, path, options):
        arguments = arguments_text(options.get("arguments", {}))
        if kind in {"screen", "flow"}:
            self._lose(path, moment)
            self._begin(path, name, kind == "flow", moment, Facts(arguments), options.get("style", ""))
        elif kind == "reuse":
            if path not in self._open:
                self._begin_earlier(path, name, path in self._children, moment, Facts(arguments))
            span = self._open[path]
            span.evidence = moment
            span.put(moment, replace(span.facts(moment), arguments=arguments))
        elif kind == "clear":
            for child in tuple(self._children.get(flow, ())):
                self._end(child, moment)
        elif kind == "pop":
            children = list(self._children.get(flow, ()))
            for child in children[children.index(path) + 1 if path in children else 0:] if name else ():
                self._end(child, moment)
        elif kind in {"dismiss", "back"}:
            self._end(path, moment)
        elif kind == "end":
            self._end(flow, moment)

    # Of spans

    def _begin(self, path, name, is_flow, moment, facts, style="", instance=0):
        self._order += 1
        span = Span(path, name, is_flow, moment, self._order, facts, style, instance)
        span.evidence = moment
        self.spans.append(span)
        self._open[path] = span
        self._children.setdefault(parent_of(path), {})[path] = None
        return span

    def _begin_earlier(self, path, name, is_flow, moment, facts):
        """The same for what is known to be there since a moment: it began before."""
        span = self._begin(path, name, is_flow, self._ended.get(path, 0), facts)
        span.since = moment
        return span

    def _end(self, path, moment, is_sure=True):
        """Ends what is at the path, and all below it."""
        for child in tuple(self._children.pop(path, ())):
            self._end(child, moment, is_sure)
        self._children.get(parent_of(path), {}).pop(path, None)
        span = self._open.pop(path, None)
        if span:
            span.end = self._ended[path] = moment
            if is_sure:
                span.evidence = None

    def _lose(self, path, moment):
        """Something else is at the path now, so what was there is gone; nothing says since when."""
        self._end(path, moment, is_sure=False)

    # From what is seen

    def watch(self, nodes, time, text="the inspector began to watch"):
        """Begins to watch, with the live nodes, parents before children. What the history has besides is gone."""
        live = {node.get_path(): node for node in nodes}
        for path in [path for path in self._open if path not in live]:
            if path in self._open:
                self._lose(path, len(self.moments))
        moment = len(self.moments)
        self.moments.append(Moment(time, text))
        for path, node in live.items():
            span = self._open.get(path)
            if span and (span.name != node.get_name() or span.is_flow != node.is_flow()):
                self._lose(path, moment)
                span = None
            if span is None:
                # It is older than the history that was read, or was made without a navigation.
                span = self._begin_earlier(path, node.get_name(), node.is_flow(), moment, Facts())
            span.evidence = None
            span.instance, span.style = node.get_instance(), node.get_style() or ""
            span.put(moment, facts_of(node))
        for path in live:  # In the order of the siblings now.
            self._order += 1
            self._open[path].order = self._order

    def record(self, moment, added=(), removed=(), changed=()):
        """Notes what was seen: nodes that came, that went, and that changed, in this order of the calls of the tree."""
        index = len(self.moments)
        self.moments.append(moment)
        for node in removed:
            path = node.get_path()
            span = self._open.get(path)
            if span and span.instance == node.get_instance():
                self._end(path, index)
        for node in added:
            path = node.get_path()
            if path in self._open:
                self._end(path, index)
            span = self._begin(path, node.get_name(), node.is_flow(), index, facts_of(node), node.get_style() or "",
                               node.get_instance())
            span.evidence = None
        for node in changed:
            span = self._open.get(node.get_path())
            if span and span.instance == node.get_instance():
                span.put(index, facts_of(node))
        return index

    # Of questions

    def at(self, moment):
        """What lived after a moment, parents before children."""
        children = {}
        for span in self.spans:
            if span.begin <= moment and (span.end is None or span.end > moment):
                children.setdefault(parent_of(span.path), []).append(span)
        found = []

        def collect(path, depth, is_sure):
            for span in sorted(children.get(path, ()), key=lambda span: span.order):
                sure = is_sure and span.is_sure(moment)
                found.append(Lived(span, span.facts(moment), sure, depth))
                if span.is_flow:
                    collect(span.path, depth + 1, sure)

        collect("", 0, True)
        return found


def navigation_text(flow, step, arguments):
    """A navigation in a line."""
    line = arguments_text(arguments)
    return f"{short(flow)}: {step or 'back'}" + (f" {line}" if line else "")
