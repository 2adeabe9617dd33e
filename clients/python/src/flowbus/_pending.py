# SPDX-License-Identifier: Apache-2.0
"""Results that come later, and coroutines that wait for them in GLib's main loop."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar

from gi.repository import GLib

Result = TypeVar("Result")
_log = logging.getLogger("flowbus")


class Pending(Awaitable[Result], Generic[Result]):
    """The result of a call that is under way, for ``await`` or ``when_done``.

    Nobody has to wait for it. An error that nobody waits for is logged.
    """

    def __init__(self, what: str, *, logs: bool = True) -> None:
        self._what = what
        self._logs = logs
        self._done = False
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Pending[Result]], object]] = []

    def __repr__(self) -> str:
        state = "under way" if not self._done else f"failed: {self._error}" if self._error else f"{self._result!r}"
        return f"<Pending {self._what}: {state}>"

    @property
    def is_done(self) -> bool:
        return self._done

    def result(self) -> Result:
        """The result, when it is there. The error of the call is raised here."""
        if not self._done:
            raise RuntimeError(f"{self._what} is still under way; 'await' it, or give when_done() a function")
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def when_done(self, function: Callable[[Pending[Result]], object]) -> None:
        """Calls a function with this object from the main loop, when the result is there."""
        if self._done:
            GLib.idle_add(_once(function), self)
        else:
            self._callbacks.append(function)

    def __await__(self) -> Generator[Pending[Result], None, Result]:
        if not self._done:
            yield self
        return self.result()

    def succeed(self, result: Result) -> None:
        self._finish(result, None)

    def fail(self, error: BaseException) -> None:
        self._finish(None, error)

    def _finish(self, result: Result | None, error: BaseException | None) -> None:
        self._done, self._result, self._error = True, result, error
        if error is not None and self._logs and not self._callbacks:
            _log.error("%s failed: %s", self._what, error)
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)


def _once(function: Callable[..., object]) -> Callable[..., bool]:
    def call(*values: object) -> bool:
        function(*values)
        return bool(GLib.SOURCE_REMOVE)

    return call


def run(coroutine: Coroutine[Any, Any, Result], what: str = "a coroutine") -> Pending[Result]:
    """Starts a coroutine, which may ``await`` what this package returns, and goes on in GLib's main loop.

    It runs at once up to its first ``await``.
    """
    return _run(coroutine, Pending(what))


def _run(coroutine: Coroutine[Any, Any, Result], pending: Pending[Result]) -> Pending[Result]:

    def go_on(_done: object = None) -> None:
        try:
            waits_for = coroutine.send(None)
        except StopIteration as end:
            pending.succeed(end.value)
        except BaseException as error:  # noqa: BLE001 - who awaits gets it.
            pending.fail(error)
        else:
            if isinstance(waits_for, Pending):
                waits_for.when_done(go_on)
            else:
                coroutine.close()
                pending.fail(TypeError(
                    f"it awaits '{waits_for}', which GLib's main loop can't wait for: await what flowbus returns"))

    go_on()
    return pending


def when_returned(value: object, function: Callable[[object, BaseException | None], None], what: str) -> None:
    """Calls a function with what another one returned, or with what the coroutine that it returned comes to."""
    if not inspect.iscoroutine(value):
        function(value, None)
        return
    pending = _run(value, Pending(what, logs=False))

    def done(pending: Pending[Any]) -> None:
        try:
            result = pending.result()
        except BaseException as error:  # noqa: BLE001 - the function gets it.
            function(None, error)
        else:
            function(result, None)

    if pending.is_done:
        done(pending)
    else:
        pending.when_done(done)
