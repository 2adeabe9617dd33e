# SPDX-License-Identifier: Apache-2.0
"""Programs with decorators answer systemd's watchdog, which the test plays, from their main loop."""

import os
import socket
import sys

import pytest
from shop import SHOP

PROGRAM = """
import sys
import flowbus

here = flowbus.Presenter(sys.argv[1], exit_when_idle=False)

@here.screen("list", "pay")
def show(screen):
    screen.show()

@here.screen("detail")
def hang(screen):
    print("hangs", flush=True)
    with open(sys.argv[2]) as fifo:
        fifo.read()
    screen.show()

raise SystemExit(here.run())
"""


@pytest.fixture
def watched(flowbus, libflowbus, tmp_path):
    """A device, and a program of it that a service manager watches, as the test says."""
    device = flowbus(toml=SHOP)
    file, fifo, sockets = tmp_path / "program.py", tmp_path / "fifo", []
    file.write_text(PROGRAM)
    os.mkfifo(fifo)

    def install(name, **variables):
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind(str(tmp_path / name))
        manager.settimeout(20)
        sockets.append(manager)
        words = [f"{key}={value}" for key, value in {"NOTIFY_SOCKET": tmp_path / name, **variables}.items()]
        device.program(name, ["/usr/bin/env", *words, sys.executable, file, name, fifo])
        return manager

    yield device, install, fifo
    for each in sockets:
        each.close()


def pings(manager):
    """How many have come."""
    count = 0
    manager.setblocking(False)
    try:
        while manager.recv(64) == b"WATCHDOG=1":
            count += 1
    except BlockingIOError:
        pass
    manager.settimeout(20)
    return count


def test_a_main_loop_that_hangs_sends_none(watched):
    device, install, fifo = watched
    manager = install("org.example.Shop", WATCHDOG_USEC=40000)
    other = install("org.example.Pay", WATCHDOG_USEC=40000)
    device.wait_presented("shop/list")
    assert manager.recv(64) == b"WATCHDOG=1"
    device.emit("shop/list", "payAsked", cents=450)
    device.wait_presented("shop/payment/pay")
    device.emit("shop", "itemPicked", item=7)
    device.wait_said("hangs")
    pings(manager), pings(other)
    for _ in range(20):
        assert other.recv(64) == b"WATCHDOG=1"
    assert pings(manager) == 0
    fifo.write_text("go on")
    assert manager.recv(64) == b"WATCHDOG=1"
    device.wait_presented("shop/detail")


def test_a_watchdog_of_another_process_gets_none(watched):
    device, install, _fifo = watched
    manager = install("org.example.Shop", WATCHDOG_USEC=40000, WATCHDOG_PID=os.getpid())
    other = install("org.example.Pay", WATCHDOG_USEC=40000)
    device.wait_presented("shop/list")
    device.emit("shop/list", "payAsked", cents=450)
    for _ in range(20):
        assert other.recv(64) == b"WATCHDOG=1"
    assert pings(manager) == 0
