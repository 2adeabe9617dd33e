# SPDX-License-Identifier: Apache-2.0
"""A display that nobody sees, and a person before the inspector on it."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


class Display:
    """Xvfb with openbox. As a context it is the environment of programs that use it."""

    def __enter__(self):
        reading, writing = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x820x24"], pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            variables = {"DISPLAY": f":{pipe.readline().strip()}"}
        self._manager = subprocess.Popen(
            ["openbox", "--startup", "echo up"], env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._manager.stdout.readline()
        return {**variables, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1",
                "GSETTINGS_BACKEND": "memory"}

    def __exit__(self, *_error):
        for process in (self._manager, self._server):
            process.terminate()
            process.wait()


class Person:
    """Sits before the inspector: sees its window, moves the pointer, types."""

    def __init__(self, environment, *arguments):
        self._environment = {**os.environ, **environment}
        self.process = subprocess.Popen(
            [sys.executable, HERE / "driven.py", *arguments], env=self._environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def see(self, expression):
        """Waits until something is seen, which driven.py evaluates, and returns it."""
        print(json.dumps(expression), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the inspector ended with {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(f"'{expression}': {answer['error']}")
        return answer["value"]

    def click(self, place):
        """Clicks in the middle of a widget: by its name, or by an expression such as row('shop/list')."""
        self.see("drawn()")  # What was typed before may move it.
        x, y, window = self.see(place if "(" in place else f"area({place!r})")
        self._xdotool("mousemove", "--sync", "--window", str(window), str(round(x)), str(round(y)), "click", "1")

    def drag(self, place, begin, end):
        """Drags from one part of the width of a widget to another one."""
        for number, part in enumerate((begin, (begin + end) / 2, end)):
            x, y, window = self.see(f"area({place!r}, {part})")
            self._xdotool("mousemove", "--sync", "--window", str(window), str(round(x)), str(round(y)))
            if not number:
                self._xdotool("mousedown", "1")
        self._xdotool("mouseup", "1")

    def type(self, text):
        """Types a text."""
        self._xdotool("type", "--delay", "5", text)

    def press(self, *keys):
        """Presses keys."""
        self._xdotool("key", *keys)

    def shoot(self, name):
        """Takes a picture of the display, if there is a folder for them: SHOTS."""
        if os.environ.get("SHOTS"):
            self.take(Path(os.environ["SHOTS"]) / f"{name}.png")

    def take(self, file, *options):
        """Takes a picture of the display, with options of ImageMagick."""
        self.see("drawn()")
        subprocess.run(["import", "-window", "root", *options, file], env=self._environment, check=True)

    def _xdotool(self, *words):
        subprocess.run(["xdotool", *words], env=self._environment, check=True, timeout=20)

    def close(self):
        """Ends the inspector. A callback may have failed since the last look."""
        self.process.kill()
        left, _ = self.process.communicate()
        assert '"error"' not in left, left
