"""What bench/table, bench/check and bench/compare share: buses, services, and counting.

Everything is counted as the difference of two runs that differ in nothing but the number of calls, so that starting,
stopping and what is done once do not count.
"""

import contextlib
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent import futures
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "tools"))
import running  # noqa: E402

BUILD = TOP / ".build" / "bench"
# CONFIGURATION=debug takes what `make test` has built.
PROGRAMS = TOP / ".build" / os.environ.get("CONFIGURATION", "release")
BUSES = ("dbus-daemon", "dbus-broker")
# To copy or clear much, glibc uses an instruction that repeats itself, and callgrind counts each byte as one. Without it glibc
# uses a loop, which is counted as a processor would run it.
TUNABLES = ":".join(f"glibc.cpu.x86_rep_{name}_threshold=0x7fffffff" for name in ("movsb", "stosb"))
CALLGRIND = ("env", f"GLIBC_TUNABLES={TUNABLES}", "valgrind", "--quiet", "--vgdb=no", "--tool=callgrind")
# The library that makes the clock of a program slower.
SLOW_CLOCK = "slow-clock"
Failure, chosen, main = running.Failure, running.chosen, running.main


def require(*programs):
    """Fails if a program is missing."""
    running.require("bench", programs)


def environment(address=None):
    """The environment of all programs: no bus but this one, the same order in hash tables each time, files in .build."""
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_"))}
    address = {"DBUS_SESSION_BUS_ADDRESS": address} if address else {}
    return {**kept, **address, "SWIFT_DETERMINISTIC_HASHING": "1", "TMPDIR": str(BUILD)}


def in_turn(tasks):
    """What the tasks return, in their order. Those that can run beside others are run so, on half of the processors."""
    with futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        begun = [(beside, pool.submit(task) if beside else task) for beside, task in tasks]
        try:
            for beside, task in begun:
                if beside:
                    yield task.result()
                else:
                    futures.wait([other for beside, other in begun if beside])
                    yield task()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def execute(command):
    """Runs a program, which has to succeed."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        raise Failure(f"'{command[0]}' failed:\n{done.stderr}{done.stdout}")
    return done.stdout


def compile_c(name, *packages, options=()):
    """Compiles bench/NAME.c; the path of the program."""
    source, program = TOP / "bench" / f"{name}.c", BUILD / Path(name).name
    flags = execute(["pkg-config", "--cflags", "--libs", *packages]).split() if packages else []
    execute(["gcc", "-O2", "-Wall", "-Wextra", *running.strict(), *options, "-o", program, source, *flags])
    return program


def stripped(name, option, copy=None):
    """A copy of a program of the release. valgrind can't read what the compiler says about it, and needs the names alone."""
    program, copy = PROGRAMS / name, BUILD / (copy or name)
    if not program.exists():
        raise Failure(f"there is no '{program}'; 'make bench-build' makes it")
    execute(["strip", option, "-o", copy, program])
    return copy


def programs(*more):
    """What is measured, and what measures it; more names other programs of the build."""
    require("valgrind", "strace", "strip", "gcc", "pkg-config", "dbus-daemon", "dbus-broker")
    for name in ("load", "start"):
        compile_c(name, "libsystemd")
    compile_c(SLOW_CLOCK, options=["-shared", "-fPIC"])
    return {
        "flowbusd": stripped("flowbusd", "--strip-debug"),
        "installed": stripped("flowbusd", "--strip-all", "installed"),
        **{name: stripped(name, "--strip-debug") for name in more},
        "floor": compile_c("floor", "libsystemd"),
        "gdbus": compile_c("peers/gdbus", "gio-2.0"),
        "pygobject": TOP / "bench" / "peers" / "pygobject",
        "dbus-next": TOP / "bench" / "peers" / "dbus-next",
    }


@contextlib.contextmanager
def folder():
    """A folder that is gone afterwards."""
    BUILD.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix="run.", dir=BUILD))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


class Process:
    """A child process, and what it prints."""

    def __init__(self, command, **options):
        self.lines = []
        self.child = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", **options)

    def wait_for_line(self, pattern):
        """Waits until it prints a line like this."""
        for line in self.child.stdout:
            self.lines.append(line)
            if re.search(pattern, line):
                return
        raise Failure(f"'{self.child.args[0]}' ended:\n{''.join(self.lines)}")

    def rest(self):
        """The lines that it prints from now on."""
        return self.child.stdout

    def drain(self, pattern=None, seen=None):
        """Reads what else it prints, so that it does not fill the pipe; sets an event at a line like this."""
        def read():
            for line in self.child.stdout:
                self.lines.append(line)
                if seen and re.search(pattern, line):
                    seen.set()

        threading.Thread(target=read, daemon=True).start()

    def process_id(self):
        """The process that is measured: the child of strace, or this one. valgrind executes its program in its place."""
        me = self.child.pid
        if Path(self.child.args[0]).name != "strace":
            return me
        return int(Path(f"/proc/{me}/task/{me}/children").read_text().split()[0])

    def private_memory(self):
        """The bytes of its memory that are no file's."""
        rollup = Path(f"/proc/{self.process_id()}/smaps_rollup").read_text()
        return int(re.search(r"^Anonymous:\s+(\d+) kB", rollup, re.M).group(1)) * 1024

    def stop(self):
        """Ends it by SIGTERM, and waits for it."""
        if self.child.poll() is None:
            os.kill(self.process_id(), signal.SIGTERM)
        return self.child.wait()

    def kill(self):
        """Ends it, even if it is stopped."""
        with contextlib.suppress(OSError, IndexError):
            os.kill(self.process_id(), signal.SIGKILL)
        self.child.kill()
        self.child.wait()


@contextlib.contextmanager
def bus(program, place, monitored=None):
    """A bus of its own; its address. A dbus-daemon sets the event when a connection became a monitor."""
    path = place / "bus"
    if len(os.fsencode(path)) > running.SOCKET_LENGTH:
        raise Failure(f"the path '{path}' is too long for a socket; move the sources to a folder with a shorter path")
    address = f"unix:path={path}"
    if program == "dbus-broker":
        command, ready = [PROGRAMS / "test-bus", path], "^listening="
    else:
        command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", f"--address={address}"]
        ready = "^unix:"
    process = Process(command, env=environment())
    try:
        process.wait_for_line(ready)
        process.drain("became a monitor", monitored)
        yield address
    finally:
        process.stop()


@contextlib.contextmanager
def service(command, address, prefix=()):
    """A service that prints when it is ready."""
    process = Process([*prefix, *command], env=environment(address))
    try:
        process.wait_for_line("^ready|Serving org.flowbus.Navigation1")
        process.drain()
        yield process
    except BaseException:
        process.kill()
        raise
    if (status := process.stop()) not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
        raise Failure(f"'{command[0]}' ended with {status}:\n{''.join(process.lines)}")


def flowbusd(program, address, files=None, flows=TOP / "bench" / "flows.d"):
    """The command of flowbusd: with its files in a folder, or without them."""
    stores = ["none", "none"] if files is None else [files / "runtime", files / "state"]
    return [program, "--address", address, "--flows", flows, "--runtime", stores[0], "--state", stores[1]]


def load(address, call, count, window):
    """Makes calls."""
    execute([BUILD / "load", address, call, count, window])


def run(bus_program, command, tool, *call):
    """What a tool counts of a service that is started on a bus of its own, called, and stopped."""
    with folder() as place, bus(bus_program, place) as address:
        prefix, read = tool(place)
        with service(command(address, place), address, prefix):
            load(address, *call)
        return read()


def callgrind(place):
    """Counts instructions."""
    written = place / "callgrind"

    def read():
        return int(re.search(r"^(?:summary|totals): (\d+)", written.read_text(), re.M).group(1))

    return [*CALLGRIND, f"--callgrind-out-file={written}"], read


def callgrind_with_slow_clock(place):
    """Counts instructions of a program whose timers fire as rarely as without callgrind, measured by its calls."""
    options, read = callgrind(place)
    return ["env", f"LD_PRELOAD={BUILD / SLOW_CLOCK}", *options], read


def strace(place):
    """Counts system calls, by their names. -f: it may have threads."""
    written = place / "strace"

    def read():
        rows = (line.split() for line in written.read_text().splitlines())
        return {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] != "total"}

    return ["strace", "-f", "-c", "-S", "name", "-U", "calls,name", "-o", written], read


@dataclasses.dataclass(frozen=True)
class Runs:
    """The counts of the two runs of a row: instructions, or system calls by their names."""

    few: int | dict
    many: int | dict
    units: int

    def each(self):
        """The figure of one call (of a step, of a flow)."""
        if isinstance(self.few, int):
            return (self.many - self.few) / self.units
        each = {name: (count - self.few.get(name, 0)) / self.units for name, count in self.many.items()}
        return {name: count for name, count in each.items() if abs(count) >= 0.005}

    def totals(self):
        """All system calls as one count."""
        few, many = (count if isinstance(count, int) else sum(count.values()) for count in (self.few, self.many))
        return Runs(few, many, self.units)

    def least(self, other):
        """What happens by the clock, such as a timer, adds to a run and never takes away. So the least of both counts."""
        return Runs(min(self.few, other.few), min(self.many, other.many), self.units)


def runs(row, bus_program, command, tool):
    """Counts the two runs of a row."""
    few, many = (run(bus_program, command, tool, row.call, count, row.window) for count in (row.few, row.many))
    return Runs(few, many, (row.many - row.few) * row.units)


def difference(row, bus_program, command, tool):
    """The figure of one call of a row."""
    return runs(row, bus_program, command, tool).each()
