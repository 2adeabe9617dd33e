"""Terminals for tests without windows."""

import gi
import pytest
from terminal import Terminal


@pytest.fixture(scope="session")
def libflowbus():
    """For tests of the programs themselves."""
    try:
        gi.require_version("Flowbus", "1")
    except ValueError:
        pytest.skip("there is no typelib Flowbus-1: build clients/glib, or install gir1.2-flowbus-1")


@pytest.fixture
def plain(flowbus, tmp_path):
    """A terminal whose programs the test chooses. It can be given other times."""
    return lambda **times: Terminal(flowbus, tmp_path / "flows.d", **times)


@pytest.fixture
def terminal(plain):
    """A terminal whose programs are played, and show all their pages."""
    return plain().play()
