# SPDX-License-Identifier: Apache-2.0
"""A program with screens, guards and navigators, by decorators."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from gi.repository import Gio, GLib

from ._error import Refused, typelib
from ._pending import Pending, when_returned
from ._screen import Flowbus, Screen, cancel_step, finish, verdict
from ._variant import dictionary, variant
from ._verdict import Verdict

Function = TypeVar("Function", bound=Callable[..., object])
_log = logging.getLogger("flowbus")
_TREE = "/org/flowbus/Navigation1/tree"
# Annotations are strings in modules with the future import.
_PLAIN_TYPES: Mapping[object, tuple[type, ...]] = {
    "int": (int,), "float": (float, int), "str": (str,), "bool": (bool,),
    int: (int,), float: (float, int), str: (str,), bool: (bool,)}


# The presenters of a program that have started share one client: none of them ends the program while another one has a screen or
# a question.
_sharing: list[Presenter] = []


class Question:
    """A step about which this program is asked, as a guard or a navigator. ``native`` is the Flowbus.Question."""

    def __init__(self, native: Any) -> None:
        self.native = native

    @property
    def flow(self) -> str:
        return str(self.native.get_flow())

    @property
    def step(self) -> str:
        return str(self.native.get_step())

    @property
    def arguments(self) -> Mapping[str, Any]:
        value = self.native.get_arguments()
        return dict(value.unpack()) if value is not None else {}

    @property
    def sender(self) -> str:
        """The unique name of the client that the step comes from; empty if it is flowbusd."""
        return str(self.native.get_sender() or "")

    @property
    def presentable(self) -> str:
        """The object path of what the step was emitted on."""
        return str(self.native.get_presentable() or "")

    @property
    def is_interactive(self) -> bool:
        """Whether the user may be asked."""
        return bool(self.native.get_interactive())


@dataclass(frozen=True)
class BackPeek:
    """What Back would do: ``kind`` is ``"dismiss"``, ``"step"``, ``"hidden"`` or ``"unhandled"``."""

    kind: str
    goes: int | None = None
    """The instance that would go."""
    reveals: str = ""
    """The object path of what that would uncover."""
    step: str = ""
    """The step that a flow would take."""

    @classmethod
    def wrap(cls, value: tuple[str, Any]) -> BackPeek:
        kind, details = value
        known = {field.name for field in fields(cls)}
        return cls(kind, **{name: of for name, of in (details.unpack() if details is not None else {}).items() if name in known})


class Presenter:
    """A program of this bus name: what it shows, checks and decides.

    Functions are registered by decorators, and called with the arguments of the screen or step that they name as parameters.
    Nothing happens before ``run`` or ``start``.
    """

    def __init__(self, bus_name: str, *, object_path: str | None = None, exit_when_idle: bool = True) -> None:
        """``object_path`` is for definitions that give a ``path``; by default it follows from the name.

        With ``exit_when_idle``, ``run`` ends when the program shows no screen any more, by none of its presenters; the bus starts
        it again.
        """
        if not _is_bus_name(bus_name):
            raise ValueError(f"'{bus_name}' is no bus name: give one such as 'org.example.Shop'")
        if object_path is not None and not GLib.Variant.is_object_path(object_path):
            raise ValueError(f"'{object_path}' is no object path: give one such as '/org/example/Shop'")
        self.bus_name = bus_name
        self._object = {} if object_path is None else {"object_path": object_path}
        self._exits_when_idle = exit_when_idle
        self._screens: dict[str, Callable[..., object]] = {}
        self._saving: set[str] = set()
        self._guards: dict[str, Callable[..., object]] = {}
        self._navigators: dict[str, Callable[..., object]] = {}
        self._native: list[Any] = []
        self._client: Any = None
        self._closed_handler = 0
        self._loop: Any = None
        self._status = 0

    # What the program does.

    def screen(self, *names: str, saves_widgets: bool = False) -> Callable[[Function], Function]:
        """Registers the function that shows these screens.

        It gets the screen, and the screen's arguments by their names. It returns a Gtk.Window, another widget that is part of a
        window, or nothing if it shows the screen in its own way and calls ``screen.show()``. A coroutine may take its time. flowbusd is
        answered when there is something to see, or the function returns nothing, with the title that the screen has by then.

        An exception says that the screen can't be shown now: flowbusd has it shown again after a pause, until its patience is over.
        ``flowbus.Refused`` says that this program never will.

        With ``saves_widgets``, what the user entered in widgets with a name is saved, and is there again in the next process.
        """
        if saves_widgets:
            self._saving.update(names)
        return _register(self._screens, names, "screen")

    def guard(self, *steps: str) -> Callable[[Function], Function]:
        """Registers the function that decides whether a flow takes these steps; without steps, all that it is asked about.

        It gets the question, and the step's arguments by their names. It returns True or nothing to let the step pass, False to
        reject it, or another step: its name, or a tuple of its name and arguments.
        """
        return _register(self._guards, steps or ("",), "guard")

    def navigator(self, *steps: str) -> Callable[[Function], Function]:
        """Registers the function that decides where these steps lead; without steps, all that it is asked about.

        It returns a list of contributors, each a tuple such as ``("screen", "detail", {"style": "modal"})``, or None for a step
        that the flow does not take.
        """
        return _register(self._navigators, steps or ("",), "navigator")

    # What the program runs.

    @property
    def client(self) -> Any:
        """The Flowbus.Client, once the program has started."""
        if self._client is None:
            raise RuntimeError(f"the presenter '{self.bus_name}' has not started: call run() or start() before")
        return self._client

    def start(self) -> None:
        """Connects to the session bus, and takes the bus name, in the main loop that runs or will run."""
        if self._client is not None:
            raise RuntimeError(f"the presenter '{self.bus_name}' has started already")
        self._client = _sharing[0].client if _sharing else Flowbus.Client.new()
        _sharing.append(self)
        self._closed_handler = self._client.connect("closed", self._on_closed)
        # A second program of the name would wait in the queue otherwise, and nobody would know why nothing is shown.
        presenter = Flowbus.Presenter(
            client=self._client, bus_name=self.bus_name, name_flags=Gio.BusNameOwnerFlags.DO_NOT_QUEUE, **self._object)
        presenter.set_exit_when_idle(self._exits_when_idle)
        presenter.connect("present", self._on_present)
        presenter.connect("idle", lambda _presenter: self.quit())
        presenter.connect("lost-name", self._on_lost_name)
        self._native = [presenter]
        if self._guards:
            guard = Flowbus.Guard(client=self._client, bus_name=self.bus_name, **self._object)
            guard.connect("adapt", self._on_adapt)
            self._native.append(guard)
        if self._navigators:
            navigator = Flowbus.Navigator(client=self._client, bus_name=self.bus_name, **self._object)
            navigator.connect("navigate", self._on_navigate)
            self._native.append(navigator)

    def run(self) -> int:
        """Serves until the program shows no screen any more, or ``quit`` is called. Returns the exit status."""
        self.start()
        self._loop = GLib.MainLoop()
        self._loop.run()
        self.close()
        return self._status

    def quit(self, status: int = 0) -> None:
        """Ends ``run``."""
        self._status = status
        if self._loop is not None:
            self._loop.quit()

    def close(self) -> None:
        """Gives the bus name back. Screens that it still shows are withdrawn."""
        for native in reversed(self._native):
            native.close()
        self._native = []
        if self._client is not None:
            self._client.disconnect(self._closed_handler)
        self._client = None
        self._loop = None
        if self in _sharing:
            _sharing.remove(self)

    @property
    def screens(self) -> list[Screen]:
        """The screens that it shows."""
        return [Screen(native) for native in self._native[0].list_screens()] if self._native else []

    def emit(
        self, path: str, step: str, options: Mapping[str, object] | None = None, /, **arguments: object
    ) -> Pending[Verdict]:
        """Emits a step on any flow or screen, such as ``shop/list``. The options are those of EmitStepWithOptions: with
        ``{"input": False}`` the step is no input of a person, and keeps no flow from being idle."""
        pending: Pending[Verdict] = Pending(f"the step '{step}' on '{path}'")
        client = self.client  # The presenter has none any more after close(), and the step may still be under way then.
        client.emit_async(
            _full(path), step, dictionary(arguments), None if options is None else dictionary(options), None, finish(pending, lambda result: verdict(client.emit_finish(result))))
        return pending

    def cancel_step(self, path: str, token: str) -> Pending[None]:
        """Takes back a step that still waits at a flow or screen: its verdict was "deferred", and it was not taken yet. ``token`` is
        the option "token" of ``emit``: ``{"token": "wifi-1"}``. Fails with InvalidArguments if no such step waits there."""
        return cancel_step(self.client, _full(path), token)

    def back(self, path: str, goes: int | None = None) -> Pending[Verdict]:
        """Goes back at any flow or screen, such as ``shop``. With ``goes`` of ``peek_back``, it dismisses nothing else."""
        pending: Pending[Verdict] = Pending(f"Back on '{path}'")
        client, options = self.client, None if goes is None else GLib.Variant("a{sv}", {"goes": GLib.Variant("t", goes)})
        client.back_async(_full(path), options, None, finish(pending, lambda result: verdict(client.back_finish(result))))
        return pending

    def peek_back(self, path: str) -> Pending[BackPeek]:
        """Asks what Back would do now at a flow or screen, for instance to show whether it leads anywhere."""
        pending: Pending[BackPeek] = Pending(f"PeekBack on '{path}'")
        client = self.client
        client.peek_back_async(_full(path), None, finish(pending, lambda result: BackPeek.wrap(client.peek_back_finish(result))))
        return pending

    def tree(self, path: str) -> Pending[Any]:
        """The presentables below a flow, and the flow itself, as a Flowbus.Tree. ``await`` gives it when flowbusd has told what is
        there, so a window that shows it is not empty at first. It is empty while there is no such flow."""
        pending: Pending[Any] = Pending(f"the tree of '{path}'")
        tree = Flowbus.Tree.new_for_client(self.client, _full(path))

        def loaded(*_change: object) -> None:
            if tree.get_loaded():
                tree.disconnect(handler)
                pending.succeed(tree)

        handler = tree.connect("notify::loaded", loaded)
        loaded()
        return pending

    # What libflowbus calls.

    def _on_present(self, _presenter: object, native: Any) -> None:
        screen = Screen(native)
        name = screen.name
        function = self._screens.get(name)
        if function is None:
            known = ", ".join(f"'{each}'" for each in self._screens) or "none"
            native.refuse(f"'{self.bus_name}' has no function for the screen '{name}'; it has {known}")
            return
        what = f"the function of the screen '{name}'"
        try:
            try:
                fitting = _fitting(function, screen.arguments)
            except TypeError as error:
                raise Refused(str(error)) from None
            returned = function(screen, **fitting)
        except Exception as error:
            self._fail(native, what, error)
            return
        if inspect.iscoroutine(returned):
            native.hold()

            def shown(value: object, error: BaseException | None) -> None:
                if not native.is_live():
                    # It was dismissed meanwhile, so nobody would ever close its window.
                    if error is not None:
                        _log.error("%s failed: %s", what, error)
                    elif hasattr(value, "destroy"):
                        value.destroy()
                    return
                if error is None:
                    error = self._bind(native, value)
                if error is None:
                    native.accept()
                else:
                    self._fail(native, what, error)

            when_returned(returned, shown, what)
        elif (problem := self._bind(native, returned)) is not None:
            self._fail(native, what, problem)

    def _fail(self, native: Any, what: str, error: BaseException) -> None:
        if isinstance(error, Refused):
            message = f"{what} refuses it: {error}"
            _log.error("%s", message)
            answer = native.refuse
        else:
            message = f"{what} failed: {error}"
            _log.error("%s", message, exc_info=error if error.__traceback__ else None)
            answer = native.fail
        if native.is_live():
            answer(message)

    def _bind(self, native: Any, value: object) -> Exception | None:
        """Binds what the function of a screen returned; returns why that can't be."""
        if value is None:
            return None
        gtk = sys.modules.get("gi.repository.Gtk")
        if gtk is None or not isinstance(value, gtk.Widget):
            return Refused(f"it returned '{value}', and no Gtk.Window, no other Gtk.Widget, and not None")
        try:
            binding = typelib("FlowbusGtk4", "gir1.2-flowbusgtk4-1")
        except ImportError as error:
            return error
        if isinstance(value, gtk.Window):
            binding.screen_bind_window(native, value)
        else:
            binding.screen_bind_widget(native, value)
        if native.get_name() in self._saving:
            binding.screen_save_widgets(native, value)
        return None

    def _on_adapt(self, _guard: object, native: Any) -> None:
        def decided(answer: object) -> None:
            match answer:
                case None | True:
                    native.accept()
                case False:
                    native.reject("the guard rejects the step")
                case str():
                    native.replace(answer, None)
                case (str() as step, Mapping() as arguments):
                    native.replace(step, dictionary(arguments))
                case _:
                    raise TypeError(
                        f"it returned '{answer}': a guard returns True to let the step pass, False to reject it, or the name of "
                        "another step, alone or in a tuple with a dict of its arguments")

        self._decide(self._guards, native, "guard", decided)

    def _on_navigate(self, _navigator: object, native: Any) -> None:
        def decided(answer: object) -> None:
            if answer is None:
                native.reject("the navigator does not take the step")
                return
            contributors: list[tuple[str, str, dict[str, Any]]] = []
            for contributor in answer if isinstance(answer, list) else [None]:
                match contributor:
                    case (str() as kind, str() as name):
                        contributors.append((kind, name, {}))
                    case (str() as kind, str() as name, Mapping() as options):
                        contributors.append((kind, name, {key: variant(value) for key, value in options.items()}))
                    case _:
                        raise TypeError(
                            f"it returned '{answer}': a navigator returns a list of contributors, each a tuple such as "
                            "('screen', 'detail') or ('screen', 'detail', {'style': 'modal'}), or None for a step that it does not "
                            "take")
            native.contribute(GLib.Variant("a(ssa{sv})", contributors))

        self._decide(self._navigators, native, "navigator", decided)

    def _decide(
            self, functions: Mapping[str, Callable[..., object]], native: Any, kind: str,
            decided: Callable[[object], None]) -> None:
        question = Question(native)
        function = functions.get(question.step) or functions.get("")
        if function is None:
            native.fail(f"'{self.bus_name}' has no {kind} for the step '{question.step}'")
            return
        what = f"the {kind} of '{question.step}'"

        def returned(answer: object, error: BaseException | None) -> None:
            try:
                if error is not None:
                    raise error
                decided(answer)
            except Exception as problem:
                _log.error("%s failed: %s", what, problem, exc_info=problem if problem.__traceback__ else None)
                if not native.is_answered():
                    native.fail(f"{what} failed: {problem}")

        try:
            answer = function(question, **_fitting(function, question.arguments))
        except Exception as error:
            returned(None, error)
        else:
            when_returned(answer, returned, what)

    def _on_lost_name(self, _presenter: object, message: str) -> None:
        _log.error("%s", message)
        self.quit(1)

    def _on_closed(self, _client: object, error: Any) -> None:
        _sharing.clear()
        _log.error("there is no connection to the bus: %s", error.message if error is not None else "it was closed")
        self.quit(1)


def _full(path: str) -> str:
    return path if path.startswith("/org/") else f"{_TREE}/{path.strip('/')}"


def _register(table: dict[str, Callable[..., object]], names: tuple[str, ...], kind: str) -> Callable[[Function], Function]:
    if any(callable(name) for name in names):
        raise TypeError(f"the decorator needs parentheses: @….{kind}('name')")
    if not names:
        raise TypeError("the decorator needs the name of at least one screen")

    def register(function: Function) -> Function:
        for name in names:
            if name in table:
                subject = f"'{name}'" if name else "all steps"
                raise ValueError(f"there is a {kind} for {subject} already, the function '{getattr(table[name], '__name__', '?')}'")
            table[name] = function
        return function

    return register


def _fitting(function: Callable[..., object], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments that a function has parameters for, behind its first one; the types of plain annotations are checked."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return values
    fitting = {}
    for parameter in parameters:
        if parameter.name in values:
            value = values[parameter.name]
            kinds = _PLAIN_TYPES.get(parameter.annotation)
            if kinds is not None and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
                raise TypeError(
                    f"it wants '{parameter.name}' as '{kinds[0].__name__}', but '{value}' is of the type '{type(value).__name__}'")
            fitting[parameter.name] = value
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
            given = ", ".join(f"'{name}'" for name in values) or "none"
            raise TypeError(f"it has a parameter '{parameter.name}', but there is no such argument; given are {given}")
    return fitting


def _is_bus_name(name: str) -> bool:
    return bool(Gio.dbus_is_name(name)) and not name.startswith(":")
