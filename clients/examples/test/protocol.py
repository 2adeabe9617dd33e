"""What a program of Wayland says with WAYLAND_DEBUG=1: which of its windows has the pointer, and where.

A compositor shows a window in its new place when the program has drawn it for that, and no event of sway's tells. The program knows
where the pointer is in the window, so a test that has moved it sees there whether the click would be where it is meant.
"""

import glob
import re


def said(pattern):
    """A pattern of what a program says. An object is wl_surface@7, since libwayland 1.23 wl_surface#7."""
    return re.compile(pattern.replace("@", "[@#]"))


# Each process begins with this. One that was killed has said nothing of its end.
BEGIN = said(r"-> wl_display@1\.get_registry\(new id wl_registry@2\)")
SURFACE = said(r"-> xdg_wm_base@\d+\.get_xdg_surface\(new id xdg_surface@(\d+), wl_surface@(\d+)\)")
TOPLEVEL = said(r"-> xdg_surface@(\d+)\.get_toplevel\(new id xdg_toplevel@(\d+)\)")
APP_ID = said(r'-> xdg_toplevel@(\d+)\.set_app_id\("([^"]*)"\)')
ENTER = said(r" wl_pointer@\d+\.enter\(\d+, wl_surface@(\d+), ([\d.-]+), ([\d.-]+)\)")
DESTROY = said(r"-> wl_surface@(\d+)\.destroy\(")
LEAVE = said(r" wl_pointer@\d+\.leave\(")
MOTION = said(r" wl_pointer@\d+\.motion\(\d+, ([\d.-]+), ([\d.-]+)\)")


class Pointer:
    """The pointer, as the programs see it whose output goes to these files, one for each program; a pattern names them."""

    def __init__(self, pattern):
        self._pattern, self._programs = pattern, {}

    def read(self):
        """The application id of the window with the pointer, and the place in it; None if none has it."""
        for file in glob.glob(self._pattern):
            self._programs.setdefault(file, Program(file))
        # One that the pointer has left may learn that later, and one that was killed says nothing any more.
        return max((it.read() for it in self._programs.values()), key=lambda it: it[0], default=(0, None))[1]


class Program:
    """What one program after the other says into a file."""

    def __init__(self, file):
        self._lines, self._rest = open(file, encoding="utf-8", errors="replace"), ""
        self._surfaces, self._toplevels, self._names = {}, {}, {}
        self._surface, self._place, self._time = None, None, 0.0

    def read(self):
        """When the pointer moved in a window; and the application id of the window and the place in it, or None if none has it."""
        self._rest += self._lines.read()
        *lines, self._rest = self._rest.split("\n")
        for line in lines:
            self._take(line)
        return (self._time, (self._names.get(self._surface), *self._place)) if self._place else (0.0, None)

    def _take(self, line):
        if found := SURFACE.search(line):
            self._surfaces[found[1]] = found[2]
        elif found := TOPLEVEL.search(line):
            self._toplevels[found[2]] = self._surfaces[found[1]]
        elif found := APP_ID.search(line):
            self._names[self._toplevels[found[1]]] = found[2]
        elif found := ENTER.search(line):
            self._surface, self._place, self._time = found[1], (float(found[2]), float(found[3])), time_of(line)
        elif LEAVE.search(line):
            self._place = None
        elif BEGIN.search(line):
            self._place = None
        elif found := DESTROY.search(line):
            # There is no leave, and the next window can have its number.
            if found[1] == self._surface:
                self._place = None
        elif (found := MOTION.search(line)) and self._place:
            self._place, self._time = (float(found[1]), float(found[2])), time_of(line)


def time_of(line):
    """When a line was said, in milliseconds of a clock that all programs have."""
    return float(line[1:].partition("]")[0])
