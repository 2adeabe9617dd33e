"""What a display goes through, with real windows, under sway, labwc, cage and on X11 with openbox: each time the right page is seen within 3 s after
a program can show it, and never anybody else's ticket for longer than that.

The stacker orders the windows. It is started again whenever it ends, as a service manager does. cage before 0.3 lets nobody order them: the
libraries show them anew. cage has one display, that of the customer.
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
from terminal import PROGRAMS, TICKET, Terminal
from test_customers import CUSTOMERS, Growth, serve_all
from test_ways import child

HERE = Path(__file__).parent
STACKER = os.environ["STACKER"]
SOON = 3  # s
PATIENCE = 60  # s, where it does not matter how long something takes
LATE = 4.0  # s, the pause in which a late display comes: the stacker has all programs called at once
DISPLAY = """
[[autostart]]
flow   = "{}"
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
        (other / "50-displays.toml").write_text("version = 1\n" + "".join(
            DISPLAY.format(*it) for it in zip(("customer", "attendant"), self.displays.outputs, strict=False)))
        self.terminal = Terminal(self.flowbus, self.folder / "flows.d", earlier=[other], environment=self.displays.variables)
        self.device = self.terminal.device
        self.terminal.real("customer", "attendant", **how)
        self.terminal.real("receipt")
        self.terminal.real_payments()
        self.device.start_flowbusd()
        if not late and self.displays.has_stacker:
            self.stacker = Stacker(self.device.environment)
        return self.terminal

    def crash(self):
        """The compositor is killed."""
        if self.stacker:
            self.stacker.compositor.clear()
        self.displays.crash()

    def appear(self):
        """The displays are there again, and so is the stacker."""
        self.displays.start()
        if not self.displays.has_stacker:
            self.terminal.retry()  # What starts the compositor does so: `flowbusctl retry`.
            return
        self.stacker = self.stacker or Stacker(self.device.environment)
        self.stacker.compositor.set()

    @property
    def in_front(self):
        """The screens in front, by the displays, while a ticket is in."""
        return (f"{TICKET}/fee", "attendant/board")[:self.displays.count]

    def wait_tried(self, pause):
        """Waits until their programs have failed so often that flowbusd waits that long before it calls them again."""
        self.terminal.wait_tried(*(it.rpartition("/")[2] for it in self.in_front), pause=pause)

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


@pytest.fixture(params=["Wayland", "X11", "Labwc", "Cage"])
def place(request, flowbus, tmp_path):
    if request.param == "Labwc" and not shutil.which("labwc"):
        pytest.skip("there is no program 'labwc', which Debian has from 13 on")
    if request.param == "Cage" and not shutil.which("cage"):
        pytest.skip("there is no program 'cage'")
    place = Place(request.param, flowbus, tmp_path)
    yield place
    place.end()


@pytest.fixture
def stacked(place):
    """The same, if a stacker can cover what is missing."""
    if not place.displays.has_stacker:
        pytest.skip("this version of cage has no protocol by which a stacker could cover anything")
    return place


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
    place.device.wait_for(lambda tree: not any(tree[it].visible for it in place.in_front))
    place.wait_tried(pause=1.0)
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
    place.wait_tried(pause=LATE)
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


def test_a_page_that_hangs_is_covered(stacked):
    served(stacked)
    process, _owner = hang(stacked)
    print("covered after", stacked.camera.until(SOON, lambda: stacked.camera.seen[-1][1][0][0] != "fee", "the page that hangs is seen"))
    end(process)
    stacked.camera.wait(SOON, "fee", "B-18")


def test_a_page_that_waits_has_a_cover_that_says_so(stacked, tmp_path):
    stacked.begin(fails_unless=tmp_path / "display")
    print("said after", stacked.camera.until(2 + SOON, lambda: all(stacked.displays.says_something()), "nothing is said"))
    stacked.shoot("cover")
    (tmp_path / "display").touch()
    stacked.camera.wait(2 + SOON, "welcome")


def test_the_stacker_is_killed(stacked):
    begin = served(stacked)
    stacked.stacker.kill()
    stacked.terminal.press("customer", "Help")
    print("help after", stacked.camera.wait(SOON, "help"))
    stacked.shoot("stacker")
    stacked.stacker.kill()
    stacked.camera.wait(SOON, "help")
    stacked.camera.wait(SOON, "board", display=1)
    assert stacked.camera.longest("A-17", begin) == 0


def test_customers_leave_nothing(place, tmp_path):
    """Customers who pay at the displays, one after the other, by all programs of the terminal with their windows: `test --customers`.

    On Wayland it fails with GTK 4.8 and 4.18, which keep the picture of each window that they have painted by cairo, 1.2 MB each."""
    terminal, device, displays = place.begin(), place.device, place.displays
    slot = tmp_path / "slot"
    os.mkfifo(slot)
    reader = device.run([PROGRAMS / "reader", slot])

    def seen(page):
        path = f"customer/visit/{page}"
        device.wait_for(lambda tree: path in tree and tree[path].visible, f"'{page}' with a window", PATIENCE)

    def serve(number):
        slot.write_text(f"T-{number} 450\n")
        seen("ticket/fee")
        if number % 20 == 0:  # It costs half a second.
            place.camera.wait(PATIENCE, "fee", f"T-{number}")
        terminal.press("customer", "Pay by card")
        seen("ticket/pay")
        terminal.asked(1)
        terminal.put_in("good")
        seen("ticket/receipt")
        terminal.press("receipt", "Done")
        seen("welcome")

    place.camera.wait(PATIENCE, "board", display=1)
    # Their memory is not the terminal's business: openbox 3.6 keeps 6 kB of each window.
    others = [(Path(it.args[0]).name, it.pid) for it in displays.processes]
    serve_all(lambda: Growth(device, [tmp_path], others, **{
        "flowbusd": terminal.pid("org.flowbus.Navigation1"), "the bus": terminal.pid("org.freedesktop.DBus"),
        "flowbus-run": terminal.pid("org.flowbus.Run"), "the reader": reader.pid, "flowbusctl connect": child(reader.pid),
        # The program of the receipt and the payment are other processes for each customer.
        **{name: terminal.process(name) for name in ("customer", "attendant")},
        "the stacker": place.stacker.process.pid}), serve, earlier=max(10, CUSTOMERS // 5))
