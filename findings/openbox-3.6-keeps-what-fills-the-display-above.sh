#!/usr/bin/env bash
# openbox 3.6.1 of Debian 13 (openbox 3.6.1-12+b2).
#
# Windows without decorations that fill the display are common on devices. They are no fullscreen windows as long as nobody asks for
# that state, so one expects to order them as other windows. openbox lets such a window, where its size is exactly that of the display,
# stand above all others while it has the focus: a request to lower it does nothing, and a window that was lowered before is raised
# when the focus falls back to it. _NET_WM_STATE does not tell. A window with one row of pixels less is a plain window.
#
# Seen, for the windows from back to front, and the one with the focus:
#   800x599: a b c, focus c
#   lower b: b a c, focus c
#   lower c: c b a, focus c
#   destroy c: b a, focus b
#   800x600: a b c, focus c
#   lower b: b a c, focus c
#   lower c: b a c, focus c
#   destroy c: a b, focus b
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=openbox,xvfb,python3-xlib trixie "$root"
# shellcheck disable=SC2016  # the dollar is dpkg's
version=$(chroot "$root" dpkg-query -W -f '${Version}' openbox)
[[ $version == 3.6.1-12+b2 ]] || { echo "Debian 13 has openbox $version now, no longer 3.6.1-12+b2"; exit 1; }

cat >"$root/fill.py" <<'PYTHON'
import subprocess
import time

from Xlib import X, display

connection = display.Display()
screen = connection.screen()
root = screen.root
atom = connection.intern_atom
windows = {}


def get(window, name):
    value = window.get_full_property(atom(name), X.AnyPropertyType)
    return list(value.value) if value else []


def look(what):
    time.sleep(1)
    names = {window.id: name for name, window in windows.items()}
    order = [names[number] for number in get(root, "_NET_CLIENT_LIST_STACKING")]
    print(f"{what}: {' '.join(order)}, focus {names.get(get(root, '_NET_ACTIVE_WINDOW')[0])}", flush=True)


def lower(name):
    windows[name].configure(stack_mode=X.Below)
    connection.sync()
    look(f"lower {name}")


subprocess.Popen(["openbox"], stdout=subprocess.DEVNULL)
end = time.monotonic() + 30
while not get(root, "_NET_SUPPORTED") and time.monotonic() < end:
    time.sleep(0.1)
for height in (screen.height_in_pixels - 1, screen.height_in_pixels):
    for name in "abc":
        time.sleep(1)
        windows[name] = window = root.create_window(0, 0, screen.width_in_pixels, height, 0, X.CopyFromParent)
        # Without decorations, which is the one hint here.
        window.change_property(atom("_MOTIF_WM_HINTS"), atom("_MOTIF_WM_HINTS"), 32, [2, 0, 0, 0, 0])
        window.map()
        connection.sync()
    look(f"{screen.width_in_pixels}x{height}")
    lower("b")
    lower("c")
    assert atom("_NET_WM_STATE_FULLSCREEN") not in get(windows["c"], "_NET_WM_STATE")
    windows.pop("c").destroy()
    connection.sync()
    look("destroy c")
    for window in windows.values():
        window.destroy()
    connection.sync()
PYTHON
cat >"$root/display" <<'DISPLAY'
set -euo pipefail
mkfifo number
Xvfb -displayfd 3 -screen 0 800x600x24 3>number 2>/dev/null &
read -r number <number
DISPLAY=:$number python3 /fill.py
DISPLAY
# What the program leaves running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 bash /display)
echo "$seen"
[[ $seen == '800x599: a b c, focus c
lower b: b a c, focus c
lower c: c b a, focus c
destroy c: b a, focus b
800x600: a b c, focus c
lower b: b a c, focus c
lower c: b a c, focus c
destroy c: a b, focus b' ]]
