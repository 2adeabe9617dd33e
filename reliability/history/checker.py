"""Decides whether there is one order of operations that explains what clients saw: whether a history is linearisable.

The search is that of Wing and Gong, made just in time as Lowe describes it ("Testing for linearizability", 2017): it goes through the
beginnings and ends of operations in the order of time, and keeps every configuration that is still possible: which of the open
operations have had their effect, and the value of the object. Configurations that are equal are kept once. An operation has its
effect as late as possible: only when the end of an operation needs it.

An optional operation, of which nobody knows whether it was taken, has its effect before its end, or never.
"""


class Rejection(Exception):
    """There is no such order; the message says why."""


def check(operations, value):
    """Checks the history of one object.

    Returns the most configurations that were possible at a time.
    Raises Rejection at the first end of an operation that no order explains.
    """
    events = sorted(
        [(operation.begin, 0, operation.number, operation) for operation in operations]
        + [(operation.end, 1, operation.number, operation) for operation in operations], key=lambda event: event[:3])
    configurations, open_operations, most, past = {(frozenset(), value)}, [], 1, []
    for _, is_end, _, operation in events:
        if not is_end:
            open_operations.append(operation)
            continue
        if operation.optional:
            # Those in which it had its effect, and those in which it never has.
            reached = set()
            for configuration in configurations:
                reached.add(configuration)
                reached.update(taking(operation, configuration, open_operations))
        else:
            reached = {
                after for configuration in configurations for after in taking(operation, configuration, open_operations)}
        if not reached:
            raise Rejection(describe(operation, configurations, open_operations, past))
        open_operations.remove(operation)
        past.append(operation)
        configurations = {(taken - {operation}, value) for taken, value in reached}
        most = max(most, len(configurations))
    return most


def taking(operation, start, open_operations):
    """The configurations in which an operation has had its effect, with as few others before it as its order needs."""
    found, seen, waiting = set(), {start}, [start]
    while waiting:
        taken, value = waiting.pop()
        if operation in taken:
            found.add((taken, value))
            continue
        for other in open_operations:
            if other in taken:
                continue
            after = value.apply(other)
            if after is None:
                continue
            configuration = (taken | {other}, after)
            if configuration not in seen:
                seen.add(configuration)
                waiting.append(configuration)
    return found


def describe(operation, configurations, open_operations, past):
    """What a person needs to see why a history is rejected."""
    lines = ["no order of the operations explains the end of this one:", f"    {operation}", "after these:"]
    lines += [f"    {before}" for before in past[-8:]]
    lines += ["while these were open:"] + [f"    {other}" for other in open_operations if other is not operation]
    lines += ["with one of these values:"] + [f"    {value}" for _, value in list(configurations)[:8]]
    return "\n".join(lines)


def judge(history):
    """Checks the history of each object. Returns the most configurations that were possible at a time."""
    most = 0
    for name, value, operations in history.objects():
        try:
            most = max(most, check(operations, value))
        except Rejection as rejection:
            raise Rejection(f"'{name}': {rejection}") from None
    return most
