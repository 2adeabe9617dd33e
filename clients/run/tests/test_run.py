# SPDX-License-Identifier: Apache-2.0
"""Command lines as screens (S-59), in namespaces of processes: the private bus of a test has no user manager."""

import os
import signal
import subprocess

import pytest
from conftest import PROGRAM, RUN, Process, start

from gi.repository import Gio, GLib

SCREEN = "main/program"


def ended(device):
    """What the flow learns of a screen that has gone."""
    node = device.wait_for(lambda tree: "main/end" in tree, "the end of the screen")["main/end"]
    return node.arguments


def test_s59_no_shell_reads_the_words(device, news):
    text = "-rf --help; $HOME ${HOME} %h %n `id` 'a' \"b\" \\ \t*\nnext ä"
    device.emit("main", "shown", deed="stay", text=text, more="")
    told = news.next()
    assert told["arguments"] == [text, ""]
    assert told["session"]
    device.wait_presented(SCREEN)


def test_s59_an_optional_argument_that_is_not_given_is_no_word(device, news):
    device.emit("main", "shown", deed="stay", more="last")
    assert news.next()["arguments"] == ["last"]


def test_s59_the_environment(device, news):
    device.emit_with_options("main", "shown", {"deed": "stay"}, activation_token="token-1")
    environment = news.next()["environment"]
    node = device.wait_presented(SCREEN)
    assert environment["FLOWBUS_SCREEN"] == f"/org/flowbus/Navigation1/instance/{node.instance}"
    assert environment["XDG_ACTIVATION_TOKEN"] == environment["DESKTOP_STARTUP_ID"] == "token-1"
    assert "NOTIFY_SOCKET" not in environment and "DBUS_STARTER_ADDRESS" not in environment


def test_s59_a_withdrawn_program_is_gone_with_all_that_it_started(device, news):
    device.emit("main", "shown", deed="family")
    processes = [Process(news.next()["process"]) for _ in range(2)]
    device.wait_presented(SCREEN)
    assert all(process.is_alive() for process in processes)
    device.back(SCREEN)
    for process in processes:
        process.wait_ended()
    # It was ended, so it has not failed.
    assert ended(device) == {"reason": "back", "error": "", "message": ""}


def test_s59_a_program_that_ignores_term_is_killed(device, news):
    device.emit("main", "shown", deed="deaf")
    process = Process(news.next()["process"])
    device.wait_presented(SCREEN)
    device.back(SCREEN)
    process.wait_ended()


@pytest.mark.parametrize("status", [1, 3, 127, 255])
def test_s59_a_status_without_a_word_has_failed(device, news, status):
    device.emit("main", "shown", deed="exit", text=str(status), more="first\nthe terminal\tis busy: \udcff\n\n".encode("utf-8", "surrogateescape").decode("latin-1"))
    told = ended(device)
    assert told["reason"] == "failed" and told["error"] == "org.flowbus.Run.Error.Exited"
    assert told["message"].startswith(f"'{PROGRAM}' ended with the status {status}: first\nthe terminal\tis busy: ")


def test_s59_the_message_has_the_last_lines(device, news):
    device.emit("main", "shown", deed="exit", text="1", more="".join(f"line {number}\n" for number in range(2000)))
    message = ended(device)["message"]
    assert message.endswith("line 1998\nline 1999") and len(message) <= 1024
    assert "ended with the status 1: line 1" in message


def test_s59_bytes_that_are_no_text(device, news, tmp_path):
    # What the bus does not carry would fail the call that says it.
    script = tmp_path / "bytes"
    script.write_bytes(b"#!/bin/sh\nprintf 'a\\377\\000\\355\\240\\200\\357\\277\\276z' >&2\nexit 4\n")
    script.chmod(0o755)
    flows = next((tmp_path / "flows-1.d").glob("*.toml"))
    flows.write_text(flows.read_text().replace('"no-such-program"', f'"{script}"'))
    device.reload()
    device.emit("main", "missing")
    assert ended(device)["message"] == f"'{script}' ended with the status 4: a????????z"


def test_s59_done_is_no_failure(device, news):
    device.emit("main", "shown", deed="exit", text="5", more="some words")
    assert ended(device) == {"reason": "dismissed", "error": "", "message": ""}


def test_s59_what_a_program_leaves_behind_is_ended(device, news):
    device.emit("main", "shown", deed="leave", text="5")
    processes = [Process(news.next()["process"]) for _ in range(2)]
    news.tell("go")
    for process in processes:
        process.wait_ended()
    assert ended(device)["reason"] == "dismissed"


def test_s59_a_status_is_a_step(device, news):
    device.emit("main", "shown", deed="exit", text="6", more="the card is blocked")
    tree = device.wait_for(lambda tree: "main/refusal" in tree and SCREEN not in tree, "the step of the status")
    arguments = tree["main/refusal"].arguments
    assert arguments == {"why": f"'{PROGRAM}' ended with the status 6: the card is blocked", "code": 7, "text": "6"}


def test_s59_a_step_without_arguments(device, news):
    device.emit("main", "shown", deed="exit", text="7")
    device.wait_for(lambda tree: "main/receipt" in tree and SCREEN not in tree, "the step of the status")


def test_s59_a_step_that_no_flow_takes_is_an_error(device, news):
    device.emit("main", "shown", deed="exit", text="8")
    message = "the step of the status 8 was not taken: its verdict was 'unhandled'"
    assert ended(device) == {"reason": "failed", "error": "org.flowbus.Run.Error.Step", "message": message}


def test_s59_s15_a_step_of_a_screen_that_is_covered_is_an_error(device, news):
    device.emit("main", "shown", deed="obey")
    news.next()
    device.wait_presented(SCREEN)
    device.emit("main", "covered")
    device.show("main/cover")
    news.tell("exit 7")
    told = ended(device)
    assert told["error"] == "org.flowbus.Run.Error.Step" and "its verdict was 'hidden'" in told["message"]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_s59_a_signal_is_no_status(device, news, number):
    device.emit("main", "shown", deed="die", text=str(int(number)))
    told = ended(device)
    assert told["error"] == "org.flowbus.Run.Error.Killed"
    assert told["message"] == f"'{PROGRAM}' was killed by the signal {int(number)} ({number.name.removeprefix('SIG')})"


def test_s59_a_program_that_hands_over(device, news):
    device.emit("main", "shown", deed="exit", text="0")
    told = ended(device)
    assert told["error"] == "org.flowbus.Run.Error.HandedOver"
    assert told["message"].startswith(f"handed over: '{PROGRAM}' ended after ")


@pytest.mark.parametrize("screen, output, result", [
    ("named", "Ada Lovelace\n", {"name": "Ada Lovelace"}),
    ("named", "two\nlines\n\n", {"name": "two\nlines\n"}),
    ("named", '{"a": 1}', {"name": '{"a": 1}'}),
    ("named", "", {"name": ""}),
    ("numbered", "-9223372036854775808\n", {"number": -(2**63)}),
    ("numbered", " 7\r\n\n", {"number": 7}),
    ("several", '{"name": "\\\\u0000 99999999999999999999 \\\"-"}', {"name": '\\u0000 99999999999999999999 "-'}),
    ("several", '{"name": "x", "number": 7, "ok": true, "tags": ["a", "b"]}', {"name": "x", "number": 7, "ok": True, "tags": ["a", "b"]}),
    ("several", '{"name": "x", "number": null, "tags": []}\n', {"name": "x", "tags": []}),
    ("several", '{"name": "\u00e4\u20ac"}', {"name": "\u00e4\u20ac"}),
])
def test_s59_standard_output_is_the_result(device, news, screen, output, result):
    device.emit("main", "plain", deed=screen, text=output)
    tree = device.wait_for(lambda tree: "main/given" in tree or "main/end" in tree, "the result")
    assert "main/end" not in tree, tree["main/end"].arguments
    assert tree["main/given"].arguments == result


@pytest.mark.parametrize("screen, output, why", [
    ("numbered", "seven\n", "standard output is no JSON (unexpected character): 'seven'"),
    ("numbered", "7.5", "'7.5' is no value of the type 'x'"),
    ("numbered", "", "standard output is no JSON"),
    ("numbered", "7 EUR", "standard output is no JSON"),
    ("numbered", "7\n8\n", "standard output is no JSON"),
    ("numbered", "/* about */ 7", "standard output is no JSON"),
    ("numbered", "-9223372036854775809", "a number has more than 64 bits"),
    ("numbered", "9223372036854775808", "'9223372036854775808' is no value of the type 'x'"),
    ("several", '{"name": "x", "number": 18446744073709551616}', "a number has more than 64 bits"),
    ("several", '{"name": "x",}', "standard output is no JSON"),
    ("several", '{"name": "a\\u0000b"}', "a text has the byte 0"),
    ("numbered", "a" + 50 * "ä", "standard output is no JSON (unexpected character): 'a" + 39 * "ä" + "?'"),
    ("several", "7", "standard output has to be a JSON object with the values of the result, and is '7'"),
    ("several", '{"name": "x", "nmber": 7}', "the result declares no value 'nmber'"),
    ("several", '{"number": 7}', "name"),
    ("several", '{"name": ["x"]}', "'[ \"x\" ]' is no value of the type 's'"),
])
def test_s59_an_output_that_is_no_result_has_failed(device, news, screen, output, why):
    device.emit("main", "plain", deed=screen, text=output)
    told = ended(device)
    assert told["error"] == "org.flowbus.Run.Error.Result" and why in told["message"]


def test_s59_s47_a_program_that_is_not_there(device, news):
    device.emit("main", "missing")
    told = ended(device)
    assert told["reason"] == "presentFailed"
    assert told["message"] == "there is no program 'no-such-program' in the folders of PATH"


def test_s59_a_file_that_is_no_program(device, news):
    device.emit("main", "opened")
    assert ended(device)["message"] == "the program '/etc/passwd' can't be started: Permission denied"


def test_s59_s38_a_screen_that_returns_is_not_started_again(device, news):
    device.emit("main", "shown", deed="stay")
    process = Process(news.next()["process"])
    device.wait_presented(SCREEN)
    device.emit("main", "covered")
    device.show("main/cover")
    device.emit("main", "uncovered")
    device.wait_presented(SCREEN)
    device.emit("main", "shown", deed="stay")
    device.wait_presented(SCREEN)
    assert process.is_alive() and news.is_silent()


def test_s59_s19_new_arguments_are_a_new_program_after_the_old_one(device, news):
    device.emit("main", "shown", deed="deaf")
    old = Process(news.next()["process"])
    device.wait_presented(SCREEN)
    device.emit("main", "shown", deed="stay", text="new")
    new = news.next()
    assert new["arguments"] == ["new"]
    assert not old.is_alive()
    assert Process(new["process"]).is_alive()
    device.wait_presented(SCREEN)


def test_s59_flowbusd_killed(device, news):
    device.emit("main", "shown", deed="obey")
    process = Process(news.next()["process"])
    device.wait_presented(SCREEN)
    device.kill_flowbusd()
    device.wait_presented(SCREEN)
    assert process.is_alive() and news.is_silent()
    # And ended while there is none: the next one learns it.
    device.kill_flowbusd(restart=False)
    news.tell("exit 6")
    process.wait_ended()
    device.start_flowbusd()
    device.wait_for(lambda tree: "main/refusal" in tree and SCREEN not in tree, "the step of the status")
    assert news.is_silent()


def test_s59_flowbusd_takes_longer_than_a_call_of_sd_bus(flowbus, news):
    device = start(flowbus, news, "/usr/bin/env", "SYSTEMD_BUS_TIMEOUT=100ms")
    device.emit("main", "shown", deed="obey")
    process = Process(news.next()["process"])
    device.wait_presented(SCREEN)
    os.kill(device.flowbusd.process_id, signal.SIGSTOP)
    news.tell("exit 6")
    process.wait_ended()
    with pytest.raises(GLib.Error, match="Timeout"):
        device.connect().call_sync("org.flowbus.Navigation1", "/org/flowbus/Navigation1", "org.freedesktop.DBus.Peer", "Ping", None, None,
            Gio.DBusCallFlags.NONE, 1000, None)
    os.kill(device.flowbusd.process_id, signal.SIGCONT)
    device.wait_for(lambda tree: "main/refusal" in tree and SCREEN not in tree, "the step of the status")


def test_s59_flowbus_run_killed(device, news):
    device.emit("main", "kept", deed="family")
    processes = [Process(news.next()["process"]) for _ in range(2)]
    node = device.wait_presented("main/kept")
    device.kill("org.flowbus.Run")
    for process in processes:
        process.wait_ended()
    # The screen heals, with one program.
    told = [news.next() for _ in range(2)]
    assert sorted(one["deed"] for one in told) == ["family", "grandchild"]
    assert device.wait_presented("main/kept").instance == node.instance
    assert news.is_silent()


def test_s59_withdrawn_at_once(device, news):
    for _ in range(20):
        device.emit("main", "shown", deed="stay")
        device.emit("main", "withdrawn")
    device.emit("main", "shown", deed="stay", text="last")
    told = [news.next()]
    while told[-1]["arguments"] != ["last"]:
        told.append(news.next())
    for one in told[:-1]:
        Process(one["process"]).wait_ended()
    assert Process(told[-1]["process"]).is_alive()


def test_s59_only_flowbusd_has_programs_started(device, news):
    device.emit("main", "shown", deed="stay")
    process = Process(news.next()["process"])
    node = device.wait_presented(SCREEN)
    stranger = device.connect()
    for method, value in [
        ("Present", GLib.Variant("(osa{sv}a{sv})", ("/a", "a", {}, {"instance": GLib.Variant("t", 99)}))),
        ("Withdraw", GLib.Variant("(ots)", ("/a", node.instance, "back"))),
    ]:
        with pytest.raises(GLib.Error, match="AccessDenied.*only the owner of the name org.flowbus.Navigation1"):
            stranger.call_sync("org.flowbus.Run", "/org/flowbus/Run", "org.flowbus.Navigation1.Presenter", method, value, None,
                Gio.DBusCallFlags.NONE, -1, None)
    assert process.is_alive()


@pytest.mark.parametrize("arguments, status, text", [
    (["--version"], 0, "flowbus-run "),
    (["--help"], 0, "usage: flowbus-run"),
    (["--grace", "soon"], 64, "'soon' is no time for --grace: it has to be a number of seconds from 0.01 to 600, such as 5"),
    (["--grace", "0"], 64, "'0' is no time"),
    (["evince"], 64, "'evince' is too much"),
    (["--nonsense"], 64, "see `flowbus-run --help`"),
    (["--address", "unix:path=/nowhere"], 69, "there is no bus at unix:path=/nowhere: No such file or directory"),
])
def test_options(arguments, status, text):
    done = subprocess.run([RUN, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status and text in done.stdout + done.stderr


def test_a_second_one(device, news):
    device.emit("main", "shown", deed="stay")
    news.next()
    done = subprocess.run([RUN, "--address", device.address], capture_output=True, text=True, check=False)
    assert done.returncode == 69 and "another flowbus-run has the name org.flowbus.Run" in done.stderr
    assert os.path.exists(RUN)
