# SPDX-License-Identifier: Apache-2.0
"""A file of ``flowbusctl record``: what the service of a device said, in place of the device."""

import re

from gi.repository import GLib

from .facts import Facts
from .names import FLOW, HISTORY, PRESENTABLE, PROPERTIES, ROOT, arguments_text
from .reads import BUS_READS, READS, Failure

OPENING = "flowbus-recording 1"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
INSTANCE = f"{ROOT}/instance/"
# A text in quotes, in which a control character is its number, or a word without any.
WORD = re.compile(r' *(?:"((?:[^"\\]|\\\{[0-9a-f]+\}|\\[^{])*)"|([^ "]+))')
ESCAPED = re.compile(r"\\(?:\{([0-9a-f]+)\}|(.))")


class RecordingError(Exception):
    """A file that can't be read, and where."""


class Words:
    """The words of a line, and the values that they are: a signature, then the value, as busctl writes it."""

    def __init__(self, line):
        self._line, self._at = line, 0

    def is_at_end(self):
        """Whether there are no more."""
        return not self._line[self._at:].strip()

    def word(self):
        """The next one."""
        found = WORD.match(self._line, self._at)
        if found is None:
            raise ValueError("a word is missing")
        self._at = found.end()
        quoted, word = found.groups()
        return word if quoted is None else ESCAPED.sub(lambda it: chr(int(it[1], 16)) if it[1] else it[2], quoted)

    def values(self):
        """The number of values, then each of them."""
        return tuple(self._variant() for _ in range(int(self.word())))

    def _variant(self):
        signature = self.word()
        if not signature or not GLib.Variant.is_signature(signature) or end_of(signature, 0) != len(signature):
            raise ValueError(f"'{signature}' is no type of a value")
        return self._value(signature)

    def _value(self, signature):
        kind = signature[0]
        if kind == "v":
            return self._variant()
        if kind == "a":
            count = int(self.word())
            if signature[1] == "{":
                return dict(self._members(signature[2:-1]) for _ in range(count))
            return [self._value(signature[1:]) for _ in range(count)]
        if kind == "(":
            return self._members(signature[1:-1])
        word = self.word()
        return word if kind in "sog" else word == "true" if kind == "b" else float(word) if kind == "d" else int(word)

    def _members(self, signatures):
        members, at = [], 0
        while at < len(signatures):
            end = end_of(signatures, at)
            members.append(self._value(signatures[at:end]))
            at = end
        return tuple(members)


def end_of(signatures, at):
    """Where the first type of these ends."""
    depth = 0
    while True:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(signatures[at], 0)
        at += 1
        if depth == 0 and signatures[at - 1] != "a":
            return at


class RecordedNode:
    """A flow or screen as it was when the recording was made. It has the members of a Flowbus.Node that the past asks for."""

    def __init__(self, path, interfaces):
        known = {**interfaces.get(PRESENTABLE, {}), **interfaces.get(FLOW, {})}
        self._path, self._is_flow, self._known = path, FLOW in interfaces, known
        current = known.get("Current", "/")
        self.facts = Facts(
            arguments_text(known.get("Arguments", {})), True, known.get("Visible", False), known.get("Presented", False),
            known.get("InSight", False), "" if current == "/" else current, known.get("Owner", ""), known.get("Title", ""),
            known.get("Output", ""), known.get("Ready", True), known.get("Waiting", ""))

    def get_path(self):
        """The object path."""
        return self._path

    def get_parent_path(self):
        """The path of the flow above."""
        return self._known.get("ParentFlow", "/")

    def get_name(self):
        """The name of the screen, or of the definition of the flow."""
        return self._known.get("Name", "")

    def is_flow(self):
        """Whether it is a flow."""
        return self._is_flow

    def get_instance(self):
        """The number of the instance."""
        return self._known.get("Instance", 0)

    def get_style(self):
        """The style."""
        return self._known.get("Style", "")

    def get_owner(self):
        """The unique name of the owner."""
        return self.facts.owner

    def get_presented(self):
        """Whether it was presented."""
        return self.facts.presented


class Recording:
    """The answers, by the calls, and who the owners were."""

    def __init__(self, file):
        self.file, self.answers, self.owners = file, {}, {}
        try:
            with open(file, encoding="utf-8") as stream:
                lines = stream.read().split("\n")
        except (OSError, UnicodeError) as error:
            raise RecordingError(f"can't read '{file}': {getattr(error, 'strerror', None) or error}") from None
        number = 1
        try:
            if not lines[0].startswith(f"{OPENING} "):
                raise ValueError(f"this is no recording: it has to begin with '{OPENING} SINCE TIME'")
            self.since, self.time = map(int, lines[0].removeprefix(OPENING).split())
            for number, line in enumerate(lines[1:-2], 2):
                self._read(Words(line))
            number = len(lines) - 1
            if lines[-2:] != ["end", ""]:
                raise ValueError("the last line has to be 'end'; a part of the file is missing")
        except (ValueError, OverflowError, RecursionError) as error:
            raise RecordingError(f"'{file}', line {number}: {error}") from None

    def _read(self, words):
        kind = words.word()
        if kind == "owner":
            name = words.word()
            self.owners[name] = words.word()
        elif kind == "answer":
            call = words.word(), words.word(), words.word()
            arguments = words.values()
            self.answers[(*call, repr(arguments))] = words.values()
        else:
            raise ValueError(f"'{kind}' is neither 'owner', 'answer' nor 'end'")
        if not words.is_at_end():
            raise ValueError("there is more in the line than was expected")

    def answer(self, path, interface, member, *arguments):
        """What was answered to a call; None if it was not made."""
        return self.answers.get((path, interface, member, repr(arguments)))

    @property
    def navigations(self):
        """The entries of GetHistory, the oldest first."""
        return [entry for (_, interface, member, _), values in self.answers.items()
                if (interface, member) == (HISTORY, "GetHistory") for entry in values[0]]

    @property
    def nodes(self):
        """The tree: parents before children, in the order of siblings."""
        nodes = [RecordedNode(path, interfaces) for path, interfaces in
                 (self.answer(ROOT, OBJECTS, "GetManagedObjects") or [{}])[0].items() if PRESENTABLE in interfaces]
        children, ordered = {}, []
        for node in nodes:
            children.setdefault(node.get_parent_path(), []).append(node)
        waiting = children.get("/", [])[::-1]
        while waiting:
            ordered.append(waiting.pop())
            waiting += children.get(ordered[-1].get_path(), [])[::-1]
        return ordered


class RecordedReads:
    """Answers reads as :class:`~.reads.Reads` does, from a recording. What it does not have fails."""

    def __init__(self, recording):
        self._recording, self._instances = recording, {node.get_path(): node.get_instance() for node in recording.nodes}
        self._is_open = True

    def call(self, interface, member, values=None, path=ROOT, done=None):
        """Calls a method, and later ``done(values, failure)``, of which one is None."""
        if (interface, member) not in READS:
            raise ValueError(f"'{interface}.{member}' is none of the calls that only read")
        arguments = values.unpack() if values else ()
        if member == "GetHistory":
            answer = [entry for entry in self._recording.navigations if entry[0] > arguments[0]], False
        elif (interface, member) == (PROPERTIES, "Get"):
            answer = self._property(path, *arguments)
        else:
            answer = self._recording.answer(path, interface, member, *arguments)
        self._tell(answer, member, done)

    def _property(self, path, interface, name):
        all_values = self._recording.answer(path, PROPERTIES, "GetAll", interface)
        if all_values and name in all_values[0]:
            return (all_values[0][name],)
        return self._recording.answer(f"{INSTANCE}{self._instances.get(path)}", PROPERTIES, "Get", interface, name)

    def call_bus(self, member, values, done):
        """The same for a method of the bus: who had a name, as far as it is known."""
        if member not in BUS_READS:
            raise ValueError(f"'{member}' is none of the calls that only read")
        (name,) = values.unpack()
        if member == "GetConnectionUnixProcessID":
            process = re.match(r"pid (\d+)", self._recording.owners.get(name, ""))
            answer = (int(process[1]),) if process else None
        else:
            answer = next(((owner,) for owner, text in self._recording.owners.items() if text == name), None)
        self._tell(answer, member, done)

    def property(self, path, interface, name, done):
        """Reads one property."""
        self.call(PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name)), path,
                  lambda values, failure: done(None if failure else values[0], failure))

    def close(self):
        """Nothing is told any more."""
        self._is_open = False

    def _tell(self, answer, member, done):
        failure = None if answer is not None else Failure("", f"the recording has no answer to '{member}'")

        def tell():
            if done and self._is_open:
                done(answer, failure)
            return GLib.SOURCE_REMOVE

        GLib.idle_add(tell)
