# SPDX-License-Identifier: Apache-2.0
"""flowbus for Python: windows of screens in a few lines, and tests of devices.

``Presenter`` needs the typelib Flowbus-1, and for windows FlowbusGtk4-1. ``flowbus.testing`` needs neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._verdict import Verdict

if TYPE_CHECKING:
    from ._error import Error, Refused
    from ._pending import Pending, run
    from ._presenter import BackPeek, Presenter, Question
    from ._screen import Answer, Screen

__all__ = ["Answer", "BackPeek", "Error", "Pending", "Presenter", "Question", "Refused", "Screen", "Verdict", "run"]

# pytest imports this package in each of its runs, for the fixture; what needs libflowbus is imported when it is used.
_MODULES = {
    "Answer": "_screen", "BackPeek": "_presenter", "Error": "_error", "Pending": "_pending", "Presenter": "_presenter",
    "Question": "_presenter", "Refused": "_error", "Screen": "_screen", "run": "_pending"}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from ._lazy import load

        return load(__name__, _MODULES[name], name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
