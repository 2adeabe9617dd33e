# SPDX-License-Identifier: Apache-2.0
"""What a played program is called for: screens to show, and questions about steps."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gi.repository import Gio, GLib

from . import _values
from ._actions import Actions
from ._answers import Asked, Verdict
from ._errors import CallError, DeviceError
from ._values import FLOWBUS, INSTANCES, dictionary, node_path

__tracebackhide__ = True  # pytest shows the line of the test instead.

_EXITED = "org.flowbus.Run.Error.Exited"
_STEP = "org.flowbus.Run.Error.Step"


@dataclass(frozen=True)
class Call:
    """A call that a played program got."""

    method: str
    path: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""

    def __str__(self) -> str:
        arguments = "".join(f" {name}={value!r}" for name, value in self.arguments.items())
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.method} {self.path or self.name}{arguments}{reason}"


@dataclass(eq=False)
class Process:
    """A process of a played program, with the screens that it shows, by their instances."""

    name: str
    device: Actions
    connection: Gio.DBusConnection
    screens: dict[int, PlayedScreen] = field(default_factory=dict)


class PlayedScreen:
    """A screen that a played program shows. Its methods are the calls of the program that owns it."""

    def __init__(self, process: Process, instance: int) -> None:
        self._process = process
        self.instance = instance
        self.path = ""
        self.name = ""
        self.arguments: Mapping[str, Any] = {}
        self.details: Mapping[str, Any] = {}
        self.visible = False
        # The reason of Withdraw; empty as long as the program shows the screen.
        self.withdrawn = ""

    def __repr__(self) -> str:
        return f"<PlayedScreen {self.path} of {self._process.name}{', withdrawn: ' + self.withdrawn if self.withdrawn else ''}>"

    @property
    def reason(self) -> str:
        """Why Present was called last: launch, recover, restore, update or return."""
        return str(self.details.get("reason", ""))

    @property
    def style(self) -> str:
        return str(self.details.get("style", ""))

    @property
    def state(self) -> Mapping[str, Any]:
        """What was saved when Present was called last."""
        return dict(self.details.get("state", {}))

    @property
    def context(self) -> Mapping[str, Any]:
        """The values of the context that its declaration names, when Present was called last."""
        return dict(self.details.get("context", {}))

    @property
    def answers(self) -> list[tuple[str, str, Mapping[str, Any]]]:
        """The answers that came with Present: token, outcome, result."""
        return list(self.details.get("answers", []))

    def show(self) -> None:
        """Reports that the screen is visible."""
        self._call("Presentable", "SetVisible", GLib.Variant("(b)", (True,)))
        self.visible = True

    def hide(self) -> None:
        """Reports that the screen is no longer visible, as when its window is minimized."""
        self._call("Presentable", "SetVisible", GLib.Variant("(b)", (False,)))
        self.visible = False

    def close(self) -> None:
        """Dismisses the screen, as when the user closes its window."""
        self._leave("Dismiss")

    def fail(self, name: str, message: str = "") -> None:
        """Dismisses the screen, as a program does that has to give up. ``name`` is that of an error, such as
        "com.example.Pay.Error.Declined"; the flow gets it as ``$error``, and the message as ``$message``."""
        options: dict[str, object] = {"error": name, **({"message": message} if message else {})}
        self._leave("DismissWithOptions", GLib.Variant.new_tuple(dictionary(options)))

    def finish(self, **result: object) -> None:
        """Answers with a result, which also dismisses the screen."""
        self._leave("Finish", GLib.Variant.new_tuple(dictionary(result)))

    def exit(self, status: int = 0, *, output: str = "", errors: str = "") -> None:
        """Ends the command line of a screen with ``run``, after more than a second, as flowbus-run tells it: what ``exit`` says of the
        status. ``output`` is standard output, for a result, and ``errors`` standard error."""
        run = self.details.get("run")
        if run is None:
            raise DeviceError(f"'{self.path}' is no command line, as its screen has no 'run': close(), finish() and fail() end it")
        exits = run.get("exit", {})
        ending = exits.get(str(status), exits.get("other", "failed" if status else "result" if "result" in run else "closed"))
        message = f"'{run['command'][0]}' ended with the status {status}" + (f": {errors.rstrip()}" if errors else "")
        match ending:
            case "closed" | "done":
                self.close()
            case "result":
                self.finish(**_result(output, run["result"]))
            case "failed":
                self.fail(_EXITED, message)
            case _:
                known = {**self.arguments, "message": message}
                verdict = self.emit(ending["step"], **_filled(ending.get("arguments", {}), known))
                if self.withdrawn:
                    pass  # The step has led away from it.
                elif verdict in ("navigated", "pending"):
                    try:
                        self.close()
                    except CallError as error:
                        if error.name != "UnknownObject":
                            raise
                else:
                    self.fail(_STEP, f"the step of the status {status} was not taken: its verdict was '{verdict}'")

    def save_state(self, **state: object) -> None:
        """Saves what a later process gets as ``state``."""
        self._call("Presentable", "SaveState", GLib.Variant.new_tuple(dictionary(state)))

    def set_title(self, title: str) -> None:
        self._call("Presentable", "SetTitle", GLib.Variant("(s)", (title,)))

    def set_back_step(self, step: str) -> None:
        """Sets the step that Back takes in place of dismissing the screen; an empty one for none."""
        self._call("Presentable", "SetBackStep", GLib.Variant("(s)", (step,)))

    def touch(self) -> None:
        """Reports input that is no step, so that the flow is not idle."""
        self._call("Presentable", "Touch")

    def release(self) -> None:
        """Gives the screen up, as after a Withdraw with the reason ``evicted``."""
        self._leave("Release")

    def emit(self, step: str, /, **arguments: object) -> Verdict:
        """Emits a step as the owner of the screen: of two words, the verdict."""
        serial, verdict = self._call(
            "Stepper", "EmitStep", GLib.Variant.new_tuple(
                GLib.Variant("s", step), self._process.device.step_arguments(step, arguments)))
        return Verdict(verdict, serial)

    def ask(self, step: str, /, **arguments: object) -> Asked:
        """Emits a step, and asks for the result of what it leads to. The ask belongs to the screen."""
        return self._process.device.ask_on(self._process.connection, self._path, step, arguments)

    def acknowledge(self, token: str) -> None:
        """Says that an answer was taken."""
        self._call("Presentable", "AcknowledgeAnswer", GLib.Variant("(s)", (token,)))

    def back(self) -> Verdict:
        """Goes back, as by a button of the window."""
        serial, verdict = self._call("Stepper", "BackWithOptions", GLib.Variant("(a{sv})", ({},)))
        return Verdict(verdict, serial)

    def wait(self, event: threading.Event) -> None:
        """In a script: waits until the test sets the event. The device counts as settled meanwhile."""
        self._process.device.activity.wait_for_event(event, f"the script of '{self.name}'")

    @property
    def _path(self) -> str:
        return f"{INSTANCES}/{self.instance}"

    def _call(self, interface: str, method: str, arguments: GLib.Variant | None = None) -> tuple[Any, ...]:
        device = self._process.device
        device.activity.note(f"{self._process.name}: calls {method} of {self.path}")
        return _values.call(
            self._process.connection, FLOWBUS, self._path, f"{FLOWBUS}.{interface}", method, arguments, timeout=device.timeout)

    def _leave(self, method: str, arguments: GLib.Variant | None = None) -> None:
        """Calls what ends that the program shows the screen."""
        self._call("Presentable", method, arguments)
        self._process.screens.pop(self.instance, None)


def _result(output: str, types: Mapping[str, str]) -> Mapping[str, object]:
    """What a command line has printed, as flowbus-run reads it."""
    if len(types) == 1:
        ((name, signature),) = types.items()
        return {name: output.removesuffix("\n") if signature == "s" else json.loads(output)}
    return {name: value for name, value in json.loads(output).items() if value is not None}


def _filled(arguments: Mapping[str, object], known: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a step, with those of the screen in the place of ``$NAME``; one that is not there is left out."""
    filled: dict[str, object] = {}
    for name, value in arguments.items():
        if not isinstance(value, str) or not value.startswith("$"):
            filled[name] = value
        elif value.startswith("$$"):
            filled[name] = value[1:]
        elif value[1:] in known:
            filled[name] = known[value[1:]]
    return filled


class Question:
    """A step about which a guard or a navigator is asked."""

    def __init__(self, process: Process, flow: str, step: str, arguments: Mapping[str, Any], details: Mapping[str, Any]) -> None:
        self._process = process
        self.flow = node_path(flow)
        self.step = step
        self.arguments = arguments
        self.details = details

    @property
    def interactive(self) -> bool:
        """Whether the user may be asked."""
        return bool(self.details.get("interactive", False))

    @property
    def presentable(self) -> str:
        """The path of what the step was emitted on."""
        return node_path(str(self.details.get("presentable", "")))

    def wait(self, event: threading.Event) -> None:
        """Waits until the test sets the event. The device counts as settled meanwhile."""
        self._process.device.activity.wait_for_event(event, f"the {self._process.name} that is asked about '{self.step}'")
