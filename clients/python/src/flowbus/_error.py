# SPDX-License-Identifier: Apache-2.0
"""Errors of calls, and of libflowbus that is not there."""

from __future__ import annotations

import importlib
from typing import Any

import gi


class Error(Exception):
    """A call that failed. ``name`` is that of the error in the bus contract, such as ``UnknownStep``."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message


class Refused(Exception):
    """Raised by the function of a screen, it says that this program will never show the screen: flowbusd dismisses it at once. After
    any other exception it calls the function again, until its patience is over."""


def typelib(namespace: str, package: str) -> Any:
    """A namespace of libflowbus."""
    try:
        gi.require_version(namespace, "1")
    except ValueError:
        raise ImportError(f"there is no typelib '{namespace}-1'; install the package '{package}', or set GI_TYPELIB_PATH") from None
    return importlib.import_module(f"gi.repository.{namespace}")


def converted(error: Any, codes: Any) -> Exception:
    """The exception for a GError; ``codes`` is the enumeration of the library's own errors."""
    if error.domain == "flowbus-error-quark":
        words = codes(error.code).value_nick.split("-")
        return Error("".join(word.capitalize() for word in words), str(error.message))
    return Error("Failed", str(error.message))
