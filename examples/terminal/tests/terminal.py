"""The terminal under test: its definitions and services on a bus of its own. Its pages are played, or shown by its programs."""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import signal
import sys
import tomllib
from pathlib import Path

from gi.repository import GLib

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "programs"
WELCOME, TICKET, OUTAGE = "customer/visit/welcome", "customer/visit/ticket", "customer/outage/outage"
SCREENS = tomllib.loads((HERE.parent / "flows.d" / "20-screens.toml").read_text())["screens"]
PAGES = {"customer": "welcome", "run": "pay", "receipt": "receipt", "attendant": "board"}  # One page of each program.


def load(name):
    """A program as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(PROGRAMS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class Terminal:
    """A device with the definitions of the terminal, and what happens at it."""

    def __init__(self, flowbus, folder, *, earlier=(), environment=None, **times):
        """With folders of definitions that hide some of its own, variables of its programs, and other times."""
        shutil.copytree(HERE.parent / "flows.d", folder)
        if not (folder.parent / "programs").exists():  # Those of a test's own, or these.
            (folder.parent / "programs").symlink_to(PROGRAMS)
        for name, time in times.items():
            self.change(folder, name, time)
        self.device = flowbus(*earlier, folder, environment=environment)
        self.options = ["--windows"] if environment else []
        bus = self.device.connect()
        self.machine = self.device.in_loop(lambda: load("machine").Machine(bus))
        self.card_terminal = self.device.in_loop(lambda: self.watched(load("card-terminal").CardTerminal)(bus))

    def watched(self, card_terminal):
        """The stand-in for the hardware, of which whoever waits hears when it is called."""

        class Watched(card_terminal):
            def called(this, *call):
                super().called(*call)
                self.device.activity.changed()

        return Watched

    @staticmethod
    def change(folder, name, time):
        """Changes a time in all files: 'idle', 'watchdog', or the 'patience' of a screen."""
        for file in folder.iterdir():
            pattern = {"idle": r'(after = )"\w+"', "watchdog": r'(every = )"\w+"'}.get(name, rf'(?m)^({name} *= )"\w+"')
            file.write_text(re.sub(pattern, rf'\1"{time}"', file.read_text()))

    def play(self, **how):
        """Plays the programs, and what checks the PIN. `cashier=False` leaves one out."""
        for name, page in PAGES.items():
            if how.get(name, True):
                setattr(self, name, self.device.presenter(page))
        if how.get("attendant", True):
            self.device.guard("settings", lambda question: question.arguments["pin"] == "4711")
        return self

    def real(self, *names, fails_unless=None, fails_once=None):
        """Has the bus start programs when they are needed. As without a display, they fail at once unless a file is there; or the
        first time, when a file is not there yet."""
        for name in names:
            command = [sys.executable, HERE / "pressed", *self.options, PROGRAMS / name]
            if fails_unless or fails_once:
                test = '[ -e "$0" ]' if fails_unless else '[ -e "$0" ] || ! touch "$0"'
                command = ["/bin/sh", "-c", f'{test} || {{ echo "there is no display" >&2; exit 1; }}; exec "$@"',
                           fails_unless or fails_once, *command]
            self.device.program(f"com.park.{name.capitalize()}", command)

    def real_payments(self):
        """Has flowbus-run start the vendor's program."""
        self.device.program("org.flowbus.Run", [os.environ["FLOWBUS_RUN"], "--grace", "0.5"])

    def uninstall(self, name):
        """The bus does not know a program any more."""
        (Path(self.device.folder) / "services" / f"com.park.{name.capitalize()}.service").unlink()
        self.device.connection.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig", None, None, 0, -1)

    def process(self, name):
        """The process of a real program."""
        return self.pid(f"com.park.{name.capitalize()}")

    def pid(self, name):
        """The process that owns a bus name."""
        return self.device.connection.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            GLib.Variant("(s)", (name,)), None, 0, -1).unpack()[0]

    def stop(self, name, page):
        """Has a real program hang, which shows this page; its process. Only the silence of a program that has answered flowbusd is a
        hang: flowbusd asks an owner at once, and is answered first."""
        self.device.wait_for(lambda tree: tree[page].presented and tree[page].owner, f"an owner of '{page}'")
        self.device.connection.call_sync(
            f"com.park.{name.capitalize()}", f"/com/park/{name.capitalize()}", "org.flowbus.Navigation1.Presenter", "Alive", None, None, 0,
            -1)
        process = self.process(name)
        os.kill(process, signal.SIGSTOP)
        return process

    def wait_tried(self, *screens, pause):
        """Waits until the programs of screens have failed so often that flowbusd waits that long before it calls them again: 0.5 s, then
        1.0, 2.0, 4.0 and so on."""
        self.device.wait_for(
            lambda _tree: all(f"/{it}' waits {pause} s" in self.device.log for it in screens), f"a pause of {pause} s before {screens}")

    def press(self, program, label):
        """Presses a button of a real program."""
        self.device.connection.call_sync(
            f"com.park.{program.capitalize()}", "/page", "com.park.Page", "Press", GLib.Variant("(s)", (label,)), None, 0, -1)

    def works(self, works):
        """The machine is in service, or it is not."""
        self.device.in_loop(lambda: self.machine.set(None, "", "", "", "InService", GLib.Variant("b", works)))
        self.device.wait_for(lambda tree: ("customer/outage" in tree) != works, "the outage that the property says")

    def retry(self):
        """What a stacker does when it has a compositor: flowbusd calls all that wait, without their pauses."""
        self.device.call("/org/flowbus/Navigation1", "org.flowbus.Navigation1.Coordinator", "Retry")

    def asked(self, times):
        """Waits until the card terminal has been asked so many times about the payment that is under way; its reference."""
        terminal = self.card_terminal
        self.device.wait_for(lambda _tree: [len(it) for _, it in terminal.asked.values()] == [times], "a question")
        return next(iter(terminal.asked))

    def put_in(self, card):
        """The customer puts a card in."""
        self.device.connection.call_sync(
            "com.vendor.CardTerminal", "/com/vendor/CardTerminal", "com.vendor.CardTerminal", "Insert",
            GLib.Variant("(s)", (card,)), None, 0, -1)

    def cancel(self):
        """The customer presses Cancel, on the display or the card terminal."""
        reference, = self.card_terminal.asked
        self.device.connection.call_sync(
            "com.vendor.CardTerminal", "/com/vendor/CardTerminal", "com.vendor.CardTerminal", "Cancel",
            GLib.Variant("(s)", (reference,)), None, 0, -1)

    def insert(self, ticket="A-17", cents=450):
        """What the reader says when a ticket is put in."""
        return self.device.emit("customer/visit", "ticketRead", ticket=ticket, cents=cents)

    def pay(self):
        """Leads to the page of the payment."""
        self.insert()
        self.customer.screen("fee").emit("payAsked")
        return self.run.screen("pay")

    @property
    def shown(self):
        """The screens that the two displays show."""
        return self.device.tree().presented

    @property
    def page(self):
        """The page that the customer sees: its name, and what it knows."""
        node, = [it for path, it in self.device.tree().items() if it.presented and not it.is_flow and path.startswith("customer")]
        return node.name, self.known(node.path)

    def known(self, path):
        """What a page knows: those values of the flows above it that its declaration names."""
        flow, page = path.rsplit("/", 1)
        known = self.context(flow)
        return {name: known[name] for name in SCREENS[page].get("context", []) if name in known}

    def context(self, path):
        """The values of a flow and of those above it; none if it is gone."""
        above = self.context(path.rpartition("/")[0]) if "/" in path else {}
        try:
            return above | self.device.connection.call_sync(
                "org.flowbus.Navigation1", f"/org/flowbus/Navigation1/tree/{path}", "org.freedesktop.DBus.Properties", "Get",
                GLib.Variant("(ss)", ("org.flowbus.Navigation1.Flow", "Context")), None, 0, -1).unpack()[0]
        except GLib.Error:
            return {}

    def wait(self, name, timeout=None, **values):
        """Waits until the customer sees this page, which knows these values."""

        def is_shown(tree):
            screens = [it for it in tree.values() if not it.is_flow and it.name == name]
            return any(it.presented and values.items() <= self.known(it.path).items() for it in screens)

        self.device.wait_for(is_shown, f"the page '{name}' with {values}", timeout)
