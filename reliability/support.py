"""What the programs of reliability/ share: programs, private buses, folders, and an orderly end."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tools"))
import running  # noqa: E402

NAME = "org.flowbus.Navigation1"
ROOT = "/org/flowbus/Navigation1"
TREE = ROOT + "/tree"
USAGE, UNAVAILABLE, SKIPPED = 64, 69, 77
Failure, main, stop = running.Failure, running.main, running.stop


def number(text, least=0):
    """A number of the command line."""
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise Failure(f"'{text}' is no number of at least {least}", USAGE)
    return value


def program(name):
    """The path of flowbusd or flowbusctl: $FLOWBUSD or $FLOWBUSCTL, or the debug build."""
    path = Path(os.environ.get(name.upper(), TOP / ".build" / "debug" / name)).absolute()
    if not os.access(path, os.X_OK):
        raise Failure(
            f"there is no program '{path}'; build it with 'swift build --traits Programs,Macros --product {name}', "
            f"or name another one in ${name.upper()}", UNAVAILABLE)
    return path


def require(*programs):
    """Fails if a program is missing."""
    running.require("reliability", programs, UNAVAILABLE)


def environment(**more):
    """The environment without anything that leads to the bus or the folders of the user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_", "FLOWBUS_"))}
    return {**kept, "SWIFT_BACKTRACE": "enable=no", **more}


@contextlib.contextmanager
def folder(kept=None):
    """A folder that is gone afterwards, unless a place for it is given."""
    if kept:
        path = Path(kept).absolute()
        if path.exists() and any(path.iterdir()):
            raise Failure(f"the folder '{kept}' is not empty; name another one", USAGE)
        path.mkdir(parents=True, exist_ok=True)
        yield path
        return
    path = Path(tempfile.mkdtemp(prefix="flowbus-proof."))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


class Bus:
    """A dbus-daemon of its own."""

    def __init__(self, place, configuration=TOP / "tools" / "private-bus.conf", **options):
        require("dbus-daemon")
        with open(f"{place}/bus.log", "ab") as log:
            self.child = subprocess.Popen(
                ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address=1",
                 f"--address=unix:path={place}/bus"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, env=environment(), **options)
        self.address = self.child.stdout.readline().strip()
        if not self.address:
            raise Failure(f"the bus with the configuration '{configuration}' did not start", UNAVAILABLE)

    def stop(self):
        """Ends it."""
        stop(self.child)
        self.child.stdout.close()


def children(parent):
    """The processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name, in parentheses, can contain anything.
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found
