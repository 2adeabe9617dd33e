# SPDX-License-Identifier: Apache-2.0
"""What is imported when it is used: pytest imports this package in each of its runs."""

from __future__ import annotations

import sys
from importlib import import_module


def load(package: str, module: str, name: str) -> object:
    """A member of a package that one of its modules has."""
    try:
        return getattr(import_module(f".{module}", package), name)
    except ModuleNotFoundError as error:
        raise explained(error, f"'{package}.{name}'") from None


def explained(error: ModuleNotFoundError, what: str) -> ModuleNotFoundError:
    """The error, with what to do about it. A Python beside that of the system has no PyGObject."""
    if error.name != "gi":
        return error
    return ModuleNotFoundError(
        f"{what} needs PyGObject; install the package 'python3-gi', and use the Python that has it: this is '{sys.executable}'",
        name="gi")
