# SPDX-License-Identifier: Apache-2.0
"""What the tests share. clients/python/test loads the plugin under test, and says where flowbusd and flowbusctl are."""

import os
import shutil
import subprocess

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def flowbusd():
    return os.environ["FLOWBUSD"]


@pytest.fixture(scope="session")
def flowbusctl():
    """Runs flowbusctl on the bus of a device, and returns what it prints."""
    def run(device, *arguments):
        device.settle()
        result = subprocess.run(
            [os.environ["FLOWBUSCTL"], *arguments], env={**device.environment, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True,
            check=False)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def _typelib(namespace):
    """Whether a typelib is there, which only a process with the right environment can load."""
    import gi

    try:
        gi.require_version(namespace, "1")
    except ValueError:
        return False
    return True


@pytest.fixture(scope="session")
def libflowbus():
    if not _typelib("Flowbus"):
        pytest.skip("there is no typelib Flowbus-1: build clients/glib with introspection, or install gir1.2-flowbus-1")


@pytest.fixture(scope="session")
def display(libflowbus):
    """A display that nobody sees, with a window manager. Returns the environment of programs that use it."""
    if not _typelib("FlowbusGtk4"):
        pytest.skip("there is no typelib FlowbusGtk4-1: build clients/glib with GTK 4, or install gir1.2-flowbusgtk4-1")
    for program in ("Xvfb", "openbox", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no program '{program}'")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "800x600x24"], pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        variables = {"DISPLAY": f":{pipe.readline().strip()}"}
    manager = subprocess.Popen(
        ["openbox", "--startup", "echo up"], env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    manager.stdout.readline()
    yield {**variables, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1", "GTK_CSD": "0",
           "G_DEBUG": "fatal-warnings"}
    for process in (manager, server):
        process.terminate()
        process.wait()


@pytest.fixture
def mouse(display):
    """Uses windows as a person does, with real events."""
    environment = {**os.environ, **display}

    def xdotool(*words):
        return subprocess.run(["xdotool", *words], env=environment, capture_output=True, text=True, check=False, timeout=20)

    def act(title, *words):
        # A window of a program that was killed can go between two requests of xdotool, which then fails; the next one is found.
        for _ in range(100):
            result = xdotool("search", "--sync", "--onlyvisible", "--name", f"^{title}$")
            if result.returncode == 0:
                window = result.stdout.split()[-1]
                result = xdotool(*(word.replace("WINDOW", window) for word in words))
            if result.returncode == 0 or "BadWindow" not in result.stderr:
                break
        assert result.returncode == 0, result.stderr

    class Mouse:
        def click(self, title, x=150, y=60):
            act(title, "windowactivate", "--sync", "WINDOW", "mousemove", "--window", "WINDOW", str(x), str(y), "click", "1")

        def key(self, title, key):
            act(title, "windowactivate", "--sync", "WINDOW", "key", key)

        def type(self, title, text):
            act(title, "windowactivate", "--sync", "WINDOW", "type", text)

        def close(self, title):
            self.key(title, "alt+F4")  # That is how openbox asks a window to close.

    return Mouse()
