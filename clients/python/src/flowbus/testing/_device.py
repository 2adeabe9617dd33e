# SPDX-License-Identifier: Apache-2.0
"""A device: a private bus with flowbusd, programs that the test plays, and real ones."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gi.repository import Gio, GLib

from . import _names, _tree
from ._actions import COORDINATOR, Actions
from ._activity import Activity
from ._bus import Flowbusd, PrivateBus, find_program, finish, spawn, status_text, terminate, watch
from ._client import Client
from ._definitions import Definitions
from ._errors import CallError, DeviceError, TimeoutError
from ._loop import Loop
from ._output import Output
from ._program import Program, Script
from ._screen import PlayedScreen, Question
from ._signals import Signals
from ._values import BUS, FLOWBUS, PROPERTIES, ROOT

__tracebackhide__ = True  # pytest shows the line of the test instead.

# What is under way can take two hops over the bus that nobody here sees, such as flowbusd asking the bus for an owner.
_QUIET_ROUNDS = 3
# How long flowbusd waits for the first values of properties, and a little more.
_FIRST_VALUES = 1.5
# The path of a socket, of which there are some in the folder of a device, has 107 bytes at most.
_LONGEST_FOLDER = 80
# A program that exits with success leaves its callers waiting for the name, which the test takes when it wants to.
_STAND_IN = ["/bin/true"]


def _new_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="flowbus-"))
    if len(os.fsencode(folder)) > _LONGEST_FOLDER:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="flowbus-", dir="/tmp"))
    return folder


class Device(Actions):
    """A device under test. Make one by the fixture ``flowbus``, or as a context manager."""

    def __init__(
            self, *folders: str | os.PathLike[str], flowbusd: str | None = None, timeout: float = 30,
            environment: Mapping[str, str] | None = None, options: Sequence[str] = ()) -> None:
        self.timeout = timeout
        self._folders = [Path(folder) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise FileNotFoundError(f"there is no folder of definition files '{folder}'")
        if not self._folders:
            raise TypeError("a device needs a folder of definition files")
        self.activity = Activity()
        self._programs: dict[str, Program] = {}
        self._clients: dict[str, Client] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._output = Output(self.activity.changed)
        self._closed = False
        # Killed, and not to be started again before the test says so.
        self._away = False
        program = find_program("flowbusd", "FLOWBUSD", "flowbus", flowbusd)
        self.folder = _new_folder()
        try:
            self._bus = PrivateBus(self.folder, environment or {}, timeout, self.activity.changed)
            try:
                self.flowbusd = Flowbusd(program, self.folder, self._folders, self._bus, options, timeout, self.activity.changed)
                self.flowbusd.check()
                self._bus.install(FLOWBUS, _STAND_IN)
                self.loop = Loop.shared()
                self._connection = self.connect()
                _names.reload(self._connection, self.timeout)
                self.signals = Signals(self.activity, self.loop, self._connection)
            except BaseException:
                self._bus.stop()
                raise
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """The address of the bus."""
        return self._bus.address

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the device's programs."""
        return dict(self._bus.variables)

    @property
    def connection(self) -> Gio.DBusConnection:
        """The connection of the test itself to the bus."""
        return self._connection

    def connect(self) -> Gio.DBusConnection:
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        connection: Gio.DBusConnection = Gio.DBusConnection.new_for_address_sync(self._bus.address, flags, None, None)
        return connection

    # Programs that the test plays.

    def presenter(
            self, *names: str, shows: bool = True, fails: str | None = None, refuses: str | None = None, hangs: bool = False,
            answers: Mapping[str, object] | Callable[[PlayedScreen], Mapping[str, object]] | None = None,
            after: threading.Event | None = None, script: Callable[[PlayedScreen], object] | None = None,
            installed: bool = True) -> Program:
        """Plays the presenter or application of these screens, or of these bus names; without names, all that are not played yet.

        The program shows each screen at once, also those that are not named here, unless

        - ``shows`` is false: it answers Present, and the test shows the screen by ``program.screen(name).show()``;
        - ``after`` is an event: it shows the screen when the event is set;
        - ``fails`` is a message: it answers Present with this error, and is called again later (``device.retry()`` is now);
        - ``refuses`` is a message: it answers Present with the error that says that it will never show the screen;
        - ``hangs`` is true: from Present on it answers nothing, until ``program.resume()``;
        - ``answers`` has values, or is a function that returns them: it finishes the screen with this result;
        - ``script`` is a function of the screen: that does all of it, in a thread of its own.

        With ``installed=False`` the bus can't start the program again after ``kill``.
        """
        definitions = self._definitions()
        wanted = names or [name for name, role in definitions.screens.items() if role and role.name not in self._programs]
        if not names and not wanted:
            raise DeviceError("all presenters of the definitions are played already, or there are none")
        played = Script(
            shows=shows, fails=fails, refuses=refuses, hangs=hangs, answers=answers, after=after, does=script)
        program: Program | None = None
        for name in wanted:
            for screen, role in definitions.find("presenter", name).items():
                one = self._program(role.name, installed)
                if names and program is not None and one is not program:
                    raise DeviceError(
                        f"'{name}' is shown by '{one.name}' and not by '{program.name}': play each program by a call of its own")
                program = one
                one.play(role, played, screen)
        assert program is not None
        self._start_programs()
        return program

    def guard(
            self, name: str, decide: Callable[[Question], object] | None = None, *, fails: str | None = None,
            hangs: bool = False, installed: bool = True) -> Program:
        """Plays the guard of a flow, or that of this bus name.

        ``decide`` gets the question, in a thread of its own, and returns True to let the step pass, False to reject it, or
        another step: its name, or a tuple of its name and arguments. Without it all steps pass.
        """
        return self._play_role("guard", name, Script(fails=fails, hangs=hangs, decides=decide), installed)

    def navigator(
            self, name: str, decide: Callable[[Question], object] | None = None, *, fails: str | None = None,
            hangs: bool = False, installed: bool = True) -> Program:
        """Plays the navigator of a flow, or that of this bus name.

        ``decide`` returns the contributors, each a tuple such as ``("screen", "detail", {"style": "modal"})``, or None for a step
        that the flow does not take. Without it every step leads to nothing.
        """
        return self._play_role("navigator", name, Script(fails=fails, hangs=hangs, decides=decide), installed)

    def kill(self, what: Program | subprocess.Popen[bytes] | str, *, restart: bool = True) -> None:
        """Kills a program: one that the test plays, one of ``run``, or whoever owns a bus name or shows a screen.

        A played program that is installed is started again, as the bus does when it is needed; with ``restart=False`` it stays away
        until ``program.start()``, and what the bus has for it waits.
        """
        if not self._away:
            self.settle()
        if isinstance(what, subprocess.Popen):
            what.kill()
            what.wait()
            return
        program = what if isinstance(what, Program) else self._programs.get(str(what))
        if program is None and isinstance(what, str) and "." not in what:
            role = next(iter(self._definitions().find("presenter", what).values()))
            program, what = self._programs.get(role.name), role.name
        if program is None:
            self._kill_owner(str(what))
            return
        if not program.is_running:
            raise DeviceError(f"'{program.name}' does not run")
        self.activity.note(f"{program.name}: is killed")
        name = program.unique_name
        program.stop()
        self.signals.wait_gone(name, f"'{program.name}'", self.timeout)
        if program.installed and restart:
            program.start()

    def client(self, name: str) -> Client:
        """A client that owns this bus name, one of a flow's ``emitters``. It does all that the device itself does.

        If the test plays the program of that name, the client is this program.
        """
        client = self._clients.get(name)
        if client is None or client.is_closed:
            self._ensure_flowbusd()
            client = self._clients[name] = Client(self, name, self._programs.get(name))
        return client

    # flowbusd.

    def start_flowbusd(self) -> None:
        """Starts flowbusd. The first thing that a test does with the tree does so, too."""
        if self.flowbusd.is_started:
            raise DeviceError("flowbusd is running already")
        self._away = False
        self.flowbusd.start()

    def kill_flowbusd(self, *, restart: bool = True) -> None:
        """Kills flowbusd by SIGKILL, and starts it again, as the bus does at the next call.

        With ``restart=False`` it stays away until ``start_flowbusd()``, and calls of the device's programs wait for it.
        """
        self.settle()
        name = _names.owner(self._connection, FLOWBUS, self.timeout) or ""
        self.activity.note("flowbusd: is killed")
        self.flowbusd.kill()
        self.signals.wait_gone(name, "flowbusd", self.timeout)
        if restart:
            self.flowbusd.start()
        else:
            self._away = True

    # Real programs.

    def program(self, name: str, command: Sequence[str | os.PathLike[str]], *, start: bool = False) -> None:
        """Installs a real program, which the bus starts when its name is called first, or at once."""
        if name in self._programs:
            raise DeviceError(f"the test plays '{name}', so it can't be installed as a real program, too")
        self._bus.install(name, [os.fspath(word) for word in command])
        _names.reload(self._connection, self.timeout)
        if start:
            self._ensure_flowbusd()
            _names.start(self._connection, name, self.timeout)

    def run(self, command: Sequence[str | os.PathLike[str]], *, owns: str | None = None) -> subprocess.Popen[bytes]:
        """Starts a real program on the bus of the device. It ends with the device, if not before.

        With ``owns`` it waits until this bus name, that of the service that the program is, has an owner.
        """
        if owns is not None and _names.owner(self._connection, owns, self.timeout) is not None:
            raise DeviceError(f"the name '{owns}' has an owner already, before the program is started that is to own it")
        process = spawn([os.fspath(word) for word in command], self._bus.variables, self._output.descriptor)
        self._processes.append(process)
        if owns is not None:
            watch(process, self.activity.changed)
            self._wait_owner(owns, process)
        return process

    # What there is to see.

    def tree(self) -> _tree.Tree:
        """All flows and screens, when nothing is under way any more."""
        self.settle()
        return self._read_tree()

    def wait_for(
            self, condition: Callable[[_tree.Tree], object], what: str = "the tree that the test waits for",
            timeout: float | None = None) -> _tree.Tree:
        """Waits until the tree meets a condition: for what real programs do, as these are not settled by themselves."""
        self._ensure_flowbusd()
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            self.activity.raise_failure()
            seen = self.activity.changes
            tree = self._read_tree()
            if condition(tree):
                return tree
            if not self.activity.wait_changed(seen, deadline):
                raise TimeoutError(f"there was not {what}; the tree is\n{tree}")
            self.flowbusd.expect_running()

    def wait_presented(self, path: str, timeout: float | None = None) -> _tree.Node:
        """Waits until a flow or screen is presented."""
        tree = self.wait_for(
            lambda tree: path in tree and tree[path].presented, f"'{path}', presented", timeout)
        return tree[path]

    def wait_gone(self, path: str, timeout: float | None = None) -> None:
        """Waits until no flow or screen is live at the path."""
        self.wait_for(lambda tree: path not in tree, f"a tree without '{path}'", timeout)

    def wait_said(self, text: str, timeout: float | None = None) -> None:
        """Waits until a real program has printed a text."""
        self.wait_for(
            lambda _tree: text in self._output.text or text in self._bus.log, f"a program that printed '{text}'", timeout)

    def wait_left(self, unique_name: str) -> None:
        """Waits until the owner of a screen has left the bus, such as a program that ends by itself.

        A screen that its program shows before it answers ``Present`` is presented without an owner until then.
        """
        if not unique_name.startswith(":"):
            raise DeviceError(f"'{unique_name}' is no unique name, such as ':1.7'; a screen has the one of its owner")
        self.signals.wait_gone(unique_name, f"'{unique_name}'", self.timeout)

    def settle(self, timeout: float | None = None) -> None:
        """Waits until nothing is under way between flowbusd and the programs that the test plays.

        Programs that hang, and scripts that wait for an event, do not count; neither do real programs.
        """
        if self.loop.is_current:
            raise DeviceError("this can't be called where a call of flowbusd is served")
        self._ensure_flowbusd()
        timeout = self.timeout if timeout is None else timeout
        begun = time.monotonic()
        deadline = begun + timeout
        quiet = 0
        while quiet < _QUIET_ROUNDS:
            self.flowbusd.expect_running()
            self.activity.raise_failure()
            before = self.activity.messages
            # flowbusd has sent all that follows from earlier messages, the bus has passed it on, and the programs have served it.
            (steppers,) = self.call(ROOT, COORDINATOR, "GetSteppers")
            # Until flowbusd has their first values, or for a second, it calls no presenter of their roots.
            awaited = any(details["state"] == "connecting" for *_, details in steppers)
            for program in list(self._programs.values()):
                program.flush()
            self.loop.barrier()
            self.activity.wait_quiet(deadline, timeout)
            waits = awaited and time.monotonic() < begun + _FIRST_VALUES
            quiet = quiet + 1 if self.activity.messages == before and not waits else 0

    @property
    def log(self) -> str:
        """What flowbusd wrote."""
        return self.flowbusd.log

    @property
    def transcript(self) -> str:
        """What was called of the played programs, and what they called, a line each."""
        return self.activity.transcript

    def report(self) -> list[tuple[str, str]]:
        """What helps to understand a test that failed: titles and texts."""
        sections = []
        if self.flowbusd.is_started:
            try:
                sections.append(("the tree of flowbusd", str(self._read_tree()) or "(empty)"))
            except Exception as error:  # noqa: BLE001 - the rest is worth as much then.
                sections.append(("the tree of flowbusd", f"can't be read: {error}"))
        installed = {file.stem for file in self._bus.services.iterdir()}
        idle = sorted({role.name for role in self._definitions().roles} - set(self._programs) - installed)
        if idle:
            sections.append(("programs that the test neither plays nor installs", "\n".join(idle)))
        if self.transcript:
            sections.append(("the played programs", self.transcript))
        for title, text in (
                ("the bus, and the programs that it started", self._bus.log),
                ("the programs that the test ran", self._output.text),
                ("the log of flowbusd", self.log)):
            if text.strip():
                sections.append((title, text.rstrip()))
        return sections

    def close(self) -> None:
        """Ends all processes of the device. Raises what went wrong and nobody has seen yet."""
        if self._closed:
            return
        self._closed = True
        error = self._last_failure()
        others = _names.processes(self._connection, self.timeout) - {os.getpid(), self.flowbusd.process_id}
        self.activity.close()
        for program in self._programs.values():
            program.stop()
        for client in self._clients.values():
            client.close()
        for process in self._processes:
            finish(process, 5)
        self.flowbusd.stop()
        self.signals.stop()
        if not self._connection.is_closed():
            self._connection.close_sync(None)
        self._bus.stop()
        self._output.close()
        for process_id in others:
            terminate(process_id)
        shutil.rmtree(self.folder, ignore_errors=True)
        if error is not None:
            raise error

    def _last_failure(self) -> BaseException | None:
        """What went wrong, and nobody has seen yet."""
        try:
            self.flowbusd.expect_running()
            if self.flowbusd.is_started:
                self.settle(min(self.timeout, 5))
            self.activity.raise_failure()
        except TimeoutError:
            return None  # Whatever is still under way, the test did not wait for it.
        except BaseException as error:  # noqa: BLE001 - it is raised when all is ended.
            return error
        return None

    # Inner workings.

    def _definitions(self) -> Definitions:
        return Definitions.read(self._folders)

    def _program(self, name: str, installed: bool) -> Program:
        program = self._programs.get(name)
        if program is None:
            program = self._programs[name] = Program(self, name, installed=installed)
        program.installed = installed
        if installed:
            self._bus.install(name, _STAND_IN)
        else:
            self._bus.uninstall(name)
        _names.reload(self._connection, self.timeout)
        return program

    def _play_role(self, kind: str, name: str, script: Script, installed: bool) -> Program:
        program: Program | None = None
        for flow, role in self._definitions().find(kind, name).items():
            program = self._program(role.name, installed)
            program.play(role, script, flow)
        assert program is not None
        self._start_programs()
        return program

    def _start_programs(self) -> None:
        for program in self._programs.values():
            if not program.is_running:
                program.start()

    def _ensure_flowbusd(self) -> None:
        self.flowbusd.expect_running()
        if self._away:
            raise DeviceError("flowbusd was killed, and start_flowbusd() was not called since")
        if not self.flowbusd.is_started:
            self.flowbusd.start()

    def _read_tree(self) -> _tree.Tree:
        (objects,) = self.call(ROOT, f"{BUS}.ObjectManager", "GetManagedObjects")
        for path, interfaces in objects.items():
            node = interfaces.get(f"{FLOWBUS}.Presentable")
            # No signal and no list has this property; only a screen that nobody shows can have it.
            if node is not None and f"{FLOWBUS}.Flow" not in interfaces and not node["Owner"]:
                try:
                    (node["Evicted"],) = self.call(
                        path, PROPERTIES, "Get", GLib.Variant("(ss)", (f"{FLOWBUS}.Presentable", "Evicted")))
                except CallError:
                    pass  # It is gone by now, which the next look at the tree shows.
        return _tree.read(objects)

    def _wait_owner(self, name: str, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self.timeout
        while True:
            self.activity.raise_failure()
            seen = self.activity.changes
            if _names.owner(self._connection, name, self.timeout) is not None:
                return
            # A program can leave the name to a process that it starts, and end; but not with an error.
            if process.poll():
                raise DeviceError(f"the program ended with {status_text(process.returncode)}, and nobody owns the name '{name}'")
            if not self.activity.wait_changed(seen, deadline):
                raise TimeoutError(f"no program owned the name '{name}' within {self.timeout:g} s")

    def _kill_owner(self, name: str) -> None:
        """Kills the process of a real program."""
        owner = _names.owner(self._connection, name, self.timeout)
        if owner is None:
            raise DeviceError(f"no program owns the name '{name}'")
        process_id = _names.process_id(self._connection, owner, self.timeout)
        if process_id == os.getpid():
            raise DeviceError(f"'{name}' belongs to the process of the test itself")
        os.kill(process_id, signal.SIGKILL)
        self.signals.wait_gone(owner, f"'{name}'", self.timeout)
