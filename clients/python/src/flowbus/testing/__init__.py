# SPDX-License-Identifier: Apache-2.0
"""Tests of whole devices: a private bus, flowbusd with definitions, and programs that a test plays.

With pytest, the fixture ``flowbus`` makes a device; ``Device`` does so without it. Nothing here needs libflowbus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._answers import Answer, Asked, Emission, Outcome, Verdict
from ._errors import CallError, DefinitionError, DeviceError, MissingProgramError, TimeoutError

if TYPE_CHECKING:
    from ._client import Client
    from ._device import Device
    from ._program import Program
    from ._screen import Call, PlayedScreen, Question
    from ._tree import Node, Tree
    from .plugin import DeviceFactory

__all__ = [
    "Answer", "Asked", "Call", "CallError", "Client", "DefinitionError", "Device", "DeviceError", "DeviceFactory", "Emission",
    "MissingProgramError", "Node", "Outcome", "PlayedScreen", "Program", "Question", "TimeoutError", "Tree", "Verdict"]

# pytest imports this package in each of its runs; what needs GLib is imported when it is used.
_MODULES = {
    "Client": "_client", "Device": "_device", "Program": "_program", "Call": "_screen", "PlayedScreen": "_screen",
    "Question": "_screen", "Node": "_tree", "Tree": "_tree", "DeviceFactory": "plugin"}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        from .._lazy import load

        return load(__name__, _MODULES[name], name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
