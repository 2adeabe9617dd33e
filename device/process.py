# SPDX-License-Identifier: Apache-2.0
"""A process of the device."""

import asyncio
import collections
import contextlib
import subprocess
import sys

UNAVAILABLE = 69
# As RestartSec=, RestartSteps= and RestartMaxDelaySec= of the units; a process that ran for so long begins anew. In seconds.
PAUSES, CALM = (1, 2, 4, 8, 15, 30), 60


class Failure(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Process:
    """A process that is started again as its unit would be, and whose lines are logged with its name."""

    width = 0

    def __init__(self, device, name, command, restart="on-failure", prevents=(), variables=None):
        self.device, self.name, self.command, self.variables = device, name, command, variables or {}
        self.restart, self.prevents = restart, prevents  # As Restart= and RestartPreventExitStatus=.
        self.task, self.pause, self.last, self.askers = None, None, collections.deque(maxlen=10), []
        self.first_line, self.lines = asyncio.get_running_loop().create_future(), None  # Lines are a queue where its output is no log.
        self.says_ready = False
        Process.width = max(Process.width, len(name))

    def log(self, line):
        self.last.append(line)
        print(f"{self.name:{Process.width}} {line}", file=sys.stderr, flush=True)

    def start(self):
        """Starts it: at once if it is to start later."""
        if self.pause:
            self.pause.set()
        elif not self.task or self.task.done():
            self.task = asyncio.ensure_future(self.run())

    async def run(self):
        failures = 0
        while True:
            begun = asyncio.get_running_loop().time()
            status = await self.run_once()
            for asker in self.askers:
                self.device.answer(asker, status)
            self.askers = []
            if self.restart == "no" or status in self.prevents or self.restart == "on-failure" and status == 0:
                return status
            failures = 0 if asyncio.get_running_loop().time() - begun > CALM else failures
            time = PAUSES[min(failures, len(PAUSES) - 1)]
            failures += 1
            self.log(f"(ended with status {status}; again in {time} s)")
            self.pause = asyncio.Event()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.pause.wait(), time)
            self.pause = None

    async def run_once(self):
        try:
            process = await self.device.spawn(self.command, self.variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                              stderr=subprocess.PIPE if self.lines else subprocess.STDOUT)
        except OSError as error:
            self.log(f"can't be started: '{self.command[0]}': {error.strerror}")
            return 127
        readings = [self.device.keep(self.read(it, self.lines and it is process.stdout)) for it in (process.stdout, process.stderr) if it]
        status = await process.wait()
        await asyncio.wait(readings, timeout=0.2)  # What it has started can still write.
        return 128 - status if status < 0 else status

    async def read(self, stream, is_answer):
        while True:
            try:
                line = await stream.readline()
            except ValueError:
                continue  # Too long for a line.
            if not line:
                return
            text = line.decode(errors="replace").rstrip("\n")
            if self.says_ready and (not text or text.startswith("ready ")):
                if text and not self.first_line.done():
                    self.first_line.set_result(text.removeprefix("ready "))
            elif is_answer:
                self.lines.put_nowait(text)
            else:
                self.log(text)

    async def ready(self):
        """Starts it, and waits for the line by which it says that it is up; the rest of that line."""
        self.says_ready = True
        self.start()
        await asyncio.wait([self.first_line, self.task], return_when=asyncio.FIRST_COMPLETED)
        if not self.first_line.done():
            self.fail()
        return self.first_line.result()

    def fail(self):
        status = self.task.result() if self.task and self.task.done() else "an error"
        raise Failure(UNAVAILABLE, "\n    ".join([f"'{self.name}' has ended with status {status}; its last lines:", *self.last]))
