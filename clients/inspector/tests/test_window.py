# SPDX-License-Identifier: Apache-2.0
"""The window, used by a person: real clicks and keys, under Xvfb."""

import subprocess
import sys

import pytest
from conftest import HERE, emit, fill
from gi.repository import GLib

from flowbus_inspector.model.reads import READS

READ_ONLY = READS | {("org.freedesktop.DBus.ObjectManager", "GetManagedObjects")}


def test_it_explains_and_then_emits_and_goes_back_in_time(device, inspect, monitor):
    person = inspect()
    person.click("row('shop/list')")
    person.see("text('node-title') == 'list' and text('node-state') == 'presented'")
    me = person.see("inspection.client.get_connection().get_unique_name()")
    # The step, by the keyboard: the dropped-down list has the names in order, and 'itemPicked' is the fourth.
    person.click("step")
    person.press("Down", "Down", "Down", "Return")
    person.see("widget('argument-item')")
    person.see("not sensitive('explain') and not sensitive('emit')")
    person.click("argument-item")
    person.type("seven")
    person.see("'argument-item' and widget('argument-item').has_css_class('error')")
    person.press("ctrl+a")
    person.type("7")
    person.click("explain")
    person.see("text('verdict') == 'navigated' and ' shop/detail' in text('explanation').replace(chr(39), '')")
    person.see("not sensitive('emit')")
    person.shoot("explain")
    # Until here nothing but reads was called.
    called = set(monitor.calls(me))
    assert ("org.flowbus.Navigation1.Stepper", "Explain") in called and called <= READ_ONLY

    person.click("emitting")
    person.see("inspection.emission.is_on")
    person.click("emit")
    device.wait_presented("shop/detail")
    assert device.tree()["shop/detail"].arguments == {"item": 7}
    person.see("rows().get('shop/detail') == 'presented' and rows()['shop/list'] == 'covered'")
    assert ("org.flowbus.Navigation1.Stepper", "EmitStepWithOptions") in monitor.calls(me)
    # What was explained counts no more.
    person.see("not sensitive('emit')")
    person.shoot("emitted")

    # The slider: at its beginning there was the list alone.
    person.drag("slider", 0.97, 0.03)
    person.see("set(rows()) == {'shop', 'shop/list'} and 'As it was' in text('moment')")
    person.shoot("past")
    person.click("live")
    person.see("rows().get('shop/detail') == 'presented' and text('moment').startswith('Live')")
    # Once more by the keyboard.
    person.press("alt+Left")
    person.see("'As it was' in text('moment')")
    person.press("Escape")
    person.see("text('moment').startswith('Live')")


def test_a_root_says_what_back_would_do(device, inspect, monitor):
    person = inspect()
    person.click("row('shop')")
    person.see("text('fact-back-would') == 'do nothing: no flow can go back'")
    me = person.see("inspection.client.get_connection().get_unique_name()")
    assert ("org.flowbus.Navigation1.Stepper", "PeekBack") in monitor.calls(me)
    emit(device.address, "shop", "helpAsked")
    person.see("text('fact-back-would').startswith('dismiss shop/guide')")
    # The signal says so, and nothing is asked.
    assert ("org.flowbus.Navigation1.Stepper", "PeekBack") not in monitor.calls(me)


def test_the_context_is_seen_as_it_changes(device, inspect):
    person = inspect()
    person.click("row('shop')")
    person.see("text('fact-context') == 'visitors=0' and text('fact-context-of-all') == 'language=de'")
    emit(device.address, "shop", "visited", count=GLib.Variant("x", 3))
    person.see("text('fact-context') == 'visitors=3'")
    emit(device.address, "shop", "spoken", language=GLib.Variant("s", "fr"))
    person.see("text('fact-context-of-all') == 'language=fr'")
    # A screen has no values of its own, and sees those of all.
    person.click("row('shop/list')")
    person.see("text('node-title') == 'list' and text('fact-context-of-all') == 'language=fr' and not widget('fact-context')")
    # What it was in the past is not known.
    person.drag("slider", 0.97, 0.03)
    person.see("'As it was' in text('moment') and not widget('fact-context-of-all')")


def test_the_timers_of_a_flow_are_seen_with_the_time_that_is_left(device, inspect, monitor):
    """S-55: they are read once a second while they are seen, and no other flow has any."""
    person = inspect()
    me = person.see("inspection.client.get_connection().get_unique_name()")
    timers = ("org.flowbus.Navigation1.Coordinator", "GetTimers")
    person.click("row('shop')")
    person.see("text('node-title') == 'shop'")
    emit(device.address, "shop", "helpAsked")
    person.see("rows().get('shop/guide')")
    assert timers not in monitor.calls(me)
    person.click("row('shop/guide')")
    person.see("text('fact-timers').startswith('idle done in ') and ', every printed in 1 h ' in text('fact-timers')")
    # The time goes on.
    person.see("'idle done in 29 d 23 h' in text('fact-timers')")
    person.see("follows_timers()")
    person.shoot("timers")
    # What is hidden does nothing.
    device.hide("shop/guide")
    person.see("text('fact-timers').startswith('idle done in ') and not 'every' in text('fact-timers')")
    device.show("shop/guide")
    person.see("'every printed in ' in text('fact-timers')")
    # Nobody sees them any more.
    person.press("alt+3")
    person.see("'entries' in text('log-count') and not follows_timers()")
    person.press("alt+1")
    person.see("follows_timers()")
    person.click("row('shop')")
    person.see("text('node-title') == 'shop' and not widget('fact-timers') and not follows_timers()")


def test_flowbusd_is_killed_and_comes_back(device, inspect):
    person = inspect("shop/list")
    person.see("text('node-title') == 'list'")
    device.kill_flowbusd(restart=False)
    person.see("'flowbusd is gone' in text('absent')")
    # What was there stays in sight.
    person.see("set(rows()) == {'shop', 'shop/list'} and not sensitive('explain') and not sensitive('emitting')")
    person.shoot("absent")
    device.start_flowbusd()
    person.see("inspection.state == 'live' and not text('absent')")
    device.emit("shop/list", "itemPicked", item=7)
    person.see("rows().get('shop/detail') == 'presented'")
    person.see("sensitive('emitting')")


def test_without_flowbusd_it_says_so_until_there_is_one(device, inspect):
    device.kill_flowbusd(restart=False)
    person = inspect()
    person.see("inspection.state == 'absent' and not widget('tree')")
    person.shoot("none")
    device.start_flowbusd()
    person.see("set(rows()) == {'shop', 'shop/list'}")


def test_the_pages_show_what_happens(device, inspect):
    person = inspect("--page", "log")
    person.see("'entries' in text('log-count')")
    person.click("log-change")
    person.click("log-filter")
    person.type("picked 7")
    person.see("text('log-count').startswith('0 of')")
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_presented("shop/detail")
    person.see("text('log-count').startswith('1 of')")
    person.shoot("log")
    for number, page, seen in ((2, "graph", "'itemPicked' in text('graph-note')"),
                               (4, "timings", "widget('chart-detail-warm') and widget('chart-list-warm')"),
                               (5, "processes", "widget('owners')")):
        person.press(f"alt+{number}")
        person.see(seen)
        person.shoot(page)
    # A click on a screen of the graph chooses it in the tree.
    person.press("alt+1")
    person.click("search")
    person.type("detail")
    person.see("text('node-title') == 'detail'")


def test_ten_thousand_nodes_scroll_and_follow(device, inspect):
    fill(device.address)
    person = inspect()
    person.see("text('tree-foot').startswith('9992 ') and rows()")
    print(person.see("text('tree-foot')"))
    person.click("search")
    person.type("cells_10/cell_998")
    person.see("rows().get('shop/cells_10/cell_998') and text('node-title') == 'cell_998'")
    emit(device.address, "shop/cells", "cellsGone")
    person.see("len(inspection.recorder.nodes) == 9992 - 997 and 'latest' in text('tree-foot')")
    print(person.see("text('tree-foot')"))
    person.shoot("many")
    person.drag("slider", 0.9, 0.5)
    person.see("'As it was' in text('moment') and rows()")
    person.click("live")
    person.see("text('moment').startswith('Live') and len(inspection.recorder.nodes) == 9992 - 997")


@pytest.mark.parametrize(("words", "status", "text"), [
    (["--address", "here"], 64, "'here' is no address of a bus"), (["--page", "none"], 64, "'none'"),
    (["--session", "--system"], 64, "not allowed with"), (["--version"], 0, "flowbus-inspector "), ([], 69, "there is no display")])
def test_the_command_line(words, status, text):
    done = subprocess.run([sys.executable, HERE.parent / "flowbus-inspector", *words], capture_output=True, text=True, check=False)
    assert done.returncode == status and text in done.stdout + done.stderr
