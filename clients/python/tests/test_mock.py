# SPDX-License-Identifier: Apache-2.0
"""The template of python-dbusmock: it has the members of the real service, and does what a test tells it."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from gi.repository import Gio, GLib

from flowbus.mock import TEMPLATE
from flowbus.testing import CallError
from flowbus.testing._bus import PrivateBus, finish, spawn
from flowbus.testing._values import call

pytest.importorskip("dbusmock", reason="python3-dbusmock is not installed")

FLOWBUS = "org.flowbus.Navigation1"
ROOT = "/org/flowbus/Navigation1"
MOCK = "org.freedesktop.DBus.Mock"
INTERFACES = Path(__file__).parents[3] / "dbus"
PARAMETERS = {
    "steps": {"itemPicked": {"item": "x"}, "payAsked": {}}, "verdicts": {"payAsked": "pending"}, "flows": ["shop"],
    "screens": ["shop/list"]}


class Mocked:
    """A bus with the mock, which the command line of python-dbusmock starts."""

    def __init__(self, folder, *options):
        # What a program prints wakes the loop of a test that waits for it.
        self.bus = PrivateBus(folder, {}, 20, GLib.MainContext.default().wakeup)
        with (folder / "mock.log").open("wb") as log:
            self.process = spawn(
                [sys.executable, "-m", "dbusmock", "--template", TEMPLATE, *options], self.bus.variables, log.fileno())
        self.log = folder / "mock.log"
        self.bus.install(FLOWBUS, ["/bin/true"])  # So the first call waits for the mock.
        self.connection = self.connect()
        self.signals = []
        self.connection.signal_subscribe(
            FLOWBUS, None, None, None, None, Gio.DBusSignalFlags.NONE,
            lambda _bus, _sender, path, _interface, name, values: self.signals.append((path, name, values.unpack())))

    def connect(self):
        return Gio.DBusConnection.new_for_address_sync(
            self.bus.address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
            None, None)

    def mock(self, method, signature="()", *values):
        return call(self.connection, FLOWBUS, ROOT, MOCK, method, GLib.Variant(signature, values), timeout=20)

    def call(self, path, interface, method, signature="()", *values):
        """Calls the service, and serves the signals that came before the answer."""
        answer = call(
            self.connection, FLOWBUS, path if path.startswith("/") else f"{ROOT}/tree/{path}", f"{FLOWBUS}.{interface}", method,
            GLib.Variant(signature, values), timeout=20)
        while GLib.MainContext.default().iteration(False):
            pass
        return answer

    def property(self, path, name, interface="Presentable"):
        return call(
            self.connection, FLOWBUS, f"{ROOT}/tree/{path}", "org.freedesktop.DBus.Properties", "Get",
            GLib.Variant("(ss)", (f"{FLOWBUS}.{interface}", name)), timeout=20)[0]

    def introspect(self, path):
        (text,) = call(self.connection, FLOWBUS, path, "org.freedesktop.DBus.Introspectable", "Introspect", timeout=20)
        return ElementTree.fromstring(text)

    def stop(self):
        finish(self.process, 5)
        self.bus.stop()


@pytest.fixture
def mocked(tmp_path_factory):
    one = Mocked(tmp_path_factory.mktemp("m"), "--parameters", json.dumps(PARAMETERS))
    yield one
    one.stop()


def members(interface, names_of_results=True):
    """The members of an interface: for each method and property its types, and the names of what goes in."""
    found = {}
    for method in interface.findall("method"):
        arguments = method.findall("arg")
        found[method.get("name")] = (
            [(arg.get("name"), arg.get("type")) for arg in arguments if arg.get("direction") == "in"],
            "".join(arg.get("type") for arg in arguments if arg.get("direction") == "out"))
    for each in interface.findall("property"):
        found[each.get("name")] = each.get("type")
    return found


@pytest.mark.parametrize(("path", "names"), [
    (ROOT, ["Coordinator"]), (f"{ROOT}/tree/shop", ["Presentable", "Stepper", "Flow"]),
    (f"{ROOT}/tree/shop/list", ["Presentable", "Stepper"]), (f"{ROOT}/instance/2", ["Presentable", "Stepper"])])
def test_its_members_are_those_of_the_contract(mocked, path, names):
    introspected = {each.get("name"): each for each in mocked.introspect(path).findall("interface")}
    assert {name for name in introspected if name.startswith(FLOWBUS)} == {f"{FLOWBUS}.{name}" for name in names}
    for name in names:
        contract = members(ElementTree.parse(INTERFACES / f"{FLOWBUS}.{name}.xml").getroot().find("interface"))
        mock = members(introspected[f"{FLOWBUS}.{name}"])
        assert mock and mock.items() <= contract.items()


def test_steps_and_verdicts(mocked):
    assert mocked.call("shop/list", "Stepper", "EmitStep", "(sa{sv})", "itemPicked", {"item": GLib.Variant("x", 7)}) == (1, "navigated")
    assert (f"{ROOT}/tree/shop", "NavigationOccurred") in [signal[:2] for signal in mocked.signals]
    mocked.mock("SetVerdict", "(ss)", "itemPicked", "hidden")
    assert mocked.call(f"{ROOT}/instance/2", "Stepper", "EmitStep", "(sa{sv})", "itemPicked", {}) == (0, "hidden")
    mocked.mock("SetError", "(sss)", "itemPicked", "GuardTimeout", "no answer")
    with pytest.raises(CallError, match="GuardTimeout: no answer"):
        mocked.call("shop", "Stepper", "EmitStep", "(sa{sv})", "itemPicked", {})
    with pytest.raises(CallError, match="UnknownStep.*'paid'"):
        mocked.call("shop", "Stepper", "EmitStep", "(sa{sv})", "paid", {})
    mocked.mock("DeclareStep", "(sa{ss})", "paid", {})
    ((first, second),) = mocked.call("shop", "Stepper", "EmitSteps", "(a(sa{sv}))", [("paid", {}), ("other", {})])
    assert first == (2, "navigated", "", "") and second[2] == f"{FLOWBUS}.Error.UnknownStep"
    with pytest.raises(CallError, match="'perhaps' is no verdict: it is one of navigated"):
        mocked.mock("SetVerdict", "(ss)", "paid", "perhaps")
    ((emitted, *_others),) = mocked.mock("GetEmittedSteps")
    assert emitted == (f"{ROOT}/tree/shop/list", mocked.connection.get_unique_name(), "itemPicked", {"item": 7}, {})
    assert mocked.call(ROOT, "Coordinator", "GetSteps") == ({"itemPicked": {"item": "x"}, "payAsked": {}, "paid": {}},)
    assert mocked.call(ROOT, "Coordinator", "GetSerial") == (2,)


def test_pending_steps_and_asks(mocked):
    options = {"token": GLib.Variant("s", "pay-1"), "ask": GLib.Variant("b", True)}
    path = f"{ROOT}/instance/2"
    assert mocked.call(path, "Stepper", "EmitStepWithOptions", "(sa{sv}a{sv})", "payAsked", {}, options) == (0, "pending")
    mocked.mock("Conclude", "(ss)", "pay-1", "navigated")
    mocked.mock("SendAnswer", "(ssa{sv})", "pay-1", "result", {"contact": GLib.Variant("x", 3)})
    mocked.call(ROOT, "Coordinator", "GetSerial")
    assert (path, "StepConcluded", ("pay-1", 1, "navigated", "", "")) in mocked.signals
    assert (path, "Answered", ("pay-1", "result", {"contact": 3})) in mocked.signals
    with pytest.raises(CallError, match="no step was emitted with the token 'other'"):
        mocked.mock("Conclude", "(ss)", "other", "navigated")
    with pytest.raises(CallError, match="'ask' needs a token"):
        mocked.call(path, "Stepper", "EmitStepWithOptions", "(sa{sv}a{sv})", "payAsked", {}, {"ask": GLib.Variant("b", True)})


def test_a_step_that_waits_is_taken_back(mocked):
    options = {"token": GLib.Variant("s", "pay-1")}
    mocked.mock("SetVerdict", "(ss)", "payAsked", "deferred")
    assert mocked.call("shop", "Stepper", "EmitStepWithOptions", "(sa{sv}a{sv})", "payAsked", {}, options) == (0, "deferred")
    for _ in range(2):
        assert mocked.call("shop", "Stepper", "CancelStep", "(s)", "pay-1") == ()
    assert mocked.call("shop", "Stepper", "EmitStepWithOptions", "(sa{sv}a{sv})", "payAsked", {}, options) == (0, "hidden")
    for path, token in (("shop", "other"), ("shop", ""), ("shop/list", "pay-1")):
        with pytest.raises(CallError, match=f"no step with the token '{token}' waits at"):
            mocked.call(path, "Stepper", "CancelStep", "(s)", token)


def test_the_tree(mocked):
    mocked.mock("AddScreen", "(ssa{sv}s)", "shop/detail", "detail", {"item": GLib.Variant("x", 7)}, "modal")
    (objects,) = call(mocked.connection, FLOWBUS, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", timeout=20)
    assert [path.removeprefix(f"{ROOT}/tree/") for path in objects] == ["shop", "shop/list", "shop/detail"]
    assert objects[f"{ROOT}/tree/shop/detail"][f"{FLOWBUS}.Presentable"]["Arguments"] == {"item": 7}
    assert f"{FLOWBUS}.Flow" in objects[f"{ROOT}/tree/shop"]
    mocked.call("shop/detail", "Presentable", "SetVisible", "(b)", True)
    assert mocked.property("shop/detail", "Presented")
    mocked.mock("SetWaiting", "(ss)", "shop/detail", "no network")
    assert mocked.property("shop/detail", "Waiting") == "no network"
    mocked.mock("SetInSight", "(sb)", "shop/detail", False)
    assert not mocked.property("shop/detail", "Presented") and mocked.property("shop/detail", "Visible")
    assert mocked.call(ROOT, "Coordinator", "GetStack", "(s)", "") == ([(f"{ROOT}/tree/shop/list", 2, {"visible": False})],)
    mocked.mock("RemoveNode", "(ss)", "shop", "dismissed")
    mocked.call(ROOT, "Coordinator", "GetSerial")
    added = [values for _path, name, values in mocked.signals if name == "InterfacesAdded"]
    removed = [values for _path, name, values in mocked.signals if name == "InterfacesRemoved"]
    assert added[-1] == (f"{ROOT}/tree/shop/detail", objects[f"{ROOT}/tree/shop/detail"])
    assert [path.rpartition("/")[2] for path, _names in removed] == ["detail", "list", "shop"]
    assert (f"{ROOT}/tree/shop/detail", "PropertiesChanged") in [signal[:2] for signal in mocked.signals]
    for path in (f"{ROOT}/tree/shop/list", f"{ROOT}/instance/2", f"{ROOT}/instance/99"):
        with pytest.raises(CallError, match="UnknownObject: there is no live flow or screen"):
            mocked.call(path, "Presentable", "SetVisible", "(b)", True)
    assert mocked.call(ROOT, "Coordinator", "Coordinate", "(ssa{sv}a{sv})", "shop", "", {}, {}) == (f"{ROOT}/tree/shop",)


def test_what_is_in_sight_and_where_back_leads(mocked):
    def told(name):
        mocked.call(ROOT, "Coordinator", "GetSerial")
        found = [values for _path, each, values in mocked.signals if each == name]
        mocked.signals.clear()
        return found

    path = f"{ROOT}/tree/shop/list"
    mocked.call("shop/list", "Presentable", "SetVisible", "(b)", True)
    assert told("StackChanged")[-1:] == [("", [(path, 2, {"visible": True})])]
    mocked.call("shop/list", "Presentable", "SetVisible", "(b)", True)
    assert told("StackChanged") == []
    mocked.call("shop/list", "Presentable", "Claim")
    options = {"title": GLib.Variant("s", "Everything"), "tellSight": GLib.Variant("b", True)}
    mocked.call("shop/list", "Presentable", "SetVisibleWithOptions", "(ba{sv})", True, options)
    assert told("StackChanged")[-1][1][0][2]["title"] == "Everything"
    mocked.mock("SetInSight", "(sb)", "shop/list", False)
    mocked.call(ROOT, "Coordinator", "GetSerial")
    assert ("", []) in [values for _path, name, values in mocked.signals if name == "StackChanged"]
    assert told("SightChanged") == [(False,)]
    mocked.call("shop/list", "Presentable", "SetVisibleWithOptions", "(ba{sv})", True, {"tellSight": GLib.Variant("b", False)})
    mocked.mock("SetInSight", "(sb)", "shop/list", True)
    assert told("SightChanged") == []
    # Who asks while it is covered is told at once.
    mocked.mock("SetInSight", "(sb)", "shop/list", False)
    mocked.call("shop/list", "Presentable", "SetVisibleWithOptions", "(ba{sv})", True, {"tellSight": GLib.Variant("b", True)})
    assert told("SightChanged") == [(False,)]
    with pytest.raises(CallError, match="there is no option 'colour'; known are 'title', 'backStep', 'tellSight'"):
        mocked.call("shop/list", "Presentable", "SetVisibleWithOptions", "(ba{sv})", True, {"colour": GLib.Variant("s", "red")})
    with pytest.raises(CallError, match="the option 'tellSight' has to be of type 'b'"):
        mocked.call("shop/list", "Presentable", "SetVisibleWithOptions", "(ba{sv})", True, {"tellSight": GLib.Variant("s", "yes")})

    assert mocked.call("shop/list", "Stepper", "PeekBack") == ("unhandled", {})
    back = ("dismiss", {"goes": GLib.Variant("t", 2), "reveals": GLib.Variant("o", path)})
    for _ in range(2):
        mocked.mock("SetBack", "(ssa{sv})", "shop", *back)
    assert told("BackChanged") == [("dismiss", {"goes": 2, "reveals": path})]
    assert mocked.call("shop", "Stepper", "PeekBack") == ("dismiss", {"goes": 2, "reveals": path})
    with pytest.raises(CallError, match="'perhaps' is no kind of Back: it is one of dismiss"):
        mocked.mock("SetBack", "(ssa{sv})", "shop", "perhaps", {})
    with pytest.raises(CallError, match="'shop/list' is no root"):
        mocked.mock("SetBack", "(ssa{sv})", "shop/list", *back)


@pytest.mark.parametrize(("method", "signature", "values", "message"), [
    ("AddScreen", "(ssa{sv}s)", ("shop/list", "list", {}, ""), "IdTaken"),
    ("AddScreen", "(ssa{sv}s)", ("shop/list/detail", "detail", {}, ""), "'.*shop/list' is a screen"),
    ("AddFlow", "(ss)", ("nowhere/flow", "flow"), "there is no live flow or screen at '.*nowhere'"),
    ("AddFlow", "(ss)", ("/elsewhere", "flow"), "'/elsewhere' is no path"),
    ("RemoveNode", "(ss)", ("shop/detail", "back"), "there is no live flow or screen at 'shop/detail'"),
    ("CallAlive", "(s)", ("shop/list",), "'shop/list' has no owner"),
])
def test_wrong_input(mocked, method, signature, values, message):
    with pytest.raises(CallError, match=message):
        mocked.mock(method, signature, *values)


def test_a_flow_has_what_a_screen_lacks(mocked):
    assert mocked.call("shop", "Flow", "Back") == (1, "navigated")
    for path in ("shop/list", ROOT):
        with pytest.raises(CallError, match="UnknownMethod|Unable to find"):
            mocked.call(path, "Flow", "Back")


@pytest.mark.parametrize(("options", "message"), [
    ({"error": "declined"}, "'declined' can't be the name of an error"),
    ({"error": "com.1st"}, "'com.1st' can't be the name of an error"),
    ({"error": ""}, "'' can't be the name of an error"),
    ({"message": "the card is blocked"}, "'message' is the text of an 'error', which is missing"),
    ({"error": "com.x.Declined", "text": "x"}, "there is no option 'text'; known are 'error', 'message'"),
])
def test_a_dismissal_with_wrong_options(mocked, options, message):
    mocked.call("shop/list", "Presentable", "Claim")
    with pytest.raises(CallError, match=f"InvalidArguments: .*{message}"):
        mocked.call("shop/list", "Presentable", "DismissWithOptions", "(a{sv})", {
            name: GLib.Variant("s", text) for name, text in options.items()})
    with pytest.raises(CallError, match="InvalidArguments: the option 'error' has to be of type 's'"):
        mocked.call("shop/list", "Presentable", "DismissWithOptions", "(a{sv})", {"error": GLib.Variant("u", 1)})
    assert mocked.property("shop/list", "Owner")


def test_only_an_owner_says_what_failed(mocked):
    options = {"error": GLib.Variant("s", "com.x.Declined"), "message": GLib.Variant("s", "the card is blocked")}
    with pytest.raises(CallError, match="NotOwner: .*/shop/list'"):
        mocked.call("shop/list", "Presentable", "DismissWithOptions", "(a{sv})", options)
    mocked.call("shop/list", "Presentable", "Claim")
    mocked.call("shop/list", "Presentable", "DismissWithOptions", "(a{sv})", options)
    ((*_others, last),) = mocked.mock("GetOwnerCalls")
    assert last == (f"{ROOT}/tree/shop/list", "DismissWithOptions", {"error": "com.x.Declined", "message": "the card is blocked"})
    # Without an error it is Dismiss.
    mocked.call("shop", "Presentable", "DismissWithOptions", "(a{sv})", {})
    with pytest.raises(CallError, match="UnknownObject"):
        mocked.property("shop", "Owner")


def test_a_reset_begins_anew(mocked):
    mocked.mock("AddFlow", "(ss)", "other", "other")
    mocked.mock("Reset")
    (objects,) = call(mocked.connection, FLOWBUS, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", timeout=20)
    assert [path.rpartition("/")[2] for path in objects] == ["shop", "list"]


def test_the_command_prints_where_it_is():
    said = subprocess.run([sys.executable, "-m", "flowbus.mock"], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == TEMPLATE


PROGRAM = """
import flowbus

shop = flowbus.Presenter("org.example.Shop")

@shop.screen("list")
def show_list(screen, **arguments):
    print("shows", dict(arguments), screen.style, screen.reason, flush=True)
    screen.on_withdraw(lambda screen, reason: print("withdrawn:", reason, flush=True))
    screen.title = "Everything"
    screen.show()
    flowbus.run(work(screen))

async def work(screen):
    print("item:", await screen.emit("itemPicked", item=7), flush=True)
    print("pay:", await screen.emit("payAsked"), flush=True)
    answer = await screen.ask("itemPicked", "ask-1", item=8)
    print("answer:", answer.outcome, dict(answer.result), flush=True)
    answer.acknowledge()
    await screen.save_state(text="Dear")
    await screen.finish(contact=3)

raise SystemExit(shop.run())
"""


def test_a_program_on_libflowbus_works_with_it(mocked, libflowbus, tmp_path):
    """The calls are those that flowbusd would get, in their order; the mock's signals come to those who wait for them."""
    program = tmp_path / "shop.py"
    program.write_text(PROGRAM)
    mocked.bus.install("org.example.Shop", [sys.executable, str(program)])
    call(mocked.connection, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReloadConfig", timeout=20)
    context = GLib.MainContext.default()
    late = []
    bound = GLib.timeout_add_seconds(20, lambda: late.append(True) or True)

    def wait(condition):
        while not condition():
            assert not late, mocked.bus.log + mocked.log.read_text()
            context.iteration(True)

    mocked.mock("CallPresent", "(ssosa{sv})", "shop/list", "org.example.Shop", "/org/example/Shop", "launch", {})
    wait(lambda: any(values[:1] == (f"{FLOWBUS}.Presentable",) and values[1].get("Presented") for _p, _n, values in mocked.signals))
    mocked.mock("CallAlive", "(s)", "shop/list")
    assert mocked.property("shop/list", "Owner").startswith(":") and mocked.property("shop/list", "Presenter") == "org.example.Shop"

    def emitted(step):
        return [each for each in mocked.mock("GetEmittedSteps")[0] if each[2] == step]

    wait(lambda: emitted("payAsked"))
    (pay,) = emitted("payAsked")
    mocked.mock("Conclude", "(ss)", pay[4]["token"], "navigated")
    wait(lambda: len(emitted("itemPicked")) == 2)
    assert [each[3] for each in emitted("itemPicked")] == [{"item": 7}, {"item": 8}]
    mocked.mock("SendAnswer", "(ssa{sv})", "ask-1", "result", {"contact": GLib.Variant("x", 3)})
    wait(lambda: any(name == "InterfacesRemoved" for _path, name, _values in mocked.signals))
    (calls,) = mocked.mock("GetOwnerCalls")
    by_owner = [(method, values) for _path, method, values in calls]
    # The step needs a visible screen, and does not wait for the answer.
    assert by_owner[:2] == [("SetVisible", {"visible": True}), ("Present", {"title": "Everything"})]
    assert [each for each in by_owner if each[0] in ("AcknowledgeAnswer", "SaveState", "Finish")] == [
        ("AcknowledgeAnswer", {"token": "ask-1"}), ("SaveState", {"text": "Dear"}), ("Finish", {"contact": 3})]
    wait(lambda: "withdrawn: finished" in mocked.bus.log)
    for line in ("shows {}  launch", "item: navigated", "pay: navigated", "answer: result {'contact': 3}"):
        assert line in mocked.bus.log
    GLib.source_remove(bound)


GIVES_UP = """
import flowbus

shop = flowbus.Presenter("org.example.Shop")

@shop.screen("list")
async def show_list(screen):
    await screen.fail("com.x.Empty", "nothing is left")
    print("gave up", flush=True)

raise SystemExit(shop.run())
"""


def test_a_program_gives_up_before_it_answers(mocked, libflowbus, tmp_path):
    program = tmp_path / "shop.py"
    program.write_text(GIVES_UP)
    mocked.bus.install("org.example.Shop", [sys.executable, str(program)])
    call(mocked.connection, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReloadConfig", timeout=20)
    with pytest.raises(CallError, match="the screen has been withdrawn"):
        mocked.mock("CallPresent", "(ssosa{sv})", "shop/list", "org.example.Shop", "/org/example/Shop", "launch", {})
    ((last,),) = mocked.mock("GetOwnerCalls")
    assert last[1:] == ("DismissWithOptions", {"error": "com.x.Empty", "message": "nothing is left"})
    with pytest.raises(CallError, match="UnknownObject"):
        mocked.property("shop/list", "Owner")


FOLLOWS = """
import flowbus

shop = flowbus.Presenter("org.example.Shop")

@shop.screen("list")
def show_list(screen):
    print("language", screen.context["language"], flush=True)
    screen.on_context(lambda screen: print("now", screen.context["language"], flush=True))
    screen.show()

raise SystemExit(shop.run())
"""


def test_a_program_follows_the_context(mocked, libflowbus, tmp_path):
    program = tmp_path / "shop.py"
    program.write_text(FOLLOWS)
    mocked.bus.install("org.example.Shop", [sys.executable, str(program)])
    call(mocked.connection, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "ReloadConfig", timeout=20)
    german, english = ({"language": GLib.Variant("s", word)} for word in ("de", "en"))
    mocked.mock("CallPresent", "(ssosa{sv})", "shop/list", "org.example.Shop", "/org/example/Shop", "launch", {
        "context": GLib.Variant("a{sv}", german)})
    mocked.mock("ChangeContext", "(sa{sv})", "shop/list", english)
    # The program has taken the signal when it answers.
    mocked.mock("CallAlive", "(s)", "shop/list")
    for _ in range(1000):  # Another thread reads what it printed.
        if "now en" in mocked.bus.log:
            break
        mocked.mock("CallAlive", "(s)", "shop/list")
    assert "language de" in mocked.bus.log and "now en" in mocked.bus.log
