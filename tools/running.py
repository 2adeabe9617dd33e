"""What the programs of bench/ and reliability/ share: how they end, what they need, and what they are told."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

# The longest path of a socket is 107 bytes (unix(7)).
SOCKET_LENGTH = 107


class Failure(Exception):
    """What ends a program with a message."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def main(body, name=None):
    """Runs a program. SIGTERM ends it as an error does, so that no process stays behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        sys.exit(body())
    except Failure as failure:
        print(f"{name or Path(sys.argv[0]).name}: {failure}", file=sys.stderr)
        sys.exit(failure.status)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def require(part, programs, status=1):
    """Fails if a program is missing that this part of tools/dependencies installs."""
    for program in programs:
        if not shutil.which(program):
            raise Failure(f"there is no '{program}'; 'tools/dependencies build demo {part}' installs it", status)


def strict():
    """What the compiler of C gets besides -Wall: warnings are errors for those who develop flowbus."""
    return ["-Werror"] if os.environ.get("FLOWBUS_STRICT") else []


def chosen(text, valid, what):
    """The parts of a list, each of which has to be valid."""
    names = [name for name in text.replace(",", " ").split() if name] if text else list(valid)
    for name in names:
        if name not in valid:
            raise Failure(f"'{name}' is no {what}; valid are: {', '.join(valid)}")
    return names


def stop(child, how=signal.SIGTERM):
    """Ends a process, and returns its status."""
    if child.poll() is None:
        child.send_signal(how)
    try:
        return child.wait(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()
