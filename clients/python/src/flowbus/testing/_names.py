# SPDX-License-Identifier: Apache-2.0
"""Who is on the bus."""

from __future__ import annotations

from gi.repository import Gio, GLib

from ._errors import CallError, TimeoutError
from ._values import BUS, BUS_PATH, call

__tracebackhide__ = True  # pytest shows the line of the test instead.

_DO_NOT_QUEUE = 4
_PRIMARY_OWNER = 1


def owner(connection: Gio.DBusConnection, name: str, timeout: float) -> str | None:
    """The unique name of the owner of a name; None if there is none."""
    try:
        (found,) = call(connection, BUS, BUS_PATH, BUS, "GetNameOwner", GLib.Variant("(s)", (name,)), timeout=timeout)
    except CallError:
        return None
    return str(found)


def take(connection: Gio.DBusConnection, name: str, timeout: float) -> bool:
    """Owns a name from now on; returns False if it has another owner."""
    (answer,) = call(
        connection, BUS, BUS_PATH, BUS, "RequestName", GLib.Variant("(su)", (name, _DO_NOT_QUEUE)), timeout=timeout)
    return bool(answer == _PRIMARY_OWNER)


def process_id(connection: Gio.DBusConnection, name: str, timeout: float) -> int:
    (found,) = call(
        connection, BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)), timeout=timeout)
    return int(found)


def processes(connection: Gio.DBusConnection, timeout: float) -> set[int]:
    """The processes that have a connection to the bus."""
    found = set()
    try:
        (names,) = call(connection, BUS, BUS_PATH, BUS, "ListNames", timeout=timeout)
        for name in names:
            if name.startswith(":"):
                try:
                    found.add(process_id(connection, name, timeout))
                except CallError:
                    pass  # It has left meanwhile.
    except (ConnectionError, CallError, TimeoutError):
        pass  # There is no bus any more, so its programs are on their own way out.
    return found


def reload(connection: Gio.DBusConnection, timeout: float) -> None:
    """Lets the bus read its service files again."""
    call(connection, BUS, BUS_PATH, BUS, "ReloadConfig", timeout=timeout)


def start(connection: Gio.DBusConnection, name: str, timeout: float) -> None:
    """Lets the bus start the program of a name."""
    call(connection, BUS, BUS_PATH, BUS, "StartServiceByName", GLib.Variant("(su)", (name, 0)), timeout=timeout)
