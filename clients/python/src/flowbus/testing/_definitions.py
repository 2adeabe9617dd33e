# SPDX-License-Identifier: Apache-2.0
"""Who shows, checks and decides, as the definition files say."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ._errors import DeviceError

__tracebackhide__ = True  # pytest shows the line of the test instead.


@dataclass(frozen=True)
class Role:
    """An object of a program that flowbusd calls."""

    kind: str
    name: str
    path: str

    @classmethod
    def read(cls, kind: str, value: object) -> Role | None:
        """The role that a key gives, as a bus name or as a table."""
        table = {"name": value} if isinstance(value, str) else value
        if not isinstance(table, dict) or not isinstance(table.get("name"), str):
            return None
        name = table["name"]
        return cls(kind, name, table.get("path") or "/" + name.replace(".", "/").replace("-", "_"))


@dataclass
class Definitions:
    """The parts of definition files that say which programs take part. flowbusd has checked the files before."""

    screens: dict[str, Role | None] = field(default_factory=dict)
    guards: dict[str, Role | None] = field(default_factory=dict)
    navigators: dict[str, Role | None] = field(default_factory=dict)

    @classmethod
    def read(cls, folders: Iterable[Path]) -> Definitions:
        files: dict[str, Path] = {}
        for folder in folders:
            for file in sorted(folder.glob("*.toml")):
                files.setdefault(file.name, file)  # A file hides those of the same name in later folders.
        definitions = cls()
        for file in files.values():
            try:
                # flowbusd takes a byte order mark.
                definitions._add(tomllib.loads(file.read_text("utf-8-sig")))
            except tomllib.TOMLDecodeError as error:
                raise DeviceError(
                    f"Python can't read '{file}', which flowbusd can: {error}. Python up to 3.14 reads TOML 1.0; "
                    "'flowbusctl check' says where the file needs TOML 1.1") from None
        return definitions

    def _add(self, text: dict[str, object]) -> None:
        for name, screen in _tables(text, "screens"):
            # A command line is shown by flowbus-run, in whose place a test can be.
            run = Role.read("presenter", "org.flowbus.Run") if "run" in screen else None
            presenter = Role.read("presenter", screen.get("presenter") or screen.get("program"))
            self.screens[name] = run or presenter or Role.read(
                "application", screen.get("application"))
        for name, flow in _tables(text, "flows"):
            self.guards[name] = Role.read("guard", flow.get("guard"))
            self.navigators[name] = Role.read("navigator", flow.get("navigator"))

    @property
    def roles(self) -> list[Role]:
        """All of them."""
        return [role for table in (self.screens, self.guards, self.navigators) for role in table.values() if role]

    def find(self, what: str, name: str) -> dict[str, Role]:
        """The roles that a screen or flow has, or all those of a bus name."""
        table = {"presenter": self.screens, "guard": self.guards, "navigator": self.navigators}[what]
        subject = "screen" if what == "presenter" else "flow"
        if "." in name:
            found = {key: role for key, role in table.items() if role and role.name == name}
            if not found:
                known = sorted({role.name for role in table.values() if role})
                raise DeviceError(f"'{name}' is the {what} of no {subject} in the definitions{_suggestion(name, known)}")
            return found
        if name not in table:
            raise DeviceError(f"the definitions have no {subject} '{name}'{_suggestion(name, list(table))}")
        role = table[name]
        if role is None:
            hint = "; device.show() shows it, as a shell would that has no part in the test" if what == "presenter" else ""
            raise DeviceError(f"the definitions give the {subject} '{name}' no {what}{hint}")
        return {name: role}


def _tables(text: dict[str, object], key: str) -> list[tuple[str, dict[str, object]]]:
    table = text.get(key)
    if not isinstance(table, dict):
        return []
    return [(name, value) for name, value in table.items() if isinstance(value, dict)]


def _suggestion(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f"; they have {', '.join(repr(each) for each in known)}" if known else ""
