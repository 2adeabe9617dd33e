# SPDX-License-Identifier: Apache-2.0
"""The picture of the definitions: Graphviz puts things in place, and the view draws them."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field

from .names import parent_of

DASHED = {"current", "parent", "result"}
DOTTED = {"dismissed", "back", "timer"}
# Edges that do not push boxes apart: they lead back.
LOOSE = {"parent", "end", "dismissed", "result"}


@dataclass(frozen=True, slots=True)
class Shape:
    """A box, a step or a screen, with its middle and size."""

    kind: str  # "flow", "step", "screen", "begin" or "end"
    flow: str
    name: str
    x: float
    y: float
    width: float
    height: float
    notes: tuple = ()
    has_rule: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """An edge: its kind, the flow and step that it comes from, the points of its curve, the tip of its arrow, and a label."""

    kind: str
    flow: str
    step: str
    points: tuple
    tip: tuple | None
    label: str = ""
    label_at: tuple | None = None


@dataclass(slots=True)
class Layout:
    """A drawing: its size, the boxes of flows first, then what is in them, and the lines."""

    width: float = 0
    height: float = 0
    shapes: list = field(default_factory=list)
    lines: list = field(default_factory=list)


class GraphError(Exception):
    """Why there is no drawing."""


def quoted(text):
    """A text in the language of Graphviz."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _attributes(**values):
    return "[" + ", ".join(f"{key}={quoted(str(value))}" for key, value in values.items()) + "]"


class Drawing:
    """Definitions as the input of dot, which keeps in its attributes what each thing is."""

    def __init__(self, definitions):
        self._definitions = definitions
        self._ids = {}
        self._begins = {}

    def text(self):
        """The input of dot."""
        lines = ["digraph flows {", "graph [rankdir=LR, compound=true, nodesep=0.16, ranksep=0.5, fontname=\"Sans\", fontsize=13]",
                 "node [fontname=\"Sans\", fontsize=10, height=0.32, margin=\"0.14,0.06\", shape=box]",
                 "edge [fontname=\"Sans\", fontsize=8]"]
        for number, box in enumerate(self._definitions.flows.values()):
            lines += self._box(number, box)
        for edge in self._definitions.edges:
            lines += self._edge(edge)
        return "\n".join(lines) + "\n}\n"

    def _box(self, number, box):
        begin = self._begins[box.name] = f"b{number}"
        note = " · ".join(box.notes)
        label = box.name if not note else f"{box.name}\n{note}"
        lines = [f"subgraph cluster_{number} {{",
                 "graph " + _attributes(label=label, labeljust="l", kind="flow", flow=box.name, note=note),
                 begin + " " + _attributes(label="", shape="circle", width=0.12, height=0.12, kind="begin", flow=box.name)]
        led = {edge.target for edge in self._definitions.edges
               if edge.flow == box.name and edge.kind in {"current", "back", "timer", "dismissed", "result"}}
        for kind, names in (("step", box.steps), ("screen", box.screens)):
            for name in names:
                node = self._ids[kind, box.name, name] = f"n{len(self._ids)}"
                rule = "no" if kind == "step" and not box.steps[name] else "yes"
                lines.append(node + " " + _attributes(label=name, kind=kind, flow=box.name, name=name, rule=rule))
                if kind == "step" and name == box.initial:
                    lines.append(f"{begin} -> {node} " + _attributes(kind="initial", flow=box.name))
                elif kind == "step" and name not in led:
                    lines.append(f"{begin} -> {node} [style=invis]")
        if any(edge.flow == box.name and edge.kind == "end" and not self._takers(edge) for edge in self._definitions.edges):
            self._ids["end", box.name, ""] = f"e{number}"
            lines.append(f"e{number} " + _attributes(
                label="", shape="doublecircle", width=0.1, height=0.1, kind="end", flow=box.name))
        return [*lines, "}"]

    def _takers(self, edge):
        """The steps of parents to which an edge leads."""
        return [("step", parent, edge.target) for parent in self._definitions.parents_of(edge.flow)
                if edge.target in self._definitions.flows[parent].steps]

    def _edge(self, edge):
        source = self._ids.get(("step", edge.flow, edge.step)) if edge.step else self._begins[edge.flow]
        targets, options = [], {}
        if edge.kind == "screen":
            targets = [self._ids["screen", edge.flow, edge.target]]
        elif edge.kind == "flow":
            if edge.target in self._begins:
                targets = [self._begins[edge.target]]
                options["lhead"] = f"cluster_{list(self._begins).index(edge.target)}"
        elif edge.kind in {"current", "back", "timer"}:
            targets = [self._ids["step", edge.flow, edge.target]]
        elif edge.kind in {"dismissed", "result"}:
            source = self._ids.get(("screen", edge.flow, edge.label)) or source
            targets = [self._ids["step", edge.flow, edge.target]]
        else:  # "parent", or "end", perhaps with a step for the parent
            targets = [self._ids[key] for key in self._takers(edge)]
        if edge.kind == "end" and not targets:
            targets = [self._ids["end", edge.flow, ""]]
            options["label"] = "end"
        elif edge.kind in LOOSE:
            options["constraint"] = "false"
            options["label"] = {"end": "end", "dismissed": "gone", "result": "result"}.get(edge.kind, "")
        if edge.kind in {"screen", "flow"} and edge.label:
            options["label"] = edge.label
        return [f"{source} -> {target} " + _attributes(kind=edge.kind, flow=edge.flow, step=edge.step, **options)
                for target in targets if source]


def dot_command():
    """The program that puts things in place; None if it is not installed."""
    return shutil.which("dot")


def lay_out(definitions):
    """Puts the definitions in place. Takes a while for large ones, so views call it in a thread."""
    if not definitions.flows:
        return Layout()
    program = dot_command()
    if program is None:
        raise GraphError("there is no program 'dot', which puts the flows in place; the Debian package 'graphviz' has it")
    done = subprocess.run([program, "-Tjson"], input=Drawing(definitions).text(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise GraphError(f"dot failed with {done.returncode}: {done.stderr.strip()}")
    return read_layout(json.loads(done.stdout))


def read_layout(drawn):
    """What dot put in place, with the origin in the upper left corner."""
    left, low, right, high = map(float, drawn["bb"].split(","))
    layout = Layout(right - left, high - low)

    def point(text):
        x, y = map(float, text.split(","))
        return x - left, high - y

    for item in drawn.get("objects", []):
        kind = item.get("kind")
        if kind == "flow":
            x0, y0, x1, y1 = map(float, item["bb"].split(","))
            notes = (item["note"],) if item.get("note") else ()
            layout.shapes.append(Shape(
                kind, item["flow"], item["flow"], (x0 + x1) / 2 - left, high - (y0 + y1) / 2, x1 - x0, y1 - y0, notes))
        elif kind:
            x, y = point(item["pos"])
            layout.shapes.append(Shape(
                kind, item["flow"], item.get("name", ""), x, y, float(item["width"]) * 72, float(item["height"]) * 72, (),
                item.get("rule", "yes") == "yes"))
    layout.shapes.sort(key=lambda shape: shape.kind != "flow")
    for item in drawn.get("edges", []):
        if not item.get("kind") or "pos" not in item:
            continue
        points, tip = [], None
        for part in item["pos"].split():
            if part.startswith("e,"):
                tip = point(part[2:])
            elif not part.startswith("s,"):
                points.append(point(part))
        label_at = point(item["lp"]) if "lp" in item else None
        layout.lines.append(Line(item["kind"], item["flow"], item.get("step", ""), tuple(points), tip,
                                 item.get("label", "") if label_at else "", label_at))
    return layout


def marks_of(lived):
    """What is live of the definitions: for each flow, and each screen in a flow, how many live, and how many are presented.

    ``lived`` has tuples of the path, the name, whether it is a flow, and whether it is presented.
    """
    names, marks = {}, {}
    for path, name, is_flow, is_presented in lived:
        names[path] = name
        key = ("flow", name, name) if is_flow else ("screen", names.get(parent_of(path), ""), name)
        live, presented = marks.get(key, (0, 0))
        marks[key] = (live + 1, presented + bool(is_presented))
    return marks
