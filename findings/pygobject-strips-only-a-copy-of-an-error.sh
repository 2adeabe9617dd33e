#!/usr/bin/env bash
# PyGObject 3.42.2 of Debian 12 (python3-gi 3.42.2-3+b1) and 3.50.0 of Debian 13 (python3-gi 3.50.0-4+b1), beside GJS 1.82.3 there
# (gjs 1.82.3-1).
#
# The message of an error that came over D-Bus begins with its name: "GDBus.Error:org.example.Busy: not now". Programs that show it to
# a user call Gio.DBusError.strip_remote_error() first, which removes that from the error. In Python the call returns True, as if it
# had done so, but the message stays the same: the exception is copied to a GError for the call, and what is changed is that copy. In
# JavaScript the same call changes the message, as in C.
#
# Seen, for the message, the result of the call, and the message afterwards:
#   Python on Debian 12: GDBus.Error:org.example.Busy: not now; True; GDBus.Error:org.example.Busy: not now
#   Python on Debian 13: GDBus.Error:org.example.Busy: not now; True; GDBus.Error:org.example.Busy: not now
#   JavaScript on Debian 13: GDBus.Error:org.example.Busy: not now; true; not now
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

cat >"$dir/strip.py" <<'PYTHON'
from gi.repository import Gio, GLib

error = Gio.DBusError.new_for_dbus_error("org.example.Busy", "not now")
assert isinstance(error, GLib.Error) and Gio.DBusError.is_remote_error(error)
print(error.message, Gio.DBusError.strip_remote_error(error), error.message, sep="; ")
PYTHON
cat >"$dir/strip.js" <<'JAVASCRIPT'
const Gio = imports.gi.Gio;
const error = Gio.DBusError.new_for_dbus_error("org.example.Busy", "not now");
print([error.message, Gio.DBusError.strip_remote_error(error), error.message].join("; "));
JAVASCRIPT

install() { # RELEASE NAME PACKAGE=VERSION...
    local package version
    mmdebstrap --quiet --variant=apt --include="$(IFS=, && echo "${*%=*}" | cut -d, -f3-)" "$1" "$dir/$1"
    for package in "${@:3}"; do
        # shellcheck disable=SC2016  # the dollar is dpkg's
        version=$(chroot "$dir/$1" dpkg-query -W -f '${Version}' "${package%=*}")
        [[ $version == "${package#*=}" ]] || { echo "$2 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
    done
    cp "$dir"/strip.* "$dir/$1"
}
run() { # RELEASE COMMAND...
    chroot "$dir/$1" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 "${@:2}"
}
install bookworm "Debian 12" python3-gi=3.42.2-3+b1
install trixie "Debian 13" python3-gi=3.50.0-4+b1 gjs=1.82.3-1
seen="Python on Debian 12: $(run bookworm python3 /strip.py)
Python on Debian 13: $(run trixie python3 /strip.py)
JavaScript on Debian 13: $(run trixie gjs /strip.js)"
echo "$seen"
[[ $seen == 'Python on Debian 12: GDBus.Error:org.example.Busy: not now; True; GDBus.Error:org.example.Busy: not now
Python on Debian 13: GDBus.Error:org.example.Busy: not now; True; GDBus.Error:org.example.Busy: not now
JavaScript on Debian 13: GDBus.Error:org.example.Busy: not now; true; not now' ]]
