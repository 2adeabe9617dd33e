"""What a display goes through: each time the right page is there within 3 s after a program can show it, and no ticket is lost.

Programs that need a display are real ones that open no windows, and fail without a file, as they do without a display.
"""

import pytest
from terminal import TICKET

SOON = 3  # s


@pytest.fixture
def display(tmp_path):
    """A file that stands for the display."""
    return tmp_path / "display"


def test_the_compositor_is_away_for_a_while(plain, libflowbus, display):
    display.touch()
    terminal = plain()
    terminal.real("customer", "attendant", fails_unless=display)
    terminal.wait("welcome")
    terminal.wait("board")
    terminal.insert()
    terminal.wait("fee")
    display.unlink()
    for name in "com.park.Customer", "com.park.Attendant":  # All programs with windows end at once.
        terminal.device.kill(name)
    terminal.device.wait_for(lambda tree: tree[f"{TICKET}/fee"].owner == "" and not tree["attendant/board"].visible)
    terminal.wait_tried("fee", "board", pause=1.0)  # That long it is away.
    assert terminal.context(TICKET)["ticket"] == "A-17"
    display.touch()
    terminal.wait("fee", SOON, ticket="A-17", cents=450)
    terminal.wait("board", SOON)


def test_a_program_fails_once_at_boot(plain, libflowbus, display):
    terminal = plain()
    terminal.real("customer", fails_once=display)
    terminal.wait("welcome", SOON)


def test_the_display_comes_late(plain, libflowbus, display):
    terminal = plain()
    terminal.real("customer", "attendant", fails_unless=display)
    assert terminal.insert() == "navigated"  # The reader has no display, and is there from the beginning.
    terminal.wait_tried("fee", "board", pause=2.0)  # That late it is.
    assert terminal.shown == []
    display.touch()
    terminal.retry()
    terminal.wait("fee", SOON, ticket="A-17")
    terminal.wait("board", SOON)


def test_the_program_of_the_receipt_is_not_installed(plain):
    terminal = plain(patience="300ms").play(receipt=False)
    terminal.pay().exit(output="R-1")
    terminal.wait("thanks", SOON, receipt="R-1")


def test_a_page_hangs(plain, libflowbus):
    terminal = plain(watchdog="300ms").play(customer=False)
    terminal.real("customer")
    terminal.wait("welcome")
    terminal.insert()
    terminal.wait("fee")
    hung = terminal.stop("customer", f"{TICKET}/fee")
    terminal.device.wait_for(lambda tree: not tree[f"{TICKET}/fee"].visible, "a page that nobody shows")
    terminal.wait("fee", SOON, ticket="A-17")
    assert terminal.process("customer") != hung


def test_the_stacker_is_killed(terminal):
    terminal.insert()
    before, calls = terminal.device.stack(), list(terminal.customer.calls)
    terminal.retry()  # The next one begins with that. Whoever shows a page hears nothing of it.
    assert terminal.customer.calls == calls
    assert terminal.device.stack() == before == [f"{TICKET}/fee", "attendant/board"]
    assert terminal.page[1]["ticket"] == "A-17"
