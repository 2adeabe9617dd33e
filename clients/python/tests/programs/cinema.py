#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two screens and a guard."""

import time

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk

import flowbus

cinema = flowbus.Presenter("org.example.Cinema")


@cinema.screen("films", saves_widgets=True)
def show_films(screen):
    box = Gtk.Box(orientation="vertical", homogeneous=True)
    for film, title in (7, "The Railway Children"), (18, "The Fly"):
        button = Gtk.Button(label=title)
        button.connect("clicked", lambda button, film: flowbus.run(pick(screen, film)), film)
        box.append(button)
    search = Gtk.Entry(name="search")
    search.connect("activate", lambda search: print(f"searches for '{search.get_text()}'", flush=True))
    box.append(search)
    return Gtk.Window(title="Films", child=box, default_width=300, default_height=300)


async def pick(screen, film):
    print(f"film {film}: {await screen.emit('filmPicked', film=film)}", flush=True)
    if film == 18:
        answer = await screen.ask("seatAsked", row=3)
        print(f"seat: {answer.outcome} {dict(answer.result)}", flush=True)
        answer.acknowledge()


@cinema.screen("film")
def show_film(screen, film: int):
    screen.on_withdraw(lambda screen, reason: print(f"film {film} is withdrawn: {reason}", flush=True))
    button = Gtk.Button(label="Sleep")
    button.connect("clicked", lambda _button: time.sleep(60))
    return Gtk.Window(title=f"Film {film}", child=button, default_width=300, default_height=200)


@cinema.screen("seat")
async def show_seat(screen, row: int, side: str = "left"):
    button = Gtk.Button(label=f"Row {row}, {side}")
    button.connect("clicked", lambda _button: screen.finish(seat=row * 10))
    return Gtk.Window(title="Seat", child=button, default_width=300, default_height=200)


@cinema.guard("filmPicked")
def check(question, film: int):
    return film < 18


raise SystemExit(cinema.run())
