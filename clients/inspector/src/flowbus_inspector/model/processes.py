# SPDX-License-Identifier: Apache-2.0
"""Who shows what: owners, the services that definitions name, open asks, and screens that were evicted."""

from dataclasses import dataclass, field

from gi.repository import GLib

from .names import PRESENTABLE
from .observed import Observed

# How many properties are read at the same time: 10,000 nodes are not asked at once.
AT_ONCE = 32


@dataclass(slots=True)
class Process:
    """A connection to the bus: its unique name, its process, its bus names, and what it owns."""

    name: str
    pid: int = 0
    names: list = field(default_factory=list)
    owned: list = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Service:
    """A bus name that definitions name, what it is for, and who owns it; empty if nobody does."""

    name: str
    roles: tuple
    owner: str


class Processes(Observed):
    """Reads them. Tells ``changed``."""

    def __init__(self, inspection):
        super().__init__()
        self._inspection = inspection
        self.processes, self.services = [], []
        # The paths with open asks, each with their number, and the paths of evicted screens.
        self.asks, self.evicted = {}, []
        self.is_searching, self.searched = False, False
        self._pids, self._owners, self._run = {}, {}, 0

    def read(self):
        """Reads owners and services again."""
        inspection = self._inspection
        owned = {}
        for node in inspection.recorder.nodes:
            if node.get_owner():
                owned.setdefault(node.get_owner(), []).append(node.get_path())
        roles = inspection.definitions.services
        self.processes = [Process(name, self._pids.get(name, 0), [], paths) for name, paths in owned.items()]
        self._put_names(roles)
        reads = inspection.reads
        if reads is None:
            return
        for name in owned:
            if name not in self._pids:
                reads.call_bus("GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)),
                               lambda values, failure, name=name: self._got_pid(name, values, failure))
        for name in roles:
            reads.call_bus("GetNameOwner", GLib.Variant("(s)", (name,)),
                           lambda values, failure, name=name: self._got_owner(name, values, failure, roles))

    def _got_pid(self, name, values, failure):
        self._pids[name] = 0 if failure else values[0]
        for process in self.processes:
            if process.name == name:
                process.pid = self._pids[name]
        self.tell("changed")

    def _got_owner(self, name, values, failure, roles):
        owner = "" if failure else values[0]
        if self._owners.get(name) != owner:
            self._owners[name] = owner
            self._put_names(roles)

    def _put_names(self, roles):
        self.services = [Service(name, tuple(words), self._owners.get(name, "")) for name, words in roles.items()]
        for process in self.processes:
            process.names = [it.name for it in self.services if it.owner == process.name]
        self.tell("changed")

    # What only Get says

    def search(self):
        """Looks at each node for open asks and eviction. No signal reports these."""
        self._run += 1
        run, reads = self._run, self._inspection.reads
        if reads is None:
            return
        waiting = [(node.get_path(), name) for node in self._inspection.recorder.nodes
                   for name in (("Asks",) if node.is_flow() else ("Asks", "Evicted"))]
        waiting.reverse()
        asks, evicted = {}, []
        self.is_searching = True
        under_way = 0

        def following():
            nonlocal under_way
            while waiting and under_way < AT_ONCE:
                path, name = waiting.pop()
                under_way += 1
                reads.property(path, PRESENTABLE, name,
                               lambda value, failure, path=path, name=name: got(path, name, value, failure))
            if not under_way:
                self.asks, self.evicted = asks, evicted
                self.is_searching, self.searched = False, True
                self.tell("changed")

        def got(path, name, value, failure):
            nonlocal under_way
            under_way -= 1
            if run != self._run:
                return
            if not failure and value:
                if name == "Asks":
                    asks[path] = value
                else:
                    evicted.append(path)
            following()

        following()
