# SPDX-License-Identifier: Apache-2.0
"""A screen that shows an item, whatever it is written in: what the device has to see. Also used by reliability/foreign."""

NAME = "com.example.Item"
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


def _title(device, text):
    return device.wait_for(lambda tree: "shop/item" in tree and tree["shop/item"].presented and tree["shop/item"].title == text, text)["shop/item"]


def _end(device):
    """What the flow has learned of the screen that has gone."""
    arguments = device.wait_for(lambda tree: "shop/end" in tree, "the end")["shop/end"].arguments
    device.emit("shop", "closed")
    device.wait_gone("shop/end")
    return arguments


def play(device, program):
    """The program, by its command, on a device with FLOWS."""
    device.program(NAME, program)
    device.show("shop/home")
    # It shows an item, by its title, and another one.
    device.emit("shop", "opened", item=7)
    instance = _title(device, "Item 7, seen 1").instance
    device.emit("shop", "opened", item=2**31 - 1)
    _title(device, f"Item {2**31 - 1}, seen 1")
    # It keeps its state when its process is killed.
    device.kill(NAME)
    assert _title(device, f"Item {2**31 - 1}, seen 2").instance == instance, "another screen has come after the kill"
    # It survives flowbusd.
    owner = device.tree()["shop/item"].owner
    device.kill_flowbusd()
    assert _title(device, f"Item {2**31 - 1}, seen 2").owner == owner, "another process has the screen after flowbusd was killed"
    # It is withdrawn.
    device.back("shop/item")
    device.wait_said(f"withdrawn: {instance} back")
    end = _end(device)
    assert end["reason"] == "back", f"the screen that Back dismissed ended with {end}"
    # It goes back by itself.
    device.emit("shop", "opened", item=13)
    end = _end(device)
    assert end["reason"] == "back", f"the screen that goes back by itself ended with {end}"
    # It fails with a reason.
    device.emit("shop", "opened", item=-1)
    end = _end(device)
    assert end == {"reason": "failed", "error": "com.example.Error.NoItem", "message": "there is no item -1"}, f"the screen that fails ended with {end}"
