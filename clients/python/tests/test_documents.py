# SPDX-License-Identifier: Apache-2.0
"""The examples of the documents run as they are printed."""

import os
import re
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
GUIDE = TOP / "docs" / "testing-a-device.md"
README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```(?:python|toml)\n# (?P<name>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(document):
    return {match["name"]: match["text"] for match in BLOCK.finditer(document.read_text("utf-8"))}


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def test_every_example_has_a_name():
    for document in (GUIDE, README):
        text = document.read_text("utf-8")
        assert len(examples(document)) == len(re.findall(r"^```(python|toml)$", text, re.MULTILINE)) > 2


@pytest.mark.parametrize("name", sorted(name for name in examples(GUIDE) if name.startswith("test_")))
def test_the_guide(pytester, monkeypatch, libflowbus, name):
    run(pytester, monkeypatch, examples(GUIDE), name)


@pytest.mark.parametrize("name", sorted(name for name in examples(README) if name.startswith("test_")))
def test_the_readme(pytester, monkeypatch, name):
    run(pytester, monkeypatch, {**examples(README), "flows.d/shop.toml": examples(GUIDE)["flows.d/shop.toml"]}, name)


def run(pytester, monkeypatch, files, name):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, map(os.path.abspath, sys.path))))
    write(pytester.path, files)
    plugin = [] if os.environ.get("FLOWBUS_TEST_INSTALLED") else ["-p", "flowbus.testing.plugin"]
    result = pytester.runpytest_subprocess(*plugin, name)
    outcomes = result.parseoutcomes()
    assert outcomes == {"passed": files[name].count("def test_")}


def test_the_program_of_the_readme(flowbus, mouse, display, tmp_path):
    write(tmp_path, {**examples(README), "flows.d/shop.toml": examples(GUIDE)["flows.d/shop.toml"]})
    device = flowbus(tmp_path / "flows.d", environment=display)
    device.program("org.example.Shop", [sys.executable, tmp_path / "shop.py"])
    device.wait_presented("shop/list")
    mouse.click("Shop", 20, 10)
    assert device.wait_presented("shop/detail").title == "Item 7"
    mouse.key("Item 7", "Escape")
    device.wait_presented("shop/list")


def test_the_coroutines_of_the_readme(flowbus, libflowbus, tmp_path):
    write(tmp_path, {**examples(README), "flows.d/shop.toml": examples(GUIDE)["flows.d/shop.toml"]})
    device = flowbus(tmp_path / "flows.d")
    for name in ("org.example.Shop", "org.example.Auth"):
        device.program(name, [sys.executable, tmp_path / "contacts.py"])
    device.presenter("picker", answers={"contact": 12})
    device.presenter("pay")
    device.wait_said("picked 12")
    device.wait_said("InvalidArguments")
    device.emit("shop/list", "payAsked", cents=1)
    assert device.emit("shop/payment/pay", "paid") == "rejected"
    assert device.emit_with_options("shop/payment/pay", "paid", interactive=True) == "navigated"


def test_the_failure_of_the_guide_is_what_pytest_prints(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, map(os.path.abspath, sys.path))))
    files = examples(GUIDE)
    files["test_shop.py"] = files["test_shop.py"].replace(
        '    device.presenter("list")\n', '    device.presenter("list")\n    device.presenter("detail", refuses="no memory")\n')
    write(pytester.path, files)
    plugin = [] if os.environ.get("FLOWBUS_TEST_INSTALLED") else ["-p", "flowbus.testing.plugin"]
    result = pytester.runpytest_subprocess(*plugin, "test_shop.py")
    printed = re.search(r"^```\n(E .*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)[1].splitlines()
    for line in printed:
        assert any(other.startswith(line) for other in result.outlines), line
