# SPDX-License-Identifier: Apache-2.0
"""The tree of flows and screens, as a value that tests compare."""

from __future__ import annotations

import difflib
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._values import FLOWBUS, TREE, node_path

__tracebackhide__ = True  # pytest shows the line of the test instead.

_UNIT = 4  # The width of one level, both in flowbusctl's lines and in plain indentation.
_IGNORED = re.compile(r", (owner :[\d.]+( \([^)]*\))?|\d+ unanswered)")


@dataclass(frozen=True)
class Node:
    """A live flow or screen. ``waiting`` is why it can't be shown yet; empty if it does not wait."""

    path: str
    name: str
    is_flow: bool
    instance: int
    arguments: Mapping[str, Any]
    style: str
    title: str
    waiting: str
    visible: bool
    presented: bool
    current: bool
    in_sight: bool
    ready: bool
    evicted: bool
    owner: str
    presenter: str

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def depth(self) -> int:
        return self.path.count("/")

    @property
    def marks(self) -> str:
        """What flowbusctl prints beside the node, but for its owner."""
        marks = ["flow" if self.is_flow else "screen"]
        if self.name != self.id:
            marks[0] += f" {self.name}"
        marks.append("presented" if self.presented else "visible" if self.visible else "hidden")
        if self.current:
            marks.append("current")
        if not self.ready:
            marks.append("not ready")
        if self.evicted:
            marks.append("evicted")
        if self.style:
            marks.append(f"style {self.style}")
        if self.title:
            marks.append(f"title '{self.title}'")
        if self.waiting:
            marks.append(f"waiting: {self.waiting}")
        arguments = " ".join(f"{name}={_text(value)}" for name, value in self.arguments.items())
        return ", ".join(marks) + ("  " + arguments if arguments else "")


class Tree(Mapping[str, Node]):
    """All live flows and screens by their paths, parents first.

    It is equal to the text that ``flowbusctl tree --arguments`` prints for it; owners and the width of columns do not
    count, and four spaces may stand for each level of branches.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = {node.path: node for node in nodes}

    def __getitem__(self, path: str) -> Node:
        try:
            return self._nodes[path]
        except KeyError:
            raise KeyError(f"there is no live flow or screen '{path}'; the tree is\n{self}") from None

    def __contains__(self, path: object) -> bool:
        return path in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def paths(self) -> list[str]:
        return list(self._nodes)

    @property
    def presented(self) -> list[str]:
        """The paths of the screens that are presented."""
        return [node.path for node in self._nodes.values() if node.presented and not node.is_flow]

    def __str__(self) -> str:
        heads = [" " * _UNIT * node.depth + node.id for node in self._nodes.values()]
        width = max(map(len, heads), default=0)
        return "\n".join(
            f"{head:{width}}  {node.marks}" for head, node in zip(heads, self._nodes.values(), strict=True))

    def __repr__(self) -> str:
        return f"<Tree\n{self}>"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Tree):
            return self._nodes == other._nodes
        if isinstance(other, str):
            return normalized(str(self)) == normalized(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def difference(self, text: str) -> list[str]:
        """The lines of a report about a text that the tree should have been equal to."""
        return [line for line in difflib.ndiff(normalized(text), normalized(str(self))) if not line.startswith("?")]


def normalized(text: str) -> list[str]:
    """The lines of a tree in one form: four spaces for each level, and single spaces between what follows."""
    text = re.sub(r"(?m)^[ │├└─|`-]*", lambda branches: " " * len(branches[0]), text)
    result = []
    for line in textwrap.dedent(text).splitlines():
        if not line.strip():
            continue
        words = _IGNORED.sub("", line).split()
        indentation = len(line) - len(line.lstrip())
        result.append(" " * indentation + " ".join(words))
    return result


def _text(value: object) -> str:
    """A value as flowbusctl prints it: strings of several words are in double quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = bool(value) and value.isprintable() and not re.search(r"[\s\"'\\,]", value)
        return value if plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return repr(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(objects: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Tree:
    """The tree that GetManagedObjects describes."""
    currents = {
        interfaces[f"{FLOWBUS}.Flow"]["Current"] for interfaces in objects.values() if f"{FLOWBUS}.Flow" in interfaces}
    found: dict[str, Node] = {}
    for path, interfaces in objects.items():
        node = interfaces.get(f"{FLOWBUS}.Presentable")
        if node is None or not path.startswith(TREE + "/"):
            continue
        flow = interfaces.get(f"{FLOWBUS}.Flow")
        found[node_path(path)] = Node(
            path=node_path(path), name=node["Name"], is_flow=flow is not None, instance=node["Instance"],
            arguments=node["Arguments"], style=node["Style"], title=node.get("Title", ""),
            waiting=node.get("Waiting", ""), visible=node["Visible"],
            presented=node["Presented"], current=path in currents, in_sight=node.get("InSight", False),
            ready=flow is None or flow["Ready"], evicted=node.get("Evicted", False), owner=node["Owner"],
            presenter=node.get("Presenter", ""))
    return Tree(_in_tree_order(list(found.values())))


def _in_tree_order(nodes: list[Node]) -> list[Node]:
    """Each node before its children, and those before its next sibling; siblings keep their order."""
    children: dict[str, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.path.rpartition("/")[0], []).append(node)
    ordered: list[Node] = []
    left = list(reversed(children.get("", [])))
    while left:
        node = left.pop()
        ordered.append(node)
        left += reversed(children.get(node.path, []))
    return ordered
