#!/usr/bin/env bash
# xfwm4 4.20.0 of Debian 13 (xfwm4 4.20.0-1), beside openbox 3.6.1 (openbox 3.6.1-12+b2).
#
# A program that orders the windows of others sends _NET_RESTACK_WINDOW to the window manager. xfwm4 does not have this message. What
# is left is to configure a window with the stack mode Above, a request that is about the order alone. xfwm4 also moves the focus to
# that window, as if the window itself had asked for attention, except where the window that it raised last was lowered in the
# meantime: then the focus stays. So the effect of the same request depends on what happened before. openbox never moves the focus.
#
# Seen, for the windows from back to front, and the one with the focus:
#   xfwm4 has _NET_RESTACK_WINDOW: False
#   start: a b c, focus c
#   a Above: b c a, focus a
#   a Below: a b c, focus c
#   a Above: b c a, focus c
#   b Above: c a b, focus b
#   c Above: a b c, focus c
#   openbox has _NET_RESTACK_WINDOW: True
#   start: a b c, focus c
#   a Above: b c a, focus c
#   a Below: a b c, focus c
#   a Above: b c a, focus c
#   b Above: c a b, focus c
#   c Above: a b c, focus c
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=xfwm4,openbox,xvfb,python3-xlib,dbus-daemon trixie "$root"
for package in xfwm4=4.20.0-1 openbox=3.6.1-12+b2; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

cat >"$root/raise.py" <<'PYTHON'
import subprocess
import sys
import time

from Xlib import X, display

manager = sys.argv[1]
connection = display.Display()
root = connection.screen().root
atom = connection.intern_atom
windows = {}


def get(name):
    value = root.get_full_property(atom(name), X.AnyPropertyType)
    return list(value.value) if value else []


def look(what):
    time.sleep(1)
    names = {window.id: name for name, window in windows.items()}
    order = [names.get(number, "another") for number in get("_NET_CLIENT_LIST_STACKING")]
    print(f"{what}: {' '.join(order)}, focus {names.get(get('_NET_ACTIVE_WINDOW')[0])}", flush=True)


def configure(name, mode):
    windows[name].configure(stack_mode=getattr(X, mode))
    connection.sync()
    look(f"{name} {mode}")


process = subprocess.Popen([manager], stdout=subprocess.DEVNULL)
end = time.monotonic() + 30
while not get("_NET_SUPPORTED") and time.monotonic() < end:
    time.sleep(0.1)
print(f"{manager} has _NET_RESTACK_WINDOW:", atom("_NET_RESTACK_WINDOW") in get("_NET_SUPPORTED"))
for name in "abc":
    time.sleep(1)
    windows[name] = root.create_window(0, 0, 200, 100, 0, X.CopyFromParent)
    windows[name].map()
    connection.sync()
look("start")
configure("a", "Above")
configure("a", "Below")
configure("a", "Above")
configure("b", "Above")
configure("c", "Above")
process.terminate()
process.wait()
PYTHON
cat >"$root/display" <<'DISPLAY'
set -euo pipefail
for manager in xfwm4 openbox; do
    mkfifo "number.$manager"
    Xvfb -displayfd 3 -screen 0 800x600x24 3>"number.$manager" 2>/dev/null &
    read -r number <"number.$manager"
    DISPLAY=:$number dbus-run-session -- python3 /raise.py "$manager"
done
DISPLAY
# What the programs leave running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 NO_AT_BRIDGE=1 bash /display)
echo "$seen"
[[ $seen == 'xfwm4 has _NET_RESTACK_WINDOW: False
start: a b c, focus c
a Above: b c a, focus a
a Below: a b c, focus c
a Above: b c a, focus c
b Above: c a b, focus b
c Above: a b c, focus c
openbox has _NET_RESTACK_WINDOW: True
start: a b c, focus c
a Above: b c a, focus c
a Below: a b c, focus c
a Above: b c a, focus c
b Above: c a b, focus c
c Above: a b c, focus c' ]]
