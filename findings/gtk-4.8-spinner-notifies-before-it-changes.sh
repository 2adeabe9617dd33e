#!/usr/bin/env bash
# GTK 4.8.3 of Debian 12 (libgtk-4-1 4.8.3+ds-2+deb12u1), beside 4.18.6 of Debian 13 (libgtk-4-1 4.18.6+ds-2), with PyGObject
# 3.42.2 and 3.50.0 (python3-gi 3.42.2-3+b1 and 3.50.0-4+b1).
#
# When a property notifies, it has its new value: handlers read it then, and bindings copy it. GtkSpinner of GTK 4.8 emits
# notify::spinning first and changes afterwards. A handler therefore reads the old value, and what is bound to the spinner follows
# one change late: until the next change it shows the opposite. Nothing is logged. GTK 4.18 changes first.
#
# Seen, for a switch whose "active" is bound to the "spinning" of a spinner that spins:
#   Debian 12: set False: notified True, then the spinner is False, the switch True
#   Debian 12: set True: notified False, then the spinner is True, the switch False
#   Debian 13: set False: notified False, then the spinner is False, the switch False
#   Debian 13: set True: notified True, then the spinner is True, the switch True
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

cat >"$dir/spin.py" <<'PYTHON'
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GObject, Gtk

notified = []
spinner = Gtk.Spinner(spinning=True)
switch = Gtk.Switch()
spinner.bind_property("spinning", switch, "active", GObject.BindingFlags.SYNC_CREATE)
assert switch.get_active()
spinner.connect("notify::spinning", lambda *_: notified.append(spinner.get_spinning()))
for value in (False, True):
    notified.clear()
    spinner.set_spinning(value)
    print(
        f"{sys.argv[1]}: set {value}: notified {', '.join(map(str, notified))},",
        f"then the spinner is {spinner.get_spinning()}, the switch {switch.get_active()}",
    )
PYTHON
cat >"$dir/display" <<'DISPLAY'
set -euo pipefail
mkfifo /number
Xvfb -displayfd 3 -screen 0 800x600x24 3>/number 2>/dev/null &
read -r number </number
DISPLAY=:$number python3 /spin.py "$1"
DISPLAY

status=0
check() { # RELEASE NAME GTK PYGOBJECT EXPECTED...
    local root=$dir/$1 package version seen
    mmdebstrap --quiet --variant=apt --include=python3-gi,gir1.2-gtk-4.0,xvfb "$1" "$root"
    for package in "libgtk-4-1=$3" "python3-gi=$4"; do
        # shellcheck disable=SC2016  # the dollar is dpkg's
        version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%%=*}")
        [[ $version == "${package#*=}" ]] || { echo "$2 has ${package%%=*} $version now, no longer ${package#*=}"; exit 1; }
    done
    cp "$dir/spin.py" "$dir/display" "$root"
    # The display, which goes on running, ends with the namespace.
    # shellcheck disable=SC2016  # the dollars are the inner shell's
    seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
        "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 GSK_RENDERER=cairo GTK_A11Y=none bash /display "$2")
    echo "$seen"
    printf '%s\n' "${@:5}" | diff - <(echo "$seen") || status=1
}
check bookworm "Debian 12" 4.8.3+ds-2+deb12u1 3.42.2-3+b1 \
    "Debian 12: set False: notified True, then the spinner is False, the switch True" \
    "Debian 12: set True: notified False, then the spinner is True, the switch False"
check trixie "Debian 13" 4.18.6+ds-2 3.50.0-4+b1 \
    "Debian 13: set False: notified False, then the spinner is False, the switch False" \
    "Debian 13: set True: notified True, then the spinner is True, the switch True"
exit "$status"
