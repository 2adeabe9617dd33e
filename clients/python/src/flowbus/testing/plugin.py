# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: the fixture ``flowbus``, and what pytest prints when a test of a device fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ._device import Device

__tracebackhide__ = True  # pytest shows the line of the test instead.

_DEVICES = pytest.StashKey["list[Device]"]()
_LINES = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("flowbus", "tests of devices with flowbus")
    group.addoption(
        "--flowbusd", metavar="PROGRAM", help="the flowbusd that devices use (default: $FLOWBUSD, or the one in PATH)")
    group.addoption(
        "--flowbus-timeout", metavar="SECONDS", help="how long a test of a device may wait for one thing (default: 30)")
    parser.addini("flowbus_timeout", "how long a test of a device may wait for one thing, in seconds", default="30")


class DeviceFactory:
    """The fixture ``flowbus``: makes devices, which end with the test."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._devices: list[Device] = request.node.stash.setdefault(_DEVICES, [])

    def __call__(
            self, *folders: str | os.PathLike[str], toml: str | None = None, flowbusd: str | None = None,
            environment: Mapping[str, str] | None = None, options: Sequence[str] = ()) -> Device:
        """Makes a device with these folders of definition files, or with the text of one such file.

        A relative folder is looked up beside the file of the test, and then in the root folder of pytest. ``options`` are
        further options of flowbusd, ``environment`` has further variables of all programs.
        """
        try:
            from ._device import Device
        except ModuleNotFoundError as error:
            from .._lazy import explained

            raise explained(error, "the fixture 'flowbus'") from None
        found = [self._folder(Path(folder)) for folder in folders]
        if toml is not None:
            temporary: Path = self._request.getfixturevalue("tmp_path")
            written = temporary / f"flows-{len(self._devices) + 1}.d"
            written.mkdir()
            (written / "flows.toml").write_text(toml, "utf-8")
            found.append(written)
        if not found:
            raise TypeError("flowbus() needs a folder of definition files, or the text of one as toml=")
        config = self._request.config
        device = Device(
            *found, flowbusd=flowbusd or config.getoption("--flowbusd"), timeout=_timeout(config), environment=environment,
            options=options)
        self._devices.append(device)
        return device

    def _folder(self, folder: Path) -> Path:
        looked = [self._request.path.parent / folder, self._request.config.rootpath / folder]
        for path in looked:
            if path.is_dir():
                return path
        places = " nor ".join(f"'{path}'" for path in dict.fromkeys(looked))
        raise FileNotFoundError(f"there is no folder of definition files '{folder}': neither {places} is one"
                                if len(set(looked)) > 1 else f"there is no folder of definition files {places}")


def _timeout(config: pytest.Config) -> float:
    text = config.getoption("--flowbus-timeout") or config.getini("flowbus_timeout")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise pytest.UsageError(f"flowbus: '{text}' is no time to wait: give a number of seconds above 0")
    return seconds


@pytest.fixture
def flowbus(request: pytest.FixtureRequest) -> Generator[DeviceFactory, None, None]:
    """Makes devices: ``device = flowbus("flows.d")``, each with a private bus and a flowbusd with these definitions."""
    factory = DeviceFactory(request)
    yield factory
    errors: list[BaseException] = []
    for device in reversed(request.node.stash[_DEVICES]):
        try:
            device.close()
        except Exception as error:  # noqa: BLE001 - the other devices have to end, too.
            errors.append(error)
    request.node.stash[_DEVICES].clear()
    if errors:
        raise errors[0]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Adds what the devices of a failed test have to say."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    devices: list[Device] = item.stash.get(_DEVICES, [])
    if not report.failed:
        return
    for number, device in enumerate(devices, 1):
        for title, text in device.report():
            lines = text.splitlines()
            if len(lines) > _LINES:
                lines = [f"(the last {_LINES} of {len(lines)} lines)", *lines[-_LINES:]]
            name = title if len(devices) == 1 else f"device {number}: {title}"
            report.sections.append((name, "\n".join(lines)))


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explains a tree that is not as the test says."""
    # Without it there is no tree to compare, and no need to import GLib into whatever pytest runs.
    module = sys.modules.get("flowbus.testing._tree")
    if module is None:
        return None
    Tree = module.Tree
    if op in ("in", "not in") and isinstance(right, Tree):
        return [f"'{left}' is {'not ' if op == 'in' else ''}in the tree", *str(right).splitlines()]
    if op != "==":
        return None
    if isinstance(left, str) and isinstance(right, Tree):
        left, right = right, left
    if isinstance(left, Tree) and isinstance(right, str):
        return ["the tree is not as expected (- expected, + is there)", *left.difference(right)]
    return None
