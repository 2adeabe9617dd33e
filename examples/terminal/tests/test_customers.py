"""Many customers, one after the other, at a terminal without windows: the reader over lines and the payment in `run` are real, the pages are
played. Memory, processes and files of flowbusd, of the bus and of these programs stay as they are. `Growth` says so for others, too."""

import itertools
import math
import os
import statistics
from pathlib import Path

from terminal import PROGRAMS
from test_ways import child

CUSTOMERS = int(os.environ.get("FLOWBUS_CUSTOMERS", "10000"))
# Before the first sample: they fill what is kept on purpose, such as caches and the latest navigations.
EARLIER = 500
SAMPLES = 200
# What 1,000 customers may leave behind, in the unit of each.
MOST = {"memory": 50, "files": 1, "processes": 1}
# What is noise in half of a run, however short it is: an allocator takes some pages more. So 150 customers show a leak of 1 kB each, 1,500 one
# of 100 bytes; and 10 a file or a process of each.
NOISE = {"memory": 64, "files": 2, "processes": 2}
UNITS = {"memory": " kB"}


def slope(xs, ys):
    """That of the line through the points, and its standard error."""
    found = statistics.linear_regression(xs, ys)
    mean = statistics.fmean(xs)
    rest = sum((y - found.intercept - found.slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    return found.slope, math.sqrt(rest / (len(xs) - 2) / sum((x - mean) ** 2 for x in xs))


class Growth:
    """What the processes of a device take, looked at after customers; `device` is that of the tests, `folders` are where it has files. What is
    counted of `others` is printed, and no failure."""

    def __init__(self, device, folders, others=(), **processes):
        self.folders, self.processes, self.others = [Path(device.folder), *folders], {**processes, **dict(others)}, dict(others)
        self.address = f"DBUS_SESSION_BUS_ADDRESS={device.address}".encode()
        self.seen = {}  # By what is counted: (customers until then, how much).

    def look(self, customer):
        """Takes a sample of everything."""
        for name, process in self.processes.items():
            assert os.path.exists(f"/proc/{process}/exe"), f"{name} has ended, after {customer} customers"
            # Memory that this process has written to: it can't be dropped when the machine needs it. Swap is part of it.
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            dirty = sum(int(line.split()[1]) for line in rollup if line.split(":")[0] in ("Private_Dirty", "Shared_Dirty", "Swap"))
            self.note("memory", name, customer, dirty)
            self.note("files", name, customer, len(os.listdir(f"/proc/{process}/fd")))
        self.note("files", "the disk", customer, sum(len(files) for it in self.folders for _, _, files in os.walk(it)))
        self.note("processes", "the device", customer, self.count())

    def note(self, kind, name, customer, value):
        self.seen.setdefault((kind, name), []).append((customer / 1000, value))

    def count(self):
        """How many processes have the bus of the device, or descend from the test. One that has ended counts until somebody waits for it."""
        parents, found = {}, set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if self.address in (folder / "environ").read_bytes().split(b"\0"):
                    found.add(int(folder.name))
            except OSError:
                pass  # It is gone, or is another user's.
        found.add(os.getpid())
        while more := {it for it, parent in parents.items() if parent in found and it not in found}:
            found |= more
        return len(found) - 1

    def judge(self):
        """Prints the slope of each, and its error, and returns a sentence for each that grows. It has to grow in both halves of the time:
        what happens once, such as a cache that fills up, is in one of them."""
        wrong = []
        for (kind, name), points in self.seen.items():
            half, unit = len(points) // 2, UNITS.get(kind, "")
            (whole, error), *halves = (slope(*zip(*it, strict=True)) for it in (points, points[:half], points[half:]))
            values = [value for _, value in points]
            said = f"{whole:+.2f} ± {error:.2f}{unit}"
            print(f"{kind} of {name}: {values[-1]}{unit}, {said} for 1,000 customers; {min(values)} to {max(values)}")
            print(f"    on the way: {', '.join(map(str, itertools.islice(values, 0, None, max(1, len(values) // 10))))}")
            least = max(MOST[kind], NOISE[kind] / (points[-1][0] - points[0][0]) * 2)
            if name not in self.others and all(grows - 2 * its_error > least for grows, its_error in [(whole, error), *halves]):
                wrong.append(f"{kind} of {name}: {said} for 1,000 customers, and it grows in both halves; up to {least:.0f}{unit} is noise")
        return wrong


def serve_all(growth, serve, customers=CUSTOMERS, earlier=EARLIER):
    """Has customers served, and fails if anything grows. `growth` makes the Growth, when the first one has had all programs started."""
    assert customers >= 10, f"{customers} customers are too few for a slope in each half of them; 10 are the least"
    serve(0)
    growth = growth()
    for number in range(1, earlier):
        serve(number)
    every = max(1, customers // SAMPLES)
    for number in range(earlier, earlier + customers):
        serve(number)
        if number % every == 0:
            growth.look(number)
    wrong = growth.judge()
    assert not wrong, "\n".join(wrong)


def test_customers_leave_nothing(plain, tmp_path):
    slot = tmp_path / "slot"
    os.mkfifo(slot)
    (tmp_path / "programs").mkdir()
    pay = tmp_path / "programs/pay"
    pay.write_text('#!/bin/sh\necho "R-$1"\n')
    pay.chmod(0o755)
    terminal = plain().play(run=False)
    device = terminal.device
    terminal.real_payments()
    reader = device.run([PROGRAMS / "reader", slot])

    def serve(number):
        slot.write_text(f"T-{number} 450\n")
        terminal.wait("fee", ticket=f"T-{number}")
        terminal.customer.screen("fee").emit("payAsked")
        terminal.wait("receipt", receipt=f"R-T-{number}")
        terminal.receipt.screen("receipt").emit("ticketTaken")
        for program in (terminal.customer, terminal.receipt):
            program.calls.clear()

    serve_all(lambda: Growth(device, [tmp_path], **{
        "flowbusd": terminal.pid("org.flowbus.Navigation1"), "the bus": terminal.pid("org.freedesktop.DBus"),
        "flowbus-run": terminal.pid("org.flowbus.Run"), "the reader": reader.pid, "flowbusctl connect": child(reader.pid)}), serve)
