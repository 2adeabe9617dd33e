"""The sequential model of the flows in flows.d, written from the rules: what each operation answers and leads to.

An object is a value and `apply`, which returns the value after an operation, or None where the operation can't have had the answer
that it had. Nothing here knows of processes, tokens or time.
"""

import dataclasses


@dataclasses.dataclass(eq=False)
class Operation:
    """One operation of a client, with all that anyone saw of it. Calls that repeat a token are one operation."""

    number: int
    client: str
    flow: str
    kind: str
    #: When the client made the first call, and by when the operation has had its effect; both in nanoseconds.
    begin: int
    end: int
    #: What the client was answered; None if it does not know.
    value: object = None
    #: The serial and the contributors of its navigation, where anyone saw them.
    serial: int = 0
    contributors: tuple | None = None
    #: Whether it may have had no effect at all.
    optional: bool = False
    #: How often it was called.
    attempts: int = 1

    def __str__(self):
        value = "nobody knows what" if self.value is None else self.value
        return (
            f"{self.begin / 1e9:.6f} to {self.end / 1e9:.6f}  {self.client} {self.kind} {self.number} on '{self.flow}': "
            f"{value}{f', serial {self.serial}' if self.serial else ''}")


def free(name, children):
    """The id of a new child (S-1)."""
    ids = {child[0] for child in children}
    number = 1
    while (result := name if number == 1 else f"{name}_{number}") in ids:
        number += 1
    return result


@dataclasses.dataclass(frozen=True)
class Stack:
    """A flow with `children = "stack"`: (id, name, n, instance) of each child, the oldest first."""

    flow: str
    children: tuple
    #: The serial of the latest navigation, and the highest instance that anyone saw.
    serial: int = 0
    instance: int = 0

    def apply(self, operation):
        if operation.kind == "read":
            return self.read(operation)
        kind, name, children = self.change(operation)
        if kind is None:
            is_answer = operation.value in (None, (0, "unhandled"))
            return self if is_answer and not operation.serial else None
        path = f"/{self.flow}/{name[0]}"
        if operation.value is not None and (operation.value[1] != "navigated" or operation.value[0] != operation.serial):
            return None
        if operation.serial and operation.serial <= self.serial:
            return None
        if operation.contributors not in (None, ((kind, name[1], path),)):
            return None
        return dataclasses.replace(self, children=children, serial=operation.serial or self.serial)

    def change(self, operation):
        """The contributor, the id and name of its child, and the children afterwards; no contributor where no rule matches."""
        children, n = self.children, operation.number
        match operation.kind:
            case "put" if children[-1][1] == "page":
                return "reuse", children[-1], (*children[:-1], (*children[-1][:2], n, children[-1][3]))
            case "add" | "put":
                child = (free("page", children), "page", n, None)
                return "screen", child, (*children, child)
            case "lock" if any(child[1] == "bolt" for child in children):
                return None, None, children
            case "lock":
                child = (free("bolt", children), "bolt", n, None)
                return "screen", child, (*children, child)
            case "wipe":
                return "pop", children[0], children[:1]
            case "back" if len(children) > 1:
                return "back", children[-1], children[:-1]
            case "back":
                return None, None, children
        raise ValueError(f"'{operation.kind}' is no operation on a stack")

    def read(self, operation):
        if len(operation.value) != len(self.children):
            return None
        children, highest = [], self.instance
        for child, seen in zip(self.children, operation.value):
            if child[:3] != seen[:3] or child[3] not in (None, seen[3]):
                return None
            # Instances increase, and are never used again (S-1).
            if child[3] is None:
                if seen[3] <= highest:
                    return None
                highest = seen[3]
            children.append(tuple(seen))
        return dataclasses.replace(self, children=tuple(children), instance=highest)


@dataclasses.dataclass(frozen=True)
class Seat:
    """A presentable with at most one owner (S-29), which loses it when its connection ends (S-30)."""

    owner: str = ""

    def apply(self, operation):
        client, value = operation.client, operation.value
        match operation.kind:
            case "read":
                return self if value == self.owner else None
            case "gone":
                return Seat() if self.owner == client else None
            case "claim" if self.owner in ("", client):
                return Seat(client) if value in (None, "done") else None
            case "claim":
                return self if value in (None, "AlreadyClaimed") else None
            case "release" if self.owner == client:
                # A call that is repeated finds that the first one has succeeded (D-4).
                repeated = operation.attempts > 1 and value == "NotOwner"
                return Seat() if value in (None, "done") or repeated else None
            case "release":
                return self if value in (None, "NotOwner") else None
        raise ValueError(f"'{operation.kind}' is no operation on a seat")
