# SPDX-License-Identifier: Apache-2.0
"""The one call that changes something, and only when it is switched on."""

from gi.repository import GLib

from .observed import Observed
from .reads import Failure


class Emission(Observed):
    """Emits steps. It is off until one switches it on, and off again with each new connection.

    Tells ``switched`` when it was switched on or off.
    """

    def __init__(self):
        super().__init__()
        self._client = None
        self._is_on = False

    @property
    def is_on(self):
        """Whether steps can be emitted."""
        return self._is_on

    def switch(self, is_on):
        """Switches emitting on or off."""
        if self._is_on != bool(is_on):
            self._is_on = bool(is_on)
            self.tell("switched")

    def use(self, client):
        """Uses another connection, with which it is off."""
        self._client = client
        self.switch(False)

    def emit(self, path, instance, step, arguments, done):
        """Emits a step on the presentable with this instance, and calls ``done(verdict, serial, failure)``.

        libflowbus gives it a token, so a restart of the service in between loses nothing, and repeats nothing.
        """
        if not self._is_on:
            raise PermissionError("emitting is switched off")
        options = GLib.Variant("a{sv}", {"instance": GLib.Variant("t", instance)})

        def emitted(client, result):
            try:
                verdict, serial = client.emit_finish(result)
                done(verdict.value_nick, serial, None)
            except GLib.Error as error:
                done("", 0, Failure.of(error))

        self._client.emit_async(path, step, arguments, options, None, emitted)
