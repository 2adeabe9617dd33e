"""What the programs of this folder share: private buses, services, and what they are built of."""

import argparse
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

HERE = TOP / "reliability"
BUILD = TOP / ".build" / "reliability"
BUSES = ("dbus-daemon", "dbus-broker")
Failure, chosen, end = running.Failure, running.chosen, running.stop


def main(body):
    """Runs a program, which has the name of its folder."""
    running.main(body, Path(sys.argv[0]).resolve().parent.name)


def require(*programs):
    """Fails if a program is missing."""
    running.require("reliability", programs)


def natural(least):
    """The numbers of the command line that are at least so large."""
    def number(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is no number from {least} on")
        return int(text)

    return number


class Arguments(argparse.ArgumentParser):
    """Ends with 64 (EX_USAGE) rather than 2."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{Path(sys.argv[0]).resolve().parent.name}: {message}\n")


def program(name, variable):
    """A program of the build: that of the environment's variable, of the release, or of the debug build."""
    if path := os.environ.get(variable):
        if not os.access(path, os.X_OK):
            raise Failure(f"'{path}' of {variable} can't be executed")
        return Path(path).resolve()
    for build in ("release", "debug"):
        if os.access(path := TOP / ".build" / build / name, os.X_OK):
            return path
    raise Failure(f"there is no '{name}' in .build/release or .build/debug, and {variable} is not set; 'make build' makes it")


def environment(address=None):
    """The environment of all programs: no bus but this one, and no backtraces, which would ask a person."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_", "NOTIFY_"))}
    kept.pop("RUNTIME_DIRECTORY", None)
    kept.pop("STATE_DIRECTORY", None)
    bus = {"DBUS_SESSION_BUS_ADDRESS": address} if address else {}
    return {**kept, **bus, "SWIFT_BACKTRACE": "enable=no"}


def compile_c(name, *sources, packages=(), options=()):
    """Compiles a program of this folder; its path. Not again if it is newer than all sources."""
    BUILD.mkdir(parents=True, exist_ok=True)
    made = BUILD / name
    sources = [HERE / source for source in sources]
    headers = [header for source in sources for header in source.parent.glob("*.h")]
    if made.exists() and all(made.stat().st_mtime > file.stat().st_mtime for file in sources + headers):
        return made
    flags = []
    if packages:
        require("pkg-config")
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", *packages], check=True, capture_output=True, text=True).stdout.split()
    require("gcc")
    # Under another name until it is complete: it may be made twice at once.
    part = BUILD / f"{name}.{os.getpid()}"
    done = subprocess.run(
        ["gcc", "-O2", "-g", "-Wall", "-Wextra", *running.strict(), *options, "-o", part, *sources, *flags],
        capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"'{name}' can't be compiled:\n{done.stderr}")
    part.rename(made)
    return made


@contextlib.contextmanager
def folder():
    """A folder that is gone afterwards."""
    path = Path(tempfile.mkdtemp(prefix="flowbus."))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def start(command, log, **options):
    """A process that writes to a log, and reads nothing."""
    with open(log, "wb") as output:
        return subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=output,
            text=True, **options)


def wait_for_line(process, beginning, log):
    """Waits until a process prints a line that begins like this."""
    for line in process.stdout:
        if line.startswith(beginning):
            return line
    process.wait()
    raise Failure(f"'{process.args[0]}' ended with {process.returncode}:\n{Path(log).read_text(errors='replace')[-2000:]}")


@contextlib.contextmanager
def bus(kind, place):
    """A bus of its own, whose socket is in this folder; its address."""
    path = place / "bus"
    if len(os.fsencode(path)) > running.SOCKET_LENGTH:
        raise Failure(f"the path '{path}' is too long for a socket; set TMPDIR to a folder with a shorter path")
    address = f"unix:path={path}"
    if kind == "dbus-broker":
        require("dbus-broker")
        command, ready = [program("test-bus", "TEST_BUS"), path], "listening="
    else:
        require("dbus-daemon")
        command = [
            "dbus-daemon", f"--config-file={HERE / 'bus.conf'}", "--nofork", "--nopidfile", "--print-address=1",
            f"--address={address}"]
        ready = "unix:"
    log = place / "bus.log"
    process = start(command, log, env=environment())
    try:
        wait_for_line(process, ready, log)
        yield address
    finally:
        end(process)
