# SPDX-License-Identifier: Apache-2.0
"""The names of the bus contract, and values as text."""

import time

FLOWBUS = "org.flowbus.Navigation1"
ROOT = "/org/flowbus/Navigation1"
TREE = f"{ROOT}/tree/"
COORDINATOR = f"{FLOWBUS}.Coordinator"
FLOW = f"{FLOWBUS}.Flow"
HISTORY = f"{FLOWBUS}.History"
PRESENTABLE = f"{FLOWBUS}.Presentable"
STEPPER = f"{FLOWBUS}.Stepper"
PROPERTIES = "org.freedesktop.DBus.Properties"
DBUS = "org.freedesktop.DBus"


def short(path):
    """A path as flowbusctl writes it: without what all paths begin with."""
    return path.removeprefix(TREE)


def full(path):
    """The object path of a flow or screen that is given as flowbusctl writes it, or in full."""
    return path if path.startswith("/") else TREE + path


def parent_of(path):
    """The path of the flow above; "" for a root."""
    above = path.rpartition("/")[0]
    return above if above.startswith(TREE) else ""


def ident(path):
    """The id: the last part of a path."""
    return path.rpartition("/")[2]


def value_text(value):
    """A value of a variant as people write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str):
        return value if value and value.isprintable() and not set(value) & set(" '\"=,") else repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={value_text(it)}" for key, it in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return str(value)


def arguments_text(values):
    """Arguments in a line: ``item=7 kind=film``."""
    return " ".join(f"{name}={value_text(value)}" for name, value in values.items())


def duration_text(microseconds):
    """A time span for people."""
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    for unit, size, above in (("ms", 1e3, 1e6), ("s", 1e6, 6e7), ("min", 6e7, 3.6e9), ("h", 3.6e9, float("inf"))):
        if microseconds < above:
            return f"{microseconds / size:.3g} {unit}"
    return ""


def span_text(microseconds):
    """The time until something, in seconds that have begun: ``1 min 30 s``."""
    seconds = -(-microseconds // 1_000_000)
    parts = [(seconds // 86_400, "d"), (seconds // 3_600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s")]
    words = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(words[:2]) or "0 s"


def clock_text(microseconds):
    """A time of the day, with milliseconds."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{time.strftime('%H:%M:%S', time.localtime(seconds))}.{rest // 1000:03}"


def day_text(microseconds):
    """A time with its day, unless it is today."""
    moment = time.localtime(microseconds // 1_000_000)
    day = "" if moment[:3] == time.localtime()[:3] else time.strftime("%Y-%m-%d ", moment)
    return day + clock_text(microseconds)


def now():
    """The time now, as the history has it."""
    return time.time_ns() // 1000
