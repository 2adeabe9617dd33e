# SPDX-License-Identifier: Apache-2.0
"""A program that the test plays: one bus name, with the screens it shows and the questions it answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from gi.repository import Gio, GLib

from . import _names
from ._actions import Actions
from ._answers import Verdict
from ._definitions import Role
from ._errors import CallError, DeviceError
from ._screen import Call, PlayedScreen, Process, Question
from ._values import BUS, BUS_PATH, FLOWBUS, INSTANCES, PROPERTIES, call, dictionary, error, node_path, object_path, variant

__tracebackhide__ = True  # pytest shows the line of the test instead.

_FAILED = "org.freedesktop.DBus.Error.Failed"
_REFUSED = f"{FLOWBUS}.Error.Refused"

_INTERFACES = """
<node>
  <interface name="org.flowbus.Navigation1.Presenter">
    <method name="Present">
      <arg type="o" direction="in"/> <arg type="s" direction="in"/> <arg type="a{sv}" direction="in"/> <arg type="a{sv}" direction="in"/>
      <arg type="a{sv}" direction="out"/>
    </method>
    <method name="Withdraw">
      <arg type="o" direction="in"/> <arg type="t" direction="in"/> <arg type="s" direction="in"/>
      <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>
    </method>
    <method name="Alive"/>
  </interface>
  <interface name="org.flowbus.Navigation1.Guard">
    <method name="Adapt">
      <arg type="o" direction="in"/> <arg type="s" direction="in"/> <arg type="a{sv}" direction="in"/> <arg type="a{sv}" direction="in"/>
      <arg type="s" direction="out"/> <arg type="a{sv}" direction="out"/>
    </method>
  </interface>
  <interface name="org.flowbus.Navigation1.Navigator">
    <method name="Navigate">
      <arg type="o" direction="in"/> <arg type="s" direction="in"/> <arg type="a{sv}" direction="in"/> <arg type="a{sv}" direction="in"/>
      <arg type="a(ssa{sv})" direction="out"/>
    </method>
  </interface>
  <interface name="org.freedesktop.Application">
    <method name="Activate"> <arg type="a{sv}" direction="in"/> </method>
    <method name="Open"> <arg type="as" direction="in"/> <arg type="a{sv}" direction="in"/> </method>
    <method name="ActivateAction"> <arg type="s" direction="in"/> <arg type="av" direction="in"/> <arg type="a{sv}" direction="in"/> </method>
  </interface>
</node>
"""
_KINDS = {
    "presenter": f"{FLOWBUS}.Presenter", "guard": f"{FLOWBUS}.Guard", "navigator": f"{FLOWBUS}.Navigator",
    "application": "org.freedesktop.Application"}


@dataclass(frozen=True)
class Script:
    """What a program does when it is called for a screen, or with a question."""

    shows: bool = True
    fails: str | None = None
    refuses: str | None = None
    hangs: bool = False
    answers: Mapping[str, object] | Callable[[PlayedScreen], Mapping[str, object]] | None = None
    after: threading.Event | None = None
    does: Callable[[PlayedScreen], object] | None = None
    decides: Callable[[Question], object] | None = None


class Program:
    """A program of the device that the test plays. It has one process at a time."""

    def __init__(self, device: Actions, name: str, *, installed: bool) -> None:
        self.device = device
        self.name = name
        # Whether the bus can start it.
        self.installed = installed
        # All calls it got, in all its processes, but for Alive.
        self.calls: list[Call] = []
        self._roles: dict[tuple[str, str], Role] = {}
        self._scripts: dict[str, Script] = {}
        self._process: Process | None = None
        self._late: list[Callable[[], None]] | None = None
        self._nodes = {interface.name: interface for interface in Gio.DBusNodeInfo.new_for_xml(_INTERFACES).interfaces}

    def __repr__(self) -> str:
        return f"<Program {self.name}: {'running' if self.is_running else 'not running'}, shows {[s.path for s in self.screens]}>"

    # What the test does with it.

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def is_hanging(self) -> bool:
        return self._late is not None

    @property
    def unique_name(self) -> str:
        """The name of its connection; empty while it does not run."""
        return str(self._process.connection.get_unique_name()) if self._process else ""

    @property
    def connection(self) -> Gio.DBusConnection | None:
        """Its connection to the bus; None while it does not run."""
        return self._process.connection if self._process else None

    @property
    def screens(self) -> list[PlayedScreen]:
        """The screens that it shows, hidden ones included, in the order in which it was called for them."""
        return list(self._process.screens.values()) if self._process else []

    def screen(self, name: str) -> PlayedScreen:
        """The screen with this path or name that it shows; of several, the newest."""
        self.device.settle()
        for screen in reversed(self.screens):
            if name in (screen.path, screen.name):
                return screen
        shown = ", ".join(repr(screen.path) for screen in self.screens)
        raise DeviceError(f"'{self.name}' does not show '{name}'; it shows {shown or 'nothing'}")

    def emit(self, node: str, step: str, /, **arguments: object) -> Verdict:
        """Emits a step on a flow or screen, whether it shows that or not, and returns the verdict."""
        self.device.settle()
        return self._act(
            node, "EmitStep", GLib.Variant.new_tuple(GLib.Variant("s", step), self.device.step_arguments(step, arguments)))

    def back(self, node: str) -> Verdict:
        """Goes back at a flow or screen, whether it shows that or not."""
        self.device.settle()
        return self._act(node, "BackWithOptions", GLib.Variant("(a{sv})", ({},)))

    def _act(self, node: str, method: str, arguments: GLib.Variant) -> Verdict:
        if self._process is None:
            raise DeviceError(f"'{self.name}' does not run")
        serial, verdict = call(
            self._process.connection, FLOWBUS, object_path(node), f"{FLOWBUS}.Stepper", method, arguments, timeout=self.device.timeout)
        return Verdict(verdict, serial)

    def start(self) -> None:
        """Starts a process of the program, which knows nothing of the one before."""
        if self._process is not None:
            raise DeviceError(f"'{self.name}' is running already")
        process = self._process = Process(self.name, self.device, self.device.connect())

        def export() -> None:
            for role in self._roles.values():
                self._export(process, role)

        self.device.loop.call(export)
        self.device.activity.note(f"{self.name}: starts as {self.unique_name}")
        if not _names.take(process.connection, self.name, self.device.timeout):
            self.stop()
            raise DeviceError(f"the name '{self.name}' has an owner already, so the test can't play that program")

    def hang(self) -> None:
        """From now on it answers nothing, as if its main loop slept."""
        if self._late is None:
            self.device.activity.note(f"{self.name}: hangs")
            self._late = []

    def resume(self) -> None:
        """It no longer hangs, and serves what came meanwhile."""
        self.device.activity.note(f"{self.name}: goes on")

        def serve() -> None:
            late, self._late = self._late or [], None
            for handle in late:
                handle()

        self.device.loop.call(serve)

    def stop(self) -> None:
        """Leaves the bus, as an ended process does. The device starts it again or not; see Device.kill."""
        process, self._process = self._process, None
        self._late = None
        if process is not None and not process.connection.is_closed():
            process.connection.close_sync(None)

    # What the device does with it.

    def play(self, role: Role, script: Script, name: str) -> None:
        """Adds an object, if it is new, and a script for a screen or a kind of question."""
        key = (role.kind, role.path)
        if key not in self._roles:
            self._roles[key] = role
            if self._process is not None:
                self.device.loop.call(partial(self._export, self._process, role))
        self._scripts[f"{role.kind} {name}"] = script

    def flush(self) -> None:
        """Returns when all calls that the bus has for it have come in."""
        if self._process is not None:
            call(self._process.connection, BUS, BUS_PATH, f"{BUS}.Peer", "Ping", timeout=self.device.timeout)

    # Calls, in the thread of the loop.

    def _export(self, process: Process, role: Role) -> None:
        def called(
                _bus: object, _sender: str, _path: str, _interface: str, method: str, values: GLib.Variant,
                invocation: Gio.DBusMethodInvocation) -> None:
            self.device.activity.touch()

            def handle() -> None:
                self._handle(process, role.kind, method, values.unpack(), invocation)

            if self._late is not None:
                self._late.append(handle)
            else:
                handle()

        # GLib 2.84 deprecates the former one, of which PyGObject warns.
        register = getattr(process.connection, "register_object_with_closures2", process.connection.register_object)
        register(role.path, self._nodes[_KINDS[role.kind]], called, None, None)

    def _handle(
            self, process: Process, kind: str, method: str, values: tuple[Any, ...], invocation: Gio.DBusMethodInvocation) -> None:
        if process is not self._process:
            return  # Its process is gone.
        match method:
            case "Alive":
                invocation.return_value(None)
            case "Present":
                self._present(process, values, invocation)
            case "Withdraw":
                self._withdraw(process, values)
                invocation.return_value(None)
            case "Adapt" | "Navigate":
                self._decide(process, kind, method, values, invocation)
            case _:
                self._activate(method, values, invocation)

    def _present(self, process: Process, values: tuple[Any, ...], invocation: Gio.DBusMethodInvocation) -> None:
        path, name, arguments, details = values
        script = self._scripts.get(f"presenter {name}", Script())
        reason = str(details.get("reason", ""))
        self._record(Call("Present", node_path(path), name, arguments, reason))
        if script.hangs and self._late is None:
            self.hang()
            assert self._late is not None
            # By the time it goes on, the test may have given it another script.
            self._late.append(lambda: self._answer(process, values, invocation, Script(shows=script.shows)))
            return
        self._answer(process, values, invocation, script)

    def _answer(
            self, process: Process, values: tuple[Any, ...], invocation: Gio.DBusMethodInvocation, script: Script) -> None:
        path, name, arguments, details = values
        if script.refuses is not None:
            invocation.return_dbus_error(_REFUSED, script.refuses)
            return
        if script.fails is not None:
            invocation.return_dbus_error(_FAILED, script.fails)
            return
        instance = details["instance"]
        screen = process.screens.setdefault(instance, PlayedScreen(process, instance))
        screen.path, screen.name, screen.arguments, screen.details = node_path(path), name, arguments, details
        is_return = details.get("reason") == "return"  # The window is there, and stays as visible as it is.
        has_script = script.after is not None or script.does is not None or callable(script.answers)
        if shows := script.shows and not is_return and not has_script:
            screen.visible = True
            self.device.activity.note(f"{self.name}: shows {screen.path}")
        invocation.return_value(GLib.Variant.new_tuple(dictionary({"visible": True} if shows else {})))
        if is_return:
            return
        if has_script:
            self.device.activity.run_script(f"the script of '{name}'", lambda: _act(screen, script))
            return
        if script.answers is not None and not callable(script.answers):
            self._send(process, screen, "Finish", GLib.Variant.new_tuple(dictionary(script.answers)))
            process.screens.pop(instance, None)

    def _withdraw(self, process: Process, values: tuple[Any, ...]) -> None:
        path, instance, reason = values
        screen = process.screens.pop(instance, None)
        self._record(Call("Withdraw", node_path(path), screen.name if screen else "", {}, reason))
        if screen is not None:
            screen.withdrawn = reason
            screen.visible = False
            # A program that answered the call would have saved its state before; there is nothing else to wait for here.
            if reason == "evicted":
                self._send(process, screen, "Release", None)

    def _decide(
            self, process: Process, kind: str, method: str, values: tuple[Any, ...], invocation: Gio.DBusMethodInvocation,
            record: bool = True) -> None:
        flow, step, arguments, details = values
        if record:
            self._record(Call(method, node_path(flow), step, arguments))
        (definition,) = self.device.call(flow, PROPERTIES, "Get", GLib.Variant("(ss)", (f"{FLOWBUS}.Flow", "Definition")))
        script = self._scripts.get(f"{kind} {definition}", Script())
        question = Question(process, flow, step, arguments, details)
        if script.hangs and record and self._late is None:
            self.hang()
            assert self._late is not None
            self._late.append(lambda: self._decide(process, kind, method, values, invocation, record=False))
            return
        if script.fails is not None:
            invocation.return_dbus_error(_FAILED, script.fails)
            return

        def decide() -> None:
            answer = script.decides(question) if script.decides else (True if method == "Adapt" else [])
            if method == "Adapt":
                _adapt(invocation, values, answer)
            else:
                _navigate(invocation, answer)

        def decide_or_fail() -> None:
            try:
                decide()
            except BaseException:
                invocation.return_dbus_error(_FAILED, "the test that plays this program raised an exception")
                raise

        self.device.activity.run_script(f"the {kind} of '{definition}'", decide_or_fail)

    def _activate(self, method: str, values: tuple[Any, ...], invocation: Gio.DBusMethodInvocation) -> None:
        script = next((each for name, each in self._scripts.items() if name.startswith("application ")), Script())
        name = values[0] if method == "ActivateAction" else ""
        arguments = {"ActivateAction": {"parameter": values[1]} if len(values) > 1 else {}, "Open": {"uris": values[0]}}
        self._record(Call(method, "", name, arguments.get(method, {})))
        if script.hangs and self._late is None:
            self.hang()
            assert self._late is not None
            self._late.append(lambda: invocation.return_value(None))
        elif script.fails is not None:
            invocation.return_dbus_error(_FAILED, script.fails)
        else:
            invocation.return_value(None)

    def _record(self, what: Call) -> None:
        self.calls.append(what)
        self.device.activity.note(f"{self.name}: is called, {what}")

    def _send(self, process: Process, screen: PlayedScreen, method: str, arguments: GLib.Variant | None) -> None:
        """Makes a call of a screen's owner from the loop, which can't wait for it. The device is not settled before it is answered."""
        device = self.device
        device.activity.note(f"{self.name}: calls {method} of {screen.path}")
        done = device.activity.begin(f"{method} of {screen.path}")

        def answered(_source: object, result: Gio.AsyncResult, _data: object = None) -> None:
            try:
                process.connection.call_finish(result)
            except GLib.Error as failure:
                refused = error(failure, f"{method} of {screen.path}")
                # A screen that is gone or another's by now is nothing wrong, and neither is a program that was killed.
                late = isinstance(refused, CallError) and refused.name in ("UnknownObject", "NotOwner", "StaleArguments")
                if not late and process is self._process:
                    device.activity.fail(refused)
            finally:
                done()

        process.connection.call(
            FLOWBUS, f"{INSTANCES}/{screen.instance}", f"{FLOWBUS}.Presentable", method, arguments, None,
            Gio.DBusCallFlags.NONE, int(device.timeout * 1000), None, answered, None)


def _act(screen: PlayedScreen, script: Script) -> None:
    """A script that may wait, in a thread of its own."""
    if script.after is not None:
        screen.wait(script.after)
    if script.does is not None:
        script.does(screen)
    elif script.shows:
        screen.show()
    if script.answers is not None:
        screen.finish(**(script.answers(screen) if callable(script.answers) else script.answers))


def _adapt(invocation: Gio.DBusMethodInvocation, values: tuple[Any, ...], answer: object) -> None:
    """Answers a guard's question."""
    _flow, step, arguments, _details = values
    match answer:
        case None | True:
            # As they came, but for the types, of which the declaration of the step decides.
            adapted = (step, arguments)
        case False:
            invocation.return_dbus_error(f"{FLOWBUS}.Error.Rejected", "the guard rejects the step")
            return
        case str():
            adapted = (answer, {})
        case (str() as name, Mapping() as values_of_step):
            adapted = (name, values_of_step)
        case _:
            raise DeviceError(
                f"a guard decided '{answer}': it returns True to let the step pass, False to reject it, or the name of another "
                "step, alone or in a tuple with a dict of its arguments")
    name, values_of_step = adapted
    invocation.return_value(GLib.Variant.new_tuple(GLib.Variant("s", name), dictionary(values_of_step)))


def _navigate(invocation: Gio.DBusMethodInvocation, answer: object) -> None:
    """Answers a navigator's question."""
    if answer is None:
        invocation.return_dbus_error(f"{FLOWBUS}.Error.Unhandled", "the navigator does not take the step")
        return
    contributors: list[tuple[str, str, dict[str, GLib.Variant]]] = []
    for contributor in answer if isinstance(answer, list) else [None]:
        match contributor:
            case (str() as kind, str() as name):
                options: Mapping[str, object] = {}
            case (str() as kind, str() as name, Mapping() as options):
                pass
            case _:
                raise DeviceError(
                    f"a navigator decided '{answer}': it returns a list of contributors, each a tuple such as "
                    "('screen', 'detail') or ('screen', 'detail', {'style': 'modal'}), or None for a step that it does not take")
        contributors.append((kind, name, {key: variant(value) for key, value in options.items()}))
    invocation.return_value(GLib.Variant("(a(ssa{sv}))", (contributors,)))
