"""Mistakes of a service, made in what clients wrote: each has to be rejected, wherever it is made.

A mutation changes a copy of the logs at a place that a random number chooses, and returns it; None if no place fits. It chooses places
where no other order can explain what it writes.
"""

import copy

from records import NEVER, STACKS, History


def reads(logs):
    """Three reads in a row of one client, with when the first call of the second was made, in all logs."""
    for client, lines in logs.items():
        begun, done = {}, []
        for line in lines:
            if line["e"] == "begin" and line["kind"] == "read":
                begun[line["op"]] = line["t"]
            elif line["e"] == "return" and line["op"] in begun:
                done.append((begun[line["op"]], line))
        for first, second, third in zip(done, done[1:], done[2:]):
            yield client, first[1], second, third[1]


def acknowledged(logs):
    """By when each operation had had its effect, as far as clients know."""
    history = History(logs)
    return {operation.number: NEVER if operation.optional else operation.end for operation in history.operations}


def settled(logs, needs_change=False):
    """Places in a read with a page that was there before it began and is there after it."""
    known = acknowledged(logs)
    for _, first, (begin, second), third in reads(logs):
        for flow in STACKS:
            value, later = second["value"]["stacks"][flow], third["value"]["stacks"][flow]
            for index, child in enumerate(value):
                if child[2] and child in later and known.get(child[2], NEVER) < begin:
                    if not needs_change or child not in first["value"]["stacks"][flow]:
                        yield first, second, flow, index


def chosen(places, random):
    places = list(places)
    return random.choice(places) if places else None


def lost_step(logs, random):
    """A read lacks a page that is there."""
    logs = copy.deepcopy(logs)
    if not (place := chosen(settled(logs), random)):
        return None
    _, read, flow, index = place
    del read["value"]["stacks"][flow][index]
    return logs


def doubled_step(logs, random):
    """A read has a page twice, as if its step had been taken twice."""
    logs = copy.deepcopy(logs)
    if not (place := chosen(settled(logs), random)):
        return None
    _, read, flow, index = place
    value = read["value"]["stacks"][flow]
    ids = {child[0] for child in value}
    twice = next(id for id in (f"{value[index][1]}_{number}" for number in range(2, 10**6)) if id not in ids)
    value.append([twice, *value[index][1:3], value[-1][3] + 1])
    return logs


def doubled_signal(logs, random):
    """A step that has navigated navigates once more, later."""
    logs = copy.deepcopy(logs)
    signals = [line for lines in logs.values() for line in lines if line["e"] == "signal" and line["sender"]]
    if not (signal := chosen(signals, random)):
        return None
    latest = max(line["serial"] for line in signals)
    lines = next(lines for lines in logs.values() if any(line is signal for line in lines))
    lines.append({**signal, "t": lines[-1]["t"] + 1, "serial": latest + 1})
    return logs


def reordered_pages(logs, random):
    """Two pages have changed places."""
    logs = copy.deepcopy(logs)
    places = list(settled(logs))
    known = {(id(read), flow, index) for _, read, flow, index in places}
    pairs = [(read, flow, index) for _, read, flow, index in places if (id(read), flow, index + 1) in known]
    if not (place := chosen(pairs, random)):
        return None
    read, flow, index = place
    value = read["value"]["stacks"][flow]
    value[index][2], value[index + 1][2] = value[index + 1][2], value[index][2]
    return logs


def reordered_steps(logs, random):
    """Of two steps, the later one has the smaller serial, and nobody saw a signal of them."""
    logs = copy.deepcopy(logs)
    history = History(logs)
    steps = sorted(
        (operation for operation in history.operations
         if operation.flow in STACKS and operation.value and operation.serial and operation.kind != "back"),
        key=lambda operation: operation.end)
    # An answer ends the operation now, not a signal.
    returns = {line["op"]: line for lines in logs.values() for line in lines if line["e"] == "return"}
    pairs = [
        (before, after) for before, after in zip(steps, steps[1:])
        if before.flow == after.flow and before.serial < after.serial and returns[before.number]["t"] < after.begin]
    if not (pair := chosen(pairs, random)):
        return None
    serials = {pair[0].serial, pair[1].serial}
    for client, lines in logs.items():
        logs[client] = [line for line in lines if line["e"] != "signal" or line["serial"] not in serials]
        for line in logs[client]:
            for one, other in (pair, pair[::-1]):
                if line["e"] in ("return", "again") and line["op"] == one.number:
                    line["value"] = [other.serial, "navigated"]
    return logs


def stale_read(logs, random):
    """A read returns what an earlier one returned, before a step that was answered meanwhile."""
    logs = copy.deepcopy(logs)
    if not (place := chosen(settled(logs, needs_change=True), random)):
        return None
    first, read, flow, _ = place
    read["value"]["stacks"][flow] = first["value"]["stacks"][flow]
    return logs


def taken_though_locked(logs, random):
    """A second lock is answered with 'navigated'."""
    logs = copy.deepcopy(logs)
    serials = [line["serial"] for lines in logs.values() for line in lines if line["e"] == "signal"]
    kinds = {line["op"]: line["kind"] for lines in logs.values() for line in lines if line["e"] == "begin"}
    answers = [
        line for lines in logs.values() for line in lines
        if line["e"] == "return" and line["value"] == [0, "unhandled"] and kinds[line["op"]] == "lock"]
    if not serials or not (place := chosen(answers, random)):
        return None
    place["value"] = [max(serials) + 1, "navigated"]
    return logs


def forgotten_token(logs, random):
    """A call that is repeated with its token gets another answer."""
    logs = copy.deepcopy(logs)
    answers = [
        (lines, line) for lines in logs.values() for line in lines
        if line["e"] == "return" and isinstance(line["value"], list) and line["value"][1] == "navigated"]
    if not (place := chosen(answers, random)):
        return None
    lines, line = place
    lines.append({"t": lines[-1]["t"] + 1, "e": "again", "op": line["op"], "value": [line["value"][0] + 1, "navigated"]})
    return logs


def unasked_navigation(logs, random):
    """A client sees a navigation that no client made."""
    logs = copy.deepcopy(logs)
    signals = [line for lines in logs.values() for line in lines if line["e"] == "signal" and line["sender"]]
    if not (signal := chosen(signals, random)):
        return None
    lines = next(lines for lines in logs.values() if any(line is signal for line in lines))
    serial = max(line["serial"] for line in signals) + 1
    lines.append({**signal, "t": lines[-1]["t"] + 1, "serial": serial, "n": 7 if signal["n"] else None, "sender": ":1.999"})
    return logs


MUTATIONS = (
    lost_step, doubled_step, doubled_signal, reordered_pages, reordered_steps, stale_read, taken_though_locked, forgotten_token,
    unasked_navigation)
