# SPDX-License-Identifier: Apache-2.0
"""Each step exactly once, and those of a sender in their order, whoever is killed."""

import os
import random
import signal
import sqlite3
import threading
import uuid

from conftest import history
from gi.repository import Gio, GLib

KILLS = int(os.environ.get("MQTT_KILLS", "40"))


def states(bridge):
    with sqlite3.connect(f"file:{bridge.folder}/state/steps.db?mode=ro", uri=True) as database:
        return [state for (state,) in database.execute("SELECT state FROM steps ORDER BY id")]


def wait_states(bridge, wanted):
    """Until the file has these states: there is no signal of it, so it is looked at again as often as the machine allows."""
    for _ in range(300000):
        try:
            if states(bridge) == wanted:
                return
        except sqlite3.OperationalError:
            pass
    raise AssertionError(f"the steps are {states(bridge)} instead of {wanted}")


def watch(person):
    """Somebody who hears everything, from when the bridge is there."""
    operator = person()
    operator.follow("flowbus/#")
    operator.wait("flowbus/kiosk/online")
    return operator


def kill_in_the_call(device, running, operator, step, message, wanted):
    """Kills the bridge when flowbusd, which is stopped, has its call of a step, and has not looked at it."""
    os.kill(device.flowbusd.process_id, signal.SIGSTOP)
    operator.send(f"flowbus/kiosk/step/{step}", message)
    wait_states(running, wanted)
    # The marked step is sent with the same turn of the loop; this is answered by a later one.
    running.property("OpenSteps")
    running.kill()


def go_on(device, running):
    """flowbusd takes the call, and the next bridge starts."""
    os.kill(device.flowbusd.process_id, signal.SIGCONT)
    running.start()


def test_killed_between_emission_and_answer(device, bridge, person):
    running = bridge().start()
    operator = watch(person)
    operator.ask("counted", {"number": 0})
    kill_in_the_call(device, running, operator, "counted", {"token": "a", "arguments": {"number": 1}}, [2, 1])
    go_on(device, running)
    # Nobody repeats it: the next bridge finds out by itself.
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    assert operator.ask("counted", {"number": 2})["verdict"] == "navigated"
    assert history(device, "counted") == [0, 1, 2]


def test_killed_with_flowbusd(device, bridge, person):
    running = bridge().start()
    operator = watch(person)
    kill_in_the_call(device, running, operator, "counted", {"token": "a", "arguments": {"number": 1}}, [1])
    # The call dies with flowbusd.
    device.flowbusd.kill()
    device.start_flowbusd()
    running.start()
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    assert history(device, "counted") == [1]


def test_killed_while_a_step_is_deferred(device, bridge, person):
    running = bridge().start()
    operator = watch(person)
    kill_in_the_call(device, running, operator, "later", {"token": "a", "arguments": {"number": 1}}, [1])
    go_on(device, running)
    # It may be waiting there, and is: no history tells that.
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "pending"
    # A step of the same topic waits behind it, others don't.
    operator.send("flowbus/kiosk/step/later", {"token": "b", "arguments": {"number": 2}})
    assert operator.ask("counted", {"number": 1})["verdict"] == "navigated"
    # The bridge looks again after each navigation, so it is looking when the step is taken.
    for number in range(2, 102):
        device.connection.call(
            "org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/main", "org.flowbus.Navigation1.Stepper", "EmitStep",
            GLib.Variant("(sa{sv})", ("counted", {"number": GLib.Variant("x", number)})), None, Gio.DBusCallFlags.NONE, -1, None, None)
    device.show("queue")
    device.emit("queue", "start")
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    operator.wait("flowbus/kiosk/verdict/b")
    assert history(device, "later") == [1, 2]


def test_killed_while_a_guard_decides(device, bridge, person):
    decided = threading.Event()
    device.guard("org.example.Guard", lambda _question: decided.wait(60))
    running = bridge().start()
    operator = watch(person)
    kill_in_the_call(device, running, operator, "guarded", {"token": "a"}, [1])
    go_on(device, running)
    # The flow waits, for the answer about this very step.
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "pending"
    decided.set()
    assert operator.wait("flowbus/kiosk/verdict/a")["verdict"] == "navigated"
    assert len(history(device, "guarded")) == 1


def test_killed_before_a_guard_is_asked(device, bridge, person):
    asked = []
    device.guard("org.example.Guard", lambda question: asked.append(question) or True)
    running = bridge().start()
    operator = watch(person)
    kill_in_the_call(device, running, operator, "guarded", {"token": "a"}, [1])
    device.flowbusd.kill()
    device.start_flowbusd()
    running.start()
    # It would be pending in any case, and the guard would be asked at once: so it is not waiting.
    assert operator.wait("flowbus/kiosk/verdict/a", lambda told: told.get("verdict") != "pending")["verdict"] == "navigated"
    assert len(asked) == 1 and len(history(device, "guarded")) == 1


def test_killed_in_the_callback(device, bridge, person, broker):
    """libmosquitto has acknowledged the message, and the bridge has not written it down: only the sender can bring it again."""
    running = bridge().start()
    operator = watch(person)
    operator.ask("counted", {"number": 0})
    database = sqlite3.connect(running.folder / "state/steps.db", isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    sent = operator.send("flowbus/kiosk/step/counted", {"token": "a", "arguments": {"number": 1}})
    sent.wait_for_publish(30)
    # It waits for the file, in its callback, for 2 s; its connection is acknowledged by then.
    for _ in range(1000000):
        if any("PUBACK" in line and "Received" in line and "flowbus-kiosk" in line for line in broker.log):
            break
    running.kill()
    database.execute("ROLLBACK")
    database.close()
    running.start()
    assert operator.ask("counted", {"number": 1}, "a")["verdict"] == "navigated"
    assert history(device, "counted") == [0, 1]


def test_no_history_no_guess(flowbus, bridge, person):
    from conftest import FLOWS

    device = flowbus(toml=FLOWS, options=["--history-entries", "0"])
    device.start_flowbusd()
    running = bridge(device=device).start()
    operator = watch(person)
    operator.ask("counted", {"number": 0})
    kill_in_the_call(device, running, operator, "counted", {"token": "a", "arguments": {"number": 1}}, [2, 1])
    go_on(device, running)
    told = operator.wait("flowbus/kiosk/verdict/a")
    assert told["error"] == "org.flowbus.Mqtt.Error.InDoubt"


def test_each_step_once_whoever_is_killed(device, bridge, person, broker, wire):
    seed = int(os.environ.get("MQTT_SEED", random.randrange(1 << 30)))
    print(f"MQTT_SEED={seed}")
    chance = random.Random(seed)
    running = bridge(port=wire.port).start()
    operators = [person(), person()]
    for operator in operators:
        operator.follow("flowbus/kiosk/verdict/+")
    ended = threading.Event()
    verdicts = [[], []]
    failures = []

    def send(which):
        number = which
        try:
            while not ended.is_set():
                told = operators[which].ask("counted", {"number": number}, uuid.uuid4().hex, timeout=120)
                verdicts[which].append((number, told))
                number += 2
        except BaseException as failure:
            failures.append(failure)
            ended.set()

    threads = [threading.Thread(target=send, args=[which]) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for kill in range(KILLS):
        # Not before each has had a verdict since the last kill: progress, and a time that no clock says.
        seen = [len(told) for told in verdicts]
        wanted = chance.randrange(1, 4)
        while any(len(told) < before + wanted for told, before in zip(verdicts, seen)) and not ended.wait(chance.random() / 20):
            pass
        if ended.is_set():
            break
        what = ("bridge", "bridge", "flowbusd", "broker", "wire", "both")[kill % 6]
        if what in ("bridge", "both"):
            running.kill()
        if what in ("flowbusd", "both"):
            device.flowbusd.kill()
            device.start_flowbusd()
        if what == "broker":
            broker.restart()
        if what == "wire":
            wire.cut()
        if running.process.poll() is not None:
            running.start()
    ended.set()
    for thread in threads:
        thread.join()
    assert not failures, failures
    numbers = history(device, "counted")
    for which in (0, 1):
        assert [number for number in numbers if number % 2 == which] == [number for number, _ in verdicts[which]]
        serials = [told["serial"] for _, told in verdicts[which]]
        assert all(told["verdict"] == "navigated" for _, told in verdicts[which])
        assert serials == sorted(set(serials))
