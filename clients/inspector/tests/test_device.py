# SPDX-License-Identifier: Apache-2.0
"""The model before a device, without a display."""

import os
import signal
import subprocess

import pytest
from conftest import fill, wait_until
from gi.repository import GLib

from flowbus_inspector.model.names import COORDINATOR, FLOW, PRESENTABLE, ROOT, STEPPER, full, short
from flowbus_inspector.model.processes import Processes
from flowbus_inspector.model.reads import READS


def lived(inspection, moment):
    return [short(it.span.path) for it in inspection.recorder.past.at(moment)]


def titles(inspection, kind):
    return [it.title for it in inspection.log.entries if it.kind == kind]


def test_it_knows_the_tree_the_history_and_the_definitions(device, look):
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_presented("shop/detail")
    inspection = look()
    past = inspection.recorder.past
    assert lived(inspection, 0) == ["shop", "shop/list"]
    assert lived(inspection, len(past.moments) - 1) == ["shop", "shop/list", "shop/detail"]
    assert [it.is_sure for it in past.at(0)] == [True, True]
    assert past.at(1)[-1].facts.arguments == "item=7"
    assert inspection.definitions.budgets == {"list": 2_000_000, "detail": 10_000}
    assert inspection.steps["itemPicked"] == {"item": "x", "note": "s?", "fast": "b?"}
    assert titles(inspection, "navigation") == ["start", "itemPicked  item=7"]


def test_it_follows_what_happens(device, look):
    inspection = look()
    begin = len(inspection.recorder.past.moments)
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_presented("shop/detail")
    wait_until(lambda: inspection.tree.lookup(full("shop/detail")) and inspection.tree.lookup(full("shop/detail")).get_presented(),
               "the detail")
    wait_until(lambda: inspection.recorder.past.at(len(inspection.recorder.past.moments) - 1)[-1].facts.presented, "the moment")
    past = inspection.recorder.past
    navigation = next(at for at, it in enumerate(past.moments) if at >= begin and it.serial)
    assert lived(inspection, navigation - 1) == ["shop", "shop/list"]
    assert lived(inspection, navigation) == ["shop", "shop/list", "shop/detail"]
    before = {short(it.span.path): it.facts.presented for it in past.at(navigation - 1)}
    assert before == {"shop": True, "shop/list": True}
    device.back("shop")
    wait_until(lambda: inspection.tree.lookup(full("shop/detail")) is None, "that it is gone")
    wait_until(lambda: past.moments[-1].step == "" and past.moments[-1].serial, "Back")
    assert lived(inspection, len(past.moments) - 1) == ["shop", "shop/list"]
    assert lived(inspection, navigation) == ["shop", "shop/list", "shop/detail"]
    device.emit("shop/list", "failing")
    wait_until(lambda: titles(inspection, "failure") == ["done"], "the failure")


def test_a_screen_that_waits_says_why(device, look):
    device.presenter("receipt", fails="there is no paper")
    inspection = look()
    device.emit("shop", "printed")
    wait_until(lambda: "there is no paper" in inspection.recorder.past.at(len(inspection.recorder.past.moments) - 1)[-1].facts.waiting,
               "the reason")


def test_the_context_is_read_and_followed(device, look):
    inspection = look()
    shop = full("shop")
    wait_until(lambda: inspection.context == {ROOT: {"language": "de"}}, "the values of the coordinator, without private ones")
    told = []
    inspection.observe("context", told.append)
    inspection.read_context(shop)
    wait_until(lambda: inspection.context.get(shop) == {"visitors": 0}, "the values of the flow")
    device.emit("shop", "spoken", language="fr")
    device.emit("shop", "visited", count=3)
    wait_until(lambda: inspection.context == {ROOT: {"language": "fr"}, shop: {"visitors": 3}}, "the signals")
    assert told == [shop, ROOT, shop]
    # A restart keeps them, and they are read again.
    device.kill_flowbusd()
    wait_until(lambda: inspection.context == {ROOT: {"language": "fr"}}, "the values after a restart")


def test_timings_come_with_their_budgets(device, look):
    inspection = look()
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_presented("shop/detail")
    inspection.read_timings()
    wait_until(lambda: {it.screen for it in inspection.timings} == {"list", "detail"}, "both timings")
    assert {it.screen: (it.count, it.budget) for it in inspection.timings} == {"list": (1, 2_000_000), "detail": (1, 10_000)}


def test_processes_own_and_wait_for_answers(device, look):
    inspection = look()
    processes = Processes(inspection)
    processes.read()
    owner = device.tree()["shop/list"].owner
    wait_until(lambda: processes.processes and processes.processes[0].pid and processes.processes[0].names, "the owner")
    (process,) = processes.processes
    assert (process.name, process.names, list(map(short, process.owned))) == (owner, ["org.example.Shop"], ["shop/list"])
    program = device.presenter("detail")
    assert program.screen("list").ask("contactAsked").verdict == "navigated"
    wait_until(lambda: inspection.tree.lookup(full("shop/contact")), "the contact")
    processes.search()
    wait_until(lambda: processes.searched, "the search")
    assert {short(path): count for path, count in processes.asks.items()} == {"shop/list": 1} and processes.evicted == []


def test_only_reads_are_called_until_emitting_is_switched_on(device, look, monitor):
    inspection = look()
    node = inspection.tree.lookup(full("shop/list"))
    seen = []
    for interface, member, values, path in (
            (STEPPER, "Explain", GLib.Variant("(sa{sv})", ("itemPicked", {"item": GLib.Variant("x", 7)})), full("shop/list")),
            (STEPPER, "GetAcceptedSteps", None, full("shop")), (STEPPER, "PeekBack", None, full("shop"))):
        inspection.reads.call(interface, member, values, path, lambda *answer: seen.append(answer))
    inspection.recorder.read_again()
    wait_until(lambda: len(seen) == 3, "the answers")
    for interface, member in ((STEPPER, "EmitStep"), (PRESENTABLE, "Dismiss"), (FLOW, "Back"), (COORDINATOR, "Reload")):
        with pytest.raises(ValueError, match="none of the calls that only read"):
            inspection.reads.call(interface, member)
    arguments = GLib.Variant("a{sv}", {"item": GLib.Variant("x", 7)})
    with pytest.raises(PermissionError):
        inspection.emit(node, "itemPicked", arguments, lambda *_: None)
    me = inspection.client.get_connection().get_unique_name()
    called = set(monitor.calls(me))
    assert (STEPPER, "Explain") in called
    assert called <= READS | {("org.freedesktop.DBus.ObjectManager", "GetManagedObjects")}

    inspection.emission.switch(True)
    done = []
    inspection.emit(node, "itemPicked", arguments, lambda *answer: done.append(answer))
    wait_until(lambda: done, "the verdict")
    assert done[0][0] == "navigated" and done[0][2] is None
    assert (STEPPER, "EmitStepWithOptions") in monitor.calls(me)
    # The instance that one looked at, and no other that has its path.
    inspection.emit(node, "sorted", GLib.Variant("a{sv}", {"by": GLib.Variant("s", "name")}), lambda *_: None)


def test_emission_needs_a_live_instance(device, look):
    inspection = look()
    device.emit("shop/list", "itemPicked", item=7)
    wait_until(lambda: inspection.tree.lookup(full("shop/detail")), "the detail")
    node = inspection.tree.lookup(full("shop/detail"))
    device.back("shop")
    device.emit("shop/list", "itemPicked", item=8)
    wait_until(lambda: inspection.tree.lookup(full("shop/detail")) not in (None, node), "another detail")
    inspection.emission.switch(True)
    done = []
    inspection.emit(node, "helpAsked", GLib.Variant("a{sv}", {}), lambda *answer: done.append(answer))
    wait_until(lambda: done, "the error")
    assert done[0][2].name.endswith("StaleInstance")


def test_flowbusd_is_killed_and_known_again(device, look):
    inspection = look()
    states = []
    inspection.observe("state", lambda: states.append(inspection.state))
    device.kill_flowbusd(restart=False)
    wait_until(lambda: inspection.state == "absent", "that it is gone")
    assert [short(it.get_path()) for it in inspection.recorder.nodes] == ["shop", "shop/list"]
    device.start_flowbusd()
    wait_until(lambda: inspection.state == "live", "that it is back")
    assert states == ["absent", "reading", "live"]
    device.emit("shop/list", "itemPicked", item=7)
    wait_until(lambda: inspection.tree.lookup(full("shop/detail")), "the detail")
    assert "the service is back" in [it.text for it in inspection.recorder.past.moments]


def test_without_a_service_it_waits_for_one(flowbus, tmp_path):
    from flowbus_inspector.model.inspection import Inspection

    inspection = Inspection(f"unix:path={tmp_path}/none")
    inspection.start()
    wait_until(lambda: inspection.state == "no bus", "that there is no bus")
    assert "No such file" in inspection.error
    inspection.stop()
    config = tmp_path / "bus.conf"
    config.write_text(f"<busconfig><type>session</type><listen>unix:path={tmp_path}/bus</listen>"
                      "<policy context='default'><allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/>"
                      "<allow own='*'/></policy></busconfig>")
    bus = subprocess.Popen(["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address=1"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    try:
        bus.stdout.readline()
        inspection = Inspection(f"unix:path={tmp_path}/bus")
        inspection.start()
        wait_until(lambda: inspection.state == "absent", "that there is none")
        bus.kill()
        wait_until(lambda: inspection.state == "no bus", "that the bus is gone")
        inspection.stop()
    finally:
        bus.kill()
        bus.communicate()


def test_a_forwarded_socket_is_as_good(device, look, tmp_path):
    """As `ssh -L` does, socat takes connections at another socket, and forwards them."""
    import shutil

    if shutil.which("socat") is None:
        pytest.skip("there is no program 'socat'")
    path = device.address.partition("path=")[2].partition(",")[0]
    forwarded = tmp_path / "forwarded"
    reading, writing = os.pipe()
    server = subprocess.Popen(["socat", "-d", "-d", f"UNIX-LISTEN:{forwarded},fork", f"UNIX-CONNECT:{path}"],
                              stderr=writing, start_new_session=True)
    os.close(writing)
    with os.fdopen(reading) as log:
        assert any("listening" in line for line in iter(log.readline, ""))
        inspection = look(f"unix:path={forwarded}")
        device.emit("shop/list", "itemPicked", item=7)
        wait_until(lambda: inspection.tree.lookup(full("shop/detail")), "the detail")
        # The connection is cut, as by a network that fails, and made anew.
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    wait_until(lambda: inspection.state == "no bus", "that it is cut")
    assert inspection.recorder.nodes == [] and inspection.error
    forwarded.unlink()
    server = subprocess.Popen(["socat", f"UNIX-LISTEN:{forwarded},fork", f"UNIX-CONNECT:{path}"], start_new_session=True)
    try:
        wait_until(lambda: inspection.state == "live" and len(inspection.recorder.nodes) == 3, "that it is back")
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def test_ten_thousand_nodes(device, look):
    fill(device.address)
    inspection = look()
    seconds, count = inspection.filled
    assert count == 9992
    # A burst: 998 screens go, and one comes.
    group = full("shop/cells")
    inspection.emission.switch(True)
    before, bursts = len(inspection.recorder.past.moments) - 1, []
    inspection.recorder.observe("burst", lambda: bursts.append(inspection.recorder.burst))
    inspection.client.emit_async(group, "cellsGone", GLib.Variant("a{sv}", {}), None, None, None)
    wait_until(lambda: inspection.tree.get_n_items() == 9992 - 997, "the burst")
    wait_until(lambda: inspection.recorder.past.moments[-1].step == "cellsGone", "its moment")
    past = inspection.recorder.past
    assert len(past.at(len(past.moments) - 1)) == 9992 - 997 and len(past.at(before)) == 9992
    print(f"model: {count} nodes in {seconds * 1000:.0f} ms, the burst of {bursts[-1][0]} changes in {bursts[-1][1] * 1000:.0f} ms")
