# SPDX-License-Identifier: Apache-2.0
"""How long screens took until they were visible, beside their budgets."""

import math
from dataclasses import dataclass, field

SAMPLES = 200
# How many bars there are between a value and ten times that value.
BARS = 12


@dataclass(slots=True)
class Timing:
    """The times of a screen and a start, in microseconds, since the service started."""

    screen: str
    start: str
    count: int
    median: int
    p90: int
    p99: int
    maximum: int
    latest: int
    budget: int = 0
    # The latest values that the inspector has seen, the oldest first.
    samples: list = field(default_factory=list)

    @property
    def judgement(self):
        """How the times stand to the budget: "kept", "mostly", "missed", or "" without a budget."""
        if not self.budget:
            return ""
        if self.maximum <= self.budget:
            return "kept"
        return "mostly" if self.p90 <= self.budget else "missed"

    @property
    def judgement_text(self):
        """The same in words."""
        return {
            "kept": "always within its budget", "mostly": "9 of 10 within the budget, not all",
            "missed": "more than 1 of 10 is over the budget"}.get(self.judgement, "no budget")


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a histogram: from, to, and its height, 1 for the highest."""

    low: float
    high: float
    height: float


class Timings:
    """The timings of all screens, as they were read again and again."""

    def __init__(self):
        self._known = {}

    def read(self, rows, budgets):
        """Takes what GetTimings returned, and the budgets by screen. Returns the timings, sorted."""
        found = {}
        for screen, start, count, *rest in rows:
            timing = Timing(screen, start, count, *rest, budget=budgets.get(screen, 0))
            before = self._known.get((screen, start))
            if before and before.count <= count:
                timing.samples = before.samples
            if not before or count != before.count:
                timing.samples = [*timing.samples, timing.latest][-SAMPLES:]
            found[screen, start] = timing
        self._known = found
        return [found[key] for key in sorted(found)]


def is_exact(timing):
    """Whether each value is known: the service keeps percentiles alone, but the inspector may have seen all values."""
    return len(timing.samples) >= timing.count > 0


def histogram(timing, low, high):
    """The bars between two values, on a logarithmic scale.

    They count the values if all of them are known. Otherwise they are what the percentiles say: within each part between two of
    them, the values are spread evenly; the part below the median begins at the smallest known value.
    """
    width = 10 ** (1 / BARS)
    count = round(math.log(high / low, width))
    weights = [0.0] * count

    def at(value):
        return min(max(math.log(max(value, low) / low, width), 0), count - 1e-9)

    if is_exact(timing):
        for sample in timing.samples:
            weights[int(at(sample))] += 1
    elif timing.count:
        least = min([timing.median / 2, *timing.samples]) if timing.median < timing.maximum else timing.median
        edges = [least, timing.median, timing.p90, timing.p99, timing.maximum]
        for first, last, share in zip(edges, edges[1:], (0.5, 0.4, 0.09, 0.01)):
            begin, end = at(first), max(at(last), at(first))
            for bar in range(int(begin), int(end) + 1):
                part = min(end, bar + 1) - max(begin, bar)
                weights[bar] += share * (part / (end - begin) if end > begin else 1)
    top = max(weights, default=0)
    return [Bar(low * width ** bar, low * width ** (bar + 1), weight / top) for bar, weight in enumerate(weights) if weight]


def scale_of(timings):
    """The range of all values and budgets, on round powers: from, to."""
    values = [value for it in timings for value in (it.median / 2, it.maximum, it.budget) if value > 0]
    if not values:
        return 1e3, 1e6
    low, high = 10 ** math.floor(math.log10(min(values))), 10 ** math.ceil(math.log10(max(values) * 1.05))
    return low, max(high, low * 10)


def place(value, low, high):
    """Where a value is on the scale, 0 to 1."""
    return min(max(math.log(max(value, low) / low) / math.log(high / low), 0), 1)
