# SPDX-License-Identifier: Apache-2.0
"""A screen that a program shows."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gi.repository import GLib

from ._error import converted, typelib
from ._pending import Pending
from ._variant import dictionary
from ._verdict import Verdict

Flowbus = typelib("Flowbus", "gir1.2-flowbus-1")
# The path of an instance means this screen, whatever is at its place in the tree later.
_INSTANCE = "/org/flowbus/Navigation1/instance"


class Answer(NamedTuple):
    """The answer to an ask: ``outcome`` is "result" if there are values, else why not, such as "back"."""

    outcome: str
    result: Mapping[str, Any]
    token: str
    native: Any

    def acknowledge(self) -> None:
        """Says that the answer was taken, and saved if it matters: it does not come again."""
        self.native.acknowledge()

    @classmethod
    def wrap(cls, native: Any) -> Answer:
        result = native.get_result()
        return cls(native.get_outcome(), result.unpack() if result is not None else {}, native.get_token(), native)


def finish(pending: Pending[Any], call: Callable[[Any], Any]) -> Callable[..., None]:
    """The callback of a call of libflowbus, which ends what is pending."""
    def called(_source: object, result: Any, *_data: object) -> None:
        try:
            value = call(result)
        except GLib.Error as error:
            pending.fail(converted(error, Flowbus.Error))
        else:
            pending.succeed(value)

    return called


def verdict(value: tuple[Any, int]) -> Verdict:
    word, serial = value
    return Verdict(Flowbus.Verdict(word).value_nick, serial)


def cancel_step(client: Any, path: str, token: str) -> Pending[None]:
    pending: Pending[None] = Pending(f"CancelStep of '{token}' on '{path}'")
    client.cancel_step_async(path, token, None, finish(pending, lambda result: _none(client.cancel_step_finish(result))))
    return pending


class Screen:
    """A screen that this program shows. ``native`` is the Flowbus.Screen."""

    def __init__(self, native: Any) -> None:
        self.native = native

    def __repr__(self) -> str:
        return f"<Screen {self.path}, instance {self.instance}>"

    @property
    def path(self) -> str:
        """The object path in the tree that it had when it was presented last."""
        return str(self.native.get_path())

    @property
    def instance(self) -> int:
        return int(self.native.get_instance())

    @property
    def name(self) -> str:
        return str(self.native.get_name())

    @property
    def style(self) -> str:
        return str(self.native.get_style() or "")

    @property
    def reason(self) -> str:
        """Why the screen was presented last: launch, recover, restore, update or return."""
        return str(self.native.get_reason())

    @property
    def output(self) -> str:
        return str(self.native.get_output() or "")

    @property
    def output_size(self) -> tuple[int, int] | None:
        """How large the output of its windows is, in the pixels of the compositor: width and height. None if that is not known."""
        is_known, width, height = self.native.get_output_size()
        return (int(width), int(height)) if is_known else None

    @property
    def arguments(self) -> Mapping[str, Any]:
        return _unpacked(self.native.get_arguments())

    @property
    def state(self) -> Mapping[str, Any]:
        """What was saved for the screen when it was presented last."""
        return _unpacked(self.native.get_state())

    @property
    def context(self) -> Mapping[str, Any]:
        """The values of the context that its declaration names, such as the language, as they are now."""
        return _unpacked(self.native.get_context())

    @property
    def is_live(self) -> bool:
        """Whether this program still shows it."""
        return bool(self.native.is_live())

    @property
    def is_in_sight(self) -> bool:
        """Whether nothing covers it. flowbusd tells this program of changes if the function of the screen asks; the first look
        after that may be answered with what was so when the screen was presented."""
        return bool(self.native.get_in_sight())

    @property
    def title(self) -> str:
        return str(self.native.get_title() or "")

    @title.setter
    def title(self, title: str) -> None:
        self.native.set_title(title)

    @property
    def back_step(self) -> str:
        """The step that Back takes in place of dismissing the screen; empty for none."""
        return str(self.native.get_back_step() or "")

    @back_step.setter
    def back_step(self, step: str) -> None:
        self.native.set_back_step(step or None)

    @property
    def ready(self) -> bool:
        """Whether what is to be seen is there. Set it to False in the function of the screen, for instance while a page is loaded: its
        window is shown, and the screen is not visible before this is True. A screen that is visible stays so."""
        return bool(self.native.get_ready())

    @ready.setter
    def ready(self, ready: bool) -> None:
        self.native.set_ready(ready)

    def show(self) -> None:
        """Reports that there is something to see. Windows and widgets that are bound do so by themselves."""
        self.native.set_visible(True)

    def hide(self) -> None:
        self.native.set_visible(False)

    def touch(self) -> None:
        """Reports input that is no step, so that the flow is not idle."""
        self.native.touch()

    def emit(self, step: str, options: Mapping[str, object] | None = None, /, **arguments: object) -> Pending[Verdict]:
        """Emits a step. It is on its way at once; ``await`` gives the verdict. The options are those of EmitStepWithOptions, such as
        ``{"input": False}`` for a step that is no input of a person."""
        pending: Pending[Verdict] = Pending(f"the step '{step}' of '{self.name}'")
        self.native.emit_with_options_async(
            step, dictionary(arguments), None if options is None else dictionary(options), None,
            finish(pending, lambda result: verdict(self.native.emit_with_options_finish(result))))
        return pending

    def ask(self, step: str, token: str | None = None, /, **arguments: object) -> Pending[Answer]:
        """Emits a step, and asks for the result of what it leads to. ``await`` gives the answer, when a person has given it.

        Save what matters, then call ``acknowledge`` of the answer. If this process ends before, the next one gets it by
        ``on_answer``. The token names the ask, as that of a call that is repeated; by default it is a new one.
        """
        pending: Pending[Answer] = Pending(f"the ask '{step}' of '{self.name}'")
        self.native.ask_async(
            step, dictionary(arguments), token or str(uuid.uuid4()), None,
            finish(pending, lambda result: Answer.wrap(self.native.ask_finish(result))))
        return pending

    def cancel_step(self, token: str) -> Pending[None]:
        """Takes back a step or an ask of this screen that still waits: its verdict was "deferred", and it was not taken yet. The
        token is that of ``ask``, or the option "token" of ``emit``. Fails with InvalidArguments if no such step waits."""
        return cancel_step(self.native.get_client(), f"{_INSTANCE}/{self.instance}", token)

    def back(self) -> Pending[Verdict]:
        """Goes back, as for a button of the window."""
        pending: Pending[Verdict] = Pending(f"Back of '{self.name}'")
        self.native.back_async(None, finish(pending, lambda result: verdict(self.native.back_finish(result))))
        return pending

    def save_state(self, state: Mapping[str, object] | None = None, /, **more: object) -> Pending[None]:
        """Saves what the user would lose with this process. The latest call counts, as a whole."""
        pending: Pending[None] = Pending(f"SaveState of '{self.name}'")
        self.native.save_state_async(
            dictionary({**(state or {}), **more}), None,
            finish(pending, lambda result: _none(self.native.save_state_finish(result))))
        return pending

    def finish(self, **result: object) -> Pending[None]:
        """Dismisses the screen with a result."""
        pending: Pending[None] = Pending(f"Finish of '{self.name}'")
        self.native.finish_with_result_async(
            dictionary(result), None, finish(pending, lambda done: _none(self.native.finish_with_result_finish(done))))
        return pending

    def dismiss(self) -> Pending[None]:
        """Dismisses the screen, as when the user closes its window. Windows that are bound do so by themselves."""
        pending: Pending[None] = Pending(f"Dismiss of '{self.name}'")
        self.native.dismiss_async(None, finish(pending, lambda result: _none(self.native.dismiss_finish(result))))
        return pending

    def fail(self, name: str, message: str = "") -> Pending[None]:
        """Dismisses the screen because the program has to give up, and says what failed: the name of an error, such as
        "com.example.Pay.Error.Declined", and its text. The flow gets both, and can tell it from a user who went away."""
        pending: Pending[None] = Pending(f"DismissWithOptions of '{self.name}'")
        self.native.dismiss_with_error_async(
            name, message or None, None, finish(pending, lambda result: _none(self.native.dismiss_with_error_finish(result))))
        return pending

    def on_update(self, function: Callable[[Screen], object]) -> None:
        """Calls a function when the screen has new arguments or another output."""
        self.native.connect("updated", lambda _native: function(self))

    def on_context(self, function: Callable[[Screen], object]) -> None:
        """Calls a function when a value of ``context`` is another one. The screen is not presented again for it."""
        self.native.connect("notify::context", lambda _native, _property: function(self))

    def on_return(self, function: Callable[[Screen], object]) -> None:
        """Calls a function when the screen comes in sight again."""
        self.native.connect("returned", lambda _native: function(self))

    def on_withdraw(self, function: Callable[[Screen, str], object]) -> None:
        """Calls a function with the reason when this program no longer shows the screen, whoever ended that."""
        self.native.connect("withdrawn", lambda _native, reason: function(self, reason))

    def on_save(self, function: Callable[[Screen], Mapping[str, object] | None]) -> None:
        """Calls a function for the state to save, before the screen is evicted."""
        def save(_native: object) -> Any:
            state = function(self)
            return None if state is None else dictionary(state)

        self.native.connect("save-state", save)

    def on_answer(self, function: Callable[[Screen, Answer], object]) -> None:
        """Calls a function with answers to what an earlier process asked."""
        self.native.connect("answered", lambda _native, answer: function(self, Answer.wrap(answer)))


def _unpacked(value: Any) -> Mapping[str, Any]:
    return dict(value.unpack()) if value is not None else {}


def _none(_value: object) -> None:
    return None
