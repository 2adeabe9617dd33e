"""One library: a stepper and a presenter of it on a bus of their own with a flowbusd, and what has to come of that.

A stepper emits `started` without arguments and `filled` with natural values, prints the serials and verdicts, and then the name and
text of the error of the step `nope`, which is unknown. It prints "ready" and reads a line. Meanwhile flowbusd is killed and started
again; then the stepper calls Emit("started") by the proxy that it has, and prints "heard started" when NavigationOccurred comes.

A presenter exports its object, owns its name and prints "ready". It answers Present with what it shows, Alive, and Withdraw, and
prints a line for each. flowbusd is killed between Present and Withdraw. Those that are the screen `item` are also on a device for
what clients/lines/tests/same_screen.py has.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import harness
from harness import HERE, Failure
from libraries import PYPI, VALUES

# A client message by message, and a service that says when it is ready.
sys.path.insert(1, str(HERE / "rights"))
from peers import BUS, Peer, Refused  # noqa: E402
from service import Service  # noqa: E402
import support  # noqa: E402
from support import NAME, TREE  # noqa: E402

sys.path.insert(1, str(harness.TOP / "clients" / "lines" / "tests"))
sys.path.insert(1, str(harness.TOP / "clients" / "python" / "src"))
from jeepney import DBusAddress, HeaderFields, new_signal  # noqa: E402

import same_screen  # noqa: E402
from flowbus.testing import Device, DeviceError  # noqa: E402

TRIAL = TREE + "/trial"
#: How long a program may take for something.
PATIENCE = 60
#: How long the page of languages waits for a call to be given up.
LONGEST_CALL = 75
#: How many lines the program of the same screen may have.
LONGEST = 100
#: What `filled` has to arrive as, in its declared types.
ARRIVED = {
    "count": ("x", 7), "below": ("i", -7), "factor": ("d", 7.0), "tags": ("as", ["a", "b"]),
    "style": ("a{sv}", {"colour": ("s", "red")}), "large": ("t", 2**63 + 1)}


def why_missing(library):
    """Why a library is not tried."""
    if library.pypi:
        return f"'{library.package}' of PyPI is not in {PYPI.relative_to(harness.TOP)}; 'tools/dependencies foreign' puts it there"
    said = subprocess.run(["apt-cache", "policy", library.package], capture_output=True, text=True, check=False).stdout
    if re.search(r"^  Candidate: [^(]", said, re.M):
        return f"the package '{library.package}' is not installed; 'tools/dependencies foreign' installs it"
    return f"this release of Debian has no package '{library.package}'"


def words(library, command):
    """A command with the folder of what was built. Its program has to be there."""
    found = [word.format(build=library.made) for word in command]
    if not shutil.which(library.place / found[0] if found[0].startswith("./") else found[0]):
        raise Failure(f"there is no '{found[0]}'; 'tools/dependencies foreign' installs what is missing")
    return found


def environment(library, address=None):
    """The environment of a library's programs."""
    own = {name: value.format(address=address) for name, value in library.environment.items()}
    # What a library that reads the XML of an interface finds as an installed file.
    presenter = harness.TOP / "dbus" / f"{NAME}.Presenter.xml"
    return {**harness.environment(address), "LC_ALL": "C.UTF-8", "PYTHONPATH": str(PYPI), "PRESENTER": str(presenter), **own}


def build(library):
    """Builds its programs, unless they are newer than their sources and of the same version."""
    if not library.build:
        return
    stamp = library.made / "built"
    sources = [file for file in library.place.rglob("*") if file.is_file()]
    what = f"{library.version()} {library.build}"
    if stamp.exists() and stamp.read_text() == what and all(stamp.stat().st_mtime > file.stat().st_mtime for file in sources):
        return
    shutil.rmtree(library.made, ignore_errors=True)
    library.made.mkdir(parents=True)
    for command in library.build:
        done = subprocess.run(
            words(library, command), cwd=library.place, env=environment(library), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False)
        if done.returncode:
            raise Failure(f"its programs can't be built: {(done.stderr + done.stdout)[-3000:]}")
    stamp.write_text(what)


class Program:
    """A program of a library, and what it has printed."""

    def __init__(self, library, command, address, place):
        self.output, self.ended = "", False
        self.changed = threading.Condition()
        self.child = subprocess.Popen(
            words(library, command), cwd=library.place, env={**environment(library, address), "HOME": str(place), "TMPDIR": str(place)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            with self.changed:
                self.output += line
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, what, pattern, after=0):
        """Waits until it has printed something; where that ends."""
        with self.changed:
            def found():
                return re.compile(pattern).search(self.output, after)
            self.changed.wait_for(lambda: found() or self.ended, PATIENCE)
            if match := found():
                return match.end()
            raise Failure(f"{what} is missing; it {'ended' if self.ended else 'goes on'}, and printed:\n{self.output[-3000:]}")

    def type(self, text):
        self.child.stdin.write(text)
        self.child.stdin.flush()

    def stop(self):
        """Ends it, and what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()


def kill(service):
    """Kills flowbusd, and starts it again."""
    harness.end(service.child, signal.SIGKILL)
    service.start()


def outcomes(text):
    """The serials of the steps that navigated, as programs print the answer (ts)."""
    return [int(serial) for serial in re.findall(r"(?<![\w.-])(\d+)[^\w-]+(?:string\W+)?navigated\b", text)]


def watcher(address):
    """A client that sees all signals of flowbusd."""
    peer = Peer(address)
    peer.call(BUS, "AddMatch", "s", (f"type='signal',sender='{NAME}'",))
    return peer


def navigations(peer, step):
    """The serials and arguments of a step's navigations so far."""
    return [(message.body[0], message.body[4]) for message in peer.messages("NavigationOccurred") if message.body[3] == step]


def step(library, address, place, service):
    """A stepper."""
    peer = watcher(address)
    program = Program(library, library.stepper, address, place)
    try:
        ready = program.wait("'ready'", r"(?m)^ready\b")
        said = program.output[:ready]
        # What came before the answers to the calls of the program, is here when this is answered.
        peer.at(TRIAL, "org.freedesktop.DBus.Properties", "Get", "ss", (NAME + ".Presentable", "Instance"))
        made = sorted(navigations(peer, "started") + navigations(peer, "filled"), key=lambda each: each[0])
        if outcomes(said) != [serial for serial, _ in made]:
            raise Failure(f"the answers are not those of the navigations {[serial for serial, _ in made]}; it printed:\n{said}")
        if len(navigations(peer, "started")) != 1:
            raise Failure(f"it took the step 'started' {len(navigations(peer, 'started'))} times")
        if library.dictionaries:
            wanted = {name: ARRIVED[name] for name in VALUES if name not in library.without}
            if [arguments for _, arguments in navigations(peer, "filled")] != [wanted]:
                raise Failure(f"the step 'filled' had {navigations(peer, 'filled')}, and not {wanted}")
        for part in ("Error.UnknownStep", "no definition declares a step 'nope'"):
            if part not in said:
                raise Failure(f"the error of an unknown step has no \"{part}\"; it printed:\n{said}")
        kill(service)
        program.type("\n")
        program.wait("the answer after a restart", r"\d[^\w-]+(?:string\W+)?navigated\b", ready)
        again = peer.first("NavigationOccurred", lambda body: body[3] == "started" and body[0] > made[-1][0]).body[0]
        if outcomes(program.output[ready:])[-1] != again:
            raise Failure(f"the answer after a restart is not that of the navigation {again}; it printed:\n{program.output[ready:]}")
        if library.hears:
            program.wait("the signal after a restart", r"heard\b.*\bstarted\b", ready)
    finally:
        program.stop()
        peer.close()


def present(library, address, place, service):
    """A presenter."""
    if library.item:
        name, screen, step, arguments, title = "com.example.Item", "/item", "opened", {"item": ("x", 7)}, "Item 7, seen 1"
    else:
        name, screen, step, arguments, title = "org.example.Foreign", "/page", "shown", {"label": ("s", "Grüße")}, "Grüße"
    peer = watcher(address)
    program = Program(library, library.presenter, address, place)
    try:
        program.wait("'ready'", r"(?m)^ready\b")
        owner, = peer.call(BUS, "GetNameOwner", "s", (name,))
        peer.emit(TRIAL, step, **arguments)
        program.wait("Present", r"present\b.*\blaunch\b")
        peer.wait("a visible screen", lambda: any(
            message.body[1].get("Visible") == ("b", True) for message in peer.messages("PropertiesChanged")))
        for key, value in (("Owner", owner), ("Title", title), ("Presented", True)):
            (_, found), = peer.at(
                TRIAL + screen, "org.freedesktop.DBus.Properties", "Get", "ss", (NAME + ".Presentable", key))
            if found != value:
                raise Failure(f"the screen's {key} is '{found}', and not '{value}'")
        program.wait("Alive", r"alive\b")
        kill(service)
        instance, = peer.at(
            TRIAL + screen, "org.freedesktop.DBus.Properties", "Get", "ss", (NAME + ".Presentable", "Instance"))
        peer.emit(TRIAL, "left" if library.item else "closed")
        program.wait("Withdraw", rf"withdrawn\b.*\b{instance[1]}\b.*\brule\b")
    finally:
        program.stop()
        peer.close()


def play(library):
    """The same screen as those without a D-Bus library, on a device. It is short enough to be read at once."""
    source, = [file for file in library.place.rglob("*") if file.stem.lower() == "item"]
    if (lines := len(source.read_text().splitlines())) > LONGEST:
        raise Failure(f"{source.name} has {lines} lines; {LONGEST} are allowed")
    with harness.folder() as place:
        (place / "flows.d").mkdir()
        (place / "flows.d" / "item.toml").write_text(same_screen.FLOWS)
        # The bus starts the program in another folder.
        command = ["/usr/bin/env", "-C", str(library.place), *words(library, library.presenter)]
        own = {key: value for key, value in environment(library).items() if key in ("PYTHONPATH", "PRESENTER", *library.environment)}
        with Device(place / "flows.d", flowbusd=str(support.program("flowbusd")), environment=own, timeout=PATIENCE) as device:
            try:
                same_screen.play(device, command)
            except (AssertionError, DeviceError) as failure:
                raise Failure(f"the same screen: {failure}\n{device.log[-1000:]}") from None


@contextlib.contextmanager
def stepper(library):
    """A stepper that waits for its line, with its flowbusd and who sees the calls: for what is seen of a library, and no test."""
    with harness.folder() as place, harness.bus("dbus-daemon", place) as address:
        service = Service(place, address, HERE / "foreign" / "flows.d")
        spy = Peer(address)
        spy.monitor(f"type='method_call',destination='{NAME}'")
        program = Program(library, library.stepper, address, place)
        try:
            yield program, program.wait("'ready'", r"(?m)^ready\b"), service, spy, address
        finally:
            program.stop()
            spy.close()
            service.stop()


@contextlib.contextmanager
def another_owner(program, service, address, answer):
    """Who has flowbusd's name after it, and what has called it with Emit, which is answered so, or not at all."""
    other = Peer(address)
    interfaces = other.at(TRIAL, "org.freedesktop.DBus.Introspectable", "Introspect")
    other.answers = {"Emit": lambda *_: answer, "Introspect": lambda *_: ("s", interfaces)}
    try:
        harness.end(service.child, signal.SIGKILL)
        other.call(BUS, "RequestName", "su", (NAME, 0))
        other.first("NameAcquired", lambda body: body[0] == NAME)
        program.type("\n")
        yield other, other.first("Emit").header.fields[HeaderFields.sender]
    finally:
        other.close()


def heard_alone(program, ready, service, address):
    """Whether it hears a signal that is sent to it alone, as StepConcluded is."""
    with another_owner(program, service, address, ("ts", (99, "navigated"))) as (other, caller):
        program.wait("the answer of another owner", r"\b99\b", ready)
        message = new_signal(
            DBusAddress(TRIAL, interface=NAME + ".Flow"), "NavigationOccurred", "ttssa{sv}a(ssoa{sv})a{sv}", (99, 0, caller, "started", {}, [], {}))
        message.header.fields[HeaderFields.destination] = caller
        other.bus.send(message)
        with program.changed:
            return program.changed.wait_for(lambda: re.search(r"heard\b.*\bstarted\b", program.output[ready:]), PATIENCE / 4) is not None


def limit(program, service, address):
    """After how many seconds it gives up a call, in steps of 5; None for not at all in LONGEST_CALL."""
    with another_owner(program, service, address, None):
        begun, length = time.monotonic(), len(program.output)
        with program.changed:
            if not program.changed.wait_for(lambda: program.ended or len(program.output) > length, LONGEST_CALL):
                return None
        return int((time.monotonic() - begun + 0.5) // 5) * 5


def observe(library):
    """What is seen of a library, for docs/languages.md."""
    seen = {"version": library.version(), "screen": "the same" if library.item else "yes" if library.presenter else "–"}
    with stepper(library) as (program, ready, service, spy, address):
        # What the program has been answered, this sees when it has read so far.
        spy.wait("the last step", lambda: any(message.body[0] == "nope" for message in spy.messages("EmitStep") + spy.messages("Emit")))
        calls = [message.body for message in spy.messages("EmitStep")]
        filled = next((body[1] for body in calls if body[0] == "filled"), {})
        sent = {name: filled[name][0] for name in VALUES if name in filled}
        seen["numbers"] = [sent.get(name) for name in ("count", "large")] if sent else []
        seen["empty"] = any(body == ("started", {}) for body in calls)
        # Those of its other steps, `step` compares with the navigations.
        seen["results"] = bool(outcomes(program.output[:ready]))
        # A tool's signals come to a process of their own.
        seen["alone"] = heard_alone(program, ready, service, address) if library.hears and library.build + library.presenter else None
    with stepper(library) as (program, _, service, _, address):
        seen["limit"] = limit(program, service, address)
    return seen


def run(library, kind):
    """Its programs on a bus of this kind."""
    for role, body in ((library.stepper, step), (library.presenter, present)):
        if not role:
            continue
        with harness.folder() as place, harness.bus(kind, place) as address:
            service = Service(place, address, HERE / "foreign" / "flows.d")
            try:
                body(library, address, place, service)
            except (Failure, Refused) as failure:
                raise Failure(f"{'its stepper' if body is step else 'its presenter'}: {failure}\n"
                              f"flowbusd said:\n{service.log.read_text()[-1000:]}") from None
            finally:
                service.stop()
