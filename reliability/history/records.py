"""Reads what clients wrote, and makes of it the history of each object: operations with their times, answers and serials.

What needs no search is checked here: serials (S-10), answers to repeated tokens and that no step is taken twice (S-9).
"""

import collections
import json
import math

from checker import Rejection
from model import Operation, Seat, Stack

STACKS, SEATS = ("one", "two"), ("a", "b")
NEVER = math.inf


def load(folder):
    """The lines of each client, by its unique name. What a killed client wrote in part is left out."""
    logs = {}
    for path in sorted(folder.glob("client-*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
        if lines:
            logs[lines[0]["client"]] = lines
    return logs


class History:
    """What all clients saw."""

    def __init__(self, logs):
        self.logs = logs
        #: The navigations by their serials; when each was first seen; and when each client was seen to be gone.
        self.navigations, self.first_seen, self.gone = {}, {}, {}
        self.operations, self.reads = [], []
        #: Calls whose answers were lost with a process, and operations that another process answers than had taken them.
        self.lost = self.remembered = 0
        self.answered_by = {}
        for client, lines in logs.items():
            self.take_signals(client, lines)
        for client, lines in logs.items():
            self.take_operations(client, lines)
        self.attribute()
        self.count_remembered()

    # MARK: Signals

    def take_signals(self, client, lines):
        latest = 0
        for line in lines:
            if line["e"] == "gone":
                self.gone[line["who"]] = min(line["t"], self.gone.get(line["who"], NEVER))
            if line["e"] != "signal":
                continue
            serial = line["serial"]
            if serial <= latest:
                raise Rejection(f"client {client} saw the serial {serial} after {latest} (S-10)")
            latest = serial
            seen = {key: line[key] for key in ("sender", "step", "flow", "n", "contributors", "service")}
            if self.navigations.setdefault(serial, seen) != seen:
                raise Rejection(f"two clients saw different navigations {serial}: {seen} and {self.navigations[serial]}")
            self.first_seen[serial] = min(line["t"], self.first_seen.get(serial, NEVER))

    # MARK: Operations

    def take_operations(self, client, lines):
        operations = {}
        for line in lines:
            event, time = line["e"], line["t"]
            if event == "begin":
                operation = Operation(
                    line["op"], client, line["flow"], line["kind"], time, NEVER, optional=True, attempts=0)
                operations[line["op"]] = operation
                continue
            operation = operations.get(line.get("op"))
            if event == "call":
                operation.attempts += 1
            elif event == "lost":
                self.lost += 1
            elif event == "return":
                self.answered_by[operation.number] = line["service"]
                operation.value, operation.end, operation.optional = answer(line["value"]), time, False
            elif event == "unknown":
                # The process that got the call is dead.
                operation.end = time
            elif event == "again" and answer(line["value"]) != operation.value:
                raise Rejection(
                    f"a repeated token was answered with {line['value']}, and first so (S-9): {operation}")
        for operation in operations.values():
            if operation.value is None and operation.kind == "read" or operation.attempts == 0:
                continue
            if operation.end == NEVER:
                # All calls of a client reach flowbusd before those that another one makes after the bus said that it is gone.
                operation.end = self.gone.get(client, NEVER)
            (self.reads if operation.kind == "read" else self.operations).append(operation)
        end = self.logs[client][-1]["t"]
        for seat in SEATS:
            # When flowbusd learns that an owner is gone, no client can see; before it ends nothing can happen.
            self.operations.append(Operation(-1, client, "seats/" + seat, "gone", end, NEVER, optional=True))

    # MARK: Which signal belongs to which operation

    def attribute(self):
        steps = [operation for operation in self.operations if operation.flow in STACKS]
        by_number = {operation.number: operation for operation in steps}
        by_serial = {}
        for operation in steps:
            if operation.value and operation.value[1] == "navigated":
                serial = operation.serial = operation.value[0]
                if serial in by_serial:
                    raise Rejection(f"two operations were answered with one serial (S-10): {operation} and {by_serial[serial]}")
                by_serial[serial] = operation
        starts = collections.Counter()
        for serial, seen in sorted(self.navigations.items()):
            if seen["step"] == "start" and not seen["sender"]:
                starts[seen["flow"]] += 1
                if starts[seen["flow"]] > 1:
                    raise Rejection(f"the flow '{seen['flow']}' was started twice (D-3)")
                continue
            operation = by_serial.get(serial) or by_number.get(seen["n"]) or self.unanswered_back(serial, seen, steps)
            if not operation or operation.client != seen["sender"]:
                raise Rejection(f"nobody asked for the navigation {serial}: {seen}")
            if operation.flow != seen["flow"] or operation.kind != (seen["step"] or "back") or (
                    operation.kind != "back" and operation.number != seen["n"]):
                raise Rejection(f"the navigation {serial} is {seen}, and its operation is another: {operation}")
            if operation.serial not in (0, serial):
                raise Rejection(f"an operation was taken twice, as {operation.serial} and {serial} (S-9): {operation}")
            operation.serial = serial
            operation.contributors = tuple(map(tuple, seen["contributors"]))
            # Whoever saw the signal knows that it was taken by then.
            operation.end, operation.optional = min(operation.end, self.first_seen[serial]), False

    @staticmethod
    def unanswered_back(serial, seen, steps):
        """Back names no number: it is one without an answer between the navigations of its client before and after it."""
        mine = [operation for operation in steps if operation.client == seen["sender"]]
        place = next((index for index, operation in enumerate(mine) if operation.serial > serial), len(mine))
        while place and not mine[place - 1].serial:
            place -= 1
        for operation in mine[place:]:
            if operation.serial:
                return None
            if operation.kind == "back" and operation.flow == seen["flow"] and operation.value is None:
                return operation
        return None

    def count_remembered(self):
        """Operations with a serial below all that the process reported which answered them."""
        lowest = {}
        for serial, seen in self.navigations.items():
            lowest[seen["service"]] = min(serial, lowest.get(seen["service"], NEVER))
        for operation in self.operations:
            if operation.value is not None and operation.serial:
                self.remembered += operation.serial < lowest.get(self.answered_by[operation.number], 0)

    # MARK: Objects

    def objects(self):
        """The name, the first value and the operations of each object."""
        for flow in STACKS:
            reads = self.projections(flow, lambda value, flow=flow: tuple(map(tuple, value["stacks"][flow])))
            yield flow, Stack(flow, (("base", "base", None, None),)), self.of(flow) + reads
        for seat in SEATS:
            reads = self.projections("seats/" + seat, lambda value, seat=seat: value["owners"][seat])
            yield "seats/" + seat, Seat(), self.of("seats/" + seat) + reads

    def of(self, name):
        return [operation for operation in self.operations if operation.flow == name]

    def projections(self, name, value):
        """The reads of everything, as reads of one object."""
        return [
            Operation(read.number, read.client, name, "read", read.begin, read.end, value(read.value)) for read in self.reads]


def answer(value):
    """What a client was answered, as the model has it."""
    return tuple(value) if isinstance(value, list) else value
