# SPDX-License-Identifier: Apache-2.0
"""Programs that take part by lines (docs/lines.md)."""

import json
import os
import re
import select
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import CONNECT, FLOWS, TIMEOUT, Lines, check

ERROR = "org.flowbus.Navigation1.Error."


def test_a_step(device, connect):
    lines = connect()
    assert lines.ask(emit="payAsked", on="shop", arguments={"cents": 450})["error"] == ERROR + "GuardFailed"
    assert lines.ask(emit="closed", on="shop/home") == {"serial": 2, "verdict": "navigated"}
    # Also without an id.
    lines.say(emit="closed", on="shop")
    assert lines.next()["verdict"] == "navigated"


@pytest.mark.parametrize("arguments", [
    {"item": 9007199254740993}, {"item": -9223372036854775808}, {"item": -1}, {"item": 7.0}, {"item": 7, "share": 1}, {"item": 7, "share": 0.5},
    {"item": 7, "share": 123456789012345678901.5e10}, {"item": 7, "tags": []}, {"item": 7, "tags": ["\\u0000", '"99999999999999999999']},
    {"item": 7, "tags": ["a", "ä\u0001"]}, {"item": 7, "where": "/a/b"}, {"item": 7, "parts": {"a": 1, "b": 2}}, {"item": 7, "parts": {}}, {"item": 7, "tags": None},
])
def test_values_have_no_types_in_lines(device, connect, arguments):
    lines = connect()
    lines.ask(watch="navigations")
    assert lines.ask(emit="opened", on="shop", arguments=arguments)["verdict"] == "navigated"
    told = lines.next("navigated")
    assert told["step"] == "opened" and told["navigated"] == "shop"
    assert told["arguments"] == {name: value for name, value in arguments.items() if value is not None}


def test_texts_need_no_escapes(device, connect):
    lines = connect()
    lines.ask(watch="navigations")
    lines.write('{"emit": "opened", "on": "shop", "arguments": {"item": 7, "tags": ["\u00e4\u20ac", "\U0001f600"]}}\n'.encode())
    assert lines.next("verdict")["verdict"] == "navigated"
    assert lines.next("navigated")["arguments"] == {"item": 7, "tags": ["\u00e4\u20ac", "\U0001f600"]}


@pytest.mark.parametrize("arguments, error", [
    ({"item": 7.5}, "'item'"), ({"item": "7"}, "'item'"), ({"item": 7, "tags": [1]}, "'tags'"), ({}, "item"), ({"item": 7, "itm": 7}, "itm"),
    ({"item": 18446744073709551615}, "'item'"),
])
def test_a_value_that_does_not_fit_is_an_error(device, connect, arguments, error):
    told = connect().ask(emit="opened", on="shop", arguments=arguments)
    assert told["error"] == ERROR + "InvalidArguments" and error in told["message"]


def test_a_screen(device, connect):
    lines = connect()
    assert lines.ask(serve="com.example.Lines") == {"done": True}
    lines.say(emit="opened", on="shop", arguments={"item": 7})
    told = lines.next("present")
    assert (told["present"], told["name"], told["arguments"]) == ("shop/detail", "detail", {"item": 7})
    assert told["details"]["reason"] == "launch" and told["details"]["context"] == {"language": "en"}
    assert lines.ask(answer=told["call"], visible=True, title="Seven", tellSight=True)["done"]
    screen = device.wait_presented("shop/detail")
    assert screen.title == "Seven" and screen.instance == told["instance"]
    lines.say(emit="answered", on="shop", arguments={"contact": 5})
    assert lines.next("sight") == {"sight": False, "screen": "shop/detail"}
    device.back("shop")
    assert lines.next("sight") == {"sight": True, "screen": "shop/detail"}
    lines.say(answer=lines.next("present")["call"], visible=True)
    # Its state, and what changes.
    assert lines.ask(save=told["instance"], state={"at": 1.5, "list": [1, "a", {"b": None}], "no": None})["done"]
    assert lines.ask(show=told["instance"], title="Eight")["done"]
    lines.say(emit="language", on="shop", arguments={"to": "de"})
    assert lines.next("context") == {"context": {"language": "de"}, "screen": "shop/detail"}
    # The program is killed, and another one has the screen, with the state.
    lines.process.kill()
    lines = connect()
    lines.say(serve="com.example.Lines")
    again = lines.next("present")
    assert again["details"]["reason"] == "recover" and again["details"]["state"] == {"at": 1.5, "list": [1, "a", {}]}
    assert again["instance"] == told["instance"] and again["details"]["title"] == "Eight"
    lines.say(answer=again["call"], visible=True)
    # Back.
    device.wait_presented("shop/detail")
    lines.say(back=told["instance"])
    assert lines.next("withdraw") == {"withdraw": "shop/detail", "instance": told["instance"], "reason": "back"}


def test_a_screen_that_gives_up(device, connect):
    lines = connect()
    lines.say(serve="com.example.Lines")
    lines.say(emit="opened", on="shop", arguments={"item": 7})
    told = lines.next("present")
    lines.say(answer=told["call"], visible=True)
    assert lines.ask(dismiss=told["instance"], error="com.example.Error.NoPaper", message="no paper")["done"]
    arguments = device.wait_for(lambda tree: "shop/end" in tree, "the end")["shop/end"].arguments
    assert arguments == {"reason": "failed", "error": "com.example.Error.NoPaper", "message": "no paper"}
    # And one that can't be shown at all.
    lines.say(emit="closed", on="shop")
    lines.say(emit="opened", on="shop", arguments={"item": 8})
    lines.say(answer=lines.next("present")["call"], error="Refused", message="never")
    device.wait_for(lambda tree: "shop/end" in tree and tree["shop/end"].arguments["reason"] == "presentFailed", "the end")


def test_a_result(device, connect):
    lines = connect()
    lines.say(serve="com.example.Lines")
    lines.say(emit="asked", on="shop")
    told = lines.next("present")
    lines.say(answer=told["call"], visible=True)
    assert lines.ask(finish=told["instance"], result={"contact": "x"})["error"] == ERROR + "InvalidArguments"
    assert lines.ask(finish=told["instance"], result={"contact": 5})["done"]
    assert device.wait_for(lambda tree: "shop/given" in tree, "the answer")["shop/given"].arguments == {"contact": 5}
    assert "UnknownObject" in lines.ask(hide=told["instance"])["error"]


def shown(lines, name="picker"):
    """The instance of this screen, once its presenter shows it; another one may be called that is in sight again."""
    while True:
        told = lines.next("present")
        lines.say(answer=told["call"], visible=True)
        if told["name"] == name:
            return told["instance"]


def test_an_ask_is_answered_with_the_result(device, connect):
    asker, lines = connect(), connect()
    lines.ask(serve="com.example.Lines")
    asker.say(ask="asked", on="shop", id=1)
    lines.ask(finish=shown(lines), result={"contact": 5})
    told = asker.next("answered")
    assert (told["id"], told["outcome"], told["result"]) == (1, "result", {"contact": 5}) and "on" not in told
    # Without one, the outcome says why; the next ask is another one.
    asker.say(ask="asked", on="shop", token="mine")
    instance = shown(lines)
    asker.say(ask="asked", on="shop", token="mine", id=2)
    told = asker.next("id")
    assert told == {"id": 2, "error": ERROR + "InvalidArguments", "message": "an ask with the token 'mine' waits already; each ask needs another one"}
    lines.say(back=instance)
    assert asker.next("answered") == {"answered": "mine", "outcome": "back"}
    asker.say(ask="asked", on="shop", id=3)
    lines.say(dismiss=shown(lines), error="com.example.Error.NoPaper", message="no paper")
    assert asker.next("answered")["outcome"] == "failed"


def test_an_ask_whose_step_brings_nothing(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    for step, outcome in [("closed", "nothing"), ("answered", "nothing"), ("start", "nothing")]:
        arguments = {"contact": 5} if step == "answered" else {}
        assert lines.ask(ask=step, on="shop", arguments=arguments)["outcome"] == outcome
    assert lines.ask(ask="closed", on="shop/home")["outcome"] == "hidden"
    assert lines.ask(ask="closed", on="decided")["outcome"] == "unhandled"
    assert lines.ask(ask="askd", on="shop")["error"] == ERROR + "UnknownStep"
    assert lines.ask(ask="asked", on="shop", token="", _is_right=False)["error"] == ERROR + "InvalidArguments"
    assert lines.ask(ask="asked", on="shop", arguments={"a": 1})["error"] == ERROR + "InvalidArguments"
    # A step that a guard decides.
    lines.say(ask="payAsked", on="shop", arguments={"cents": 450}, id="pay")
    lines.say(answer=lines.next("adapt")["call"], error="Rejected", message="no")
    assert lines.next("answered")["outcome"] == "rejected"
    lines.say(ask="payAsked", on="shop", arguments={"cents": 450}, id="pay")
    lines.say(answer=lines.next("adapt")["call"], error="com.example.Error.Broken", message="broken")
    told = lines.next("error")
    assert told["id"] == "pay" and told["error"] == ERROR + "GuardFailed" and "broken" in told["message"]


def test_an_ask_while_flowbusd_is_killed(device, connect):
    asker, lines = connect(), connect()
    lines.ask(serve="com.example.Lines")
    asker.say(ask="asked", on="shop", id=1)
    instance = shown(lines)
    device.wait_presented("shop/picker")
    for _ in range(2):
        device.flowbusd.kill()
        assert asker.next("flowbusd") == {"flowbusd": "gone"}
        device.start_flowbusd()
        assert asker.next("flowbusd") == {"flowbusd": "there"}
    lines.ask(finish=instance, result={"contact": 5})
    told = asker.next("answered")
    assert (told["id"], told["outcome"], told["result"]) == (1, "result", {"contact": 5})
    # It came once.
    assert asker.ask(ask="closed", on="shop")["outcome"] == "nothing"
    assert not any("answered" in line for line in asker._kept)


def test_an_ask_that_flowbusd_has_forgotten(flowbus):
    device = flowbus(toml=FLOWS, options=["--state", "none", "--runtime", "none"])
    device.show("shop/home")
    lines = Lines(device)
    lines.ask(serve="com.example.Lines")
    lines.say(ask="asked", on="shop", id=1)
    shown(lines)
    device.flowbusd.kill()
    lines.next("flowbusd")
    device.start_flowbusd()
    told = lines.next("id")
    assert told["id"] == 1 and told["message"] == "flowbusd has started again without the tree that it had, so there is no answer"
    assert lines.end() == 0


def test_an_ask_of_a_screen_outlives_its_program(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    lines.say(emit="opened", on="shop", arguments={"item": 7})
    screen = shown(lines, "detail")
    device.wait_presented("shop/detail")
    lines.say(ask="asked", on=screen, token="draft 12", id=1)
    shown(lines)
    device.wait_presented("shop/picker")
    lines.process.kill()
    # The picker goes with its program, and the next process of the asker is told so until it says that it has taken it.
    for is_last in (False, True):
        lines = connect()
        lines.ask(serve="com.example.Lines")
        told = lines.next("present")
        assert told["instance"] == screen and told["details"]["answers"] == [["draft 12", "ownerGone", {}]]
        lines.say(answer=told["call"], visible=True)
        device.wait_presented("shop/detail")
        if not is_last:
            lines.process.kill()
    assert lines.ask(acknowledge="draft 12", on=screen)["done"]
    assert lines.ask(acknowledge="nothing", on=screen)["error"] == ERROR + "InvalidArguments"
    lines.process.kill()
    lines = connect()
    lines.ask(serve="com.example.Lines")
    assert "answers" not in lines.next("present")["details"]


def test_an_answer_that_was_not_acknowledged_comes_again(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    lines.say(emit="opened", on="shop", arguments={"item": 7})
    screen = shown(lines, "detail")
    device.wait_presented("shop/detail")
    answer = {"answered": "draft 12", "outcome": "back"}
    # That of an ask without a token is acknowledged at once.
    for token in ({}, {"token": "draft 12"}):
        lines.say(ask="asked", on=screen, id=1, **token)
        instance = shown(lines)
        device.wait_presented("shop/picker")
        lines.say(back=instance)
        told = lines.next("answered")
        device.wait_presented("shop/detail")
    assert told == {"id": 1, **answer}
    device.flowbusd.kill()
    lines.next("flowbusd")
    device.start_flowbusd()
    assert lines.next("answered") == {"on": screen, **answer}
    assert lines.ask(acknowledge="draft 12", on=screen)["done"]
    device.flowbusd.kill()
    device.start_flowbusd()
    for _ in range(3):
        lines.next("flowbusd")
    assert lines.ask(wait="shop")["done"]
    assert not any("answered" in line for line in lines._kept)


def test_the_last_line_is_an_ask(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    process = subprocess.Popen([CONNECT, "--address", device.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b'{"ask": "asked", "on": "shop"}')
    process.stdin.close()
    lines.ask(finish=shown(lines), result={"contact": 5})
    told = json.loads(process.stdout.read())
    check("out", told)
    assert told["result"] == {"contact": 5} and process.wait(TIMEOUT) == 0


def test_a_guard(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    for answer, verdict in [({}, "navigated"), ({"error": "Rejected", "message": "no"}, "rejected"), ({"step": "closed"}, "navigated"),
                            ({"arguments": {"cents": 5}}, "navigated")]:
        lines.say(emit="payAsked", on="shop", arguments={"cents": 450}, id=1)
        told = lines.next("adapt")
        assert (told["adapt"], told["on"], told["arguments"]) == ("payAsked", "shop", {"cents": 450})
        lines.say(answer=told["call"], **answer)
        assert lines.next("verdict")["verdict"] == verdict
    assert device.tree()["shop/paid"].arguments == {"cents": 5}


def test_a_navigator(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    lines.say(emit="decided", on="decided", arguments={"where": "x"}, id=1)
    told = lines.next("navigate")
    assert (told["navigate"], told["on"], told["arguments"]) == ("decided", "decided", {"where": "x"})
    assert "is no contributor" in lines.ask(answer=told["call"], contributors=[{"name": "other"}], _is_right=False)["message"]
    lines.say(answer=told["call"], contributors=[{"kind": "screen", "name": "other", "style": "modal"}, {"kind": "none"}])
    assert lines.next("verdict")["verdict"] == "navigated"
    assert device.tree()["decided/other"].style == "modal"


def test_alive(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Watched", path="/a/b", alive=True)
    lines.say(emit="hidden", on="shop")
    lines.say(answer=lines.next("present")["call"], visible=True)
    lines.say(answer=lines.next("alive")["call"])
    # It does not answer the second time.
    lines.next("alive")
    assert lines.next("withdraw")["reason"] == "ownerHangs"


def test_the_stack(device, connect):
    lines = connect()
    lines.say(watch="stack")
    assert [screen["screen"] for screen in lines.next("stack")["stack"]] == ["shop/home"]
    lines.say(serve="com.example.Lines")
    lines.say(emit="opened", on="shop", arguments={"item": 7})
    lines.say(answer=lines.next("present")["call"], visible=True)
    while [(screen["screen"], screen.get("visible")) for screen in lines.next("stack")["stack"]] != [("shop/detail", True)]:
        pass


def test_waits(device, connect):
    lines = connect()
    assert lines.ask(wait="shop")["done"]
    assert "UnknownObject" in lines.ask(wait="nothing")["error"]


@pytest.mark.parametrize("text, error, message", [
    (b"{", "InvalidArguments", "this line is no JSON: unexpected end of data, at byte 2"),
    (b"nonsense", "InvalidArguments", "this line is no JSON: "),
    (b"[1]", "InvalidArguments", "this line is no JSON object, but '[1]'"),
    (b"7", "InvalidArguments", "this line is no JSON object, but '7'"),
    (b'{"emit": "closed", "on": "shop"} x', "InvalidArguments", "this line is no JSON: "),
    (b'{"emit": "\xff", "on": "shop"}', "InvalidArguments", "this line is no JSON: invalid utf-8 string"),
    (b'{"emit": "\xc3\xa4\xff", "on": "shop"}', "InvalidArguments", "this line is no JSON: invalid utf-8 string"),
    ('{"emit": "ä", "on": "shop",}'.encode(), "InvalidArguments", "this line is no JSON: "),
    ('{"emit": "\\u00ä", "on": "shop"}'.encode(), "InvalidArguments", "this line is no JSON: "),
    ("{ä: 7}".encode(), "InvalidArguments", "this line is no JSON: "),
    ('{"emit": "ä", "on": 18446744073709551616}'.encode(), "InvalidArguments", "a number has more than 64 bits"),
    (b"[" * 100000, "InvalidArguments", "this line is no JSON: nesting too deep"),
    (b'{"emit": "closed"}', "InvalidArguments", "this line needs 'on', a flow or screen"),
    (b'{"emit": "closed", "on": "a//b"}', "InvalidArguments", "'a//b' is no flow or screen"),
    (b'{"emit": "closed", "on": "shop", "argument": {}}', "InvalidArguments", "'argument' is no key of this line"),
    (b'{"emit": "closed", "on": "shop", "arguments": []}', "InvalidArguments", "'arguments' is '[]', and has to be an object"),
    (b'{"emit": 7, "on": "shop"}', "InvalidArguments", "'emit' is '7', and has to be the name of a step"),
    (b'{"emit": "clsed", "on": "shop"}', "UnknownStep", "clsed"),
    (b'{"emt": "closed"}', "InvalidArguments", "this line says nothing to do: it needs one of 'emit', "),
    (b'{"serve": "lines"}', "InvalidArguments", "'serve' is 'lines', and has to be a bus name"),
    (b'{"answer": 99}', "InvalidArguments", "there is no call 99 to answer"),
    (b'{"ask": "asked"}', "InvalidArguments", "this line needs 'on', a flow or screen"),
    (b'{"ask": "asked", "on": "shop", "wait": false}', "InvalidArguments", "'wait' is no key of this line"),
    (b'{"ask": 7, "on": "shop"}', "InvalidArguments", "'ask' is '7', and has to be the name of a step"),
    (b'{"acknowledge": 7, "on": "shop"}', "InvalidArguments", "'acknowledge' is '7', and has to be the token of an ask"),
    (b'{"watch": "all"}', "InvalidArguments", "'all' can't be watched"),
    (b'{"emit": "closed\\u0000b", "on": "shop"}', "InvalidArguments", "a text has the byte 0"),
    (b'{"emit": "opened", "on": "shop", "arguments": {"item\\u0000b": 7}}', "InvalidArguments", "a text has the byte 0"),
    (b'{"emit": "opened", "on": "shop", "arguments": {"item": -9223372036854775809}}', "InvalidArguments", "a number has more than 64 bits"),
    (b'{"emit": "closed", "on": 18446744073709551616}', "InvalidArguments", "a number has more than 64 bits"),
    (b'{"emit": "opened", "on": "shop", "arguments": {"item": 7, "share": 1e999}}', "InvalidArguments", "a number of this line is too large"),
    (('{"emit": "closed", "on": "a' + 50 * "ä" + '"}').encode(), "InvalidArguments", "'a" + 39 * "ä" + "' is no flow or screen"),
    (b'{"emit": "closed", "on": "shop", "arguments": {"a": "\\ufdd0"}}', "InvalidArguments", ""),
])
def test_a_wrong_line_is_answered_and_hurts_nothing(device, connect, text, error, message):
    lines = connect()
    lines.write(text + b"\n")
    told = lines.next()
    assert told["error"] == ERROR + error and message in told["message"]
    assert lines.ask(emit="closed", on="shop")["verdict"] == "navigated"


def test_a_line_of_1_mib(device, connect):
    lines = connect()
    line = b'{"emit": "closed", "on": "shop", "id": "%s"}'
    whole = line % (b"x" * (1024 * 1024 - len(line) + 2))
    assert len(whole) == 1024 * 1024
    lines.write(whole + b"\n")
    assert lines.next()["verdict"] == "navigated"
    lines.write(b"x" + whole + b"\n")
    assert lines.next() == {"error": ERROR + "LimitExceeded", "message": "this line is longer than 1 MiB"}
    lines.write(b"y" * 5 * 1024 * 1024 + b"\n")
    assert lines.next()["error"] == ERROR + "LimitExceeded"
    assert lines.ask(emit="closed", on="shop")["verdict"] == "navigated"


def test_lines_in_pieces_and_with_blank_ones_between(device, connect):
    lines = connect()
    for byte in b'\n  \r\n{"emit": "closed",  "on": "shop"}\r\n':
        lines.write(bytes([byte]))
    assert lines.next()["verdict"] == "navigated"


def test_who_does_not_read_is_let_go(device):
    process = subprocess.Popen([CONNECT, "--address", device.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b'{"watch": "navigations", "id": 1}\n')
    process.stdin.flush()
    assert process.stdout.readline() == b'{"id":1,"done":true}\n'
    for _ in range(8 * 1024 // 60 + 10):
        device.emit("shop", "gone", reason="x" * 60 * 1024)
        device.emit("shop", "closed")
    assert process.wait(TIMEOUT) == 74
    assert b"nobody reads the lines: 8388608 bytes wait" in process.stderr.read()


def test_who_does_not_read_has_no_more_lines_taken(device):
    process = subprocess.Popen([CONNECT, "--address", device.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    os.set_blocking(process.stdin.fileno(), False)
    line, sent = b"{}\n" * 20000, 0
    # Until both pipes are full, and what it keeps.
    while select.select([], [process.stdin], [], 1)[1]:
        sent += os.write(process.stdin.fileno(), line[sent % 3:sent % 3 + 30000])
    assert sent < 2 * 1024 * 1024
    os.set_blocking(process.stdin.fileno(), True)
    reader = threading.Thread(target=lambda: told.append(process.stdout.read().count(b"\n")))
    told = []
    reader.start()
    process.stdin.close()
    assert process.wait(TIMEOUT) == 0
    reader.join()
    assert told[0] in (sent // 3, sent // 3 + 1)


def test_many_at_once_are_answered_in_order(device, connect):
    lines = connect()
    lines.write(b"".join(b'{"emit": "closed", "on": "shop", "id": %d}\n' % number for number in range(1000)))
    assert [lines.next()["id"] for _ in range(1000)] == list(range(1000))


def test_the_last_answers_come_after_the_last_line(device):
    done = subprocess.run([CONNECT, "--address", device.address], input=b'{"emit": "closed", "on": "shop", "id": 1}\n{"emit": "closed", "on": "shop", "id": 2}',
        capture_output=True, timeout=TIMEOUT)
    assert done.returncode == 0 and [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


def test_what_the_last_line_asks_for_comes(device):
    def told(line):
        done = subprocess.run([CONNECT, "--address", device.address], input=line, capture_output=True, timeout=TIMEOUT)
        assert done.returncode == 0
        return [json.loads(line) for line in done.stdout.splitlines()]

    assert [screen["screen"] for screen in told(b'{"watch": "stack"}')[0]["stack"]] == ["shop/home"]
    assert told(b'{"serve": "com.example.Lines", "id": 1}') == [{"id": 1, "done": True}]


def test_more_steps_than_a_client_has_tokens(flowbus):
    # A disk would take a minute.
    device = flowbus(toml=FLOWS, options=["--state", "none"])
    device.show("shop/home")
    count = 17000
    lines = b"".join(b'{"emit": "closed", "on": "shop", "id": %d}\n' % number for number in range(count))
    done = subprocess.run([CONNECT, "--address", device.address], input=lines, capture_output=True, timeout=TIMEOUT * 10)
    assert done.returncode == 0
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == list(range(count))
    assert all(answer.get("verdict") == "navigated" for answer in answers)


def test_files_as_standard_input_and_output(device, tmp_path):
    (tmp_path / "in").write_bytes(b'{"emit": "closed", "on": "shop", "id": 1}\n' * 500)
    with open(tmp_path / "in") as lines, open(tmp_path / "out", "w") as out:
        assert subprocess.run([CONNECT, "--address", device.address], stdin=lines, stdout=out, timeout=TIMEOUT).returncode == 0
    assert len((tmp_path / "out").read_text().splitlines()) == 500


def test_flowbusd_killed(device, connect):
    lines = connect()
    lines.ask(serve="com.example.Lines")
    lines.say(emit="opened", on="shop", arguments={"item": 7})
    told = lines.next("present")
    lines.say(answer=told["call"], visible=True)
    device.wait_presented("shop/detail")
    # Nobody answers the guard before it is killed: the step comes once more.
    lines.say(emit="slow", on="shop", id="slow")
    lines.next("adapt")
    device.flowbusd.kill()
    assert lines.next("flowbusd") == {"flowbusd": "gone"}
    device.start_flowbusd()
    assert lines.next("flowbusd") == {"flowbusd": "there"}
    lines.say(answer=lines.next("adapt")["call"])
    while (answer := lines.next("verdict", "concluded")).get("id") != "slow" or answer["verdict"] == "pending":
        if "concluded" in answer:
            break
    assert answer["verdict"] == "navigated"
    # The screen is still its own.
    assert lines.ask(show=told["instance"], title="after")["done"]


def test_a_name_that_another_has(device, connect):
    assert connect().ask(serve="com.example.Lines")["done"]
    told = connect().ask(serve="com.example.Lines")
    assert told["message"] == "another program has the name 'com.example.Lines'"


def test_a_socket(device, tmp_path):
    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def adopt():
            os.dup2(listener.fileno(), 3)
            os.environ["LISTEN_PID"] = str(os.getpid())

        process = subprocess.Popen(["/bin/sh", "-c", 'export LISTEN_PID=$$; exec "$0" "$@"', CONNECT, "--address", device.address, "--socket"],
            env={**os.environ, "LISTEN_FDS": "1"}, preexec_fn=adopt, pass_fds=[3])
    try:
        people = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for number, person in enumerate(people):
            person.settimeout(TIMEOUT)
            person.connect(path)
            person.sendall(b'{"emit": "closed", "on": "shop", "id": %d}\n' % number)
        for number, person in enumerate(people):
            told = json.loads(person.makefile().readline())
            check("out", told)
            assert told["id"] == number and told["verdict"] == "navigated"
            person.close()
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("arguments, status, text", [
    (["--help"], 0, "usage: flowbusctl connect"),
    (["--version"], 0, "flowbusctl-connect "),
    (["shop"], 64, "'shop' is too much"),
    (["--nonsense"], 64, "see `flowbusctl connect --help`"),
    (["--system", "--address", "x"], 64, "--system and --address are given"),
    (["--socket"], 64, "--socket is for a socket unit of systemd, and there is no socket"),
    (["--address", "unix:path=/nowhere"], 69, "there is no bus at unix:path=/nowhere"),
])
def test_options(arguments, status, text):
    done = subprocess.run([CONNECT, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == status and text in done.stdout + done.stderr


def test_the_document_shows_lines_of_the_schema():
    document = (Path(__file__).resolve().parents[3] / "docs/lines.md").read_text()
    examples = re.findall(r"^([<>]) (\{.*\})$", document, re.MULTILINE)
    assert len(examples) > 20
    for way, line in examples:
        check("in" if way == ">" else "out", json.loads(line))
