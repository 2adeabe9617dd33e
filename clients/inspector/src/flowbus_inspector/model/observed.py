# SPDX-License-Identifier: Apache-2.0
"""Parts that say that they changed."""


class Observed:
    """Calls functions when something has happened; each kind of event has a name."""

    def __init__(self):
        self._observers = {}

    def observe(self, event, function):
        """Calls the function at each such event, with what belongs to it."""
        self._observers.setdefault(event, []).append(function)

    def tell(self, event, *values):
        """Tells all who observe it."""
        for function in tuple(self._observers.get(event, ())):
            function(*values)
