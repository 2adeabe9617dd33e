# SPDX-License-Identifier: Apache-2.0
"""The log: what happened, a line each."""

from dataclasses import dataclass

from .names import arguments_text, ident, short
from .observed import Observed

# The kinds, and the words of the filter.
KINDS = {
    "navigation": "Navigations", "failure": "Failures", "change": "Changes", "announced": "Announced", "service": "Service",
    "emission": "Emissions"}
LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log."""

    kind: str
    time: int
    path: str
    title: str
    detail: str = ""
    serial: int = 0
    cause: int = 0
    sender: str = ""

    @property
    def searched(self):
        """The text in which the filter looks."""
        words = [self.title, self.detail, short(self.path), self.sender, str(self.serial or "")]
        return " ".join(words).casefold()


class Log(Observed):
    """The latest entries. Tells ``added`` with the new ones, and ``cleared``."""

    def __init__(self, limit=LIMIT):
        super().__init__()
        self.entries = []
        self.limit = limit

    def add(self, *entries):
        """Adds entries, and forgets the oldest when there are too many."""
        self.entries.extend(entries)
        if len(self.entries) > self.limit:
            del self.entries[:len(self.entries) - self.limit]
        self.tell("added", entries)

    def insert(self, entries):
        """Puts older entries before the others."""
        self.entries[:0] = entries
        self.tell("cleared")
        self.tell("added", tuple(self.entries))

    def clear(self):
        """Forgets all entries."""
        self.entries.clear()
        self.tell("cleared")


@dataclass(frozen=True, slots=True)
class Filter:
    """What is shown of the log: kinds, words that all occur, and the flow with what is below it."""

    kinds: frozenset = frozenset(KINDS)
    words: tuple = ()
    path: str = ""

    def passes(self, entry):
        """Whether the entry is shown."""
        if entry.kind not in self.kinds:
            return False
        if self.path and entry.path != self.path and not entry.path.startswith(self.path + "/"):
            return False
        return not self.words or all(word in entry.searched for word in self.words)


def words_of(text):
    """The words that are looked for."""
    return tuple(text.casefold().split())


def navigation_entry(time, path, serial, cause, sender, step, arguments, contributors, details):
    """The entry of a navigation, live or of the history."""
    title = step or "back"
    if arguments:
        title += f"  {arguments_text(arguments)}"
    led = [contributor_text(*contributor) for contributor in contributors]
    notes = ["deep link"] if details.get("deepLink") else []
    if details.get("adaptedFrom"):
        notes.append(f"a guard replaced '{details['adaptedFrom']}'")
    return Entry("navigation", time, path, title, " · ".join([*(led or ["nothing"]), *notes]), serial, cause, sender)


def failure_entry(time, path, cause, sender, step, verdict, error, message):
    """The entry of a step that nobody waited for, and that did not navigate."""
    name = verdict or ident(error.replace(".", "/"))
    return Entry("failure", time, path, step or "(no step)", f"{name}: {message}" if message else name, 0, cause, sender)


def contributor_text(kind, name, path, options):
    """A contributor in words."""
    given = arguments_text(options.get("arguments", {}))
    text = f"{kind} {name}".strip()
    if kind in {"screen", "flow"} and ident(path) != name:
        text += f" as {ident(path)}"
    return f"{text} {given}" if given else text
