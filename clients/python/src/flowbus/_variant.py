# SPDX-License-Identifier: Apache-2.0
"""Python values as values of D-Bus."""

from __future__ import annotations

from collections.abc import Mapping

from gi.repository import GLib


def variant(value: object) -> GLib.Variant:
    """The value with the type that it suggests: an int becomes an int64, which is converted to the declared type later."""
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
