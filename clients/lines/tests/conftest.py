# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a device, and programs that take part by lines. Each line, in and out, is held against the schema."""

import json
import os
import queue
import subprocess
import threading
from pathlib import Path

import jsonschema
import pytest

CONNECT = os.environ["FLOWBUS_CONNECT"]
TIMEOUT = 30
SCHEMA = json.loads((Path(__file__).resolve().parents[3] / "schema/flowbus.lines.schema.json").read_text())

FLOWS = """
version = 1

[context]
language = { type = "string", initial = "en" }

[steps]
start    = {}
opened   = { item = "int64", share = "double?", tags = "as?", where = "path?", parts = "a{si}?" }
payAsked = { cents = "uint32" }
asked    = {}
answered = { contact = "int64" }
gone     = { reason = "string", error = "string?", message = "string?" }
slow     = {}
closed   = {}
hidden   = {}
decided  = { where = "string" }
language = { to = "string" }

[screens]
home   = {}
other  = {}
end    = { arguments = { reason = "string", error = "string?", message = "string?" } }
detail = { presenter = "com.example.Lines", arguments = { item = "int64" }, whenOwnerGone = "present", stateOnDisk = true, context = ["language"] }
picker = { presenter = "com.example.Lines", result = { contact = "int64", public = true } }
watched = { presenter = { name = "com.example.Watched", path = "/a/b" }, watchdog = "50ms", whenOwnerGone = "keep" }
given  = { arguments = { contact = "int64" } }
paid   = { arguments = { cents = "uint32" } }

[[autostart]]
flow = "shop"
[flows.shop]
initial  = "start"
children = "stack"
guard    = { name = "com.example.Lines", steps = ["payAsked", "slow"] }
[flows.shop.on]
start    = { screen = "home" }
opened   = { screen = "detail", onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
asked    = { screen = "picker", onResult = { step = "answered" } }
answered = { screen = "given" }
payAsked = { screen = "paid" }
gone     = { screen = "end" }
slow     = { none = true }
closed   = { pop = "root" }
hidden   = { screen = "watched" }
language = { set = { language = "$to" } }

[[autostart]]
flow = "decided"
[flows.decided]
navigator = { name = "com.example.Lines", steps = ["decided"] }
"""


def check(kind, line):
    jsonschema.validate(line, {**SCHEMA, "anyOf": [{"$ref": f"#/definitions/{kind}"}]})


class Lines:
    """A program that takes part by lines."""

    def __init__(self, device, *options):
        self.process = subprocess.Popen([CONNECT, "--address", device.address, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines = queue.Queue()
        self._kept, self._asked = [], 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def write(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def say(self, _is_right=True, **line):
        if _is_right:
            check("in", line)
        self.write(json.dumps(line).encode() + b"\n")

    def next(self, *keys):
        """The next line, or the next one that has one of these keys; what is passed over comes later."""
        for place, line in enumerate(self._kept):
            if not keys or any(key in line for key in keys):
                return self._kept.pop(place)
        while True:
            line = self._lines.get(timeout=TIMEOUT)
            assert line is not None, "there are no more lines"
            check("out", line)
            if not keys or any(key in line for key in keys):
                return line
            self._kept.append(line)

    def ask(self, _is_right=True, **line):
        self._asked += 1
        self.say(_is_right, id=f"ask {self._asked}", **line)
        while True:
            answer = self.next("id")
            if answer["id"] == f"ask {self._asked}":
                return {key: value for key, value in answer.items() if key != "id"}

    def end(self):
        self.process.stdin.close()
        return self.process.wait(TIMEOUT)


@pytest.fixture
def device(flowbus):
    device = flowbus(toml=FLOWS)
    device.show("shop/home")
    return device


@pytest.fixture
def connect(device):
    running = []

    def start(*options):
        running.append(Lines(device, *options))
        return running[-1]

    yield start
    for lines in running:
        lines.process.kill()
        lines.process.wait()
