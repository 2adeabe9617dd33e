#!/usr/bin/env bash
# GTK 4.18.6 and 3.24.49 of Debian 13 (libgtk-4-1 4.18.6+ds-2, libgtk-3-0t64 3.24.49-3), with PyGObject 3.50.0 (python3-gi 3.50.0-4+b1).
#
# A program that is told to close what it is just about to show, as when a request to cancel overtakes a slow start, calls close() on
# the window. The documentation likens that to a click on the close button. It does nothing for a window that was never shown, though:
# neither close-request (GTK 3: delete-event) nor an error comes, and the window goes on to count, so that its application does not end
# either. destroy() removes such a window, but asks nobody.
#
# Seen, for the windows of the application after the call, and whether the program was asked:
#   GTK 4: close of a window never shown: 1, not asked
#   GTK 4: destroy of a window never shown: 0, not asked
#   GTK 4: close of a window shown: 0, asked
#   GTK 3: the same three
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=python3-gi,gir1.2-gtk-4.0,gir1.2-gtk-3.0,xvfb,dbus-daemon trixie "$root"
for package in libgtk-4-1=4.18.6+ds-2 libgtk-3-0t64=3.24.49-3 python3-gi=3.50.0-4+b1; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

cat >"$root/close.py" <<'PYTHON'
import sys

import gi

version, shown, how = sys.argv[1:]
gi.require_version("Gtk", f"{version}.0")
from gi.repository import GLib, Gtk

asked = "not asked"


def ask(*_):
    global asked
    asked = "asked"
    return False


def activate(application):
    window = Gtk.ApplicationWindow(application=application)
    window.connect("close-request" if version == "4" else "delete-event", ask)
    if shown == "shown":
        window.present()
    getattr(window, how)()
    application.hold()
    GLib.timeout_add_seconds(2, look, application)


def look(application):
    print(f"GTK {version}: {how} of a window {shown}: {len(application.get_windows())}, {asked}")
    application.quit()


application = Gtk.Application(application_id="org.example.Close")
application.connect("activate", activate)
application.run()
PYTHON
cat >"$root/display" <<'DISPLAY'
set -euo pipefail
mkfifo number
Xvfb -displayfd 3 -screen 0 800x600x24 3>number 2>/dev/null &
read -r number <number
export DISPLAY=:$number
for version in 4 3; do
    dbus-run-session -- python3 /close.py "$version" "never shown" close
    dbus-run-session -- python3 /close.py "$version" "never shown" destroy
    dbus-run-session -- python3 /close.py "$version" shown close
done
DISPLAY
# What the programs leave running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 GSK_RENDERER=cairo GTK_A11Y=none NO_AT_BRIDGE=1 bash /display)
echo "$seen"
for version in 4 3; do
    echo "GTK $version: close of a window never shown: 1, not asked"
    echo "GTK $version: destroy of a window never shown: 0, not asked"
    echo "GTK $version: close of a window shown: 0, asked"
done | diff - <(echo "$seen")
