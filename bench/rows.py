"""The rows of the table that are calls, and their goals."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A call that is counted."""

    name: str
    text: str
    # The row of load.c, how many are under way at a time, and the counts of the two runs: whole windows.
    call: str
    window: int
    few: int
    many: int
    # Instructions of one call: the goal, and what the floor cost when the goal was set.
    goal: int
    old_floor: int
    # The steps or flows in one call, each of which is counted.
    units: int = 1
    # The same for system calls.
    system_goal: float = 0
    old_system_floor: float = 0
    # Options of the floor.
    floor: tuple = ()

    # Beside few calls, what is done by the clock or for memory counts for too much.
    @property
    def counts_system_calls(self):
        """Whether enough is done that the system calls of one call (of a step, of a flow) can be told."""
        return (self.many - self.few) * self.units >= 300

    @property
    def compares_system_calls(self):
        """Whether so many calls are made that chance is less than 2 % of their system calls."""
        return self.many - self.few >= 300


CALLS = {
    row.name: row
    for row in [
        Row("none", "EmitStep, `none`", "none", 64, 256, 1280, 33_000, 41_489, system_goal=3.3, old_system_floor=6.0),
        Row("pair", "add / drop a screen, mean", "pair", 64, 256, 1280, 58_000, 80_715),
        Row("child", "a child flow opens / ends, mean", "child", 64, 256, 1280, 60_000, 81_121),
        Row("screen", "pop + screen", "screen", 64, 256, 1280, 90_000, 124_308),
        Row("parent", "hand on to the parent", "parent", 64, 256, 1280, 55_000, 71_107),
        Row("visible", "SetVisible", "visible", 64, 256, 1280, 26_000, 31_067),
        Row("steps", "EmitSteps of 16, a step", "steps", 64, 64, 448, 18_000, 26_923, units=16),
        Row("navigate", "Navigate, a flow of 1,001", "navigate", 1, 1, 7, 15_000, 20_863, units=1001),
        Row("objects", "GetManagedObjects, 1,000 nodes", "objects", 1, 1, 5, 5_000_000, 49_900_000,
            floor=("--objects",)),
        Row("guard-1", "guarded step, 1 waiting", "guard", 1, 64, 576, 90_000, 84_000),
        Row("guard-16", "guarded step, 16 waiting", "guard", 16, 64, 576, 90_000, 84_000),
        Row("guard-256", "guarded step, 256 waiting", "guard", 256, 256, 768, 90_000, 84_000),
    ]
}


@dataclass(frozen=True)
class CoreRow:
    """A call of core-bench or library-bench, which has no floor and no goal: nobody feels what it costs."""

    name: str
    text: str
    call: str
    few: int
    many: int
    units: int = 1
    program: str = "core-bench"


CORE = {
    row.name: row
    for row in [
        CoreRow("core-none", "FlowCore alone: `none`", "none", 100, 1100),
        CoreRow("core-none-1000", "FlowCore alone: `none` beside 1,000 flows", "none-among-flows", 100, 1100),
        CoreRow("core-contribute-10", "FlowCore alone: contribute among 10 siblings", "contribute-among-few", 1, 51),
        CoreRow("core-contribute", "FlowCore alone: contribute among 450 siblings", "contribute", 1, 51),
        CoreRow("core-forward", "FlowCore alone: a navigation of a forward", "forward", 100, 1100, units=2),
        CoreRow("core-deep-link", "FlowCore alone: a deep-link delivery", "deep-link", 2, 6, units=1001),
        CoreRow("library-awaited", "The library in one process: a step, awaited (RxFlow: 207,900)", "awaited", 100, 600,
                program="library-bench"),
        CoreRow("library-adapt", "The same with an `adapt` that returns at once", "adapt", 100, 600, program="library-bench"),
        CoreRow("library-screen", "The same for a new screen (RxFlow: 405,700)", "screen", 100, 200, program="library-bench"),
        CoreRow("library-burst-100", "The same for each of 200 steps at once", "burst", 100, 200, program="library-bench"),
        CoreRow("library-burst-800", "The same for each of 900 steps at once", "burst", 800, 900, program="library-bench"),
    ]
}


@dataclass(frozen=True)
class Peer:
    """A service by another library with the messages of EmitStep, for comparison: it has no goal."""

    name: str
    text: str
    # Python has few calls: each takes a millisecond even without callgrind.
    few: int
    many: int


PEERS = {
    peer.name: peer
    for peer in [
        Peer("gdbus", "EmitStep, `none`, by GDBus in C", 256, 1280),
        Peer("pygobject", "EmitStep, `none`, by GDBus in Python", 64, 192),
        Peer("dbus-next", "EmitStep, `none`, by dbus-next in Python", 64, 192),
    ]
}
