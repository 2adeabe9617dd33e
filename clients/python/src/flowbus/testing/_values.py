# SPDX-License-Identifier: Apache-2.0
"""Python values as values of D-Bus, and the calls that carry them."""

from __future__ import annotations

from typing import Any

from gi.repository import Gio, GLib

from .._variant import dictionary, typed, variant
from ._errors import CallError, TimeoutError

__tracebackhide__ = True  # pytest shows the line of the test instead.

FLOWBUS = "org.flowbus.Navigation1"
ROOT = "/org/flowbus/Navigation1"
TREE = f"{ROOT}/tree"
INSTANCES = f"{ROOT}/instance"
BUS = "org.freedesktop.DBus"
BUS_PATH = "/org/freedesktop/DBus"
PROPERTIES = f"{BUS}.Properties"

__all__ = [
    "BUS", "BUS_PATH", "FLOWBUS", "INSTANCES", "PROPERTIES", "ROOT", "TREE", "call", "dictionary", "error", "node_path", "object_path",
    "typed", "variant"]


def object_path(node: str) -> str:
    """The object path of a flow or screen, which is given by its path, such as ``shop/list``, or by the object path."""
    if node.startswith("/org/"):
        return node
    path = f"{TREE}/{node.strip('/')}"
    if not GLib.Variant.is_object_path(path):
        raise ValueError(f"'{node}' can't be the path of a flow or screen: give one such as 'shop/list'")
    return path


def node_path(path: str) -> str:
    """The path in the tree of an object path."""
    return path.removeprefix(TREE + "/")


def error(failure: GLib.Error, what: str) -> Exception:
    """The exception for a call that failed."""
    name = Gio.DBusError.get_remote_error(failure)
    if name is None:
        if failure.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT):
            return TimeoutError(f"{what} got no answer in time")
        return ConnectionError(f"{what} failed: {failure.message}")
    message = str(failure.message)
    return CallError(name, message.removeprefix(f"GDBus.Error:{name}: "))


def call(
        connection: Gio.DBusConnection, destination: str, path: str, interface: str, method: str,
        arguments: GLib.Variant | None = None, *, timeout: float, interactive: bool = False) -> tuple[Any, ...]:
    """Calls a method, and returns what it answers."""
    flags = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION if interactive else Gio.DBusCallFlags.NONE
    try:
        reply = connection.call_sync(
            destination, path, interface, method, arguments, None, flags, int(timeout * 1000), None)
    except GLib.Error as failure:
        raise error(failure, f"{method} at {node_path(path)}") from None
    return tuple(reply.unpack())
