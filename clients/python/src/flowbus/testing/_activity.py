# SPDX-License-Identifier: Apache-2.0
"""What is under way on a device, and what went wrong where the test could not see it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ._errors import TimeoutError

__tracebackhide__ = True  # pytest shows the line of the test instead.


class Activity:
    """Counts what happens, and waits for it. All threads of a device use it."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._under_way: dict[object, str] = {}
        self._waiting: list[threading.Event] = []
        self._failures: list[BaseException] = []
        self._transcript: list[str] = []
        self._closed = False
        # How many messages of the played programs there were, and how many changes of the tree and the bus.
        self.messages = 0
        self.changes = 0

    def note(self, line: str) -> None:
        self._transcript.append(line)

    @property
    def transcript(self) -> str:
        return "\n".join(self._transcript)

    def touch(self) -> None:
        """A message came or was answered, so the device is not settled."""
        with self._condition:
            self.messages += 1
            self._condition.notify_all()

    def changed(self, *_signal: object) -> None:
        """The tree changed, or who is on the bus."""
        with self._condition:
            self.changes += 1
            self._condition.notify_all()

    def begin(self, what: str, key: object = None) -> Callable[[], None]:
        """Something is under way until the returned function is called."""
        key = key or object()
        with self._condition:
            self._under_way[key] = what

        def done() -> None:
            with self._condition:
                self._under_way.pop(key, None)
            self.touch()

        return done

    def fail(self, error: BaseException) -> None:
        """What went wrong where the test could not see it is raised where it can."""
        with self._condition:
            self._failures.append(error)
            self._condition.notify_all()

    def raise_failure(self) -> None:
        with self._condition:
            if self._failures:
                raise self._failures.pop(0)

    def run_script(self, what: str, script: Callable[[], object]) -> None:
        """Runs a function of the test in a thread of its own."""
        def run() -> None:
            try:
                script()
            except BaseException as error:  # noqa: BLE001 - the test gets it.
                # A program that was killed meanwhile fails in whatever it does.
                if not self._closed and not isinstance(error, ConnectionError):
                    error.add_note(f"in {what}")
                    self.fail(error)
            finally:
                done()

        thread = threading.Thread(target=run, name=what, daemon=True)
        done = self.begin(what, thread)
        thread.start()

    def wait_for_event(self, event: threading.Event, what: str) -> None:
        """In a script: waits for the test, so the script is not under way meanwhile."""
        thread = threading.current_thread()
        with self._condition:
            self._waiting.append(event)
            under_way = self._under_way.pop(thread, None)
            self._condition.notify_all()
        event.wait()
        with self._condition:
            self._waiting.remove(event)
            if under_way is not None:
                self._under_way[thread] = under_way
        if self._closed:
            raise ConnectionError(f"{what} waited for an event that was not set before the end of the test")

    def wait(self, condition: Callable[[], object], what: str, timeout: float) -> None:
        """Waits until a condition is met that messages or changes can bring about."""
        with self._condition:
            done = self._condition.wait_for(lambda: self._failures or condition(), timeout)
        self.raise_failure()
        if not done:
            raise TimeoutError(f"the test waited for {what}, more than {timeout:g} s")

    def wait_quiet(self, deadline: float, timeout: float) -> None:
        """Waits until nothing is under way but the script that asks."""
        with self._condition:
            done = self._condition.wait_for(
                lambda: self._failures or self._is_quiet(), max(0, deadline - time.monotonic()))
        self.raise_failure()
        if not done:
            raise TimeoutError(
                f"still under way after {timeout:g} s: {', '.join(self._under_way.values())}; a script that waits for the test "
                "calls wait(event) of its screen or question")

    def wait_changed(self, seen: int, deadline: float) -> bool:
        """Waits until there were other changes than those that were seen; returns whether there were."""
        with self._condition:
            return bool(self._condition.wait_for(
                lambda: self.changes != seen or self._failures, max(0, deadline - time.monotonic())))

    def close(self) -> None:
        """Lets scripts that wait for an event end."""
        self._closed = True
        for event in list(self._waiting):
            event.set()

    def _is_quiet(self) -> bool:
        own = threading.current_thread()
        return all(key is own for key in self._under_way) and not any(event.is_set() for event in self._waiting)
