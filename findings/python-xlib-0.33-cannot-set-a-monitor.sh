#!/usr/bin/env bash
# python-xlib 0.33 of PyPI (with six 1.17.0), beside xrandr 1.5.3 of Debian 13 (x11-xserver-utils 7.7+11), on Xvfb 21.1.16 (xvfb
# 2:21.1.16-1.3+deb13u4).
#
# A test of two displays on X11 divides the one screen of Xvfb into two monitors, with the request SetMonitor of RANDR 1.5. The windows
# of python-xlib have methods for this and the opposite, xrandr_set_monitor() and xrandr_get_monitors(). The former raises ValueError
# before it sends anything, whatever the monitor is like, even for one that the latter has just returned. Moreover, the latter returns
# the outputs of a monitor as its "crtcs". xrandr sets such monitors on the same display.
#
# Seen:
#   the outputs of the screen are the crtcs of its monitor: True
#   set the monitor that is there: ValueError: too many values to unpack (expected 3)
#   set one with an output: ValueError: too many values to unpack (expected 3)
#   set one without: ValueError: too many values to unpack (expected 3)
#   monitors: screen
#   monitors after xrandr: left right
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=xvfb,x11-xserver-utils,python3-minimal,libpython3-stdlib trixie "$root"
for package in x11-xserver-utils=7.7+11 xvfb=2:21.1.16-1.3+deb13u4; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done
python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-deps --only-binary=:all: \
    --target "$root/modules" python-xlib==0.33 six==1.17.0

cat >"$root/monitors.py" <<'PYTHON'
import subprocess

from Xlib import display

connection = display.Display()
root = connection.screen().root
resources = root.xrandr_get_screen_resources()
(whole,) = root.xrandr_get_monitors().monitors
assert resources.outputs != resources.crtcs
print("the outputs of the screen are the crtcs of its monitor:", whole.crtcs == resources.outputs)


def half(name, outputs):
    size = {"width_in_pixels": 400, "height_in_pixels": 600, "width_in_millimeters": 100, "height_in_millimeters": 150}
    return {"name": connection.intern_atom(name), "primary": False, "automatic": False, "x": 0, "y": 0, **size, "crtcs": outputs}


def set_monitor(what, monitor):
    try:
        root.xrandr_set_monitor(monitor)
        connection.sync()
        print(f"set {what}: done")
    except Exception as error:
        print(f"set {what}: {type(error).__name__}: {error}")


def monitors():
    return " ".join(connection.get_atom_name(monitor.name) for monitor in root.xrandr_get_monitors().monitors)


set_monitor("the monitor that is there", whole)
set_monitor("one with an output", half("left", resources.outputs))
set_monitor("one without", half("right", []))
print("monitors:", monitors())
subprocess.run(["xrandr", "--setmonitor", "left", "400/100x600/150+0+0", "screen"], check=True, stdout=subprocess.DEVNULL)
subprocess.run(["xrandr", "--setmonitor", "right", "400/100x600/150+400+0", "none"], check=True, stdout=subprocess.DEVNULL)
print("monitors after xrandr:", monitors())
PYTHON
cat >"$root/display" <<'DISPLAY'
set -euo pipefail
mkfifo number
Xvfb -displayfd 3 -screen 0 800x600x24 3>number 2>/dev/null &
read -r number <number
DISPLAY=:$number PYTHONPATH=/modules python3 /monitors.py
DISPLAY
# The display, which goes on running, ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 bash /display)
echo "$seen"
[[ $seen == 'the outputs of the screen are the crtcs of its monitor: True
set the monitor that is there: ValueError: too many values to unpack (expected 3)
set one with an output: ValueError: too many values to unpack (expected 3)
set one without: ValueError: too many values to unpack (expected 3)
monitors: screen
monitors after xrandr: left right' ]]
