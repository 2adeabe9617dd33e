"""A bus with flowbusd and its clients, in which a scenario plays, and the rules that hold whatever failed (docs/durability.md)."""

import os
import resource
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

from client import BUS, Connection, member_of, path_of, sender_of
from jeepney import DBusAddress, MessageType

NAME = "org.flowbus.Navigation1"
ROOT = "/org/flowbus/Navigation1"
TREE = ROOT + "/tree"
PEER = "com.example.Peer"
# The bus's word that the owner of a name is gone.
DEATHS = ("NoReply", "ServiceUnknown", "NameHasNoOwner")
# How flowbusd may end for a call that failed (sysexits.h); 127 is the dynamic linker's.
STATUSES = {1, 66, 69, 71, 73, 75, 77, 78, 127}
TRAPS = {-signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT}
SECONDS = 120

DEFINITIONS = (Path(__file__).parent / "flows.toml").read_text()


class Broken(Exception):
    """A rule that does not hold."""


def role(path, interface):
    """An object of flowbusd, and one of its interfaces."""
    if "." not in interface:
        interface = f"{NAME}.{interface}"
    return DBusAddress(TREE + path if path else ROOT, NAME, interface)


def forest(objects):
    """The properties of each presentable, by path, of what GetManagedObjects answers."""
    tree = {}
    for path, interfaces in objects.items():
        if path.startswith(TREE + "/"):
            tree[path[len(TREE):]] = properties(interfaces)
    return tree


def properties(interfaces):
    """The properties of a presentable that signals report."""
    values = {}
    for name in ("Presentable", "Flow"):
        values.update(interfaces.get(f"{NAME}.{name}", {}))
    # No signal reports changes of it at a flow (S-38).
    if "Definition" in values:
        values.pop("InSight", None)
    return values


class Watcher:
    """A client that follows the tree as docs/processes.md describes in "Following a tree without a race"."""

    def __init__(self, address):
        self.connection = Connection(address)
        self.tree = {}
        self.reading = None
        self.owner = ""
        self.durable_changes = 0
        self.is_current = False
        self.connection.on_message = self.take
        signals = f"type='signal',sender='{NAME}',"
        for rule in (
            f"{signals}path_namespace='{TREE}'",
            f"{signals}interface='org.freedesktop.DBus.ObjectManager',path='{ROOT}',arg0path='{TREE}/'",
            f"{signals}interface='org.freedesktop.DBus.Properties',path='{ROOT}'",
            f"type='signal',sender='{BUS.bus_name}',member='NameOwnerChanged',arg0='{NAME}'",
        ):
            self.connection.call_bus("AddMatch", "s", rule)

    def take(self, message):
        """Follows a signal."""
        if self.reading and self.reading.answer:
            self.read()
        if message.header.message_type != MessageType.signal:
            return
        member, body = member_of(message), message.body
        if member == "NameOwnerChanged" and sender_of(message) == BUS.bus_name:
            self.owner, self.is_current, self.reading = body[2], False, None
            if self.owner:
                self.ask()
        elif member == "InterfacesAdded":
            self.tree[body[0][len(TREE):]] = properties(body[1])
        elif member == "InterfacesRemoved":
            self.tree.pop(body[0][len(TREE):], None)
        elif member == "PropertiesChanged":
            if path_of(message) == ROOT:
                self.durable_changes += 1
            elif path_of(message)[len(TREE):] in self.tree:
                self.tree[path_of(message)[len(TREE):]].update(body[1])

    def ask(self):
        """Reads the tree."""
        self.reading = self.connection.start(role("", "org.freedesktop.DBus.ObjectManager"), "GetManagedObjects")

    def read(self):
        """Takes the tree that it has read, before the signals that follow."""
        reading, self.reading = self.reading, None
        if reading.error:
            # The next owner of the name is read; an owner that is short of memory is asked again.
            if not reading.error.endswith(DEATHS):
                self.ask()
            return
        self.tree = forest(reading.answer.body[0])
        self.is_current = True


class Process:
    """A flowbusd."""

    def __init__(self, world, command, env, is_faulty):
        self.world = world
        self.is_faulty = is_faulty
        self.log = world.folder / f"log-{world.started}"
        world.started += 1
        with open(self.log, "wb") as log:
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        self.watch = os.pidfd_open(self.child.pid)
        self.is_traced = command[0] == "strace"
        # How it may end.
        self.accepted = set()
        self.status = None

    def fileno(self):
        """For select(2): readable when it has ended."""
        return self.watch

    def number(self):
        """The process itself, not what traces it; None if it has ended."""
        if not self.is_traced:
            return self.child.pid
        me = self.child.pid
        try:
            children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def signal(self, which):
        """Sends it a signal, if it lives."""
        number = self.number()
        try:
            if number:
                os.kill(number, which)
        except ProcessLookupError:
            pass

    def end(self):
        """Takes its status, when it has ended."""
        self.status = self.child.wait()
        os.close(self.watch)

    def text(self):
        """What it has logged, but for warnings about the definitions."""
        return "".join(
            line for line in self.log.read_text(errors="replace").splitlines(keepends=True) if "/flows.toml:" not in line)


class World:
    """Everything that a scenario has. At its end, `check` tells what is wrong."""

    def __init__(self, address, folder, fault, programs):
        self.address = address
        self.folder = folder
        self.fault = fault
        self.programs = programs
        self.started = 0
        self.processes = []
        self.ended = []
        self.wrong = []
        self.refusals = []
        self.navigations = {}
        self.tokens = 0
        self.options = []
        self.write_definitions(DEFINITIONS)
        self.client = Connection(address)
        self.watcher = Watcher(address)
        self.peer = Connection(address)
        self.peer.on_message = self.play_peer
        self.peer.call_bus("RequestName", "su", PEER, 0)
        self.peer_calls = []
        self.guards = True
        self.waiting_question = None
        self.concluded = []
        self.client.on_message = self.take_signal

    def write_definitions(self, text):
        """Replaces the definition files."""
        (self.folder / "flows").mkdir(exist_ok=True)
        (self.folder / "flows" / "flows.toml").write_text(text)

    # Other processes

    def play_peer(self, message):
        """A guard and a presenter that say yes."""
        if message.header.message_type != MessageType.method_call:
            return
        member = member_of(message)
        self.peer_calls.append((member, message.body))
        if member == "Adapt":
            if self.guards:
                self.peer.reply(message, "sa{sv}", message.body[1], message.body[2])
            else:
                self.waiting_question = message
        else:
            self.peer.reply(message)

    def take_signal(self, message):
        """What is sent to the client alone."""
        if member_of(message) == "StepConcluded":
            self.concluded.append(message.body)

    # Processes

    def start(self, *options, is_faulty=False):
        """Starts a flowbusd; one of them is the one that fails."""
        command = [
            self.programs["flowbusd"], "--flows", str(self.folder / "flows"), "--runtime", str(self.folder / "run"), "--state",
            str(self.folder / "state"), *self.options, *options]
        env = dict(self.programs["environment"], DBUS_SESSION_BUS_ADDRESS=self.address, HOME=str(self.folder))
        if is_faulty and self.fault:
            before, more = self.fault.applied(self.folder, self.client.bus_id)
            command, env = before + command, dict(env, **more)
        process = Process(self, command, env, is_faulty)
        self.processes.append(process)
        return process

    def start_served(self, *options, is_faulty=False):
        """Starts the only flowbusd, and waits until the name has an owner, and the watcher has read its tree."""
        self.start(*options, is_faulty=is_faulty)
        self.until(lambda: self.watcher.is_current, "the service")

    def bury(self, process):
        """Looks at how a process has ended."""
        process.end()
        self.processes.remove(process)
        self.ended.append(process)
        status, said = process.status, process.text()
        # It blocks signals before it opens anything.
        is_early = status == -signal.SIGTERM and 0 in process.accepted and "Serving" not in said
        if status in process.accepted or is_early:
            return
        if not process.is_faulty:
            self.wrong.append(f"a flowbusd whose calls did not fail ended with {status}: {said[-1500:]}")
        elif not self.fault or not self.fault.explains(status, said):
            self.wrong.append(f"flowbusd ended with {status}: {said[-1500:]}")

    def turn(self, timeout):
        """Waits for something to happen, and handles it."""
        connections = [self.client, self.watcher.connection, self.peer]
        for connection in connections:
            connection.flush()
        poll = select.poll()
        for connection in connections:
            poll.register(connection, select.POLLIN | (select.POLLOUT if connection.unsent else 0))
        for process in self.processes:
            poll.register(process, select.POLLIN)
        ready = {number for number, _ in poll.poll(timeout * 1000)}
        for connection in connections:
            if connection.fileno() in ready:
                connection.receive()
        if self.watcher.reading and self.watcher.reading.answer:
            self.watcher.read()
        for process in [process for process in self.processes if process.fileno() in ready]:
            self.bury(process)
        # As a service manager does.
        if not self.processes:
            self.start()

    def until(self, condition, what):
        """Waits until something is so."""
        limit = time.monotonic() + SECONDS
        while not condition():
            left = limit - time.monotonic()
            if left <= 0:
                logs = "".join(f"\n--- {process.log.name}\n{process.text()[-1500:]}" for process in self.ended + self.processes)
                raise Broken(f"waiting for {what} takes longer than {SECONDS} s{logs}")
            self.turn(left)

    # Calls

    def ask(self, path, interface, member, signature=None, *values, by=None, done=()):
        """Calls until the service answers. After a refusal, or the service's death, the answer may be an error of `done`, as the
        first call may have taken effect."""
        connection = by or self.client
        tries = 0
        while True:
            call = connection.start(role(path, interface), member, signature, *values)
            self.until(lambda call=call: call.answer, member)
            tries += 1
            if not call.error:
                return call.answer.body
            if tries > 1 and call.error.endswith(done or ("-",)):
                return ()
            if call.error.endswith(DEATHS):
                self.until(lambda: self.watcher.is_current, "the next service")
            else:
                # It says that it can't do it, which is an answer; a second one has to succeed.
                self.refusals.append(f"{member}: {call.error}: {call.answer.body}")
                if tries > 3 or not self.fault:
                    raise Broken(f"{member} at '{path}' is refused: {call.error}: {call.answer.body}")

    def emit(self, path, step, arguments=None, wanted="navigated", changes=True):
        """Emits a step until it is taken, by its token; the answer is acknowledged: no restart undoes it."""
        self.tokens += 1
        answer = self.ask(
            path, "Stepper", "EmitStepWithOptions", "sa{sv}a{sv}", step, arguments or {}, {"token": ("s", f"t{self.tokens}")})
        if answer[1] != wanted:
            self.wrong.append(f"'{step}' at '{path}' is {answer}, not {wanted}")
        if changes and answer[0]:
            self.navigations[answer[0]] = step
        return answer

    def show(self, path, by=None):
        """Shows a presentable."""
        self.ask(path, "Presentable", "SetVisible", "b", True, by=by)

    def objects(self):
        """The tree."""
        return forest(self.ask("", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", by=self.watcher.connection)[0])

    def history(self):
        """All navigations, by serial."""
        answer = self.ask("", "History", "GetHistory", "tua{sv}", 0, 0, {})
        entries = [(entry[0], entry[3]) for entry in answer[0]]
        serials = [serial for serial, _ in entries]
        if serials != sorted(set(serials)):
            self.wrong.append(f"the history's serials are {serials}")
        return dict(entries)

    def wait_until_durable(self):
        """Waits until everything is written (D-7)."""
        while True:
            changes = self.watcher.durable_changes
            answer = self.ask(
                "", "org.freedesktop.DBus.Properties", "Get", "ss", f"{NAME}.Coordinator", "Durable", by=self.watcher.connection)
            if answer[0][1]:
                return
            started = self.started
            self.until(
                lambda changes=changes, started=started: self.watcher.durable_changes > changes or self.started > started,
                "Durable to become true")

    # The end

    def settled(self):
        """The tree, when the watcher knows the service that there is, and nothing happens any more."""
        while True:
            started = self.started
            self.until(lambda: self.watcher.is_current, "the watcher")
            # What the service does by itself, such as to call a presenter, is done when the peer's answers have arrived.
            self.ask("", "Coordinator", "GetSerial", by=self.peer)
            tree = self.objects()
            if started == self.started and self.watcher.is_current:
                return tree

    def check_tree(self, expected):
        """The watcher's tree is that of the service, and that which the acknowledged calls lead to."""
        tree = self.settled()
        if tree != self.watcher.tree:
            self.wrong.append(f"the watcher has {difference(self.watcher.tree, tree)} (watcher, service)")
        shown = {path: values["Visible"][1] for path, values in tree.items()}
        if shown != expected:
            self.wrong.append(f"there is {difference(shown, expected)} (found, expected)")
        return tree

    def check_restart(self, tree):
        """After an end, and another start, everything is there."""
        self.wait_until_durable()
        before = self.history()
        lost = {serial: step for serial, step in self.navigations.items() if before.get(serial) != step}
        if lost:
            self.wrong.append(f"acknowledged navigations are not in the history: {lost}")
        running = list(self.processes)
        self.watcher.is_current = False
        for process in running:
            process.accepted.add(0)
            process.signal(signal.SIGTERM)
        self.until(lambda: not set(running) & set(self.processes), "the end")
        after_tree = self.settled()
        if after_tree != tree:
            self.wrong.append(f"the restart made of it {difference(after_tree, tree)} (after, before)")
        self.wait_until_durable()
        after = self.history()
        if {**after, **before} != after:
            self.wrong.append(f"the history has lost {difference(after, before)} (after, before)")

    def check_answers(self):
        """Each call has one answer."""
        for connection in (self.client, self.watcher.connection, self.peer):
            for call in connection.calls.values():
                if len(call.answers) != 1:
                    self.wrong.append(f"{call.member} has {len(call.answers)} answers")
            if connection.strays:
                self.wrong.append(f"answers to no call: {connection.strays}")

    def check_logs(self):
        """One call that fails is no damage."""
        for process in self.ended + self.processes:
            for line in process.text().splitlines():
                if "starts over" in line or "damaged" in line:
                    self.wrong.append(f"a file is taken for damaged: {line}")
                elif not process.is_faulty and (" error: " in line or " critical: " in line):
                    self.wrong.append(f"a flowbusd whose calls did not fail says: {line}")

    def close(self):
        """Ends everything."""
        for process in self.processes:
            process.signal(signal.SIGKILL)
            process.child.kill()
            process.end()
        self.processes.clear()
        # The bus, which the next scenario uses, too, has noticed that all are gone.
        limit = time.monotonic() + SECONDS
        while self.watcher.owner and time.monotonic() < limit:
            select.select([self.watcher.connection], [], [], SECONDS)
            self.watcher.connection.receive()
        self.peer.call_bus("ReleaseName", "s", PEER)
        for connection in (self.client, self.watcher.connection, self.peer):
            connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def difference(one, other):
    """What differs between two dictionaries, for people."""
    keys = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    parts = []
    for key in keys[:4]:
        first, second = one.get(key), other.get(key)
        if isinstance(first, dict) and isinstance(second, dict):
            parts.append(f"{key}: {difference(first, second)}")
        else:
            parts.append(f"{key}: {first} / {second}")
    return "; ".join(parts) + (f" and {len(keys) - 4} more" if len(keys) > 4 else "")
