# SPDX-License-Identifier: Apache-2.0
"""The file: what is wrong is named, with its line, and what would be right."""

import os
import subprocess

import pytest

BRIDGE = os.environ["FLOWBUS_MQTT"]
FINE = 'version = 1\ndevice = "kiosk"\n[broker]\nhost = "localhost"\n'


def check(tmp_path, text, *options):
    file = tmp_path / "mqtt.toml"
    file.write_text(text)
    return subprocess.run([BRIDGE, "--config", file, "--check", *options], capture_output=True, text=True, check=False)


def test_fine(tmp_path):
    result = check(tmp_path, FINE)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("text, said", [
    ("", "'version' has to be 1"),
    ("version = 2\n", "1: error: 'version' has to be 1"),
    ("version = 1\n", "'broker' is missing"),
    ("version = 1\nbroker = 5\n", "2: error: 'broker' is no table"),
    ("version = 1\n[broker]\n", "'broker.host' is missing"),
    ("version = 1\n[broker\n", "mqtt.toml:2: "),
    (FINE + "prot = 1\n", "5: error: 'broker.prot' is not known; the keys here are host port"),
    (FINE + "port = 70000\n", "5: error: 'broker.port' is 70000; it has to be a number from 1 to 65535"),
    (FINE + 'port = "1883"\n', "'broker.port' is \"1883\"; it has to be a number"),
    (FINE + 'protocol = "4"\n', 'it has to be "auto", "5" or "3.1.1"'),
    (FINE + 'spread = "10"\n', 'it has to be a span, such as "500ms"'),
    (FINE + "spread = 10\n", 'it has to be a span, such as "500ms"'),
    (FINE + 'prefix = "a/#"\n', "without + and #"),
    (FINE + 'user = ""\n', "'broker.user' is \"\"; it has to be the name of a user"),
    (FINE + 'password_file = "none"\n', "which can't be read: No such file or directory"),
    (FINE + 'tls = { certificate = "mqtt.toml" }\n', "has only one of 'certificate' and 'key'"),
    (FINE + 'tls = { insecure = true }\n', "'broker.tls.insecure' is not known"),
    (FINE + 'responses = ["a/#/b"]\n', '"a/#/b", which is none of topic filters'),
    (FINE.replace('"kiosk"', '"a/b"'), "2: error: 'device' is \"a/b\""),
    (FINE + "[publish]\nscreens = true\n", "'publish.screens' is not known; the keys here are tree context navigation problems"),
    (FINE + "[publish]\ntree = true\n", "'publish.tree' is no table; it has the keys screens titles arguments"),
    (FINE + "[publish]\ntree = {}\n", "'publish.tree.screens' has to be a list"),
    (FINE + '[publish]\ntree = { screens = ["a/b"] }\n', 'has "a/b", which is none of names'),
    (FINE + '[publish]\ntree = { screens = ["*"], arguments = ["a"] }\n', "is no table of lists of arguments"),
    (FINE + '[publish]\ncontext = "floor"\n', "'publish.context' is no list of names of values"),
    (FINE + '[publish]\nnavigation = {}\n', "'publish.navigation.steps' has to be a list"),
    (FINE + '[publish]\nproblems = { texts = 1 }\n', "'publish.problems.texts' has to be true or false"),
    (FINE + "[steps]\na = {}\n", "6: error: 'steps.a.on' has to be the path of a flow or screen below tree"),
    (FINE + '[steps]\na = { on = "/org" }\n', "'steps.a.on' has to be the path"),
    (FINE + '[steps]\n"a/b" = { on = "main" }\n', "'steps.a/b' is no name"),
    (FINE + '[steps]\na = { on = "main", arguments = { b = "int" } }\n', "'steps.a.arguments.b' has the type \"int\""),
    (FINE + '[steps]\na = { on = "main", arguments = { b = "a{sv}" } }\n', "has the type \"a{sv}\""),
    (FINE + '[steps]\na = { on = "main", arguments = { b = { type = "int64", among = ["x"] } } }\n', '"x" is no integer'),
    (FINE + '[steps]\na = { on = "main", from = ["#/a"] }\n', "none of topic filters"),
    (FINE + '[facts]\na = { topic = "x/+", type = "bool" }\n', "'facts.a.topic' has to be a topic without wildcards"),
    (FINE + '[facts]\na = { topic = "x" }\n', "'facts.a.type' has to be a type"),
    (FINE + '[facts]\na = { topic = "x", type = "bool", pointer = "open" }\n', "has to be a JSON pointer"),
    (FINE + '[facts]\n"a-b" = { topic = "x", type = "bool" }\n', "'facts.a-b' is no name"),
    (FINE + '[record]\nbytes = 10\n', "'record.bytes' is 10; it has to be a number from 1024 to 16777216"),
    (FINE + '[record]\nfrom = "x"\n', "'record.from' is no list of topic filters"),
    (FINE + '[record]\nto = []\n', "'record.to' is not known; the keys here are from bytes"),
    (FINE + '[home_assistant]\nbuttons = ["a"]\n', 'has "a", which is none of [steps]'),
    (FINE + '[home_assistant]\nscreens = { home = "a" }\n', "'home_assistant.screens.home' has \"a\", which is none of [steps]"),
    (FINE + '[steps]\na = { on = "main", arguments = { b = "string" } }\n[home_assistant]\nbuttons = ["a"]\n',
     "needs the argument 'b', which a button does not give"),
    (FINE + '[steps]\na = { on = "main", from = ["x/+"] }\n[home_assistant]\nbuttons = ["a"]\n',
     "comes from \"x/+\", to which a button can't publish"),
])
def test_wrong(tmp_path, text, said):
    result = check(tmp_path, text)
    assert result.returncode == 78
    assert said in result.stderr
    assert str(tmp_path) in result.stderr


def test_all_mistakes_are_told_at_once(tmp_path):
    result = check(tmp_path, FINE + "port = 0\nkeepalive = 1\n")
    assert result.stderr.count("error") == 2


@pytest.mark.parametrize("options, status", [(["--nothing"], 64), (["extra"], 64), (["--help"], 0), (["--version"], 0)])
def test_options(options, status):
    assert subprocess.run([BRIDGE, *options], capture_output=True, check=False).returncode == status


def test_no_file(tmp_path):
    result = subprocess.run([BRIDGE, "--config", tmp_path / "none"], capture_output=True, text=True, check=False)
    assert result.returncode == 78 and str(tmp_path / "none") in result.stderr


def test_no_bus(tmp_path):
    (tmp_path / "mqtt.toml").write_text(FINE)
    result = subprocess.run(
        [BRIDGE, "--config", tmp_path / "mqtt.toml", "--address", f"unix:path={tmp_path}/none"], capture_output=True, text=True, check=False)
    assert result.returncode == 69 and "no connection to the bus" in result.stderr


def test_second_bridge_on_one_bus(device, bridge):
    first = bridge().start()
    second = subprocess.run(
        [BRIDGE, "--address", device.address, "--config", first.folder / "mqtt.toml", "--state", first.folder / "state"],
        capture_output=True, text=True, check=False)
    assert second.returncode == 69 and "another flowbus-mqtt is on this bus" in second.stderr


def test_damaged_file_of_steps(device, bridge, person):
    operator = person()
    running = bridge()
    (running.folder / "state").mkdir()
    (running.folder / "state/steps.db").write_bytes(b"not a database, and long enough to be taken for one" * 100)
    running.start()
    device.wait_said("what it had of steps is forgotten")
    assert len(list((running.folder / "state").glob("steps.db.*"))) >= 1
    operator.follow("flowbus/#")
    assert operator.ask("counted", {"number": 1})["verdict"] == "navigated"
