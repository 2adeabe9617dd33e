# SPDX-License-Identifier: Apache-2.0
"""Python values as values of D-Bus, trees as texts, and definition files."""

import sys

import pytest
from gi.repository import GLib

from flowbus._variant import dictionary, typed, variant
from flowbus.testing._definitions import Definitions, Role
from flowbus.testing._errors import DeviceError
from flowbus.testing._tree import Tree, normalized, read
from flowbus.testing._values import node_path, object_path


@pytest.mark.parametrize(("value", "signature"), [
    (True, "b"), (7, "x"), (-7, "x"), (1 << 63, "t"), (1.5, "d"), ("text", "s"), (b"\x00\xff", "ay"), ([], "as"), ([1, 2], "ax"),
    (["a"], "as"), ((1, "a"), "av"), ({"a": 1, "b": [True]}, "a{sv}"), ([{"a": 1}], "aa{sv}"), (GLib.Variant("q", 3), "q")])
def test_the_type_that_a_value_suggests(value, signature):
    made = variant(value)
    assert made.get_type_string() == signature
    if not isinstance(value, (tuple, GLib.Variant)):
        assert (bytes(made.unpack()) if isinstance(value, bytes) else made.unpack()) == value


@pytest.mark.parametrize(("value", "message"), [
    (None, "'None' of type 'NoneType' is no value of D-Bus"), ({1, 2}, "of type 'set' is no value"), ([None], "'None' of type")])
def test_what_is_no_value(value, message):
    with pytest.raises(TypeError, match=message):
        variant(value)


@pytest.mark.parametrize(("signature", "value", "made"), [
    ("d", 3, "3.0"), ("q", 7, "uint16 7"), ("as", [], "@as []"), ("ay", b"a", "[byte 0x61]"), ("av", [1, "a"], "[<int64 1>, <'a'>]"),
    ("a{sv}", {"a": GLib.Variant("i", 1)}, "{'a': <1>}"), ("(si)", ("a", 1), "('a', 1)"),
    # What does not fit goes as it is, so that flowbusd can say what is wrong with it.
    ("x", "seven", "'seven'"), ("y", 300, "int64 300"), ("as", 3, "int64 3"), ("s", GLib.Variant("q", 1), "uint16 1")])
def test_the_type_that_is_declared(signature, value, made):
    assert typed(signature, value).print_(True) == made


def test_optional_arguments_are_typed_too():
    assert dictionary({"a": 1, "b": 1}, {"a": "d?"}).print_(True) == "{'a': <1.0>, 'b': <int64 1>}"


def test_paths():
    assert object_path("shop/list") == object_path("/shop/list/") == "/org/flowbus/Navigation1/tree/shop/list"
    assert object_path("/org/flowbus/Navigation1/instance/5") == "/org/flowbus/Navigation1/instance/5"
    assert node_path(object_path("shop/list")) == "shop/list"
    for wrong in ("shop-list", "shop//list", "a b"):
        with pytest.raises(ValueError, match=f"'{wrong}' can't be the path"):
            object_path(wrong)


def node(path, instance, flow=False, **more):
    properties = {
        "Name": path.rpartition("/")[2], "Style": "", "ParentFlow": "/", "Instance": instance, "Arguments": {}, "Visible": True,
        "Presented": True, "InSight": True, "Presenter": "", "Owner": "", "Title": "", **more}
    interfaces = {"org.flowbus.Navigation1.Presentable": properties}
    if flow:
        interfaces["org.flowbus.Navigation1.Flow"] = {"Definition": properties["Name"], "Ready": False, "Current": "/", "Output": ""}
    return object_path(path), interfaces


def test_a_tree_is_equal_to_its_texts():
    # In the order of GetManagedObjects, in which another root can stand between a flow and its children.
    tree = read(dict([
        node("a", 1, True), node("b", 2, True), node("a/x", 3, Arguments={"t": "a - b", "n": [1, 2], "e": "", "f": 1.5}),
        node("a/y_2", 4, Name="y", Style="modal", Title="A title", Evicted=True, Visible=False, Presented=False)]))
    assert tree.paths == ["a", "a/x", "a/y_2", "b"]
    for text in (
            """
            a          flow, presented, not ready
            ├── x      screen, presented  t="a - b" n=[1,2] e="" f=1.5
            └── y_2    screen y, hidden, evicted, style modal, title 'A title'
            b          flow, presented, not ready
            """,
            "a flow, presented, not ready, owner :1.5 (org.example.A)\n"
            "|-- x screen, presented, 2 unanswered t=\"a - b\" n=[1,2] e=\"\" f=1.5\n"
            "`-- y_2 screen y, hidden, evicted, style modal, title 'A title', owner :1.7\n"
            "b flow, presented, not ready\n",
            str(tree)):
        assert tree == text and not tree != text
    assert tree != str(tree).replace("x ", "z ", 1) and tree != 7
    assert read({}) == "" and read({}) == Tree([]) and len(tree) == 4 and list(tree) == tree.paths
    assert normalized("a\n  b") == ["a", "  b"]
    assert "+ b flow, presented, not ready" in tree.difference("a flow, presented, not ready")


def test_roles_of_definition_files(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, presenter in (first, "org.example.First"), (second, "org.example.Second"):
        folder.mkdir()
        (folder / "same.toml").write_text(f'[screens]\nlist = {{ presenter = "{presenter}" }}\n')
    (second / "other.toml").write_text(
        '[screens]\nmap = { application = { name = "org.gnome.Text-Editor" } }\npay = { run = ["/opt/pay", "--cents", "$cents"] }\nbare = {}\n'
        'help = { program = "org.example.Help" }\n'
        '[flows.shop]\nguard = { name = "org.example.Auth", path = "/auth" }\nnavigator = "org.example.Nav"\n')
    definitions = Definitions.read([first, second])
    # A file hides files of the same name in later folders.
    assert definitions.screens == {
        "list": Role("presenter", "org.example.First", "/org/example/First"),
        "map": Role("application", "org.gnome.Text-Editor", "/org/gnome/Text_Editor"), "pay": Role("presenter", "org.flowbus.Run", "/org/flowbus/Run"),
        "bare": None, "help": Role("presenter", "org.example.Help", "/org/example/Help")}
    assert definitions.find("guard", "shop") == {"shop": Role("guard", "org.example.Auth", "/auth")}
    assert [role.kind for role in definitions.roles] == ["presenter", "application", "presenter", "presenter", "guard", "navigator"]


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="this Python reads TOML 1.1")
def test_definition_files_that_only_flowbusd_can_read(tmp_path):
    (tmp_path / "mark.toml").write_bytes(b"\xef\xbb\xbf[screens]\r\nlist = {}\r\n")
    assert Definitions.read([tmp_path]).screens == {"list": None}
    (tmp_path / "newer.toml").write_text("[screens]\nmap = {\n}\n")
    with pytest.raises(DeviceError, match=f"Python can't read '{tmp_path}/newer.toml', which flowbusd can: .*; 'flowbusctl check' says"):
        Definitions.read([tmp_path])
