# SPDX-License-Identifier: Apache-2.0
"""What needs neither a bus nor a display: forms, past, definitions, timings, filter."""

import pytest

from flowbus_inspector.model.definitions import Definitions, microseconds
from flowbus_inspector.model.forms import FieldError, arguments_of, fields_of
from flowbus_inspector.model.graph import lay_out, marks_of
from flowbus_inspector.model.log import Entry, Filter, Log, words_of
from flowbus_inspector.model.names import TREE, duration_text, span_text
from flowbus_inspector.model.past import Past
from flowbus_inspector.model.timings import Timings, histogram, is_exact, place, scale_of


def field(signature):
    return fields_of({"it": signature})[0]


@pytest.mark.parametrize(("signature", "text", "value"), [
    ("x", "-7", -7), ("y", "255", 255), ("q", "0x10", 16), ("t", str(2**64 - 1), 2**64 - 1), ("d", "2.5", 2.5), ("b", "true", True),
    ("s", "", ""), ("s", "it's", "it's"), ("o", "/a/b", "/a/b"), ("as", "['one']", ["one"]), ("a{sv}", "{'a': <7>}", {"a": 7})])
def test_a_text_becomes_a_value_of_the_declared_type(signature, text, value):
    parsed = field(signature).parse(text)
    assert parsed.get_type_string() == signature and parsed.unpack() == value


@pytest.mark.parametrize(("signature", "text", "reason"), [
    ("x", "seven", "'seven' is no whole number"), ("y", "256", "'256' is not in the range of byte, 0 to 255"),
    ("x", str(2**63), "is not in the range of int64"), ("d", "a", "'a' is no number"), ("b", "yes", "neither 'true' nor 'false'"),
    ("o", "a", "'a' is no object path"), ("as", "one", "'one' is no value of the type 'as'"), ("as", "[7]", "is no value of the type")])
def test_what_is_wrong_is_said_with_the_text_and_what_would_be_right(signature, text, reason):
    with pytest.raises(FieldError) as error:
        field(signature).parse(text)
    assert reason in str(error.value)


def test_optional_arguments_are_left_out_and_needed_ones_are_asked_for():
    fields = fields_of({"b": "s?", "item": "x", "a": "b?"})
    assert [it.name for it in fields] == ["item", "a", "b"]
    arguments, errors = arguments_of(fields, {"item": None})
    assert list(errors) == ["item"] and "'item' is needed" in errors["item"]
    arguments, errors = arguments_of(fields, {"item": "7", "b": ""})
    assert not errors and arguments.unpack() == {"item": 7, "b": ""}


# The past, by the history alone

def entry(serial, flow, definition, step, *contributors, sender=":1.5", cause=0):
    contributors = [(kind, name, path and TREE + path, options) for kind, name, path, options in contributors]
    return serial, TREE + flow, definition, step, {}, {
        "time": serial * 1_000_000, "cause": cause, "sender": sender, "contributors": contributors}


def tree(past, moment):
    return [("  " * it.depth + it.span.path.removeprefix(TREE), it.facts.arguments, it.is_sure) for it in past.at(moment)]


def screen(path, name=None, kind="screen", **arguments):
    return kind, name or path.rpartition("/")[2], path, {"arguments": arguments} if arguments else {}


def test_the_history_says_what_came_and_went():
    past = Past()
    past.read([
        entry(1, "shop", "shop", "start", screen("shop/list"), sender=""),
        entry(2, "shop", "shop", "itemPicked", screen("shop/detail", item=7)),
        entry(3, "shop", "shop", "itemPicked", screen("shop/detail", kind="reuse", item=8)),
        entry(4, "shop", "shop", "", ("back", "detail", "shop/detail", {})),
        entry(5, "shop", "shop", "helpAsked", screen("shop/guide", kind="flow")),
        entry(6, "shop/guide", "guide", "helpAsked", screen("shop/guide/help"), cause=5),
        entry(7, "shop/guide", "guide", "done", ("end", "", "", {})),
        entry(8, "shop", "shop", "all", screen("shop/one"), screen("shop/two")),
        entry(9, "shop", "shop", "sorted", ("pop", "list", "shop/list", {})),
        entry(10, "shop", "shop", "anew", ("clear", "", "", {}), screen("shop/list")),
    ], {"shop": "start"})
    assert tree(past, 0) == [("shop", "", True), ("  shop/list", "", True)]
    assert tree(past, 1)[-1] == ("  shop/detail", "item=7", True)
    assert tree(past, 2)[-1] == ("  shop/detail", "item=8", True)
    assert [it[0] for it in tree(past, 3)] == ["shop", "  shop/list"]
    assert [it[0] for it in tree(past, 5)] == ["shop", "  shop/list", "  shop/guide", "    shop/guide/help"]
    assert [it[0] for it in tree(past, 6)] == ["shop", "  shop/list"]
    assert [it[0] for it in tree(past, 7)] == ["shop", "  shop/list", "  shop/one", "  shop/two"]
    assert [it[0] for it in tree(past, 8)] == ["shop", "  shop/list"]
    assert len(tree(past, 9)) == 2 and past.moments[9].text == "shop: anew"
    # Going back and forth gives the same again.
    assert tree(past, 1) == tree(past, 1)


def test_what_nobody_reported_gone_is_perhaps_there_until_it_is_made_again():
    past = Past()
    past.read([
        entry(1, "shop", "shop", "start", screen("shop/list"), sender=""),
        entry(2, "shop", "shop", "itemPicked", screen("shop/detail")),
        entry(3, "shop", "shop", "other"),
        entry(4, "shop", "shop", "itemPicked", screen("shop/detail")),
    ])
    # Nothing is said of the list any more.
    assert [it[2] for it in tree(past, 0)] == [True, True] and [it[2] for it in tree(past, 1)] == [True, False, True]
    assert tree(past, 2)[-1] == ("  shop/detail", "", False)
    assert tree(past, 3)[-1] == ("  shop/detail", "", True) and len(tree(past, 3)) == 3


def test_a_root_that_starts_anew_is_another_one():
    past = Past()
    past.read([
        entry(1, "shop", "shop", "start", screen("shop/list"), sender=""),
        entry(2, "shop", "shop", "itemPicked", screen("shop/detail")),
        entry(3, "shop", "shop", "start", screen("shop/list"), sender=""),
    ], {"shop": "start"})
    assert [it[0] for it in tree(past, 2)] == ["shop", "  shop/list"]


def test_a_flow_that_is_older_than_the_history_was_there_before():
    past = Past()
    past.read([entry(7, "shop/guide", "guide", "next"), entry(8, "shop/guide", "guide", "next", screen("shop/guide/help"))])
    assert tree(past, 1) == [("shop", "", True), ("  shop/guide", "", True), ("    shop/guide/help", "", True)]


# Definitions

TOML = """
version = 1
[screens]
list = { presenter = "org.example.Shop", budget = "1.5 s" }
detail = { presenter = { name = "org.example.Shop", start = "early" }, budget = "500 ms" }
[[autostart]]
flow = "shop"
[flows.shop]
initial = "start"
children = "stack"
guard = { name = "org.example.Guard" }
[flows.shop.on]
start = { screen = "list" }
picked = [{ when = { kind = "film" }, do = [{ screen = "detail", onDismissed = "start" }] }, { flow = "help" }]
[flows.help]
idle = { after = "60s", step = "over" }
timers = [{ every = "20s", step = "over" }, { after = "1h", since = "presented", step = "over" }]
[flows.help.on]
done = { end = "start" }
over = { end = true }
up = { parent = "start" }
"""


def test_definitions_say_budgets_services_and_edges():
    definitions = Definitions(TOML)
    assert definitions.budgets == {"list": 1_500_000, "detail": 500_000}
    assert definitions.services == {
        "org.example.Guard": ["guard of shop"], "org.example.Shop": ["presents list", "presents detail"]}
    assert {(it.kind, it.flow, it.step, it.target) for it in definitions.edges} == {
        ("screen", "shop", "start", "list"), ("screen", "shop", "picked", "detail"), ("dismissed", "shop", "picked", "start"),
        ("flow", "shop", "picked", "help"), ("end", "help", "done", "start"), ("end", "help", "over", ""),
        ("parent", "help", "up", "start"), ("timer", "help", "", "over")}
    assert definitions.timers("help") == [("idle", "60s", "over"), ("every", "20s", "over"), ("after", "1h", "over")]
    assert definitions.flows["help"].notes[-3:] == ["idle 60s", "every 20s", "after 1h"] and not definitions.timers("shop")
    with pytest.raises(ValueError, match="can't be read"):
        Definitions("= 7")


@pytest.mark.parametrize(("value", "text"), [
    (0, "0 s"), (1, "1 s"), (59_000_001, "1 min"), (90_000_000, "1 min 30 s"), (86_399_000_000, "23 h 59 min"), (2_592_000_000_000, "30 d")])
def test_the_time_that_is_left(value, text):
    assert span_text(value) == text


@pytest.mark.parametrize(("text", "value"), [("1 min 30 s", 9e7), ("100ms", 1e5), ("2 h", 7.2e9), (3, 3e6), ("", 0)])
def test_time_spans(text, value):
    assert microseconds(text) == value


def test_everything_of_the_definitions_is_drawn_once():
    layout = lay_out(Definitions(TOML))
    assert sorted((it.kind, it.flow, it.name) for it in layout.shapes if it.kind in {"flow", "screen"}) == [
        ("flow", "help", "help"), ("flow", "shop", "shop"), ("screen", "shop", "detail"), ("screen", "shop", "list")]
    assert sorted(it.kind for it in layout.lines) == sorted(
        ["initial", "screen", "screen", "dismissed", "flow", "end", "end", "parent", "timer"])
    for shape in layout.shapes:
        assert 0 <= shape.x - shape.width / 2 and shape.x + shape.width / 2 <= layout.width
        assert 0 <= shape.y - shape.height / 2 and shape.y + shape.height / 2 <= layout.height


def test_marks_count_by_flow_and_screen():
    assert marks_of([(TREE + "a", "shop", True, True), (TREE + "a/list", "list", False, False),
                     (TREE + "a/list_2", "list", False, True), (TREE + "b", "shop", True, False)]) == {
        ("flow", "shop", "shop"): (2, 1), ("screen", "shop", "list"): (2, 1)}


# Timings, and the log

def test_timings_count_what_was_seen_and_judge_by_the_budget():
    timings = Timings()
    (first,) = timings.read([("list", "warm", 1, 900, 900, 900, 900, 900)], {"list": 1000})
    assert first.judgement == "kept" and is_exact(first)
    (again,) = timings.read([("list", "warm", 1, 900, 900, 900, 900, 900)], {"list": 1000})
    assert again.samples == [900]
    (more,) = timings.read([("list", "warm", 20, 900, 1500, 3000, 4000, 2000)], {"list": 1000})
    assert more.judgement == "missed" and more.samples == [900, 2000] and not is_exact(more)
    (anew,) = timings.read([("list", "warm", 2, 800, 950, 950, 950, 950)], {})
    assert anew.samples == [950] and anew.judgement == ""
    low, high = scale_of([more])
    assert low <= 450 and high >= 4000 and place(low, low, high) == 0 and place(high, low, high) == 1
    bars = histogram(more, low, high)
    assert max(bar.height for bar in bars) == 1
    # Half of all is at most the median.
    total = sum(bar.height for bar in bars)
    assert abs(sum(bar.height for bar in bars if bar.low < 900) / total - 0.5) < 0.1
    assert len(histogram(first, low, high)) == 1


def test_the_filter_looks_at_kinds_words_and_paths():
    entries = [Entry("navigation", 0, TREE + "shop", "itemPicked item=7"), Entry("failure", 0, TREE + "shop/guide", "done"),
               Entry("change", 0, TREE + "shopping", "came")]
    assert [it.kind for it in entries if Filter(frozenset({"failure"})).passes(it)] == ["failure"]
    assert [it.kind for it in entries if Filter(words=words_of("ITEM shop")).passes(it)] == ["navigation"]
    assert [it.kind for it in entries if Filter(path=TREE + "shop").passes(it)] == ["navigation", "failure"]


def test_the_log_forgets_the_oldest():
    log = Log(limit=3)
    log.add(*(Entry("change", at, "", str(at)) for at in range(5)))
    assert [it.title for it in log.entries] == ["2", "3", "4"]


@pytest.mark.parametrize(("value", "text"), [(999, "999 µs"), (1500, "1.5 ms"), (2_000_000, "2 s"), (9e7, "1.5 min")])
def test_durations(value, text):
    assert duration_text(value) == text
