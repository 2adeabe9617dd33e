# SPDX-License-Identifier: Apache-2.0
"""The definitions in use, as GetDefinitions returns them."""

import re
import tomllib
from dataclasses import dataclass, field

UNITS = {"us": 1, "µs": 1, "ms": 1e3, "s": 1e6, "sec": 1e6, "m": 6e7, "min": 6e7, "h": 3.6e9}
SPAN = re.compile(r"\s*([0-9.]+)\s*([a-zµ]*)")


def microseconds(text):
    """A time span of definition files, such as "500 ms"; 0 if it can't be read."""
    if isinstance(text, (int, float)):
        return int(text * 1e6)
    found = SPAN.findall(text or "")
    return int(sum(float(number) * UNITS.get(unit or "s", 0) for number, unit in found))


@dataclass(frozen=True, slots=True)
class Edge:
    """Where a step of a flow leads. ``kind`` is that of the contributor, or "dismissed", "result", "back" or "timer"."""

    kind: str
    flow: str
    step: str
    target: str
    label: str = ""


@dataclass(slots=True)
class FlowBox:
    """A flow with the steps that it takes, and the screens that these lead to."""

    name: str
    children: str = "free"
    notes: list = field(default_factory=list)
    initial: str = ""
    steps: dict = field(default_factory=dict)  # Each with whether there is a rule.
    screens: list = field(default_factory=list)


class Definitions:
    """What definition files and clients declare: flows as boxes, and the edges between them."""

    def __init__(self, text=""):
        try:
            self._file = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"the service's definitions can't be read: {error}") from None
        self.flows = {}
        self.edges = []
        self.autostart = [entry.get("flow", "") for entry in self._file.get("autostart", [])]
        for name, flow in sorted(self._file.get("flows", {}).items()):
            self.flows[name] = self._box(name, flow)
        for name, flow in self._file.get("flows", {}).items():
            self._add_edges(name, flow)

    @property
    def budgets(self):
        """The budgets of screens, in microseconds."""
        screens = self._file.get("screens", {})
        return {name: microseconds(it["budget"]) for name, it in screens.items() if it.get("budget")}

    @property
    def initial_steps(self):
        """The initial step of each flow that has one."""
        return {name: box.initial for name, box in self.flows.items() if box.initial}

    def timers(self, flow):
        """The timers of a flow, `idle` first: each with "idle", "after" or "every", its time and its step."""
        return list(timers(self._file.get("flows", {}).get(flow, {})))

    @property
    def services(self):
        """The bus names of presenters, applications, guards and navigators, sorted, each with what it is."""
        found = {}

        def add(entry, key, what):
            value = entry.get(key)
            name = value if isinstance(value, str) else (value or {}).get("name", "")
            if name:
                found.setdefault(name, []).append(what)

        for name, screen in self._file.get("screens", {}).items():
            add(screen, "presenter", f"presents {name}")
            add(screen, "application", f"shows {name}")
        for name, flow in self._file.get("flows", {}).items():
            add(flow, "guard", f"guard of {name}")
            add(flow, "navigator", f"navigator of {name}")
        return dict(sorted(found.items()))

    # What is drawn

    @staticmethod
    def _box(name, flow):
        notes = []
        if flow.get("children", "free") != "free":
            notes.append(flow["children"])
        for key in ("guard", "navigator"):
            value = flow.get(key)
            if value:
                notes.append(f"{key}: {value if isinstance(value, str) else value.get('name', '')}")
        if flow.get("unique"):
            notes.append("unique")
        notes += [f"{kind} {time}" for kind, time, _step in timers(flow)]
        box = FlowBox(name, flow.get("children", "free"), notes, flow.get("initial", ""))
        navigator = flow.get("navigator")
        taken = navigator.get("steps", []) if isinstance(navigator, dict) else []
        for step in sorted({*flow.get("on", {}), *flow.get("steps", []), *taken}):
            box.steps[step] = True
        return box

    def _add_edges(self, name, flow):
        if flow.get("initial"):
            self._step(name, flow["initial"])
        for step, rule in sorted(flow.get("on", {}).items()):
            for contributor in contributors(rule):
                self._add(name, step, contributor)
        back = flow.get("onBack")
        if back:
            self._edge("back", name, "", back if isinstance(back, str) else back.get("step", ""))

        for _kind, _time, step in timers(flow):
            self._edge("timer", name, "", step)

    def _add(self, name, step, contributor):
        for kind in ("screen", "flow"):
            if kind in contributor:
                target = contributor[kind]
                style = contributor.get("style", "")
                self._edge(kind, name, step, target, style)
                for key, word in (("onDismissed", "dismissed"), ("onResult", "result")):
                    answer = contributor.get(key)
                    if answer:
                        then = answer if isinstance(answer, str) else answer.get("step", "")
                        self._edge(word, name, step, then, target)
        if "current" in contributor:
            self._edge("current", name, step, contributor["current"])
        if "parent" in contributor:
            self._edge("parent", name, step, contributor["parent"])
        if "end" in contributor:
            end = contributor["end"]
            self._edge("end", name, step, end if isinstance(end, str) else "")

    def _edge(self, kind, flow, step, target, label=""):
        if kind == "screen" and target not in self.flows[flow].screens:
            self.flows[flow].screens.append(target)
        if kind in {"current", "back", "timer", "dismissed", "result"}:
            self._step(flow, target)
        edge = Edge(kind, flow, step, target, label)
        if edge not in self.edges:
            self.edges.append(edge)

    def _step(self, flow, step):
        self.flows[flow].steps.setdefault(step, False)

    def parents_of(self, flow):
        """The flows that contribute this one."""
        return sorted({edge.flow for edge in self.edges if edge.kind == "flow" and edge.target == flow})


def timers(flow):
    """The timers in the table of a flow."""
    idle = flow.get("idle", [])
    for stage in idle if isinstance(idle, list) else [idle]:
        yield "idle", stage.get("after", ""), stage.get("step", "")
    for timer in flow.get("timers", []):
        kind = "every" if "every" in timer else "after"
        yield kind, timer.get(kind, ""), timer.get("step", "")


def contributors(rule):
    """All contributors of a rule: those of all its alternatives, too."""
    for entry in rule if isinstance(rule, list) else [rule]:
        if isinstance(entry, dict):
            yield from contributors(entry["do"]) if "do" in entry else [entry]
