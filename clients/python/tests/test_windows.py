# SPDX-License-Identifier: Apache-2.0
"""Programs with decorators and real windows, used by real clicks."""

import sys
from pathlib import Path

import pytest
from shop import SHOP

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def cinema(flowbus, display):
    device = flowbus(toml=(PROGRAMS / "cinema.toml").read_text(), environment=display)
    device.program("org.example.Cinema", [sys.executable, PROGRAMS / "cinema.py"])
    device.wait_presented("cinema/films")
    return device


def test_a_click_shows_a_film_and_escape_goes_back(cinema, mouse):
    mouse.click("Films")
    assert cinema.wait_presented("cinema/film").arguments == {"film": 7}
    assert cinema.tree()["cinema/film"].title == "Film 7"
    mouse.key("Film 7", "Escape")
    cinema.wait_gone("cinema/film")
    cinema.wait_said("film 7: navigated")
    cinema.wait_said("film 7 is withdrawn: back")
    mouse.click("Films")
    cinema.wait_presented("cinema/film")
    mouse.close("Film 7")
    cinema.wait_gone("cinema/film")


def test_the_guard_rejects_and_an_ask_is_answered(cinema, mouse):
    mouse.click("Films", y=150)
    cinema.wait_presented("cinema/seat")
    cinema.wait_said("film 18: rejected")
    mouse.click("Seat")
    cinema.wait_gone("cinema/seat")
    cinema.wait_said("seat: result {'seat': 30}")


def test_it_is_killed_and_comes_back_with_what_was_typed(cinema, mouse):
    before = cinema.tree()["cinema/films"]
    mouse.click("Films", y=250)
    mouse.type("Films", "west")
    mouse.click("Films")
    cinema.wait_presented("cinema/film")
    cinema.kill("org.example.Cinema")
    cinema.wait_for(lambda tree: tree["cinema/film"].presented and tree["cinema/film"].owner not in ("", before.owner))
    mouse.key("Film 7", "Escape")
    cinema.wait_presented("cinema/films")
    assert cinema.tree()["cinema/films"].instance == before.instance
    mouse.click("Films", y=250)
    mouse.key("Films", "Return")
    cinema.wait_said("searches for 'west'")


def test_flowbusd_is_killed_and_the_windows_go_on(cinema, mouse):
    mouse.click("Films")
    cinema.wait_presented("cinema/film")
    before = cinema.tree()
    cinema.kill_flowbusd()
    cinema.wait_for(lambda tree: tree == before, "the same tree")
    mouse.key("Film 7", "Escape")
    cinema.wait_gone("cinema/film")
    mouse.click("Films")
    cinema.wait_presented("cinema/film")


def test_a_main_loop_that_sleeps_is_found(cinema, mouse):
    mouse.click("Films")
    cinema.wait_presented("cinema/film")
    owner = cinema.wait_for(lambda tree: tree["cinema/film"].owner, "an owner of the film")["cinema/film"].owner
    # Only who has answered flowbusd is known to hang. It asks an owner at once, and is answered first.
    cinema.connection.call_sync(
        "org.example.Cinema", "/org/example/Cinema", "org.flowbus.Navigation1.Presenter", "Alive", None, None, 0, -1)
    mouse.click("Film 7")
    cinema.wait_for(lambda tree: tree["cinema/film"].owner != owner, "another owner than the program that sleeps")


def test_a_window_that_is_closed_is_dismissed(cinema, mouse):
    mouse.close("Films")
    cinema.wait_gone("cinema/films")
    # It is a guard, too, which the flow still needs.
    assert cinema.emit("cinema", "filmPicked", film=18) == "rejected"


LOADING = """
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk
import flowbus

shop = flowbus.Presenter("org.example.Shop")

@shop.screen("list")
def show_list(screen):
    screen.show()

@shop.screen("detail")
def show_detail(screen, item: int):
    window = Gtk.Window(title="Detail", child=Gtk.Spinner(spinning=True))
    window.connect_after("map", lambda window: window.get_frame_clock().connect("after-paint", painted))
    screen.ready = False
    screen.on_update(show_item)
    return window

def painted(clock):
    print("painted", flush=True)

def show_item(screen):
    screen.ready = True
    print("ready", screen.ready, flush=True)

raise SystemExit(shop.run())
"""


def test_a_window_that_is_not_ready_yet(flowbus, display, tmp_path):
    device = flowbus(toml=SHOP, environment=display)
    (tmp_path / "program.py").write_text(LOADING)
    device.program("org.example.Shop", [sys.executable, tmp_path / "program.py"])
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_said("painted")
    # The answer to Present may come later than what is painted.
    device.wait_for(lambda tree: tree["shop/detail"].owner, "an owner of the item")
    assert not device.tree()["shop/detail"].visible
    device.emit("shop", "itemPicked", item=8)
    device.wait_presented("shop/detail")
    device.wait_said("ready True")
