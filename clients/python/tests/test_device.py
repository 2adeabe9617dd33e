# SPDX-License-Identifier: Apache-2.0
"""The fixture: what a test does to a device, and sees of it."""

import os
import select
import sys
import threading

import pytest
from gi.repository import Gio, GLib
from shop import SHOP

from flowbus.testing import CallError, Device, DeviceError, TimeoutError


@pytest.fixture
def device(flowbus):
    return flowbus(toml=SHOP)


def test_the_tree_is_what_flowbusctl_prints(device, flowbusctl):
    device.presenter()
    assert device.emit("shop/list", "itemPicked", item=7) == "navigated"
    tree = device.tree()
    assert tree == """
        shop        flow, presented
        ├── list    screen, visible
        └── detail  screen, presented, current  item=7
    """
    assert tree == """
shop        flow, presented
    list    screen, visible
    detail  screen, presented, current  item=7
"""
    assert tree == flowbusctl(device, "tree", "--arguments")
    assert tree != flowbusctl(device, "tree")
    assert tree["shop/detail"].arguments == {"item": 7}
    assert tree.presented == ["shop/detail"] and device.stack() == ["shop/detail"]
    assert tree.paths == ["shop", "shop/list", "shop/detail"] and "shop/map" not in tree
    with pytest.raises(KeyError, match="no live flow or screen 'shop/map'"):
        tree["shop/map"]


def test_a_deep_tree_is_what_flowbusctl_prints(device, flowbusctl):
    device.presenter()
    device.coordinate("plain", id="second", output="HDMI-A-1")
    device.coordinate("mail")
    device.emit("shop/list", "payAsked", cents=450)
    device.presenter("list").screen("list").set_title("All that there is")
    assert device.tree() == flowbusctl(device, "tree", "--arguments")
    assert "style modal" in str(device.tree()) and "title 'All that there is'" in str(device.tree())


def test_emit_converts_arguments_as_declared(device):
    device.presenter()
    # A double from an int, an array of strings from an empty list.
    assert device.emit("shop/list", "weighed", kilograms=3, tags=[]) == "navigated"
    with pytest.raises(CallError) as failure:
        device.emit("shop/list", "itemPicked", item="seven")
    assert failure.value.name == "InvalidArguments" and "item" in failure.value.message
    with pytest.raises(CallError, match="UnknownStep.*did you mean 'itemPicked'"):
        device.emit("shop/list", "itemPickd", item=7)
    with pytest.raises(TypeError, match="no value of D-Bus"):
        device.emit("shop/list", "itemPicked", item=object())
    with pytest.raises(ValueError, match="'shop list' can't be the path"):
        device.emit("shop list", "itemPicked", item=1)
    verdict = device.emit("shop/list", "itemPicked", item=7)
    assert verdict == "navigated" and verdict.serial > 0


def test_a_screen_that_is_shown_later(device):
    shop = device.presenter("list", shows=False)
    assert device.emit("shop/list", "itemPicked", item=7) == "hidden"
    shop.screen("list").show()
    assert device.emit("shop/list", "itemPicked", item=7) == "navigated"


def test_a_screen_that_is_shown_after_an_event(device):
    loaded = threading.Event()
    device.presenter("list", after=loaded)
    assert device.tree()["shop/list"].owner and not device.tree()["shop/list"].visible
    loaded.set()
    assert device.emit("shop/list", "itemPicked", item=7) == "navigated"


def test_a_presenter_that_fails(device):
    device.presenter("list")
    shop = device.presenter("detail", fails="no memory")
    assert device.emit("shop/list", "itemPicked", item=7) == "navigated"
    detail = device.tree()["shop/detail"]
    assert detail.waiting.startswith("no memory") and not detail.visible
    assert f"detail  screen, hidden, current, waiting: {detail.waiting}  item=7" in str(device.tree())
    assert "no memory" in device.log
    device.presenter("detail")
    device.retry()
    assert device.wait_presented("shop/detail").waiting == ""
    assert [str(call) for call in shop.calls if call.method == "Present"][-1] == "Present shop/detail item=7 (launch)"


def test_a_presenter_that_refuses(device):
    device.presenter("list")
    shop = device.presenter("detail", refuses="no item 7")
    assert device.emit("shop/list", "itemPicked", item=7) == "navigated"
    assert device.tree().paths == ["shop", "shop/list"]
    assert "no item 7" in device.log
    assert [str(call) for call in shop.calls] == [
        "Present shop/list (launch)", "Present shop/detail item=7 (launch)", "Present shop/list (return)"]


def test_a_presenter_that_hangs_and_goes_on(device):
    shop = device.presenter("list", hangs=True)
    assert device.tree() == """
        shop      flow, presented
        └── list  screen, hidden, current
    """
    assert shop.is_hanging and not device.tree()["shop/list"].owner
    shop.resume()
    assert device.tree().presented == ["shop/list"]


def test_a_hanging_program_is_noticed_by_alive(flowbus):
    device = flowbus(toml=SHOP.replace('evictAfter = "30d"', 'evictAfter = "30d", watchdog = "300ms"'))
    form = device.presenter("form")
    device.presenter("list")
    device.coordinate("mail")
    assert device.tree().presented == ["shop/list", "mail/form"]
    form.hang()
    device.wait_for(lambda tree: not tree["mail/form"].owner)
    form.resume()
    assert "mail/form" in device.tree().presented
    # What came while it hung: that the screen is no longer its own, and that it is to show it.
    assert [call.reason for call in form.calls] == ["launch", "ownerHangs", "recover"]


def test_a_screen_that_answers(device):
    device.presenter("list")
    device.presenter("form")
    picker = device.presenter("picker", answers={"contact": 12})
    device.coordinate("mail")
    asked = device.ask("mail/form", "contactAsked")
    assert asked.verdict == "navigated" and asked.answer() == ("result", {"contact": 12})
    assert device.tree().paths == ["shop", "shop/list", "mail", "mail/form"]
    assert picker.screens == []

    device.presenter("picker", answers=lambda screen: {"contact": len(screen.path)})
    assert device.ask("mail/form", "contactAsked").answer().result == {"contact": len("mail/picker")}


def test_the_owner_asks_and_gets_the_answer_after_its_end(device):
    device.presenter("list")
    form = device.presenter("form")
    picker = device.presenter("picker")
    device.coordinate("mail")
    asked = form.screen("form").ask("contactAsked")
    form.screen("form").save_state(text="Dear")
    picker.screen("picker")
    device.kill(form)
    picker.screen("picker").finish(contact=3)
    screen = form.screen("form")
    assert screen.reason == "recover" and screen.state == {"text": "Dear"}
    assert screen.answers == [(asked.token, "result", {"contact": 3})]
    screen.acknowledge(asked.token)
    with pytest.raises(CallError, match="InvalidArguments"):
        screen.acknowledge("another")


def test_a_result_that_is_not_declared_fails_the_test(device):
    device.presenter("list")
    device.presenter("picker", answers={"number": 12})
    with pytest.raises(CallError, match="InvalidArguments.*number"):
        device.emit("shop/list", "contactAsked")
        device.settle()


def test_a_script(device):
    seen = []

    def browse(screen):
        seen.append((screen.name, screen.reason))
        screen.show()
        if screen.name == "list":
            seen.append(screen.emit("itemPicked", item=1))

    device.presenter("list", "detail", script=browse)
    assert device.tree()["shop/detail"].arguments == {"item": 1}
    # The two run side by side.
    assert len(seen) == 3 and seen[0] == ("list", "launch") and "navigated" in seen and ("detail", "launch") in seen


def test_an_exception_of_a_script_fails_the_test(device):
    def broken(_screen):
        raise ZeroDivisionError("what a script did")

    device.presenter("list", script=broken)
    with pytest.raises(ZeroDivisionError, match="what a script did") as failure:
        device.tree()
    assert failure.value.__notes__ == ["in the script of 'list'"]


def test_what_a_window_does(device):
    shop = device.presenter("list")
    device.emit("shop/list", "itemPicked", item=7)
    detail = shop.screen("detail")
    assert (detail.path, detail.name, detail.arguments, detail.reason, detail.style) == (
        "shop/detail", "detail", {"item": 7}, "launch", "")
    assert device.emit("shop/detail", "itemPicked", item=8) == "navigated"
    assert shop.screen("detail") is detail and detail.arguments == {"item": 8} and detail.reason == "update"
    detail.hide()
    assert not device.tree()["shop/detail"].visible
    detail.show()
    detail.set_title("Tea")
    detail.touch()
    assert device.tree()["shop/detail"].title == "Tea"
    detail.set_back_step("closed")
    assert detail.back() == "navigated"
    assert device.tree().paths == ["shop", "shop/list"] and detail.withdrawn == "rule"
    device.emit("shop/list", "itemPicked", item=7)
    assert device.back("shop") == "navigated"
    device.emit("shop/list", "itemPicked", item=7)
    shop.screen("detail").close()
    assert device.tree().paths == ["shop", "shop/list"]
    with pytest.raises(DeviceError, match="does not show 'detail'; it shows 'shop/list'"):
        shop.screen("detail")
    with pytest.raises(DeviceError, match="'' is no unique name, such as ':1.7'"):
        device.wait_left("")
    device.flowbusd.expect_running()


GIVES_UP = """
version = 1
[steps]
start     = {}
payAsked  = {}
payFailed = { why = "string", error = "string", text = "string" }
[screens]
list  = {}
pay   = { presenter = "org.example.Pay" }
sorry = { arguments = { why = "string", error = "string", text = "string" } }
[[autostart]]
flow = "shop"
[flows.shop]
initial  = "start"
children = "stack"
[flows.shop.on]
start     = { screen = "list" }
payFailed = { screen = "sorry" }
[flows.shop.on.payAsked]
screen      = "pay"
onDismissed = { step = "payFailed", arguments = { why = "$reason", error = "$error", text = "$message" } }
"""


def test_a_program_that_gives_up_says_what_failed(flowbus):
    device = flowbus(toml=GIVES_UP)
    terminal = device.presenter("pay")
    device.show("shop/list")
    for message in ("the card is blocked", ""):
        device.emit("shop/list", "payAsked")
        device.wait_presented("shop/pay")  # After what it has just given up, flowbusd lets it rest.
        terminal.screen("pay").fail("org.example.Pay.Error.Declined", message)
        assert "shop/pay" not in device.tree() and terminal.screens == []
        assert device.tree()["shop/sorry"].arguments == {
            "why": "failed", "error": "org.example.Pay.Error.Declined", "text": message}
        device.dismiss("shop/sorry")
    device.emit("shop/list", "payAsked")
    device.wait_presented("shop/pay")
    with pytest.raises(CallError, match="InvalidArguments.*'declined'"):
        terminal.screen("pay").fail("declined", "the card is blocked")
    assert device.tree().presented == ["shop/pay"] and terminal.screen("pay").withdrawn == ""


def test_who_asked_gets_that_it_failed(device):
    device.presenter("list")
    picker = device.presenter("picker")
    asked = device.ask("shop/list", "contactAsked")
    picker.screen("picker").fail("org.example.Picker.Error.Empty", "nobody is listed")
    assert asked.answer() == ("failed", {})


def test_an_eviction(device):
    device.presenter("list")
    form = device.presenter("form")
    picker = device.presenter("picker")
    device.coordinate("mail")
    device.emit("mail/form", "contactAsked")
    form.screen("form").save_state(text="Dear")
    device.emit("mail", "idled")
    assert device.tree()["mail/form"].evicted and form.screens == []
    picker.screen("picker").close()
    assert form.screen("form").state == {"text": "Dear"} and device.tree()["mail/form"].presented


def test_an_application(device):
    device.presenter("list")
    application = device.presenter("map")
    device.emit("shop/list", "mapAsked")
    assert device.tree().presented == ["shop/map"]
    assert [call.method for call in application.calls] == ["Activate"]
    device.kill("org.example.Map")
    assert device.tree().presented == ["shop/list"]
    device.presenter("map", fails="no display")
    device.emit("shop/list", "mapAsked")
    assert device.tree().presented == ["shop/list"]


def test_a_screen_that_nobody_presents(device):
    device.presenter("list")
    device.coordinate("plain")
    with pytest.raises(DeviceError, match=r"gives? the screen 'bare' no presenter; device.show\(\) shows it"):
        device.presenter("bare")
    device.show("plain/bare")
    assert device.tree()["plain/bare"].presented
    device.hide("plain/bare")
    device.dismiss("plain/bare")
    assert "plain/bare" not in device.tree()


def test_a_guard_decides(device):
    decisions = []

    def decide(question):
        assert (question.flow, question.step) == ("shop/payment", "paid") and question.presentable == "shop/payment/pay"
        return decisions.pop(0)

    device.presenter()
    auth = device.guard("payment", decide)
    device.emit("shop/list", "payAsked", cents=450)
    decisions.append(False)
    assert device.emit("shop/payment/pay", "paid") == "rejected"
    decisions.append(("payAsked", {"cents": 1}))
    assert device.emit("shop/payment/pay", "paid") == "navigated"
    assert device.tree()["shop/payment/pay_2"].arguments == {"cents": 1}
    device.back("shop/payment")
    decisions.append(True)
    assert device.emit("shop/payment/pay", "paid") == "navigated"
    assert "shop/payment" not in device.tree()
    assert [call.method for call in auth.calls] == ["Adapt"] * 3


def test_a_guard_that_waits_for_the_test(device):
    approved = threading.Event()

    def decide(question):
        question.wait(approved)

    device.presenter()
    device.guard("payment", decide)
    device.emit("shop/list", "payAsked", cents=450)
    paid = device.begin_emit("shop/payment/pay", "paid")
    assert "shop/payment/pay" in device.tree() and not paid.is_decided
    approved.set()
    assert paid.verdict() == "navigated" and "shop/payment" not in device.tree()


def test_a_guard_that_fails_hangs_or_is_wrong(device):
    device.presenter()
    auth = device.guard("org.example.Auth", fails="no key")
    device.emit("shop/list", "payAsked", cents=450)
    with pytest.raises(CallError, match="GuardFailed"):
        device.emit("shop/payment/pay", "paid")

    device.guard("payment", hangs=True)
    paid = device.begin_emit("shop/payment/pay", "paid")
    device.settle()
    device.kill(auth)
    with pytest.raises(CallError, match="GuardFailed"):
        paid.verdict()

    device.guard("payment", lambda question: 7)
    with pytest.raises(CallError, match="GuardFailed"):
        device.emit("shop/payment/pay", "paid")
    with pytest.raises(DeviceError, match="a guard decided '7': it returns True"):
        device.settle()


def test_a_hanging_guard_goes_on(device):
    device.presenter()
    auth = device.guard("payment", hangs=True)
    device.emit("shop/list", "payAsked", cents=450)
    paid = device.begin_emit("shop/payment/pay", "paid")
    device.settle()
    assert auth.is_hanging
    device.guard("payment")
    auth.resume()
    assert paid.verdict() == "navigated"


def test_a_navigator_decides(device):
    def decide(question):
        match question.step:
            case "start":
                return [("screen", "bare", {"style": "wide"})]
            case "itemPicked":
                return [("screen", "detail", {"arguments": question.arguments})]
        return None

    device.presenter()
    device.navigator("wizard", decide)
    device.coordinate("wizard")
    device.show("wizard/bare")
    assert device.tree()["wizard/bare"].style == "wide"
    assert device.emit("wizard/bare", "itemPicked", item=3) == "navigated"
    assert device.tree()["wizard/detail"].arguments == {"item": 3}
    assert device.emit("wizard/detail", "closed") == "unhandled"
    device.navigator("wizard", lambda question: "screen")
    with pytest.raises(CallError, match="NavigatorFailed"):
        device.emit("wizard/detail", "closed")
    with pytest.raises(DeviceError, match="a navigator decided 'screen'"):
        device.settle()


def test_a_killed_program_is_started_again(device):
    shop = device.presenter()
    shop = device.presenter("list")
    first = device.tree()["shop/list"]
    device.kill("list")
    again = device.tree()["shop/list"]
    assert again.presented and again.instance == first.instance and again.owner == shop.unique_name != first.owner
    assert shop.screen("list").reason == "recover"


def test_a_killed_program_that_stays_away(device):
    shop = device.presenter("list")
    device.kill(shop, restart=False)
    assert device.tree()["shop/list"].owner == "" and not shop.is_running
    with pytest.raises(DeviceError, match="'org.example.Shop' does not run"):
        device.kill(shop)
    shop.start()
    assert device.tree().presented == ["shop/list"]
    with pytest.raises(DeviceError, match="is running already"):
        shop.start()


def test_a_program_that_is_not_installed(device):
    shop = device.presenter("list", installed=False)
    device.kill(shop)
    assert "org.example.Shop" in device.tree()["shop/list"].waiting and device.tree().presented == []


def test_flowbusd_is_killed(device):
    shop = device.presenter()
    device.emit("shop/list", "itemPicked", item=7)
    before = device.tree()
    device.kill_flowbusd()
    assert device.tree() == before
    assert device.emit("shop/detail", "itemPicked", item=8) == "navigated"

    device.kill_flowbusd(restart=False)
    with pytest.raises(DeviceError, match=r"start_flowbusd\(\) was not called"):
        device.tree()
    device.kill("org.example.Shop", restart=False)
    device.start_flowbusd()
    assert device.tree()["shop/list"].owner == ""
    with pytest.raises(DeviceError, match="flowbusd is running already"):
        device.start_flowbusd()
    assert shop is not None


def test_deep_links_and_reports(device):
    device.presenter()
    outcomes = device.navigate("itemPicked", item=4)
    assert [(outcome.path, outcome.verdict) for outcome in outcomes] == [("shop", "navigated")]
    outcomes = device.navigate_along([("shop", "payAsked", {"cents": 5}), ("payment", "")])
    assert outcomes[0].verdict == "navigated" and outcomes[1].path == "shop/payment"
    with pytest.raises(CallError, match="PathFailed"):
        device.navigate_along([("shop", ""), ("wizard", "start")])
    assert device.explain("shop/list", "itemPicked", item=1).startswith("hidden\n")
    device.move("shop", "HDMI-A-1")
    with pytest.raises(CallError, match="UnknownObject|InvalidArguments"):
        device.move("shop/list", "HDMI-A-1")


def test_a_reload(flowbus, tmp_path):
    folder = tmp_path / "changing.d"
    folder.mkdir()
    (folder / "shop.toml").write_text(SHOP)
    device = flowbus(folder)
    device.presenter()
    (folder / "shop.toml").write_text(SHOP.replace('start      = { screen = "list" }', 'start = { screen = "bare" }'))
    assert any("nobody is asked to show the screen 'bare'" in warning for warning in device.reload())
    device.coordinate("shop", id="second")
    assert "second/bare" in device.tree()
    (folder / "shop.toml").write_text(SHOP.replace('"list"', '"lisst"'))
    with pytest.raises(CallError, match="InvalidDefinition.*did you mean 'list'"):
        device.reload()


PROGRAM = """
import sys
from gi.repository import Gio, GLib
NODE = '''<node><interface name="org.flowbus.Navigation1.Presenter">
<method name="Present"><arg type="o" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="a{sv}" direction="in"/></method>
<method name="Withdraw"><arg type="o" direction="in"/><arg type="t" direction="in"/><arg type="s" direction="in"/></method>
</interface></node>'''
def called(bus, sender, path, interface, method, values, invocation):
    invocation.return_value(None)
    print("a real program is called:", method, flush=True)
    if method == "Present":
        bus.call("org.flowbus.Navigation1", f"/org/flowbus/Navigation1/instance/{values.unpack()[3]['instance']}",
                 "org.flowbus.Navigation1.Presentable", "SetVisible", GLib.Variant("(b)", (True,)), None, 0, -1, None, None)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.set_exit_on_close(len(sys.argv) < 2)
register = getattr(bus, "register_object_with_closures2", bus.register_object)
register("/org/example/Shop", Gio.DBusNodeInfo.new_for_xml(NODE).interfaces[0], called)
Gio.bus_own_name_on_connection(bus, "org.example.Shop", Gio.BusNameOwnerFlags.NONE)
GLib.MainLoop().run()
"""


def test_a_real_program(device, tmp_path):
    program = tmp_path / "it's a program.py"
    program.write_text(PROGRAM)
    device.program("org.example.Shop", [sys.executable, program])
    first = device.wait_presented("shop/list")
    device.kill("org.example.Shop")
    device.wait_for(lambda tree: tree["shop/list"].presented and tree["shop/list"].owner != first.owner)
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_presented("shop/detail")
    device.back("shop")
    device.wait_gone("shop/detail")
    device.wait_said("a real program is called: Withdraw")
    with pytest.raises(DeviceError, match="no program owns the name 'org.example.Nobody'"):
        device.kill("org.example.Nobody")


def test_a_real_program_that_the_test_runs(device, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    device.program("org.example.Shop", ["/bin/true"])
    process = device.run([sys.executable, program])
    device.wait_presented("shop/list")
    device.kill(process)
    device.wait_for(lambda tree: not tree["shop/list"].owner)
    with pytest.raises(DeviceError, match="'/no/such/program' can't be started|ended"):
        device.run(["/no/such/program"]).wait()
        raise DeviceError("ended")


SERVICE = """
import sys, time
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
if len(sys.argv) > 1:
    raise SystemExit(int(sys.argv[1]))
bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
              GLib.Variant("(su)", ("org.example.Service", 4)), None, 0, -1, None)
GLib.MainLoop().run()
"""


def test_a_service_is_there_when_run_returns(device, tmp_path):
    program = tmp_path / "service"
    program.write_text(SERVICE)
    device.run([sys.executable, program], owns="org.example.Service")
    has_owner = device.connection.call_sync(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
        GLib.Variant("(s)", ("org.example.Service",)), None, Gio.DBusCallFlags.NONE, -1, None)
    assert has_owner.unpack() == (True,)
    with pytest.raises(DeviceError, match="the name 'org.example.Service' has an owner already"):
        device.run([sys.executable, program], owns="org.example.Service")
    with pytest.raises(DeviceError, match="ended with status 3, and nobody owns the name 'org.example.Other'"):
        device.run([sys.executable, program, "3"], owns="org.example.Other")
    device.timeout = 0.1
    with pytest.raises(TimeoutError, match="no program owned the name 'org.example.Other' within 0.1 s"):
        device.run([sys.executable, program, "0"], owns="org.example.Other")


FENCED = """
version = 1
[steps]
start = {}
next  = {}
[screens]
menu = {}
lock = { presenter = "org.example.Lock" }
[[autostart]]
flow = "main"
[flows.main]
initial  = "start"
children = "stack"
emitters = ["org.example.Panel", "org.example.Lock"]
[flows.main.on]
start = { screen = "menu" }
next  = { screen = "lock" }
[flows.other]
initial  = "start"
emitters = ["org.example.Panel"]
on.start = { screen = "menu" }
"""


def test_a_client_with_a_name_of_emitters(flowbus):
    device = flowbus(toml=FENCED)
    with pytest.raises(CallError, match="only from the owner of 'org.example.Panel' or 'org.example.Lock' on the bus"):
        device.emit("main", "next")
    assert "if one of those emitted it: navigated" in device.explain("main", "next")
    lock = device.presenter("lock")
    panel = device.client("org.example.Panel")
    assert panel.emit("main", "next") == "navigated"
    assert panel.explain("main", "start").startswith("navigated")
    assert device.client("org.example.Panel") is panel
    # A program that the test plays is the client of its name.
    program = device.client("org.example.Lock")
    assert program.unique_name == lock.unique_name == device.tree()["main/lock"].owner
    assert program.back("main") == "navigated"
    assert panel.coordinate("other") == "other"
    panel.show("other/menu")
    assert device.tree()["other/menu"].presented
    panel.dismiss("other")
    panel.close()
    with pytest.raises(DeviceError, match="'org.example.Panel' was closed"):
        panel.emit("main", "next")
    with device.client("org.example.Panel") as again:
        assert again is not panel and again.emit("main", "next") == "navigated"
    device.kill(lock, restart=False)
    with pytest.raises(DeviceError, match="'org.example.Lock' does not run"):
        program.emit("main", "next")
    panel = device.client("org.example.Panel")
    with pytest.raises(DeviceError, match="has an owner already"):
        device.client("org.flowbus.Navigation1")
    assert panel.emit_with_options("main", "next", wait=False) == "navigated"


def test_a_program_that_outlives_the_bus_is_ended(tmp_path, flowbusd):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    folder = tmp_path / "flows.d"
    folder.mkdir()
    (folder / "shop.toml").write_text(SHOP)
    with Device(folder, flowbusd=flowbusd) as device:
        device.program("org.example.Shop", [sys.executable, program, "stubborn"])
        device.wait_presented("shop/list")
        (process_id,) = device.connection.call_sync(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            GLib.Variant("(s)", ("org.example.Shop",)), None, Gio.DBusCallFlags.NONE, -1, None).unpack()
        pidfd = os.pidfd_open(process_id)
        assert not select.select([pidfd], [], [], 0)[0]
        scratch = device.folder
    # It can be read when the process has ended, whether or not anybody has waited for it.
    assert select.select([pidfd], [], [], 0)[0] and not scratch.exists()
    os.close(pidfd)


def test_a_device_without_pytest(tmp_path):
    with pytest.raises(TypeError, match="needs a folder of definition files"):
        Device()
    with pytest.raises(FileNotFoundError, match="no folder of definition files '/no/such'"):
        Device("/no/such")
    (tmp_path / "shop.toml").write_text(SHOP)
    with Device(str(tmp_path)) as device:
        device.presenter("list", answers={"contact": 1})
        with pytest.raises(CallError, match="NotSupported"):
            device.settle()
        assert device.report()[0][0] == "the tree of flowbusd"


def test_both_buses_are_the_private_one(device):
    assert device.environment["DBUS_SESSION_BUS_ADDRESS"] == device.environment["DBUS_SYSTEM_BUS_ADDRESS"] == device.address
    for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        assert device.environment[name].startswith(str(device.folder))


def test_what_does_not_happen_is_reported_with_the_tree(device):
    device.presenter("list")
    with pytest.raises(TimeoutError, match="there was not 'shop/detail', presented; the tree is\nshop +flow, presented\n +list"):
        device.wait_presented("shop/detail", timeout=0.01)


def test_a_script_that_does_not_end_is_reported(device):
    forever = threading.Event()
    device.timeout = 0.2
    device.presenter("list", script=lambda screen: forever.wait())
    with pytest.raises(TimeoutError, match=r"still under way after 0.2 s: the script of 'list'; .* calls wait\(event\)"):
        device.tree()
    forever.set()
    device.timeout = 30
    device.tree()


def test_many_devices_leave_no_descriptors_and_no_threads(tmp_path):
    (tmp_path / "shop.toml").write_text(SHOP)
    counts = []
    for _ in range(4):
        with Device(tmp_path) as device:
            device.presenter()
            assert device.ask("shop/list", "contactAsked").verdict == "navigated"
            device.kill_flowbusd()
            device.kill("list")
        # Those that read what a program prints, and that watch flowbusd, end with the last of it, and nobody waits for them.
        for thread in threading.enumerate():
            if thread.name in {"output", "flowbusd"}:
                thread.join(20)
        counts.append((len(os.listdir("/proc/self/fd")), threading.active_count()))
    # The first one makes what all of them share.
    assert counts[1] == counts[-1]


COMMANDS = """
version = 1
[steps]
start    = {}
payAsked = { cents = "uint32", file = "string?" }
paid     = { receipt = "string" }
declined = { why = "string", cents = "int64", file = "string?", sign = "string" }
gone     = { reason = "string", error = "string?", message = "string?" }
asked    = {}
other    = {}
[screens]
home   = {}
end    = { arguments = { reason = "string", error = "string?", message = "string?" } }
sorry  = { arguments = { why = "string", cents = "int64", file = "string?", sign = "string" } }
picker = { run = ["pick"], result = { name = "string" } }
counter = { run = ["count"], result = { n = "int64", text = "string?" } }
[screens.pay]
run       = ["/opt/pay", "$cents"]
arguments = { cents = "uint32", file = "string?" }
[screens.pay.exit]
0 = "done"
2 = { step = "declined", arguments = { why = "$message", cents = "$cents", file = "$file", sign = "$$" } }
3 = { step = "other" }
[[autostart]]
flow = "kiosk"
[flows.kiosk]
initial  = "start"
children = "stack"
whenHidden = "allow"
[flows.kiosk.on]
start    = { screen = "home" }
payAsked = { screen = "pay", onDismissed = { step = "gone", arguments = { reason = "$reason", error = "$error", message = "$message" } } }
declined = [{ dismiss = "pay" }, { screen = "sorry" }]
asked    = { screen = "picker" }
other    = { screen = "counter" }
gone     = { screen = "end" }
"""


def test_a_command_line_is_played(flowbus):
    device = flowbus(toml=COMMANDS)
    run = device.presenter("pay")

    def pay():
        device.emit("kiosk", "payAsked", cents=450)
        return run.screen("pay")

    assert pay().details["run"]["command"] == ["/opt/pay", "$cents"]
    run.screen("pay").exit(2, errors="no money\n")
    tree = device.tree()
    assert tree["kiosk/sorry"].arguments == {"why": "'/opt/pay' ended with the status 2: no money", "cents": 450, "sign": "$"}
    assert "kiosk/pay" not in tree and "kiosk/end" not in tree  # Its step has dismissed it.
    device.dismiss("kiosk/sorry")
    pay().exit(3)
    tree = device.tree()
    assert "kiosk/counter" in tree and tree["kiosk/end"].arguments["reason"] == "dismissed"
    run.screen("counter").close()
    for status, ending in [
            (0, ("dismissed", "", "")),
            (1, ("failed", "org.flowbus.Run.Error.Exited", "'/opt/pay' ended with the status 1: busy"))]:
        device.dismiss("kiosk/end")
        pay().exit(status, errors="busy")
        assert device.tree()["kiosk/end"].arguments == dict(zip(("reason", "error", "message"), ending))
    with pytest.raises(DeviceError, match="'kiosk/list' is no command line"):
        screen = pay()
        screen.path, screen.details = "kiosk/list", {}
        screen.exit()


def test_the_result_of_a_command_line_is_played(flowbus):
    device = flowbus(toml=COMMANDS)
    run = device.presenter("picker")
    asked = device.ask("kiosk", "asked")
    run.screen("picker").exit(output="Anna\n")
    assert asked.answer().result == {"name": "Anna"}
    asked = device.ask("kiosk", "other")
    run.screen("counter").exit(output='{"n": 7, "text": null}')
    assert asked.answer().result == {"n": 7}


def test_a_played_program_acts_beside_its_screens(flowbus):
    device = flowbus(toml=SHOP.replace('[flows.shop]\n', '[flows.shop]\nemitters = ["org.example.Pay"]\n'))
    pay = device.presenter("pay")
    with pytest.raises(CallError):
        device.emit("shop", "itemPicked", item=7)
    assert pay.emit("shop", "itemPicked", item=7) == "navigated"
    assert device.tree()["shop/detail"].arguments == {"item": 7}
    assert pay.back("shop") == "navigated" and "shop/detail" not in device.tree()
    device.kill(pay, restart=False)
    with pytest.raises(DeviceError, match="'org.example.Pay' does not run"):
        pay.emit("shop", "closed")
