# SPDX-License-Identifier: Apache-2.0
"""The processes of a device: its bus, its flowbusd, and programs that are no part of the test."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shlex
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ._errors import DefinitionError, DeviceError, MissingProgramError
from ._output import Output

__tracebackhide__ = True  # pytest shows the line of the test instead.

_CONFIGURATION = """\
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
_INVALID_DEFINITIONS = 78


def find_program(name: str, variable: str, package: str, chosen: str | None = None) -> str:
    """The path of a program: the chosen one, that of an environment variable, or that in PATH."""
    given = [("the option", chosen), (f"${variable}", os.environ.get(variable))]
    for source, program in given:
        if program:
            found = shutil.which(program)
            if found is None:
                raise MissingProgramError(f"{source} says that {name} is '{program}', which is no program that can be executed")
            return os.path.abspath(found)
    found = shutil.which(name)
    if found is None:
        raise MissingProgramError(
            f"'{name}' is not in PATH; install the package '{package}', or set ${variable} to the program")
    return found


def environment(folder: Path, address: str, more: Mapping[str, str]) -> dict[str, str]:
    """The environment of the programs of a device: the one bus, and no folders of the user who tests."""
    variables = dict(os.environ)
    for name in ("DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID",
                 "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "INVOCATION_ID", "JOURNAL_STREAM"):
        variables.pop(name, None)
    # A compositor that the test started is known by a name below the folder that is replaced here.
    display, runtime = variables.get("WAYLAND_DISPLAY"), variables.get("XDG_RUNTIME_DIR")
    if display and runtime and not display.startswith("/"):
        variables["WAYLAND_DISPLAY"] = f"{runtime}/{display}"
    # Also for steppers of the system bus, so that a test never hears what the machine does.
    variables["DBUS_SESSION_BUS_ADDRESS"] = variables["DBUS_SYSTEM_BUS_ADDRESS"] = address
    variables["GSETTINGS_BACKEND"] = "memory"
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        path = folder / name.removeprefix("XDG_").lower()
        path.mkdir(mode=0o700, exist_ok=True)
        variables[name] = str(path)
    variables.update(more)
    return variables


def spawn(
        command: Sequence[str], variables: Mapping[str, str], output: int, pass_fds: Sequence[int] = ()) -> subprocess.Popen[bytes]:
    """Starts a program, which prints to a file or pipe, and ends with the process of the test if that is killed."""
    arguments = list(command)
    # The signal comes at the end of the thread that starts the program; only the main one lasts.
    if threading.current_thread() is threading.main_thread() and shutil.which("setpriv"):
        arguments = ["setpriv", "--pdeathsig", "KILL", "--", *arguments]
    try:
        return subprocess.Popen(
            arguments, env=dict(variables), stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=pass_fds,
            start_new_session=True)
    except OSError as failure:
        raise DeviceError(f"'{shlex.join(command)}' can't be started: {failure}") from None


def wait(process: subprocess.Popen[bytes], timeout: float) -> bool:
    """Waits for the end of a process; returns whether it came in time."""
    if process.poll() is None:
        descriptor = os.pidfd_open(process.pid)  # Popen.wait with a timeout looks again and again.
        try:
            if not select.select([descriptor], [], [], timeout)[0]:
                return False
        finally:
            os.close(descriptor)
        process.wait()
    return True


def watch(process: subprocess.Popen[bytes], ended: Callable[[], object]) -> None:
    """Calls a function, in another thread, when a process has ended."""
    descriptor = os.pidfd_open(process.pid)

    def run() -> None:
        try:
            select.select([descriptor], [], [])
        finally:
            os.close(descriptor)
        ended()

    threading.Thread(target=run, name="end of a program", daemon=True).start()


def finish(process: subprocess.Popen[bytes], timeout: float) -> None:
    """Ends a process: politely first."""
    if process.poll() is None:
        process.terminate()
        if not wait(process, timeout):
            process.kill()
            process.wait()


class PrivateBus:
    """A bus of its own, which can start the programs that are installed on it, and nothing else."""

    def __init__(
            self, folder: Path, more: Mapping[str, str], timeout: float, changed: Callable[[], object] = lambda: None) -> None:
        self._folder = folder
        self.services = folder / "services"
        self.services.mkdir()
        self.address = f"unix:path={folder}/bus"
        self.variables = environment(folder, self.address, more)
        program = find_program("dbus-daemon", "DBUS_DAEMON", "dbus-daemon")
        configuration = folder / "bus.conf"
        configuration.write_text(_CONFIGURATION.format(socket=folder / "bus", services=self.services), "utf-8")
        reading, writing = os.pipe()
        self._output = Output(changed)
        try:
            self._process = spawn(
                [program, f"--config-file={configuration}", "--nofork", "--nopidfile", f"--print-address={writing}"],
                self.variables, self._output.descriptor, [writing])
        finally:
            os.close(writing)
            self._output.close()
        with os.fdopen(reading, "rb") as pipe:
            ready = select.select([pipe], [], [], timeout)[0] and pipe.readline()
        if not ready:
            self.stop()
            self._output.wait_end(timeout)
            raise DeviceError(f"the private bus did not start:\n{self._output.text}")

    def install(self, name: str, command: Sequence[str]) -> None:
        """Tells the bus which program it starts for a name. It has to read its files again afterwards."""
        line = " ".join(_quoted(word) for word in command)
        (self.services / f"{name}.service").write_text(f"[D-BUS Service]\nName={name}\nExec={line}\n", "utf-8")

    def uninstall(self, name: str) -> None:
        (self.services / f"{name}.service").unlink(missing_ok=True)

    @property
    def log(self) -> str:
        """What the bus wrote, and the programs that it started, without what it writes for every device."""
        lines = self._output.text.splitlines()
        return "\n".join(
            line for line in lines
            if not (line.startswith("dbus-daemon[") and ("Reloaded configuration" in line or "Failed to set fd limit" in line)))

    def stop(self) -> None:
        finish(self._process, 5)


def _quoted(word: str) -> str:
    """A word of Exec=, by the rules of dbus-daemon, which are those of a shell."""
    if "\n" in word:
        raise ValueError(f"'{word!r}' has a line break, which no service file of D-Bus can have")
    return shlex.quote(word)


class Flowbusd:
    """The flowbusd of a device, one process after the other."""

    def __init__(
            self, program: str, folder: Path, flows: Sequence[Path], bus: PrivateBus, options: Sequence[str], timeout: float,
            ended: Callable[[], None]) -> None:
        self._program = program
        self._folder = folder
        self._flows = [argument for path in flows for argument in ("--flows", str(path))]
        self._bus = bus
        self._options = list(options)
        self._timeout = timeout
        # What is called, in another thread, when a process has ended.
        self._ended = ended
        self._log = folder / "flowbusd.log"
        self._process: subprocess.Popen[bytes] | None = None

    def check(self) -> None:
        """Raises the diagnostics of definition files with errors."""
        result = subprocess.run(
            [self._program, "--check", *self._flows], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            env=self._bus.variables, timeout=self._timeout)
        if result.returncode != 0:
            said = (result.stdout + result.stderr).strip()
            if result.returncode == 1:
                raise DefinitionError(f"the definition files have errors:\n{said}")
            raise DeviceError(f"'{self._program} --check' ended with {status_text(result.returncode)}:\n{said}")

    @property
    def is_started(self) -> bool:
        return self._process is not None

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""

    def start(self) -> None:
        """Starts flowbusd, and waits until it is ready."""
        path = self._folder / "notify"
        path.unlink(missing_ok=True)
        notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notifications.bind(str(path))
        command = [self._program, *self._flows, "--log-level", "debug", *self._options]
        try:
            with self._log.open("ab") as output:
                process = spawn(command, {**self._bus.variables, "NOTIFY_SOCKET": str(path)}, output.fileno())
        except BaseException:
            notifications.close()
            raise
        self._process = process
        news: queue.SimpleQueue[bool] = queue.SimpleQueue()
        threading.Thread(target=self._watch, args=(process, notifications, news), name="flowbusd", daemon=True).start()
        try:
            is_ready = news.get(timeout=self._timeout)
        except queue.Empty:
            self.kill()
            raise DeviceError(f"flowbusd was not ready within {self._timeout:g} s:\n{self.log.strip()}") from None
        if not is_ready:
            self._process = None
            status = process.wait()
            kind = DefinitionError if status == _INVALID_DEFINITIONS else DeviceError
            raise kind(f"flowbusd ended with {status_text(status)} instead of being ready:\n{self.log.strip()}")

    def _watch(self, process: subprocess.Popen[bytes], notifications: socket.socket, news: queue.SimpleQueue[bool]) -> None:
        """Reads what a flowbusd reports to its service manager until it ends, so that it never has to wait for a reader."""
        ended = os.pidfd_open(process.pid)
        try:
            with notifications:
                while True:
                    ready, _, _ = select.select([notifications, ended], [], [])
                    if notifications in ready:
                        if b"READY=1" in notifications.recv(4096).split(b"\n"):
                            news.put(True)
                    else:
                        break
        finally:
            os.close(ended)
            news.put(False)
            self._ended()

    def wait_ended(self) -> None:
        """Waits until the process has ended, by itself or by a signal of the test."""
        if self._process is not None:
            wait(self._process, self._timeout)

    def expect_running(self) -> None:
        """Raises an error if flowbusd has ended by itself."""
        if self._process is not None and (status := self._process.poll()) is not None:
            self._process = None
            raise DeviceError(f"flowbusd ended by itself, with {status_text(status)}:\n{_end_of(self.log)}")

    def kill(self) -> None:
        """SIGKILL, as a crash."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        if self._process is not None:
            finish(self._process, 10)
            self._process = None


def terminate(process_id: int) -> None:
    """Ends a program that outlives its bus."""
    try:
        process = os.pidfd_open(process_id)
    except ProcessLookupError:
        return
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, number)
            if select.select([process], [], [], 2)[0]:
                return
    finally:
        os.close(process)


def status_text(status: int) -> str:
    if status < 0:
        return f"the signal {signal.Signals(-status).name}"
    return f"status {status}"


def _end_of(log: str, lines: int = 40) -> str:
    return "\n".join(log.splitlines()[-lines:])
