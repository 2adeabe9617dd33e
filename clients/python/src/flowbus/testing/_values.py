# SPDX-License-Identifier: Apache-2.0
"""Python values as values of D-Bus, and the calls that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gi.repository import Gio, GLib

from ._errors import CallError, TimeoutError

__tracebackhide__ = True  # pytest shows the line of the test instead.

FLOWBUS = "org.flowbus.Navigation1"
ROOT = "/org/flowbus/Navigation1"
TREE = f"{ROOT}/tree"
INSTANCES = f"{ROOT}/instance"
BUS = "org.freedesktop.DBus"
BUS_PATH = "/org/freedesktop/DBus"
PROPERTIES = f"{BUS}.Properties"


def variant(value: object) -> GLib.Variant:
    """The value with the type that it suggests: an int becomes an int64, which flowbusd converts to the declared type."""
    match value:
        case GLib.Variant():
            return value
        case bool():
            return GLib.Variant("b", value)
        case int():
            return GLib.Variant("x" if value < 1 << 63 else "t", value)
        case float():
            return GLib.Variant("d", value)
        case str():
            return GLib.Variant("s", value)
        case bytes():
            return GLib.Variant("ay", value)
        case Mapping():
            return dictionary(value)
        case list() | tuple():
            members = [variant(member) for member in value]
            kinds = {member.get_type_string() for member in members}
            if not kinds:
                return GLib.Variant("as", [])
            if len(kinds) == 1:
                return GLib.Variant.new_array(None, members)
            return GLib.Variant("av", members)
    raise TypeError(
        f"'{value}' of type '{type(value).__name__}' is no value of D-Bus: give a bool, an int, a float, a str, bytes, a list, "
        "a dict with names, or a GLib.Variant")


def typed(signature: str, value: object) -> GLib.Variant:
    """The value with this type; where it does not fit, as it is, so that flowbusd says what is wrong with it."""
    if isinstance(value, GLib.Variant):
        return value
    try:
        if signature == "av":
            return GLib.Variant("av", [variant(member) for member in value])  # type: ignore[attr-defined]
        return GLib.Variant(signature, value)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return variant(value)


def dictionary(values: Mapping[str, object], types: Mapping[str, str] | None = None) -> GLib.Variant:
    """The values as an a{sv}; ``types`` has the D-Bus types of some, with a "?" after those that may be left out."""
    types = types or {}
    entries = {}
    for name, value in values.items():
        signature = types.get(name, "").rstrip("?")
        entries[name] = typed(signature, value) if signature else variant(value)
    return GLib.Variant("a{sv}", entries)


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
