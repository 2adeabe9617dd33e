"""What each row of the table measures."""

import contextlib
import dataclasses
import re
import statistics

import harness
from harness import BUILD, TOP, Failure, callgrind, callgrind_with_slow_clock, difference, strace

# How often what is given as a time is repeated; the median counts.
REPETITIONS = 11
# A tree that is full (Limits.nodes), and one that has the same beside most of the nodes. main and its home are there anyway.
FULL, PART = 10_000 - 2, 1_000


class Line(dict):
    """A line of the table: the row, what was measured, and the goal, as far as there is each."""


def flowbusd(program):
    """What makes the command of a flowbusd without files."""
    return lambda address, place: harness.flowbusd(program, address)


def goal_of(goal, old_floor, floor):
    """The goal that holds: that of the day when it was set or, where the messages have grown, its ratio to the floor."""
    return max(goal, goal / old_floor * floor)


def call(row, bus, programs):
    """A call to flowbusd and to the floor."""
    commands = [flowbusd(programs["flowbusd"]), lambda *_: [programs["floor"], *row.floor]]
    figure, floor = (difference(row, bus, command, callgrind) for command in commands)
    line = Line(
        name=row.name, text=row.text, bus=bus, figure=figure, floor=floor, goal=row.goal,
        scaled=row.goal / row.old_floor * floor, met=figure <= goal_of(row.goal, row.old_floor, floor))
    if row.counts_system_calls:
        system, of_floor = (difference(row, bus, command, strace) for command in commands)
        calls, floor_calls = sum(system.values()), sum(of_floor.values())
        line.update(calls=calls, floor_calls=floor_calls, by_name=system)
        if row.system_goal:
            line["system_goal"] = row.system_goal
            line["met"] = line["met"] and calls <= goal_of(row.system_goal, row.old_system_floor, floor_calls)
    return [line]


def files(row, bus, programs):
    """A call to flowbusd with its files, beside one without."""
    program = programs["flowbusd"]

    def with_files(address, place):
        return harness.flowbusd(program, address, files=place)

    # The history is written when enough navigations have gathered, or after some time.
    without, figure = (
        difference(row, bus, command, callgrind_with_slow_clock) for command in (flowbusd(program), with_files))
    system = difference(row, bus, with_files, strace)
    line = Line(
        name="files", text="the same with files; as the floor, flowbusd without", bus=bus, figure=figure, floor=without,
        goal=1.03 * without, met=figure <= 1.03 * without, calls=sum(system.values()), by_name=system)
    return [line]


def peer(row, each, bus, programs):
    """The call of a row to a service by another library."""
    row = dataclasses.replace(row, few=each.few, many=each.many)
    figure, system = (difference(row, bus, lambda *_: [programs[each.name]], tool) for tool in (callgrind, strace))
    return [Line(name=each.name, text=each.text, bus=bus, figure=figure, calls=sum(system.values()), by_name=system)]


def core(row, programs):
    """A call of the state machine alone."""
    counted = []
    for count in (row.few, row.many):
        with harness.folder() as place:
            options, read = callgrind(place)
            harness.execute([*options, programs[row.program], row.call, count])
            counted.append(read())
    figure = (counted[1] - counted[0]) / (row.many - row.few) / row.units
    return [Line(name=row.name, text=row.text, figure=figure)]


def definitions(place, kind):
    """A folder of definitions: those of the example movies, or a thousand flows, each of which leads to the next."""
    if kind == "movies":
        return TOP / "examples" / "movies" / "flows.d"
    folder = place / "flows.d"
    folder.mkdir()
    for part in range(10):
        numbers = range(part * 100, part * 100 + 100)
        lines = ["version = 1", "[steps]"]
        for i in numbers:
            lines += [f'open_{i} = {{ number = "int64" }}', f"done_{i} = {{}}"]
        lines += ["[screens]", *(f'page_{i} = {{ arguments = {{ number = "int64" }} }}' for i in numbers)]
        lines += ["[[autostart]]", 'flow = "flow_0"'] if part == 0 else []
        for i in numbers:
            onward = f', {{ flow = "flow_{i + 1}" }}' if i < 999 else ""
            lines += [
                f"[flows.flow_{i}.on]", f'open_{i} = [{{ screen = "page_{i}" }}{onward}]', f"done_{i} = {{ end = true }}"]
        (folder / f"{part}.toml").write_text("\n".join(lines) + "\n")
    return folder


def start_instructions(place, address, command, program):
    """The instructions until the loop waits for clients."""
    # What it counted when it was told to end; the rest is in a file of its own.
    options = ["--dump-before=sd_event_exit", f"--callgrind-out-file={place / 'callgrind'}"]
    with harness.service(command(program), address, [*harness.CALLGRIND, *options]):
        pass
    if not (before := place / "callgrind.1").exists():
        raise Failure("flowbusd ended without sd_event_exit, before which the instructions of the start are counted")
    return int(re.search(r"^summary: (\d+)", before.read_text(), re.M).group(1))


def start_times(address, command):
    """The medians of the times until the name is owned, and until a call is answered, in ms."""
    lines = harness.execute([BUILD / "start", address, REPETITIONS, *command]).splitlines()
    return [statistics.median(int(line.split()[column]) for line in lines) / 1000 for column in (0, 1)]


@contextlib.contextmanager
def definitions_ready(kind):
    """What starts flowbusd with definitions: a folder, the address of a bus, and the command for a program."""
    with harness.folder() as place, harness.bus("dbus-daemon", place) as address:
        flows = definitions(place, kind)
        yield place, address, lambda program: harness.flowbusd(program, address, flows=flows)


@contextlib.contextmanager
def tree_ready(programs):
    """The same with a tree that is full, in files."""
    with harness.folder() as place, harness.bus("dbus-daemon", place) as address:

        def command(program):
            return harness.flowbusd(program, address, files=place)

        with harness.service(command(programs["installed"]), address):
            harness.load(address, "fill", FULL, 1)
        yield place, address, command


def start(name, text, kind, goal, time_goal, programs):
    """From exec until flowbusd owns its name: instructions, and time."""
    with definitions_ready(kind) as (place, address, command):
        counted = start_instructions(place, address, command, programs["flowbusd"])
        owned, _ = start_times(address, command(programs["installed"]))
    return [
        Line(name=name, text=text, figure=counted, goal=goal, met=counted <= goal),
        Line(name=name, text=f"{text}: time", figure=owned, unit="ms", goal=time_goal, met=owned <= time_goal),
    ]


def restore(name, text, time_goal, programs):
    """From exec until flowbusd answers, with a tree that is full. It owns its name before it restores."""
    with tree_ready(programs) as (place, address, command):
        counted = start_instructions(place, address, command, programs["flowbusd"])
        _, answered = start_times(address, command(programs["installed"]))
    return [
        Line(name=name, text=text, figure=counted),
        Line(name=name, text=f"{text}: time", figure=answered, unit="ms", goal=time_goal, met=answered <= time_goal),
    ]


def bytes_of_a_node(name, text, goal, programs):
    """The memory that the process has for itself, by the number of nodes."""
    used = []
    for count in (PART, FULL):
        with harness.folder() as place, harness.bus("dbus-daemon", place) as address:
            with harness.service(harness.flowbusd(programs["installed"], address), address) as process:
                harness.load(address, "fill", count, 1)
                used.append(process.private_memory())
    figure = (used[1] - used[0]) / (FULL - PART)
    return [Line(name=name, text=text, figure=figure, unit="bytes", goal=goal, met=figure <= goal)]


def size(name, text, goal, programs):
    """The size of the program as it is installed."""
    figure = programs["installed"].stat().st_size / 1e6
    return [Line(name=name, text=text, figure=figure, unit="MB", goal=goal, met=figure <= goal)]


# The rows that have a function of their own: what it needs, and the goals.
PROCESS = {
    "node": (bytes_of_a_node, "bytes a node, whole process", 500),
    "start-movies": (start, "exec → name owned, movies", "movies", 12_000_000, 7),
    "start-1000": (start, "exec → name owned, 1,000 flows of definitions", "thousand", 120_000_000, 40),
    "restore": (restore, "exec → first answer, restore of 10,000 nodes", 50),
    "size": (size, "binary, stripped, static", 14),
}


def process_instructions(name, programs):
    """The instructions of a start alone."""
    measure, _, *rest = PROCESS[name]
    with tree_ready(programs) if measure is restore else definitions_ready(rest[0]) as ready:
        return start_instructions(*ready, programs["flowbusd"])


def process(name, programs):
    """The figures of the process in a row."""
    measure, *rest = PROCESS[name]
    return measure(name, *rest, programs)
