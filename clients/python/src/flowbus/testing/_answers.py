# SPDX-License-Identifier: Apache-2.0
"""What comes back for a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, NamedTuple

from .._verdict import Verdict
from ._errors import TimeoutError

__all__ = ["Answer", "Asked", "Emission", "Outcome", "Verdict"]
__tracebackhide__ = True  # pytest shows the line of the test instead.


class Outcome(NamedTuple):
    """What became of a step on one flow of a deep link; ``verdict`` is empty if it failed with ``error``."""

    path: str
    verdict: str
    error: str
    message: str


class Answer(NamedTuple):
    """The answer to an ask."""

    outcome: str
    result: Mapping[str, Any]


class Emission:
    """A step that the test does not wait for yet."""

    def __init__(self, future: Future[Verdict], step: str, timeout: float) -> None:
        self._future = future
        self._step = step
        self._timeout = timeout

    @property
    def is_decided(self) -> bool:
        return self._future.done()

    def verdict(self) -> Verdict:
        """Waits for the verdict. An error of the step is raised here."""
        try:
            return self._future.result(self._timeout)
        except FutureTimeout:
            raise TimeoutError(f"the step '{self._step}' got no verdict within {self._timeout:g} s") from None


class Asked:
    """An ask: ``verdict`` is that of the step."""

    def __init__(self, verdict: Verdict, token: str, wait: Callable[[str], Answer]) -> None:
        self.verdict = verdict
        self.token = token
        self._wait = wait

    def answer(self) -> Answer:
        """Waits for the answer."""
        return self._wait(self.token)
