# SPDX-License-Identifier: Apache-2.0
"""What the programs of a device print."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


class Output:
    """A pipe that programs print to. A thread reads it, and calls a function with each part."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._bytes = bytearray()
        self._reading, self.descriptor = os.pipe()
        self._thread = threading.Thread(target=self._read, name="output", daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        return bytes(self._bytes).decode("utf-8", "replace")

    def close(self) -> None:
        """No further program prints here; those that do already go on."""
        os.close(self.descriptor)

    def wait_end(self, timeout: float) -> None:
        """Waits until all of it is read, once nobody prints here any more."""
        self._thread.join(timeout)

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb", buffering=0) as pipe:
            while part := pipe.read(65536):
                self._bytes += part
                self._changed()
