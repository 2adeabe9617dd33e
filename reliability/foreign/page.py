"""page   Whether the table of docs/languages.md is what `run --page` has seen of D-Bus libraries last, and kept in seen.json."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(1, str(HERE))

import harness  # noqa: E402
from harness import Failure  # noqa: E402
from libraries import LIBRARIES  # noqa: E402

PAGE = harness.TOP / "docs" / "languages.md"
SEEN = HERE / "seen.json"


def cells(name, seen):
    """A line of the table."""
    def type_of(place):
        found = seen["numbers"][place] if seen["numbers"] else None
        return f"`{found}`" if found else "–"

    def word(value):
        return "–" if value is None else "yes" if value else "no"

    limit = "none" if seen["limit"] is None else f"{seen['limit']} s"
    return [name, seen["version"], type_of(0), type_of(1), word(seen["empty"]), word(seen["results"]), word(seen["restart"]),
            word(seen["alone"]), limit, seen["screen"]]


def table(kept):
    """The table of what is kept."""
    head = ["library", "version", "7", "2⁶³ + 1", "`{}`", "two results", "a restart", "a signal to it alone", "time limit", "screen"]
    rows = [head, ["---"] * len(head), *(cells(name, kept[name]) for name in (library.name for library in LIBRARIES) if name in kept)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("| ---", "|---").replace("--- |", "---|")


def parts(page):
    """What is before the table of the page, the table, and what is after it."""
    before, begin, rest = page.partition("<!-- libraries -->\n\n")
    found, end, after = rest.partition("<!-- end -->")
    if not begin or not end:
        raise Failure(f"{PAGE} has no place for the table")
    return before + begin, found, end + after


def check():
    """Fails if the page has another table."""
    if parts(PAGE.read_text())[1] != table(json.loads(SEEN.read_text())):
        raise Failure("the table of docs/languages.md is not what reliability/foreign/seen.json has; 'reliability/foreign/run --page' writes both")
    return 0


def write(seen):
    """Keeps what was seen of some libraries, and writes the table."""
    kept = (json.loads(SEEN.read_text()) if SEEN.exists() else {}) | seen
    before, _, after = parts(PAGE.read_text())
    SEEN.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    PAGE.write_text(before + table(kept) + after)


if __name__ == "__main__":
    harness.main(check)
