"""The ways through the terminal."""

import contextlib
import os
import select
import signal
import time
from pathlib import Path

import pytest
from flowbus.testing import CallError
from terminal import HERE, OUTAGE, PROGRAMS, TICKET, WELCOME


def test_both_displays_begin(terminal):
    assert terminal.device.tree() == """
        customer        flow, presented
        └── visit       flow, presented, current
            └── welcome screen, presented, current
        attendant       flow, presented
        └── board       screen, presented, current
    """


def test_a_ticket_is_paid(terminal):
    pay = terminal.pay()
    assert terminal.page[0] == "pay" and pay.arguments == {"ticket": "A-17", "cents": 450, "lang": "en"}
    pay.exit(output="R-1\n")
    assert terminal.page == ("receipt", {"ticket": "A-17", "receipt": "R-1", "lang": "en"})
    terminal.receipt.screen("receipt").emit("ticketTaken")
    assert terminal.page == ("welcome", {"lang": "en"})


def test_a_declined_card_leads_back_to_the_fee(terminal):
    terminal.pay().exit(2, errors="the card is blocked")
    name, known = terminal.page
    assert (name, known["ticket"], known["problem"]) == ("fee", "A-17", "declined")
    assert terminal.customer.screen("fee").emit("payAsked") == "navigated"
    assert terminal.page[0] == "pay"
    terminal.run.screen("pay").exit(1, errors="the card terminal is away")
    assert terminal.page[1]["problem"] == "failed"


def test_back_gives_the_ticket_back_but_not_during_a_payment(terminal):
    pay = terminal.pay()
    assert pay.back() == "navigated"
    assert terminal.page[0] == "pay"
    pay.exit(3)
    terminal.customer.screen("fee").back()
    assert terminal.page[0] == "welcome"
    assert TICKET not in terminal.device.tree()


def test_help_is_there_with_and_without_a_ticket(terminal):
    terminal.device.emit(WELCOME, "helpAsked")
    assert terminal.page[0] == "help"
    assert terminal.insert() == "navigated"
    assert terminal.page[0] == "fee"
    terminal.customer.screen("fee").emit("helpAsked")
    assert terminal.page[0] == "help"
    terminal.customer.screen("help").back()
    assert terminal.page == ("fee", {"ticket": "A-17", "cents": 450, "lang": "en", "problem": ""})


def test_a_language_is_that_of_all_pages(terminal):
    instance = terminal.customer.screen("welcome").instance
    terminal.device.emit(WELCOME, "languagePicked", lang="de")
    assert terminal.page == ("welcome", {"lang": "de"})
    assert terminal.customer.screen("welcome").instance == instance
    pay = terminal.pay()
    assert pay.arguments["lang"] == "de"
    pay.exit(output="R-1")
    assert terminal.page[1]["lang"] == "de"


def test_a_language_can_be_chosen_when_the_ticket_is_in(terminal):
    terminal.insert()
    terminal.customer.screen("fee").emit("languagePicked", lang="de")
    assert terminal.page == ("fee", {"ticket": "A-17", "cents": 450, "lang": "de", "problem": ""})
    terminal.customer.screen("fee").back()
    assert terminal.page == ("welcome", {"lang": "de"})


def test_nobody_else_acts_on_a_ticket(terminal):
    terminal.pay()
    with pytest.raises(CallError, match="owner"):
        terminal.device.emit(f"{TICKET}/pay", "paid", receipt="R-0")


def test_a_second_ticket_waits_in_the_reader(terminal, libflowbus, tmp_path):
    slot = tmp_path / "slot"
    os.mkfifo(slot)
    pay = terminal.pay()
    assert terminal.insert("B-18") == "unhandled"
    terminal.device.run([PROGRAMS / "reader", slot])
    slot.write_text("B-18 200\nno ticket\nC-19 100\n")
    pay.exit(output="R-1")
    terminal.receipt.screen("receipt").emit("ticketTaken")
    terminal.wait("fee", ticket="B-18", cents=200)
    terminal.device.wait_said("took B-18")
    terminal.customer.screen("fee").back()
    terminal.wait("fee", ticket="C-19", cents=100)


def test_a_line_that_is_no_fee_is_no_ticket(terminal, libflowbus, tmp_path):
    slot = tmp_path / "slot"
    os.mkfifo(slot)
    terminal.device.run([PROGRAMS / "reader", slot])
    lines = ["A-17", "A-17 -5", "A-17 99999999999", "A-17 450x"]
    slot.write_text("".join(f"{line}\n" for line in [*lines, "B-18 200"]))
    for line in lines:
        terminal.device.wait_said(f"no ticket: '{line}'")
    terminal.wait("fee", ticket="B-18", cents=200)


def test_the_reader_goes_on_when_nobody_reads_its_lines(terminal, libflowbus, tmp_path):
    slot = tmp_path / "slot"
    os.mkfifo(slot)
    terminal.device.run(["/bin/sh", "-c", '"$@" | :', "sh", PROGRAMS / "reader", slot])
    slot.write_text("A-17 450\nB-18 200\n")
    terminal.wait("fee", ticket="A-17", cents=450)
    terminal.customer.screen("fee").back()
    terminal.wait("fee", ticket="B-18", cents=200)


def test_a_customer_walks_away(plain):
    terminal = plain(idle="1s").play()
    terminal.device.emit(WELCOME, "languagePicked", lang="de")
    terminal.insert()
    terminal.device.emit("attendant/board", "settingsAsked")
    terminal.wait("welcome", lang="en")
    assert TICKET not in terminal.device.tree()
    terminal.wait("board")


def test_a_wrong_pin_and_the_right_one(terminal):
    terminal.device.emit("attendant/board", "settingsAsked")
    pin = terminal.attendant.screen("pin")
    assert pin.emit("pinEntered", pin="1234") == "rejected"
    assert terminal.shown == [WELCOME, "attendant/settings/pin"]
    assert pin.emit("pinEntered", pin="4711") == "navigated"
    assert terminal.shown == [WELCOME, "attendant/settings/settings"]
    terminal.attendant.screen("settings").emit("settingsLeft")
    assert terminal.shown == [WELCOME, "attendant/board"]


def test_the_outage_is_over_all_and_a_payment_goes_on(terminal):
    pay = terminal.pay()
    terminal.works(False)
    assert terminal.shown == [OUTAGE, "attendant/board"]
    assert terminal.insert("B-18") == "hidden"
    pay.exit(output="R-1")
    assert terminal.page[0] == "outage"
    terminal.works(True)
    assert terminal.page[0] == "receipt"


def test_a_terminal_without_its_machine_is_out_of_service(flowbus):
    device = flowbus(HERE.parent / "flows.d")
    device.presenter("welcome")
    device.wait_presented(OUTAGE)


def test_flowbusd_is_killed_during_a_payment(terminal):
    pay, before = terminal.pay(), terminal.device.tree()
    terminal.device.kill_flowbusd()
    assert terminal.device.tree() == before
    pay.exit(output="R-1")
    assert terminal.page[0] == "receipt"


@pytest.mark.parametrize("killed", ["customer", "flowbus-run", "payment", "reader", "its connection", "flowbusd"])
def test_each_is_killed_during_a_payment_and_nobody_pays_twice(plain, libflowbus, tmp_path, killed):
    slot = tmp_path / "slot"
    os.mkfifo(slot)
    terminal = plain()
    device = terminal.device
    terminal.real("customer", "receipt", "attendant")
    terminal.real_payments()
    reader = device.run([PROGRAMS / "reader", slot])
    slot.write_text("A-17 450\nB-18 200\n")
    terminal.wait("fee", ticket="A-17")
    device.wait_said("took A-17")
    terminal.press("customer", "Pay by card")
    terminal.wait("pay")
    terminal.asked(1)
    wait_kept(slot, "B-18 200")
    match killed:
        case "customer":
            device.kill("com.park.Customer")
        case "flowbus-run":
            device.kill("org.flowbus.Run")
            terminal.asked(2)
        case "payment":
            kill_program(device, tmp_path / "programs/pay")
            terminal.wait("fee", ticket="A-17", problem="failed")
            terminal.press("customer", "Pay by card")
            terminal.asked(2)
        case "reader" | "its connection":
            os.kill(reader.pid if killed == "reader" else child(reader.pid), signal.SIGKILL)
            reader.wait(30)
            device.run([PROGRAMS / "reader", slot])
        case "flowbusd":
            device.kill_flowbusd()
    terminal.wait("pay")
    terminal.put_in("good")
    terminal.wait("receipt", receipt="R-1")
    assert terminal.card_terminal.charges == {"A-17": 450}
    terminal.press("receipt", "Done")
    terminal.wait("fee", ticket="B-18", cents=200)


def wait_kept(slot, text):
    """Waits until the reader has this ticket in its slot."""
    file, deadline = Path(f"{slot}.ticket"), time.monotonic() + 30
    while not file.exists() or file.read_text() != f"{text}\n":
        assert time.monotonic() < deadline, f"the reader has not read '{text}'"
        select.select([], [], [], 0.02)


def child(process):
    """The only child of a process."""
    number, = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return int(number)


def kill_program(device, program):
    """Kills the one program of this device that was started by this path."""
    address = f"DBUS_SESSION_BUS_ADDRESS={device.address}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(program).encode() in (folder / "cmdline").read_bytes().split(b"\0")[1:2] and address in (folder / "environ").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)
                return
    raise AssertionError(f"'{program}' does not run")


def test_the_programs_themselves(plain, libflowbus):
    terminal = plain()
    terminal.real("customer", "receipt", "attendant")
    terminal.real_payments()
    terminal.wait("welcome")
    terminal.press("customer", "Deutsch")
    terminal.wait("welcome", lang="de")
    assert terminal.device.tree()[WELCOME].title == "Willkommen"
    terminal.insert()
    terminal.wait("fee")
    assert terminal.device.tree()[f"{TICKET}/fee"].title == "Parkschein A-17"
    terminal.press("customer", "Mit Karte zahlen")
    terminal.wait("pay")
    terminal.asked(1)
    terminal.put_in("blocked")
    terminal.wait("fee", problem="declined")
    terminal.press("customer", "Mit Karte zahlen")
    terminal.wait("pay")
    terminal.asked(1)
    terminal.cancel()
    terminal.wait("fee", problem="cancelled")
    terminal.press("customer", "Mit Karte zahlen")
    terminal.wait("pay")
    terminal.asked(1)
    terminal.put_in("good")
    terminal.wait("receipt", receipt="R-1", lang="de")
    terminal.press("receipt", "Fertig")
    terminal.wait("welcome", lang="de")
    terminal.press("attendant", "Settings")
    terminal.wait("pin")
    terminal.press("attendant", "0000")
    terminal.press("attendant", "4711")
    terminal.wait("settings")
    terminal.press("attendant", "Out of service")
    terminal.wait("outage")
    terminal.press("attendant", "In service")
    terminal.wait("welcome")
