"""Displays that nobody sees, two on sway, labwc or X11 and one on cage: they start, crash, and say what is to be seen."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent.parent / "programs"
PAGES = {tuple(bytes.fromhex(colour)): page for page, colour in re.findall(
    r"window\.(\w+) \{ background: #(\w{6})", (PROGRAMS / "pages.css").read_text())}
WIDTH, HEIGHT = 640, 480
STAYS = 0.5  # s


class Displays:
    """What all kinds share. `variables` are those of programs with windows."""

    count = 2
    has_titles = True  # Whether anybody tells the titles of the windows in front.
    has_stacker = True  # Whether it lets a client raise windows.
    width, height = WIDTH, HEIGHT  # Of each.

    def __init__(self, folder):
        self.folder, self.processes, self.stacker = folder, [], None
        self.variables = {"GSK_RENDERER": "cairo", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1", "FLOWBUS_LINGER_MS": "300"}

    def spawn(self, *command, **variables):
        """Starts a process, and returns the first line that it prints."""
        with (self.folder / "displays.log").open("a") as log:
            process = subprocess.Popen(
                command, env={**os.environ, **self.variables, **variables}, stdout=subprocess.PIPE, stderr=log, text=True,
                start_new_session=True)
        self.processes.append(process)
        line = process.stdout.readline()
        assert line, f"{command[0]} has ended: {(self.folder / 'displays.log').read_text()}"
        return line.strip()

    def says_something(self):
        """Whether there is a text in the middle of each display."""
        lines = [self.colours(20, y, self.width - 40) for y in range(self.height // 4, self.height * 3 // 4, 8)]
        return [any(len(line[number]) > 1 for line in lines) for number in range(self.count)]

    def crash(self):
        """The compositor is killed, and with it all that is shown."""
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGKILL)  # The program that cage was started with would outlive it.
            process.wait()
        self.processes = []


class Wayland(Displays):
    """sway, with two outputs of its backend without hardware."""

    outputs = "HEADLESS-1", "HEADLESS-2"

    def __init__(self, folder):
        super().__init__(folder)
        runtime = Path(tempfile.mkdtemp())  # The path of a socket has to be short.
        self.own = {"XDG_RUNTIME_DIR": str(runtime), "WLR_BACKENDS": "headless", "WLR_HEADLESS_OUTPUTS": "2",
                    "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
        self.variables |= {"SWAYSOCK": str(runtime / "ipc"), "WAYLAND_DISPLAY": str(runtime / "wayland-1"), "GDK_BACKEND": "wayland"}
        (folder / "sway.conf").write_text(
            f"xwayland disable\noutput * mode {WIDTH}x{HEIGHT}\nexec echo up\n"
            f"output HEADLESS-1 position 0 0\noutput HEADLESS-2 position {WIDTH} 0\n")

    def start(self):
        """Starts it anew, at the same address."""
        Path(self.variables["SWAYSOCK"]).unlink(missing_ok=True)
        self.spawn("sway", "--config", str(self.folder / "sway.conf"), **self.own)

    def ask(self, *command):
        """What a program prints; nothing without a compositor."""
        return subprocess.run(command, env={**os.environ, **self.variables}, capture_output=True).stdout

    def windows(self):
        """The titles of the windows that are seen, by their outputs, the lowest first."""
        found = {it: [] for it in self.outputs}

        def visit(node, output):
            output = node["name"] if node["type"] == "output" else output
            if "shell" in node and node["visible"]:
                found[output].append(node["name"])
            for child in node["nodes"] + node["floating_nodes"]:
                visit(child, output)

        visit(json.loads(self.ask("swaymsg", "-r", "-t", "get_tree") or '{"type": "", "nodes": [], "floating_nodes": []}'), None)
        return [found[it] for it in self.outputs]

    def colours(self, x=10, y=10, width=1):
        """For each, the colours of a line of it; by default the one near the left upper corner."""
        picture = self.ask("grim", "-t", "ppm", "-")
        pixels = picture[picture.find(b"\n255\n") + 5:]
        begins = [y * 2 * WIDTH + number * WIDTH + x for number in range(2)]
        return [{tuple(pixels[3 * at:3 * at + 3]) for at in range(begin, begin + width)} for begin in begins]

    def shoot(self, file):
        """Takes a picture of both."""
        self.ask("grim", str(file))


class Labwc(Wayland):
    """labwc, which nobody can ask for its windows. It makes a window fullscreen where it is, so rules have it open on the right output."""

    has_titles = False
    width, height = 1280, 720  # Without a display of its own it has no other.

    def __init__(self, folder):
        super().__init__(folder)
        del self.variables["SWAYSOCK"], self.variables["WAYLAND_DISPLAY"]
        rules = "".join(f'<windowRule identifier="org.flowbus.screen.{root}.*"><action name="MoveToOutput" output="{output}"/></windowRule>'
                        for root, output in zip(("customer", "attendant"), self.outputs, strict=True))
        (folder / "rc.xml").write_text(f"<labwc_config><windowRules>{rules}</windowRules></labwc_config>")

    def start(self):
        own = {"WAYLAND_DISPLAY": ""}  # It is no window of the display that is to be there again.
        name = self.spawn("labwc", "--config-dir", str(self.folder), "--startup", "sh -c 'echo $WAYLAND_DISPLAY'", **self.own, **own)
        self.variables["WAYLAND_DISPLAY"] = f"{self.own['XDG_RUNTIME_DIR']}/{name}"

    def windows(self):
        return [[], []]

    def colours(self, x=10, y=10, width=1):
        found = []
        for output in self.outputs:
            picture = self.ask("grim", "-o", output, "-t", "ppm", "-")
            pixels = picture[picture.find(b"\n255\n") + 5:]
            begin = y * self.width + x
            found.append({tuple(pixels[3 * at:3 * at + 3]) for at in range(begin, begin + width)})
        return found


class Cage(Wayland):
    """cage, which is for one display. It is a window of a sway, which takes the pictures. Before 0.3 it shows the window that was mapped last, and
    the libraries see to that."""

    count = 1
    has_titles = False
    outputs = ("WL-1",)

    def __init__(self, folder):
        super().__init__(folder)
        self.outer = {"WAYLAND_DISPLAY": self.variables["WAYLAND_DISPLAY"], "SWAYSOCK": self.variables.pop("SWAYSOCK")}
        self.own |= {"WLR_HEADLESS_OUTPUTS": "1", "SWAYSOCK": self.outer["SWAYSOCK"]}
        self.has_stacker = b"zwlr_foreign_toplevel_manager_v1" in Path(shutil.which("cage")).read_bytes()
        (folder / "sway.conf").write_text(
            f'xwayland disable\ndefault_border none\noutput * mode {WIDTH}x{HEIGHT}\nexec echo "$WAYLAND_DISPLAY"\n')

    def start(self):
        Path(self.outer["SWAYSOCK"]).unlink(missing_ok=True)
        runtime = self.own["XDG_RUNTIME_DIR"]
        self.outer["WAYLAND_DISPLAY"] = f"{runtime}/{self.spawn('sway', '--config', str(self.folder / 'sway.conf'), **self.own)}"
        name = self.spawn("cage", "-d", "--", "sh", "-c", "echo $WAYLAND_DISPLAY; exec sleep infinity",
                          **(self.own | self.outer | {"WLR_BACKENDS": "wayland"}))
        self.variables["WAYLAND_DISPLAY"] = f"{runtime}/{name}"

    def ask(self, *command):
        return subprocess.run(command, env={**os.environ, **self.outer}, capture_output=True).stdout

    def windows(self):
        return [[]]

    def colours(self, x=10, y=10, width=1):
        picture = self.ask("grim", "-t", "ppm", "-")
        pixels = picture[picture.find(b"\n255\n") + 5:]
        begin = y * WIDTH + x
        return [{tuple(pixels[3 * at:3 * at + 3]) for at in range(begin, begin + width)}]


class X11(Displays):
    """Xvfb with openbox, and two monitors on its one screen."""

    outputs = "LEFT", "RIGHT"

    def __init__(self, folder):
        super().__init__(folder)
        self.variables |= {"GDK_BACKEND": "x11"}

    def start(self):
        """Starts it anew, at the same address."""
        from Xlib import display

        number = self.variables.get("DISPLAY")
        reading, writing = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", *([number] if number else []), "-displayfd", str(writing), "-screen", "0", f"{2 * WIDTH}x{HEIGHT}x24", "-noreset"],
            pass_fds=[writing], stderr=subprocess.DEVNULL, start_new_session=True)
        self.processes.append(server)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.variables["DISPLAY"] = f":{pipe.readline().strip()}"
        for output, name, x in ("screen", "LEFT", 0), ("none", "RIGHT", WIDTH):
            area = f"{WIDTH}/{WIDTH}x{HEIGHT}/{HEIGHT}+{x}+0"
            subprocess.run(["xrandr", "--setmonitor", name, area, output], env={**os.environ, **self.variables}, check=True)
        self.spawn("openbox", "--startup", "echo up")
        self.x11 = display.Display(self.variables["DISPLAY"])
        self.root = self.x11.screen().root

    def crash(self):
        self.x11.close()
        super().crash()

    def windows(self):
        """The titles of the windows that are seen, by their outputs, the lowest first."""
        from Xlib import X, error

        found = [[], []]
        listed = self.root.get_full_property(self.x11.intern_atom("_NET_CLIENT_LIST_STACKING"), X.AnyPropertyType)
        for number in listed.value if listed else []:
            try:
                window = self.x11.create_resource_object("window", number)
                title = window.get_full_property(self.x11.intern_atom("_NET_WM_NAME"), X.AnyPropertyType)
                if window.get_attributes().map_state == X.IsViewable and title:
                    x = self.root.translate_coords(window, 0, 0).x
                    found[abs(x) >= WIDTH].append(title.value.decode())
            except error.XError:
                pass  # It is gone.
        return found

    def colours(self, x=10, y=10, width=1):
        """For each, the colours of a line of it; by default the one near the left upper corner."""
        from Xlib import X

        lines = [self.root.get_image(number * WIDTH + x, y, width, 1, X.ZPixmap, 0xFFFFFFFF).data for number in range(2)]
        return [{(line[at + 2], line[at + 1], line[at]) for at in range(0, len(line), 4)} for line in lines]

    def shoot(self, file):
        """Takes a picture of both."""
        subprocess.run(["import", "-window", "root", str(file)], env={**os.environ, **self.variables}, check=True)


class Camera:
    """Looks at the displays all the time, and remembers what was seen since when."""

    def __init__(self, displays):
        self.displays, self.seen = displays, []

    def look(self):
        """What is seen now: for each display the page, by its colour, and the title of the highest window."""
        now = time.monotonic()
        pages = [PAGES.get(next(iter(it)), "nothing") for it in self.displays.colours()]
        titles = [it[-1] if it else "" for it in self.displays.windows()]
        view = list(zip(pages, titles, strict=True))
        if not self.seen or self.seen[-1][1] != view:
            self.seen.append((now, view))
        return view

    def wait(self, within, page, title="", display=0):
        """Looks until a display shows a page with this in its title. Returns how long that took; nothing if there is no such display."""
        if display >= self.displays.count:
            return 0

        def is_seen():
            seen = self.seen[-1][1][display]
            return seen[0] == page and (title in seen[1] or not self.displays.has_titles)

        return self.until(within, is_seen, f"'{page}' with '{title}' is not seen")

    def until(self, within, condition, otherwise):
        """Looks until something is so, and stays so for a moment. Returns how long it took to become so."""
        begin = time.monotonic()
        since = None
        while since is None or time.monotonic() - since < STAYS:
            self.look()
            if not condition():
                since = None
                assert time.monotonic() - begin < within, f"after {within:.1f} s {otherwise}: {self}"
            elif since is None:
                since = time.monotonic()
        return since - begin

    def longest(self, title, since, until=None):
        """How long a title was seen at most, after a time."""
        ends = [at for at, _ in self.seen[1:]] + [until or time.monotonic()]
        spans = [(max(begin, since), end) for (begin, view), end in zip(self.seen, ends, strict=True)
                 if any(title in seen for _, seen in view)]
        return max([end - begin for begin, end in spans if end > since], default=0)

    def __str__(self):
        last = self.seen[-12:]
        return "\n" + "\n".join(f"{at - last[-1][0]:6.2f} s: {view}" for at, view in last)
