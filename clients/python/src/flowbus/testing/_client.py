# SPDX-License-Identifier: Apache-2.0
"""A client with a bus name, as those are that ``emitters`` name."""

from __future__ import annotations

from gi.repository import Gio

from . import _names
from ._actions import Actions
from ._errors import DeviceError
from ._program import Program

__tracebackhide__ = True  # pytest shows the line of the test instead.


class Client(Actions):
    """Does what the device does, as the owner of a bus name. Made by ``device.client``.

    If the test plays the program of that name, the client is this program; otherwise it owns the name until ``close()``.
    """

    def __init__(self, device: Actions, name: str, program: Program | None) -> None:
        self.device = device
        self.name = name
        self.timeout = device.timeout
        self.activity, self.loop, self.signals = device.activity, device.loop, device.signals
        self._program = program
        self._own: Gio.DBusConnection | None = None
        if program is None:
            self._own = device.connect()
            if not _names.take(self._own, name, self.timeout):
                self.close()
                raise DeviceError(f"the name '{name}' has an owner already, so no client of the test can own it")

    def __repr__(self) -> str:
        return f"<Client {self.name}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the name back. A played program keeps its own."""
        own, self._own = self._own, None
        if own is not None and not own.is_closed():
            own.close_sync(None)

    @property
    def is_closed(self) -> bool:
        return self._program is None and self._own is None

    @property
    def unique_name(self) -> str:
        """The name of its connection."""
        return str(self.connection.get_unique_name())

    @property
    def connection(self) -> Gio.DBusConnection:
        connection = self._program.connection if self._program else self._own
        if connection is None:
            raise DeviceError(f"'{self.name}' does not run" if self._program else f"the client '{self.name}' was closed")
        return connection

    def settle(self, timeout: float | None = None) -> None:
        self.device.settle(timeout)

    def connect(self) -> Gio.DBusConnection:
        return self.device.connect()
