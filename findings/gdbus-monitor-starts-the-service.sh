#!/usr/bin/env bash
# gdbus of GLib 2.84.4 on Debian 13 (libglib2.0-bin 2.84.4-3~deb13u5), beside dbus-monitor 1.16.2 (dbus-bin 1.16.2-2).
#
# Somebody who monitors a service expects to look on: to wait for the program, if it is not there, and not to change whether it is.
# `gdbus monitor --dest` asks the bus to start it. So the monitor that is to show who starts a service, or that nothing does, starts it
# itself, and a program that is then run by hand finds its name taken. Neither the manual nor --help says so, while `gdbus wait` has an
# option --activate for just that. dbus-monitor, with that name as the sender, starts nothing.
#
# Seen, for whether the name has an owner after each of them has run for 5 s:
#   dbus-monitor: (false,)
#   gdbus monitor: (true,)
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=dbus-daemon,dbus-bin,libglib2.0-bin,python3-gi trixie "$root"
for package in libglib2.0-bin=2.84.4-3~deb13u5 dbus-bin=1.16.2-2; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

# An application in the background, which the bus can start.
cat >"$root/usr/share/dbus-1/services/org.example.Service.service" <<'SERVICE'
[D-BUS Service]
Name=org.example.Service
Exec=/usr/bin/python3 /service.py
SERVICE
cat >"$root/service.py" <<'PYTHON'
from gi.repository import Gio
application = Gio.Application(application_id="org.example.Service", flags=Gio.ApplicationFlags.IS_SERVICE)
application.hold()
application.run()
PYTHON
cat >"$root/try" <<'TRY'
owned() { gdbus call --session --dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.NameHasOwner org.example.Service; }
monitor() { # COMMAND...
    local status=0
    timeout 5 "$@" >/dev/null || status=$?
    ((status == 124)) || echo "${*@Q} ended by itself, with $status"
}
monitor dbus-monitor --session "sender='org.example.Service'"
echo "dbus-monitor: $(owned)"
monitor gdbus monitor --session --dest org.example.Service
echo "gdbus monitor: $(owned)"
TRY
# What the bus has started ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 dbus-run-session -- bash /try)
echo "$seen"
[[ $seen == $'dbus-monitor: (false,)\ngdbus monitor: (true,)' ]]
