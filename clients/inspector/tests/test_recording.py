# SPDX-License-Identifier: Apache-2.0
"""A file of `flowbusctl record` in place of a device: the model, the window, and files that are no recordings."""

import os
import subprocess
import sys

import pytest
from conftest import HERE, wait_until
from person import Person

from flowbus_inspector.model.inspection import Inspection
from flowbus_inspector.model.names import COORDINATOR, short
from flowbus_inspector.model.processes import Processes
from flowbus_inspector.model.recording import Recording, RecordingError, Words


@pytest.fixture
def file(device, tmp_path):
    """The recording of a device whose list has opened a detail."""
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_presented("shop/detail")
    path = tmp_path / "recording"
    subprocess.run([os.environ["FLOWBUSCTL"], "--address", device.address, "record", "--output", path], check=True)
    return path


@pytest.fixture
def replay(file):
    """The model of the recording, as soon as it is read."""
    inspection = Inspection(recording=Recording(file))
    inspection.start()
    wait_until(lambda: inspection.recorder.past.moments and inspection.steps and inspection.timings, "the recording")
    yield inspection
    inspection.stop()


def facts(inspection, moment):
    return {short(it.span.path): it.facts for it in inspection.recorder.past.at(moment)}


def test_it_knows_what_the_inspector_of_the_device_knows(device, look, replay):
    live = look()
    wait_until(lambda: live.timings, "the timings")
    assert replay.state == "recorded"
    last = len(replay.recorder.past.moments) - 1
    assert facts(replay, last) == facts(live, len(live.recorder.past.moments) - 1)
    assert facts(replay, last)["shop/detail"].presented and set(facts(replay, 0)) == {"shop", "shop/list"}
    assert [it.text for it in replay.recorder.past.moments] == ["shop: start", "shop: itemPicked item=7", "the recording was made"]
    assert [it.title for it in replay.log.entries if it.kind == "navigation"] == ["start", "itemPicked  item=7"]
    assert replay.definitions.budgets == live.definitions.budgets and replay.steps == live.steps
    assert [it.screen for it in replay.timings] == [it.screen for it in live.timings]
    assert replay.context["/org/flowbus/Navigation1"] == {"language": "de"}
    processes = Processes(replay)
    processes.read()
    wait_until(lambda: processes.processes and all(it.pid or it.names for it in processes.processes), "the owners")


def test_only_reads_are_answered_and_what_it_does_not_have_fails(replay):
    said = []
    replay.reads.call(COORDINATOR, "GetSerial", done=lambda *it: said.append(it))
    replay.reads.property("/nowhere", COORDINATOR, "Context", done=lambda *it: said.append(it))
    wait_until(lambda: len(said) == 2, "the answers")
    assert said[0] == ((2,), None) and said[1][0] is None and "no answer to 'Get'" in str(said[1][1])
    with pytest.raises(ValueError, match="none of the calls that only read"):
        replay.reads.call(COORDINATOR, "Reload")
    with pytest.raises(ValueError, match="none of the calls that only read"):
        replay.reads.call_bus("RequestName", None, None)


def test_the_window_shows_it_and_emits_nothing(file, display):
    person = Person(display, "--replay", str(file))
    try:
        person.see("rows().get('shop/detail') == 'presented' and 'the recording was made' in text('moment')")
        person.see("not sensitive('emitting') and text('bus').startswith('" + str(file)[:12] + "')")
        person.click("row('shop/detail')")
        person.see("text('fact-arguments') == 'item=7' and text('node-state') == 'presented'")
        person.press("alt+Left")
        person.press("alt+Left")
        person.see("set(rows()) == {'shop', 'shop/list'} and 'As it was' in text('moment')")
        person.press("Escape")
        person.see("rows().get('shop/detail') == 'presented'")
    finally:
        person.close()


@pytest.mark.parametrize(("line", "values"), [
    ('1 s "two \\"words\\" \\\\ \\{a}"', ('two "words" \\ \n',)), ("2 x -7 b true", (-7, True)), ("1 d 2.5", (2.5,)), ("1 as 0", ([],)),
    ('1 a{sv} 2 "a" y 7 "b" (so) "c" "/d"', ({"a": 7, "b": ("c", "/d")},)), ("1 v v ay 2 1 2", ([1, 2],)), ("0", ())])
def test_values_are_read_as_they_are_written(line, values):
    words = Words(line)
    assert words.values() == values and words.is_at_end()


@pytest.mark.parametrize(("text", "said"), [
    ("", "line 1: this is no recording"), ("flowbus-recording 1 5\nend\n", "line 1: "), ("flowbus-recording 1 5 6\n", "'end'"),
    ("flowbus-recording 1 5 6\nwho\nend\n", "line 2: 'who' is neither"), ('flowbus-recording 1 5 6\nowner "a\nend\n', "line 2: a word is missing"),
    ('flowbus-recording 1 5 6\nanswer "/" "i" "m" 0 1 ? 5\nend\n', "line 2: '?' is no type"),
    ('flowbus-recording 1 5 6\nanswer "/" "i" "m" 0 1' + " v" * 100_000 + "\nend\n", "line 2: ")])
def test_what_is_no_recording_is_refused_with_its_line(tmp_path, text, said):
    file = tmp_path / "recording"
    file.write_text(text)
    with pytest.raises(RecordingError) as error:
        Recording(file)
    assert said in str(error.value)


def test_the_program_says_what_is_wrong_with_a_file(display):
    program = [sys.executable, str(HERE.parent / "flowbus-inspector")]
    missing = subprocess.run([*program, "--replay", "/nowhere"], capture_output=True, text=True, env={**os.environ, **display})
    assert missing.returncode == 66 and "can't read '/nowhere': No such file" in missing.stderr
    both = subprocess.run([*program, "--replay", "/nowhere", "--system"], capture_output=True, text=True)
    assert both.returncode == 64 and "not allowed with" in both.stderr
