"""What a display goes through, with real windows, under sway, labwc and on X11 with openbox: each time the right page is seen within 3 s after
a program can show it, and never anybody else's ticket for longer than that.

The stacker orders the windows. It is started again whenever it ends, as a service manager does.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import displays as kinds
import pytest
from terminal import TICKET, Terminal

HERE = Path(__file__).parent
STACKER = os.environ["STACKER"]
SOON = 3  # s
LATE = 4.0  # s, the pause in which a late display comes: the stacker has all programs called at once
DISPLAYS = """
version = 1
[[autostart]]
flow   = "customer"
output = "{}"
[[autostart]]
flow   = "attendant"
output = "{}"
"""


class Stacker:
    """The stacker, which is started again when it ends as long as there is a compositor, as a service of its session is."""

    def __init__(self, variables):
        self.variables, self.is_over, self.process, self.compositor = variables, False, None, threading.Event()
        self.compositor.set()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while self.compositor.wait() and not self.is_over:
            self.process = subprocess.Popen([STACKER], env=self.variables, stdout=subprocess.DEVNULL)
            self.process.wait()

    def kill(self):
        self.process.kill()

    def end(self):
        self.is_over = True
        self.compositor.set()
        while self.thread.is_alive():  # It may be about to start one.
            self.process.kill()
            self.thread.join(0.1)


class Place:
    """Two displays, the terminal and the stacker."""

    def __init__(self, kind, flowbus, folder):
        self.displays = getattr(kinds, kind)(folder)
        self.folder, self.flowbus, self.stacker, self.kind = folder, flowbus, None, kind
        self.camera = kinds.Camera(self.displays)

    def begin(self, late=False, **how):
        """Starts all of it. With `late` the displays are not there yet."""
        if not late:
            self.displays.start()
        elif self.kind != "Wayland":
            self.displays.start()  # For its address.
            self.displays.crash()
        other = self.folder / "displays.d"
        other.mkdir()
        (other / "50-displays.toml").write_text(DISPLAYS.format(*self.displays.outputs))
        self.terminal = Terminal(self.flowbus, self.folder / "flows.d", earlier=[other], environment=self.displays.variables)
        self.device = self.terminal.device
        self.terminal.real("customer", "attendant", **how)
        self.terminal.real("receipt")
        self.terminal.real_payments()
        self.device.start_flowbusd()
        if not late:
            self.stacker = Stacker(self.device.environment)
        return self.terminal

    def crash(self):
        """The compositor is killed."""
        self.stacker.compositor.clear()
        self.displays.crash()

    def appear(self):
        """The displays are there again, and so is the stacker."""
        self.displays.start()
        self.stacker = self.stacker or Stacker(self.device.environment)
        self.stacker.compositor.set()

    def ticket(self, name):
        """A ticket is put in, and its page is seen."""
        self.terminal.insert(name)
        self.camera.wait(10, "fee", name)

    def shoot(self, name):
        if os.environ.get("SHOTS"):
            self.displays.shoot(Path(os.environ["SHOTS"]) / f"{self.kind}-{name}.png")

    def end(self):
        if self.stacker:
            self.stacker.end()
        self.displays.crash()


@pytest.fixture(params=["Wayland", "X11", "Labwc"])
def place(request, flowbus, tmp_path):
    if request.param == "Labwc" and not shutil.which("labwc"):
        pytest.skip("there is no program 'labwc', which Debian has from 13 on")
    place = Place(request.param, flowbus, tmp_path)
    yield place
    place.end()


def served(place):
    """The terminal has had a customer, whose ticket nobody may see afterwards. The next one has put a ticket in."""
    terminal = place.begin()
    place.camera.wait(10, "welcome", "Welcome")
    place.camera.wait(10, "board", display=1)
    place.ticket("A-17")
    terminal.press("customer", "Ticket back")
    place.camera.wait(SOON, "welcome")
    place.ticket("B-18")
    return time.monotonic()


def test_the_compositor_is_away_for_a_while(place):
    begin = served(place)
    place.crash()
    place.device.wait_for(lambda tree: not tree[f"{TICKET}/fee"].visible and not tree["attendant/board"].visible)
    place.terminal.wait_tried("fee", "board", pause=1.0)
    place.appear()
    print("fee after", place.camera.wait(SOON, "fee", "B-18"))
    place.camera.wait(SOON, "board", display=1)
    place.shoot("compositor")
    assert place.camera.longest("A-17", begin) == 0
    place.terminal.press("customer", "Help")
    place.camera.wait(SOON, "help")


def test_a_program_fails_once_at_boot(place, tmp_path):
    place.begin(fails_once=tmp_path / "tried")
    print("welcome after", place.camera.wait(2 + SOON, "welcome"))
    place.camera.wait(SOON, "board", display=1)


def test_the_display_comes_late(place):
    terminal = place.begin(late=True)
    assert terminal.insert("B-18") == "navigated"
    terminal.wait_tried("fee", "board", pause=LATE)
    place.appear()
    print("fee after", place.camera.wait(SOON, "fee", "B-18"))
    place.camera.wait(SOON, "board", display=1)


def test_the_program_of_the_receipt_is_not_installed(place):
    begin = served(place)
    place.terminal.uninstall("receipt")
    place.terminal.press("customer", "Pay by card")
    # The vendor's program begins with each payment. Without a user manager it is in a PID namespace, and on X11 its window tells the number
    # that it has there: the stacker can't know whose it is, and covers the page.
    if place.kind == "X11":
        place.terminal.wait("pay")
    else:
        place.camera.wait(20, "pay", "Payment")
    place.terminal.asked(1)
    place.terminal.put_in("good")
    print("thanks after", place.camera.wait(2 + SOON, "thanks"))
    place.shoot("receipt")
    assert place.camera.longest("A-17", begin) == 0
    place.terminal.press("customer", "Done")
    place.camera.wait(SOON, "welcome")


def hang(place):
    """The program of the customer's page hangs, and flowbusd has noticed it. Returns the process, and its connection."""
    process, owner = place.terminal.stop("customer", f"{TICKET}/fee"), place.device.tree()[f"{TICKET}/fee"].owner
    place.device.wait_for(lambda tree: not tree[f"{TICKET}/fee"].visible, "a page that nobody shows")
    return process, owner


def end(process):
    """Ends a process that hangs as systemd does, by WatchdogSec=. Where the bus tells the file of a process, flowbusd may have been quicker."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def test_a_page_hangs(place):
    begin = served(place)
    process, owner = hang(place)
    end(process)
    killed = time.monotonic()
    place.device.wait_for(lambda tree: tree[f"{TICKET}/fee"].presented and tree[f"{TICKET}/fee"].owner != owner, timeout=SOON)
    print("fee after", place.camera.wait(killed + SOON - time.monotonic(), "fee", "B-18") + time.monotonic() - killed)
    place.terminal.press("customer", "Ticket back")
    place.camera.wait(SOON, "welcome")
    assert place.camera.longest("A-17", begin) == 0


def test_a_page_that_hangs_is_covered(place):
    served(place)
    process, _owner = hang(place)
    print("covered after", place.camera.until(SOON, lambda: place.camera.seen[-1][1][0][0] != "fee", "the page that hangs is seen"))
    end(process)
    place.camera.wait(SOON, "fee", "B-18")


def test_a_page_that_waits_has_a_cover_that_says_so(place, tmp_path):
    place.begin(fails_unless=tmp_path / "display")
    print("said after", place.camera.until(2 + SOON, lambda: all(place.displays.says_something()), "nothing is said"))
    place.shoot("cover")
    (tmp_path / "display").touch()
    place.camera.wait(2 + SOON, "welcome")


def test_the_stacker_is_killed(place):
    begin = served(place)
    place.stacker.kill()
    place.terminal.press("customer", "Help")
    print("help after", place.camera.wait(SOON, "help"))
    place.shoot("stacker")
    place.stacker.kill()
    place.camera.wait(SOON, "help")
    place.camera.wait(SOON, "board", display=1)
    assert place.camera.longest("A-17", begin) == 0
