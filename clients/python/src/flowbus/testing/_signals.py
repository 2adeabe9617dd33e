# SPDX-License-Identifier: Apache-2.0
"""The signals that a device hears: changes, who leaves the bus, and answers."""

from __future__ import annotations

from gi.repository import Gio, GLib

from ._activity import Activity
from ._answers import Answer
from ._loop import Loop
from ._values import BUS, BUS_PATH, FLOWBUS

__tracebackhide__ = True  # pytest shows the line of the test instead.


class Signals:
    """What came by signals so far."""

    def __init__(self, activity: Activity, loop: Loop, connection: Gio.DBusConnection) -> None:
        self._activity = activity
        self._loop = loop
        self._connection = connection
        self._gone: set[str] = set()
        self._answers: dict[tuple[str, str], Answer] = {}
        self._listening: set[str] = set()
        self._subscriptions: list[tuple[Gio.DBusConnection, int]] = []
        loop.call(self._follow)

    def wait_gone(self, unique_name: str, who: str, timeout: float) -> None:
        """Waits until the bus has told everyone that a client has left."""
        self._activity.wait(lambda: unique_name in self._gone, f"the bus to notice that {who} is gone", timeout)

    def expect_answer(self, connection: Gio.DBusConnection) -> None:
        """Hears the answers that come to a connection from now on."""
        name = connection.get_unique_name()
        if name in self._listening:
            return
        self._listening.add(name)

        def answered(_bus: object, _sender: str, _path: str, _interface: str, _signal: str, values: GLib.Variant) -> None:
            token, outcome, result = values.unpack()
            self._answers[(name, token)] = Answer(outcome, result)
            self._activity.touch()

        def subscribe() -> None:
            self._subscriptions.append((connection, connection.signal_subscribe(
                FLOWBUS, f"{FLOWBUS}.Stepper", "Answered", None, None, Gio.DBusSignalFlags.NO_MATCH_RULE, answered)))

        self._loop.call(subscribe)

    def wait_answer(self, connection: Gio.DBusConnection, token: str, timeout: float) -> Answer:
        key = (connection.get_unique_name(), token)
        self._activity.wait(lambda: key in self._answers, "the answer to an ask", timeout)
        return self._answers[key]

    def stop(self) -> None:
        """Hears nothing any more. Subscriptions would keep the connection and the main loop's descriptors otherwise."""
        def unsubscribe() -> None:
            for connection, subscription in self._subscriptions:
                connection.signal_unsubscribe(subscription)

        self._loop.call(unsubscribe)

    def _follow(self) -> None:
        def owner_changed(_bus: object, _sender: str, _path: str, _interface: str, _signal: str, values: GLib.Variant) -> None:
            name, _old, new = values.unpack()
            if name.startswith(":") and not new:
                self._gone.add(name)
            self._activity.changed()

        none = Gio.DBusSignalFlags.NONE
        for subscription in (
                self._connection.signal_subscribe(FLOWBUS, None, None, None, None, none, self._activity.changed),
                self._connection.signal_subscribe(BUS, BUS, "NameOwnerChanged", BUS_PATH, None, none, owner_changed)):
            self._subscriptions.append((self._connection, subscription))
