# SPDX-License-Identifier: Apache-2.0
"""What comes back for a step."""

from __future__ import annotations


class Verdict(str):
    """The verdict on a step, a string such as "navigated"; ``serial`` is that of the navigation, or 0."""

    serial: int

    def __new__(cls, text: str, serial: int = 0) -> Verdict:
        verdict = super().__new__(cls, text)
        verdict.serial = serial
        return verdict
