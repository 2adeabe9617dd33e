# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed: the fixture is found, the types are there, and the version is the project's."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from shop import SHOP

import flowbus.testing

HERE = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    subprocess.run([HERE / "install", folder], check=True)
    return folder


def test_pytest_finds_the_fixture(pytester, monkeypatch, installed):
    monkeypatch.setenv("PYTHONPATH", str(installed))
    pytester.makepyfile("""
        import flowbus

        def test_tap(flowbus, request):
            device = flowbus(toml=open("shop.toml").read())
            device.presenter()
            assert device.emit("shop/list", "itemPicked", item=7) == "navigated"

        def test_where(request):
            assert flowbus.__file__.startswith({!r})
    """.format(str(installed)))
    (pytester.path / "shop.toml").write_text(SHOP)
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_pytest_imports_no_glib_without_a_device(pytester, monkeypatch, installed):
    monkeypatch.setenv("PYTHONPATH", str(installed))
    pytester.makepyfile("""
        import sys

        def test_nothing():
            assert "flowbus.testing.plugin" in sys.modules and "gi" not in sys.modules
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_the_types_are_found(installed, tmp_path):
    if shutil.which("mypy") is None:
        pytest.skip("there is no mypy")
    program = tmp_path / "program.py"
    program.write_text("""
import flowbus
from flowbus.testing import Device, DeviceFactory, Verdict

shop = flowbus.Presenter("org.example.Shop")

@shop.screen("detail")
async def show(screen: flowbus.Screen, item: int) -> None:
    verdict = await screen.emit("itemPicked", item=item)
    reveal_type(verdict)
    answer = await screen.ask("contactAsked")
    reveal_type(answer.result)

def test_tap(flowbus: DeviceFactory) -> None:
    device = flowbus("flows.d")
    reveal_type(device.emit("shop/list", "itemPicked", item=7))
    reveal_type(device.presenter("list").screen("list").arguments)
    device.presenter(7)
    device.tre()
""")
    said = subprocess.run(
        ["mypy", "--strict", "--ignore-missing-imports", "--no-error-summary", "--cache-dir", tmp_path / "cache", program],
        env={**os.environ, "MYPYPATH": str(installed)}, capture_output=True, text=True, check=False).stdout
    revealed = re.findall(r'Revealed type is "(.*)"', said)
    assert revealed == [
        "flowbus._verdict.Verdict", "typing.Mapping[builtins.str, Any]", "flowbus._verdict.Verdict",
        "typing.Mapping[builtins.str, Any]"], said
    errors = [line for line in said.splitlines() if ": error: " in line]
    assert len(errors) == 2 and "[arg-type]" in errors[0] and 'has no attribute "tre"' in errors[1], said


def test_an_install_destroys_nothing(installed):
    again = subprocess.run([HERE / "install", installed], capture_output=True, text=True, check=False)
    assert again.returncode == 73 and "there is a" in again.stderr
    assert subprocess.run([HERE / "install"], capture_output=True, check=False).returncode == 64


def test_the_version_is_that_of_the_project():
    changelog = (HERE.parents[1] / "debian" / "changelog").read_text()
    version = re.search(r"\((\d+\.\d+\.\d+)", changelog)[1]
    assert f'\nversion = "{version}"\n' in (HERE / "pyproject.toml").read_text()


def test_everything_that_is_named_is_there():
    for name in flowbus.testing.__all__:
        assert getattr(flowbus.testing, name)
    with pytest.raises(AttributeError, match="has no attribute 'Devise'"):
        flowbus.testing.Devise  # noqa: B018
    assert sys.modules["flowbus.testing"]
