# SPDX-License-Identifier: Apache-2.0
"""The thread in which a device's programs are called, so that they answer while the test waits for something else."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from gi.repository import GLib

__tracebackhide__ = True  # pytest shows the line of the test instead.

Result = TypeVar("Result")


# A function in the loop waits for nobody, so it is done in no time.
_TIMEOUT = 60


class Loop:
    """A GLib main loop in a thread of its own."""

    # One for all devices of a process: PyGObject never gives the descriptors of a context back. A fork has no threads.
    _shared: tuple[int, Loop] | None = None

    @classmethod
    def shared(cls) -> Loop:
        if cls._shared is None or cls._shared[0] != os.getpid():
            cls._shared = (os.getpid(), cls())
        return cls._shared[1]

    def __init__(self) -> None:
        self._context = GLib.MainContext.new()
        self._loop = GLib.MainLoop.new(self._context, False)
        self._thread = threading.Thread(target=self._run, name="flowbus device", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._context.push_thread_default()
        try:
            self._loop.run()
        finally:
            self._context.pop_thread_default()

    @property
    def is_current(self) -> bool:
        return threading.current_thread() is self._thread

    def call(self, function: Callable[[], Result]) -> Result:
        """Calls a function in the thread, after all that waits there, and returns what it returns."""
        if self.is_current:
            return function()
        future: Future[Result] = Future()

        def run(_data: object = None) -> bool:
            try:
                future.set_result(function())
            except BaseException as error:  # noqa: BLE001 - it goes to the caller.
                future.set_exception(error)
            return bool(GLib.SOURCE_REMOVE)

        source = GLib.idle_source_new()
        source.set_priority(GLib.PRIORITY_DEFAULT)  # That of the calls that come in, so that they keep their order.
        source.set_callback(run)
        source.attach(self._context)
        return future.result(_TIMEOUT)

    def barrier(self) -> None:
        """Returns when all that waited in the thread is done."""
        self.call(lambda: None)
