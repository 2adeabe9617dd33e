# SPDX-License-Identifier: Apache-2.0
"""The same screen in several languages, without a D-Bus library: each of the programs of `examples` does the same."""

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import CONNECT

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NEEDED = {".sh": "jq", ".pl": "perl", ".py": "python3", ".js": "node", ".c": "cc"}
FLOWS = """
version = 1
[steps]
start  = {}
opened = { item = "int64" }
gone   = { reason = "string", error = "string?", message = "string?" }
closed = {}
[screens]
home = {}
item = { presenter = "com.example.Item", arguments = { item = "int64" }, whenOwnerGone = "present" }
end  = { arguments = { reason = "string", error = "string?", message = "string?" } }
[[autostart]]
flow = "shop"
[flows.shop]
initial  = "start"
children = "stack"
[flows.shop.on]
start  = { screen = "home" }
opened = { screen = "item", reuse = true, onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
gone   = { screen = "end" }
closed = { pop = "root" }
"""


@pytest.fixture(params=sorted(path.name for path in EXAMPLES.iterdir()))
def device(request, flowbus, tmp_path):
    program = EXAMPLES / request.param
    if not shutil.which(NEEDED[program.suffix]):
        pytest.skip(f"there is no {NEEDED[program.suffix]}")
    if program.suffix == ".c":
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-I/usr/include/json-c", "-o", tmp_path / "item", program, "-ljson-c"], check=True)
        program = tmp_path / "item"
    device = flowbus(toml=FLOWS, environment={"FLOWBUS_CONNECT": CONNECT})
    device.program("com.example.Item", [program])
    device.show("shop/home")
    return device


def title(device, text):
    return device.wait_for(lambda tree: "shop/item" in tree and tree["shop/item"].presented and tree["shop/item"].title == text, text)["shop/item"]


def end(device):
    """What the flow has learned of the screen that has gone."""
    arguments = device.wait_for(lambda tree: "shop/end" in tree, "the end")["shop/end"].arguments
    device.emit("shop", "closed")
    device.wait_gone("shop/end")
    return arguments


def test_the_same_screen(device):
    # It shows an item, by its title, and another one.
    device.emit("shop", "opened", item=7)
    instance = title(device, "Item 7, seen 1").instance
    device.emit("shop", "opened", item=2**31 - 1)
    title(device, f"Item {2**31 - 1}, seen 1")
    # It keeps its state when its process is killed.
    device.kill("com.example.Item")
    assert title(device, f"Item {2**31 - 1}, seen 2").instance == instance
    # It survives flowbusd.
    owner = device.tree()["shop/item"].owner
    device.kill_flowbusd()
    assert title(device, f"Item {2**31 - 1}, seen 2").owner == owner
    # It is withdrawn.
    device.back("shop/item")
    device.wait_said(f"withdrawn: {instance} back")
    assert end(device)["reason"] == "back"
    # It goes back by itself.
    device.emit("shop", "opened", item=13)
    assert end(device)["reason"] == "back"
    # It fails with a reason.
    device.emit("shop", "opened", item=-1)
    assert end(device) == {"reason": "failed", "error": "com.example.Error.NoItem", "message": "there is no item -1"}


@pytest.mark.parametrize("program", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_an_example_has_40_lines(program):
    assert len(program.read_text().splitlines()) <= 40
