# SPDX-License-Identifier: Apache-2.0
"""What a test does to a device: the calls of an ordinary client."""

from __future__ import annotations

import abc
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from gi.repository import Gio, GLib

from . import _values
from ._activity import Activity
from ._answers import Asked, Emission, Outcome, Verdict
from ._loop import Loop
from ._signals import Signals
from ._values import FLOWBUS, ROOT, dictionary, node_path, object_path

__tracebackhide__ = True  # pytest shows the line of the test instead.

Segment = tuple[str, str] | tuple[str, str, Mapping[str, object]]
COORDINATOR = f"{FLOWBUS}.Coordinator"


class Actions(abc.ABC):
    """The calls that change the tree. Before each of them the device settles, so that none comes too early."""

    timeout: float
    activity: Activity
    loop: Loop
    signals: Signals

    @abc.abstractmethod
    def settle(self, timeout: float | None = None) -> None:
        """Waits until nothing is under way."""

    @property
    @abc.abstractmethod
    def connection(self) -> Gio.DBusConnection:
        """The connection of the test itself."""

    @abc.abstractmethod
    def connect(self) -> Gio.DBusConnection:
        """Another connection to the same bus."""

    def emit(self, node: str, step: str, /, **arguments: object) -> Verdict:
        """Emits a step on a flow or screen, such as ``shop/list``, and returns the verdict."""
        return self.emit_with_options(node, step, arguments)

    def emit_with_options(
            self, node: str, step: str, arguments: Mapping[str, object] | None = None, /, *, token: str = "",
            instance: int | None = None, wait: bool = True, activation_token: str = "", interactive: bool = False,
            input: bool = True) -> Verdict:
        """Emits a step with the options of EmitStepWithOptions; ``interactive`` allows a guard to ask the user. Without ``input``, it
        is no input of a person, and keeps no flow from being idle."""
        self.settle()
        options: dict[str, object] = {} if wait else {"wait": False}
        if not input:
            options["input"] = False
        if token:
            options["token"] = token
        if instance is not None:
            options["instance"] = GLib.Variant("t", instance)
        if activation_token:
            options["activation-token"] = activation_token
        serial, verdict = self.call(
            object_path(node), f"{FLOWBUS}.Stepper", "EmitStepWithOptions", GLib.Variant.new_tuple(
                GLib.Variant("s", step), self.step_arguments(step, arguments or {}), dictionary(options)),
            interactive=interactive)
        return Verdict(verdict, serial)

    def cancel_step(self, node: str, token: str) -> None:
        """Takes back a step that waits at a flow or screen, by the token with which it was emitted there."""
        self.settle()
        self.call(object_path(node), f"{FLOWBUS}.Stepper", "CancelStep", GLib.Variant("(s)", (token,)))

    def begin_emit(self, node: str, step: str, /, **arguments: object) -> Emission:
        """Emits a step, and does not wait for the verdict: for one that a guard or navigator decides when the test says so."""
        self.settle()
        future: Future[Verdict] = Future()
        values = GLib.Variant.new_tuple(GLib.Variant("s", step), self.step_arguments(step, arguments))

        def answered(connection: Gio.DBusConnection, result: Gio.AsyncResult, _data: object = None) -> None:
            try:
                serial, verdict = connection.call_finish(result).unpack()
                future.set_result(Verdict(verdict, serial))
            except GLib.Error as failure:
                future.set_exception(_values.error(failure, f"the step '{step}' on '{node}'"))

        self.in_loop(lambda: self.connection.call(
            FLOWBUS, object_path(node), f"{FLOWBUS}.Stepper", "EmitStep", values, None, Gio.DBusCallFlags.NONE,
            int(self.timeout * 1000), None, answered, None))
        return Emission(future, step, self.timeout)

    def ask(self, node: str, step: str, /, **arguments: object) -> Asked:
        """Emits a step, and asks for the result of what it leads to."""
        self.settle()
        return self.ask_on(self.connection, object_path(node), step, arguments)

    def ask_on(self, connection: Gio.DBusConnection, path: str, step: str, arguments: Mapping[str, object]) -> Asked:
        token = str(uuid.uuid4())
        self.signals.expect_answer(connection)
        serial, verdict = _values.call(
            connection, FLOWBUS, path, f"{FLOWBUS}.Stepper", "EmitStepWithOptions", GLib.Variant.new_tuple(
                GLib.Variant("s", step), self.step_arguments(step, arguments), dictionary({"ask": True, "token": token})),
            timeout=self.timeout)
        return Asked(Verdict(verdict, serial), token, lambda wanted: self.signals.wait_answer(connection, wanted, self.timeout))

    def back(self, node: str) -> Verdict:
        """Goes back at a flow or a screen."""
        self.settle()
        serial, verdict = self.call(
            object_path(node), f"{FLOWBUS}.Stepper", "BackWithOptions", GLib.Variant("(a{sv})", ({},)))
        return Verdict(verdict, serial)

    def coordinate(
            self, flow: str, step: str = "", arguments: Mapping[str, object] | None = None, /, *, id: str = "",
            output: str = "") -> str:
        """Starts a flow as a root, by its initial step or another one with its arguments, and returns the path."""
        self.settle()
        options = {name: value for name, value in (("id", id), ("output", output)) if value}
        (path,) = self.call(
            ROOT, COORDINATOR, "Coordinate", GLib.Variant.new_tuple(
                GLib.Variant("s", flow), GLib.Variant("s", step), self.step_arguments(step, arguments or {}), dictionary(options)))
        return node_path(path)

    def retry(self) -> None:
        """Has flowbusd call at once the presenters that could not show their screens, where it would wait for a while: what they
        waited for is there. A pause of less than half a second ago lasts until then: wait for what follows."""
        self.settle()
        self.call(ROOT, COORDINATOR, "Retry")

    def navigate(self, step: str, /, **arguments: object) -> list[Outcome]:
        """Follows a deep link: emits a step on every flow."""
        self.settle()
        (outcomes,) = self.call(
            ROOT, COORDINATOR, "Navigate", GLib.Variant.new_tuple(
                GLib.Variant("s", step), self.step_arguments(step, arguments), dictionary({})))
        return _outcomes(outcomes)

    def navigate_along(self, segments: Sequence[Segment], /) -> list[Outcome]:
        """Follows a deep link along a path: for each flow its definition, a step or "", and the arguments of the step."""
        self.settle()
        members = GLib.Variant.new_array(GLib.VariantType("(ssa{sv})"), [
            GLib.Variant.new_tuple(
                GLib.Variant("s", flow), GLib.Variant("s", step), self.step_arguments(step, *(arguments or [{}])))
            for flow, step, *arguments in segments])
        # The test's own thread waits, but guards and navigators that it plays answer in theirs.
        (outcomes,) = self.call(
            ROOT, COORDINATOR, "NavigateAlong", GLib.Variant.new_tuple(members, dictionary({"blocks": False})))
        return _outcomes(outcomes)

    def show(self, node: str) -> None:
        """Reports a flow or screen without an owner as visible; among tabs, selects it."""
        self._set_visible(node, True)

    def hide(self, node: str) -> None:
        """Reports a flow or screen without an owner as no longer visible."""
        self._set_visible(node, False)

    def dismiss(self, node: str) -> None:
        """Dismisses a flow or screen that has no owner."""
        self.settle()
        self.call(object_path(node), f"{FLOWBUS}.Presentable", "Dismiss")

    def move(self, root: str, output: str) -> None:
        """Moves a root to another output."""
        self.settle()
        self.call(ROOT, COORDINATOR, "MoveRoot", GLib.Variant("(os)", (object_path(root), output)))

    def set_outputs(self, *outputs: str, sizes: Mapping[str, tuple[int, int]] | None = None) -> None:
        """Says which outputs there are, and how large: ``set_outputs("DP-1", sizes={"DP-1": (1280, 720)})``. The test has to own the
        bus name of ``[outputs] setter``."""
        self.settle()
        options = {} if sizes is None else {"sizes": GLib.Variant("a{s(uu)}", dict(sizes))}
        self.call(ROOT, COORDINATOR, "SetOutputsWithOptions", GLib.Variant("(asa{sv})", (outputs, options)))

    def reload(self) -> list[str]:
        """Reads the definition files again, and returns the warnings."""
        self.settle()
        (warnings,) = self.call(ROOT, COORDINATOR, "Reload")
        return list(warnings)

    def explain(self, node: str, step: str, /, **arguments: object) -> str:
        """What would become of a step, and why, for people."""
        self.settle()
        verdict, error_name, lines = self.call(
            object_path(node), f"{FLOWBUS}.Stepper", "Explain", GLib.Variant.new_tuple(
                GLib.Variant("s", step), self.step_arguments(step, arguments)))
        return "\n".join([verdict or error_name, *(f"  {line}" for line in lines)])

    def stack(self, output: str = "") -> list[str]:
        """The paths of the screens in sight, the lowest first."""
        self.settle()
        (screens,) = self.call(ROOT, COORDINATOR, "GetStack", GLib.Variant("(s)", (output,)))
        return [node_path(path) for path, _instance, _more in screens]

    def step_arguments(self, step: str, arguments: Mapping[str, object]) -> GLib.Variant:
        """The arguments in the types that the step declares."""
        types: Mapping[str, str] = {}
        if arguments:
            (steps,) = self.call(ROOT, COORDINATOR, "GetSteps")
            types = steps.get(step, {})
        return dictionary(arguments, types)

    def call(
            self, path: str, interface: str, method: str, arguments: GLib.Variant | None = None, *,
            interactive: bool = False) -> tuple[Any, ...]:
        """Calls flowbusd as the test itself: for what has no method here."""
        return _values.call(
            self.connection, FLOWBUS, path, interface, method, arguments, timeout=self.timeout, interactive=interactive)

    def in_loop(self, function: Callable[[], Any]) -> Any:
        """Calls a function in the thread in which answers arrive."""
        return self.loop.call(function)

    def _set_visible(self, node: str, visible: bool) -> None:
        self.settle()
        self.call(object_path(node), f"{FLOWBUS}.Presentable", "SetVisible", GLib.Variant("(b)", (visible,)))


def _outcomes(outcomes: list[tuple[str, int, str, str, str]]) -> list[Outcome]:
    return [
        Outcome(node_path(path), verdict, error.rpartition(".")[2], message)
        for path, _serial, verdict, error, message in outcomes]
