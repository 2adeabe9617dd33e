# SPDX-License-Identifier: Apache-2.0
"""The imports of modules point one way: each can be read, and changed, without those that are built on it."""

import ast
import graphlib
from pathlib import Path

import pytest

import flowbus

SOURCES = Path(flowbus.__file__).parents[1]


def imports(sources):
    """What each module imports, also in functions and for types. That it needs the package around it to be there does not count."""
    files = {file.relative_to(sources).with_suffix("").parts: file for file in sorted(sources.glob("flowbus/**/*.py"))}
    names = {parts: ".".join(parts).removesuffix(".__init__") for parts in files}
    graph = {}
    for parts, file in files.items():
        found = set()
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = ".".join([*(parts[:-node.level] if node.level else ()), *filter(None, [node.module])])
                # Of a package, the words for a module are those for what is defined in the package itself.
                modules = {f"{origin}.{alias.name}" for alias in node.names} & set(names.values())
                found.update(modules if len(modules) == len(node.names) else {origin, *modules})
        graph[names[parts]] = sorted(found & set(names.values()))
    return graph


def circle(sources):
    try:
        graphlib.TopologicalSorter(imports(sources)).prepare()
    except graphlib.CycleError as error:
        return " imports ".join(reversed(error.args[1]))
    return ""


def test_no_modules_import_one_another():
    assert "flowbus._verdict" in imports(SOURCES)["flowbus.testing._answers"]
    assert circle(SOURCES) == ""


@pytest.mark.parametrize("line", [
    "from ._a import A", "from . import _a", "from ..kit._a import A", "import os, flowbus.kit._a", "from flowbus.kit import _a",
    "if TYPE_CHECKING:\n    from ._a import A", "def later():\n    from ._a import A"])
def test_a_circle_is_named(tmp_path, line):
    kit = tmp_path / "flowbus" / "kit"
    kit.mkdir(parents=True)
    for name, text in ("__init__", "from ._a import A"), ("_a", "from ._b import B"), ("_b", "from . import _c"), ("_c", line):
        (kit / f"{name}.py").write_text(f"{text}\n")
    found = circle(tmp_path)
    assert found and found in 2 * "flowbus.kit._a imports flowbus.kit._b imports flowbus.kit._c imports "


def test_what_is_taken_from_a_package_is_of_its_module(tmp_path):
    (tmp_path / "flowbus").mkdir()
    (tmp_path / "flowbus" / "__init__.py").write_text("from ._a import A, B\n")
    (tmp_path / "flowbus" / "_a.py").write_text("from . import B, _b\n")
    (tmp_path / "flowbus" / "_b.py").write_text("import ast\n")
    assert imports(tmp_path) == {"flowbus": ["flowbus._a"], "flowbus._a": ["flowbus", "flowbus._b"], "flowbus._b": []}
    assert circle(tmp_path) in ("flowbus imports flowbus._a imports flowbus", "flowbus._a imports flowbus imports flowbus._a")
