# SPDX-License-Identifier: Apache-2.0
"""What can go wrong in a test of a device."""

from __future__ import annotations


class DeviceError(Exception):
    """The device can't do what the test asks for, and why."""


class MissingProgramError(DeviceError):
    """A program that every device needs is not installed."""


class DefinitionError(DeviceError):
    """The definition files have errors; the message has flowbusd's diagnostics."""


class TimeoutError(DeviceError):  # noqa: A001 - the built-in one is for system calls.
    """What the test waits for did not happen in time."""


class CallError(Exception):
    """A call that a program of the device refused.

    ``name`` is the name of the D-Bus error, without the prefix of flowbus: ``UnknownStep``.
    """

    PREFIXES = ("org.flowbus.Navigation1.Error.", "org.freedesktop.DBus.Error.")

    def __init__(self, name: str, message: str) -> None:
        for prefix in self.PREFIXES:
            name = name.removeprefix(prefix)
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message
