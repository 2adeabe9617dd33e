# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a device whose screens are command lines, and what their programs tell of themselves."""

import json
import os
import select
import time

import pytest

RUN = os.environ["FLOWBUS_RUN"]
PROGRAM = os.path.join(os.path.dirname(os.path.realpath(__file__)), "program")
TIMEOUT = 30
GRACE = "0.3"

FLOWS = """
version = 1

[steps]
start    = {}
shown    = { deed = "string", text = "string?", more = "string?" }
kept     = { deed = "string" }
picked   = {}
counted  = {}
listed   = {}
plain    = { deed = "string", text = "string" }
missing  = {}
opened   = {}
covered  = {}
uncovered = {}
withdrawn = {}
untaken  = {}
declined = { why = "string", code = "int64", text = "string?" }
paid     = {}
gone     = { reason = "string", error = "string?", message = "string?" }
got      = { name = "string?", number = "int64?", ok = "bool?", tags = "as?" }

[screens]
home  = {}
cover = {}
end   = { arguments = { reason = "string", error = "string?", message = "string?" } }
given = { arguments = { name = "string?", number = "int64?", ok = "bool?", tags = "as?" } }
refusal = { arguments = { why = "string", code = "int64", text = "string?" } }
receipt = {}
missing = { run = ["no-such-program"] }
readable = { run = ["/etc/passwd"] }

[screens.program]
run = ["@PROGRAM@", "@FIFO@", "$deed", "$text", "$more"]
exit = { 0 = "closed", 5 = "done", 6 = { step = "declined", arguments = { why = "$message", code = 7, text = "$text" } }, 7 = { step = "paid" }, 8 = { step = "untaken" } }
arguments = { deed = "string", text = "string?", more = "string?" }

[screens.kept]
run = ["@PROGRAM@", "@FIFO@", "$deed"]
exit = { 0 = "done" }
whenOwnerGone = "present"
arguments = { deed = "string" }

[screens.named]
run = ["@PROGRAM@", "@FIFO@", "print", "$text"]
result = { name = "string", public = true }
arguments = { text = "string" }

[screens.numbered]
run = ["@PROGRAM@", "@FIFO@", "print", "$text"]
result = { number = "int64", public = true }
arguments = { text = "string" }

[screens.several]
run = ["@PROGRAM@", "@FIFO@", "print", "$text"]
result = { name = "string", number = "int64?", ok = "bool?", tags = "as?", public = true }
arguments = { text = "string" }

[[autostart]]
flow = "main"
[flows.main]
initial  = "start"
children = "stack"
whenHidden = "allow"
[flows.main.on]
start     = { screen = "home" }
shown     = { screen = "program", reuse = true, onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
kept      = { screen = "kept", onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
missing   = { screen = "missing", onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
opened    = { screen = "readable", onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
covered   = { screen = "cover" }
uncovered = { dismiss = "cover" }
withdrawn = { dismiss = "program" }
declined  = { screen = "refusal" }
paid      = { screen = "receipt" }
gone      = { screen = "end" }
got       = { screen = "given" }
picked    = { none = true }
counted   = { none = true }
listed    = { none = true }
[[flows.main.on.plain]]
when = { deed = "named" }
screen = "named"
onResult = { step = "got" }
onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } }
[[flows.main.on.plain]]
when = { deed = "numbered" }
screen = "numbered"
onResult = { step = "got" }
onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } }
[[flows.main.on.plain]]
screen = "several"
onResult = { step = "got" }
onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } }
"""


class News:
    """What the programs tell, a line each."""

    def __init__(self, folder):
        self.path = str(folder / "news")
        os.mkfifo(self.path)
        os.mkfifo(self.path + ".in")
        # Both ends, so that it has no end when a program ends.
        self._file = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self._in = os.open(self.path + ".in", os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""

    def next(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._file], [], [], max(0, deadline - time.monotonic()))
            assert ready, "no program has told anything"
            self._rest += os.read(self._file, 65536)
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def is_silent(self):
        """Whether nothing was told that is not read. What a test waits for otherwise comes after what there could be."""
        ready, _, _ = select.select([self._file], [], [], 0)
        return not ready and not self._rest

    def tell(self, text):
        os.write(self._in, text.encode() + b"\n")

    def close(self):
        os.close(self._file)
        os.close(self._in)


class Process:
    """A process that a program told of. Its number is not given to another one as long as this is watched, if it still was there."""

    def __init__(self, number):
        self.number = number
        try:
            self._descriptor = os.pidfd_open(number)
        except ProcessLookupError:
            self._descriptor = None

    def is_alive(self):
        return self._descriptor is not None and not select.select([self._descriptor], [], [], 0)[0]

    def wait_ended(self):
        assert self._descriptor is None or select.select([self._descriptor], [], [], TIMEOUT)[0], f"the process {self.number} does not end"


@pytest.fixture
def news(tmp_path):
    news = News(tmp_path)
    yield news
    news.close()


def start(flowbus, news, *before):
    device = flowbus(toml=FLOWS.replace("@PROGRAM@", PROGRAM).replace("@FIFO@", news.path))
    device.program("org.flowbus.Run", [*before, RUN, "--grace", GRACE])
    device.show("main/home")
    return device


@pytest.fixture
def device(flowbus, news):
    return start(flowbus, news)
