#!/usr/bin/env bash
# GTK 4.8.3 of Debian 12 (libgtk-4-1 4.8.3+ds-2+deb12u1) and 4.18.6 of Debian 13 (4.18.6+ds-2), with PyGObject.
#
# A device without a graphics card has GTK paint by cairo (GSK_RENDERER=cairo), and a program there opens and destroys windows for as
# long as it runs. On Wayland each window that was painted and destroyed leaves more than one buffer of its size behind. On X11 the
# same program does not grow.
#
# Seen, with windows that sway tiles to 1280 x 720 pixels (3.7 MB), for 30 windows after the first 10:
#   Debian 12, Wayland: grows by a buffer or more with each window (4801 kB)
#   Debian 12, X11: does not grow (-107 kB)
#   Debian 13: the same two (4800 kB, 0 kB)
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

cat >"$dir/windows.py" <<'PYTHON'
import gc

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk


def wait(milliseconds):
    over = []
    GLib.timeout_add(milliseconds, over.append, True)
    while not over:
        GLib.MainContext.default().iteration(True)


def window():
    shown = Gtk.Window(default_width=640, default_height=480, child=Gtk.Label(label="shown"))
    shown.present()
    wait(200)
    shown.destroy()
    wait(50)


def dirty():
    gc.collect()
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.split(":")[0] in ("Private_Dirty", "Shared_Dirty"))


Gtk.init()
for _ in range(10):
    window()
before = dirty()
for _ in range(30):
    window()
each = (dirty() - before) // 30
print("grows by a buffer or more with each window" if each > 3600 else "does not grow" if each < 50 else "grows a little", f"({each} kB)")
PYTHON
cat >"$dir/sway.conf" <<'SWAY'
xwayland disable
default_border none
output * mode 1280x720
exec sh -c 'python3 /windows.py >/said; swaymsg exit'
SWAY

status=0
check() { # RELEASE VERSION
    local root=$dir/$1 version kind said
    mmdebstrap --quiet --variant=apt --include=sway,xvfb,python3-gi,gir1.2-gtk-4.0 "$1" "$root"
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' libgtk-4-1)
    [[ $version == "$2" ]] || { echo "$1 has libgtk-4-1 $version now, no longer $2"; status=1; }
    cp -- "$dir/windows.py" "$dir/sway.conf" "$root"
    mkdir -m 700 "$root/runtime"
    touch "$root/said"
    chroot "$root" chown nobody /runtime /said
    for kind in Wayland X11; do
        local command=(sway --config /sway.conf)
        # shellcheck disable=SC2016  # the dollar is for the shell there
        [[ $kind == Wayland ]] || command=(sh -c 'Xvfb :47 >/runtime/log 2>&1 & DISPLAY=:47 python3 /windows.py >/said; kill $!')
        # A mount of its own ends with the command.
        # shellcheck disable=SC2016
        unshare --mount sh -c 'mount --bind /proc "$0/proc"; exec chroot --userspec=nobody:nogroup "$0" "$@"' "$root" \
            timeout 120 env -i PATH=/usr/bin:/bin HOME=/runtime XDG_RUNTIME_DIR=/runtime GSK_RENDERER=cairo GTK_A11Y=none \
            WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 GDK_BACKEND="${kind,,}" "${command[@]}" >"$dir/log" 2>&1 || true
        said=$(<"$root/said")
        echo "$1, GTK $version, $kind: $said"
        [[ $kind:$said == Wayland:"grows by a buffer or more"* || $kind:$said == X11:"does not grow"* ]] || status=1
    done
}
check bookworm 4.8.3+ds-2+deb12u1
check trixie 4.18.6+ds-2
exit "$status"
