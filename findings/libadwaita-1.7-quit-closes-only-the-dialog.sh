#!/usr/bin/env bash
# libadwaita 1.7.6 of Debian 13 (libadwaita-1-0 1.7.6-1~deb13u1), seen in gnome-font-viewer 48.0 (48.0-2+b1).
#
# A GNOME program is asked over D-Bus to end with its action "quit". The font viewer then closes its main window with gtk_window_close(),
# and an application without windows ends. A dialog of libadwaita is no window of its own, though, but a part of one: while a dialog is
# open, its window takes a request to close as one to close the dialog, and stays. The call has the same reply as always, so whoever
# wants the program to be gone has to ask again, once for each dialog, and can tell only by the bus name or the process.
#
# Seen, as the exit status of the program, which `timeout` ends with 124 after 10 s:
#   quit: 0
#   about, quit: 124
#   about, quit, quit: 0
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=gnome-font-viewer,dbus-daemon,libglib2.0-bin,xvfb trixie "$root"
for package in libadwaita-1-0=1.7.6-1~deb13u1 gnome-font-viewer=48.0-2+b1; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

cat >"$root/try" <<'TRY'
set -euo pipefail
name=org.gnome.font-viewer
for actions in quit "about quit" "about quit quit"; do
    timeout 10 gnome-font-viewer &
    gdbus wait --session --timeout 30 "$name"
    for action in $actions; do
        gdbus call --session --dest "$name" --object-path /org/gnome/font_viewer --method org.gtk.Actions.Activate \
            "$action" '[]' '{}' >/dev/null
    done
    status=0
    wait $! || status=$?
    echo "${actions// /, }: $status"
done
TRY
cat >"$root/display" <<'DISPLAY'
set -euo pipefail
mkfifo number
Xvfb -displayfd 3 -screen 0 800x600x24 3>number 2>/dev/null &
read -r number <number
DISPLAY=:$number dbus-run-session -- bash /try
DISPLAY
# What the programs leave running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 GSK_RENDERER=cairo GTK_A11Y=none bash /display)
echo "$seen"
[[ $seen == $'quit: 0\nabout, quit: 124\nabout, quit, quit: 0' ]]
