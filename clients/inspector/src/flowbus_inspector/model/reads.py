# SPDX-License-Identifier: Apache-2.0
"""Calls that only read. Nothing else of the inspector calls the service, but for the emission that one has to switch on."""

from gi.repository import Gio, GLib

from .names import COORDINATOR, DBUS, FLOW, FLOWBUS, HISTORY, PROPERTIES, ROOT, STEPPER

# No call of these changes anything: neither the tree, nor what another process does.
READS = frozenset({
    (COORDINATOR, "GetDefinitions"), (COORDINATOR, "GetSerial"), (COORDINATOR, "GetSteps"), (COORDINATOR, "GetSteppers"),
    (COORDINATOR, "GetTimings"), (COORDINATOR, "GetTimers"), (HISTORY, "GetHistory"), (PROPERTIES, "Get"), (PROPERTIES, "GetAll"),
    (FLOW, "GetLastNavigation"), (STEPPER, "Explain"), (STEPPER, "GetAcceptedSteps"), (STEPPER, "PeekBack"),
})
# Of the bus itself.
BUS_READS = frozenset({"GetConnectionUnixProcessID", "GetNameOwner"})
TIMEOUT = 20_000


class Failure(Exception):
    """A call that failed, with the name of the error."""

    def __init__(self, name, message):
        super().__init__(message)
        self.name = name

    @classmethod
    def of(cls, error):
        """What a GLib.Error says, without the words that GDBus puts before it."""
        name = Gio.DBusError.get_remote_error(error) or ""
        copy = error.copy()
        Gio.DBusError.strip_remote_error(copy)
        return cls(name, copy.message)


class Reads:
    """Reads of the service over the connection of a client. They never start it."""

    def __init__(self, client):
        self._client = client
        self._cancellable = Gio.Cancellable()

    def call(self, interface, member, values=None, path=ROOT, done=None):
        """Calls a method, and later ``done(values, failure)``, of which one is None."""
        if (interface, member) not in READS:
            raise ValueError(f"'{interface}.{member}' is none of the calls that only read")
        self._call(FLOWBUS, path, interface, member, values, done)

    def call_bus(self, member, values, done):
        """The same for a method of the bus itself."""
        if member not in BUS_READS:
            raise ValueError(f"'{member}' is none of the calls that only read")
        self._call(DBUS, "/org/freedesktop/DBus", DBUS, member, values, done)

    def property(self, path, interface, name, done):
        """Reads one property."""
        self.call(PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name)), path,
                  lambda values, failure: done(None if failure else values[0], failure))

    def properties(self, path, interface, done):
        """Reads all properties of an interface."""
        self.call(PROPERTIES, "GetAll", GLib.Variant("(s)", (interface,)), path,
                  lambda values, failure: done(None if failure else values[0], failure))

    def close(self):
        """Nothing is told any more of calls that are under way."""
        self._cancellable.cancel()

    def _call(self, name, path, interface, member, values, done):
        connection = self._client.get_connection()
        if connection is None:
            if done:
                done(None, Failure("", "there is no connection to the bus yet"))
            return

        def answered(source, result):
            try:
                answer = source.call_finish(result).unpack()
            except GLib.Error as error:
                if not error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED) and done:
                    done(None, Failure.of(error))
                return
            if done and not self._cancellable.is_cancelled():
                done(answer, None)

        connection.call(name, path, interface, member, values, None, Gio.DBusCallFlags.NO_AUTO_START, TIMEOUT,
                        self._cancellable, answered)
