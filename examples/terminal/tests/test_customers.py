"""Many customers, one after the other, at a terminal without windows: the reader over lines and the payment in `run` are real, the pages are
played. Memory, processes and files of flowbusd and of these programs stay as they are."""

import math
import os
import statistics
from pathlib import Path

from terminal import PROGRAMS
from test_ways import child

CUSTOMERS = int(os.environ.get("FLOWBUS_CUSTOMERS", "10000"))
# kB for 1,000 customers. A block of memory that each customer leaves behind is at least 16 bytes, of the few hundred of a screen 100 kB and more;
# what allocators and the kernel do by themselves is below a fifth of it.
MOST = 100
SAMPLES = 200


def numbers(process):
    """The kB of memory of a process that no other one shares, and how many files it has open."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in rollup if line.startswith("Private_")), len(os.listdir(f"/proc/{process}/fd"))


def processes_of(device):
    """How many processes the bus of the device has with it, but for the test itself."""
    address, count = f"DBUS_SESSION_BUS_ADDRESS={device.address}".encode(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            count += address in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            pass  # It has ended, or is another user's.
    return count


def slope(xs, ys):
    """That of the line through the points, and its standard error."""
    found = statistics.linear_regression(xs, ys)
    mean = statistics.fmean(xs)
    rest = sum((y - found.intercept - found.slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    return found.slope, math.sqrt(rest / (len(xs) - 2) / sum((x - mean) ** 2 for x in xs))


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
    seen = {}

    def serve(number):
        slot.write_text(f"T-{number} 450\n")
        terminal.wait("fee", ticket=f"T-{number}")
        terminal.customer.screen("fee").emit("payAsked")
        terminal.wait("receipt", receipt=f"R-T-{number}")
        terminal.receipt.screen("receipt").emit("ticketTaken")
        for program in (terminal.customer, terminal.receipt):
            program.calls.clear()

    # The first ones fill what is kept on purpose, such as caches and the latest navigations.
    for number in range(CUSTOMERS // 5):
        serve(number)
    watched = {
        "flowbusd": terminal.pid("org.flowbus.Navigation1"), "flowbus-run": terminal.pid("org.flowbus.Run"), "reader": reader.pid,
        "flowbusctl-connect": child(reader.pid)}
    every = max(1, CUSTOMERS * 4 // 5 // SAMPLES)
    for number in range(CUSTOMERS // 5, CUSTOMERS):
        serve(number)
        if number % every == 0:
            for name, process in watched.items():
                seen.setdefault(name, []).append((number, *numbers(process)))
            seen.setdefault("processes", []).append((number, processes_of(device)))
    wrong = []
    for name in watched:
        at, memory, files = zip(*seen[name], strict=True)
        grows, error = slope([number / 1000 for number in at], memory)
        print(f"{name}: {memory[-1]} kB, {grows:+.1f} ± {error:.1f} kB for 1,000 customers; {min(files)} to {max(files)} files")
        print(f"    kB on the way: {', '.join(map(str, memory[::max(1, len(memory) // 10)]))}")
        half = len(files) // 2
        if grows - 2 * error > MOST:
            wrong.append(f"the memory of {name} grows by {grows:.1f} ± {error:.1f} kB for 1,000 customers; at most {MOST} is noise")
        if min(files[half:]) > min(files[:half]):
            wrong.append(f"{name} had {min(files[:half])} files open, and has {min(files[half:])}")
    counts = [count for _, count in seen["processes"]]
    print(f"processes: {min(counts)} to {max(counts)}")
    half = len(counts) // 2
    if min(counts[half:]) > min(counts[:half]):
        wrong.append(f"there were {min(counts[:half])} processes, and are {min(counts[half:])}")
    assert not wrong, "\n".join(wrong)
