#!/usr/bin/env bash
# pydbus 0.6.0 of Debian 12 (python3-pydbus 0.6.0-5), beside gdbus 2.74.6 there (libglib2.0-bin).
#
# pydbus is a few hundred lines above GDBus, where a call without an answer fails after 25 s, by its default of -1 as the time-out. A call of
# pydbus does not fail: without the argument `timeout`, pydbus gives G_MAXINT milliseconds, which are 24 days, and GDBus waits so long. A
# program whose service hangs, hangs as well.
#
# Seen, for a call that a service does not answer: gdbus fails after 25 s; pydbus goes on after 40 s, and with timeout=5 it fails.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

cat >"$dir/silent.py" <<'PYTHON'
# Owns a name, and answers no call.
from gi.repository import Gio, GLib

XML = "<node><interface name='org.example.Silent'><method name='Wait'/></interface></node>"
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object("/silent", Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], lambda *call: None)
Gio.bus_own_name_on_connection(bus, "org.example.Silent", 0, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
PYTHON
cat >"$dir/call.py" <<'PYTHON'
import sys

from pydbus import SessionBus

SessionBus().get("org.example.Silent", "/silent").Wait(**eval(sys.argv[1]))
PYTHON
cat >"$dir/try" <<'BASH'
coproc service { exec python3 /silent.py; }
read -r _ <&"${service[0]}"
how() { local status=0; timeout 40 "$@" >/dev/null 2>&1 || status=$?; if ((status == 124)); then echo "goes on"; else echo "fails"; fi; }
echo "gdbus: $(how gdbus call --session --dest org.example.Silent --object-path /silent --method org.example.Silent.Wait)"
echo "pydbus: $(how python3 /call.py '{}')"
echo "pydbus with a time limit: $(how python3 /call.py '{"timeout": 5}')"
BASH

mmdebstrap --quiet --variant=apt --include=python3-pydbus,libglib2.0-bin,dbus-daemon bookworm "$dir/bookworm"
# shellcheck disable=SC2016  # the dollar is dpkg's
version=$(chroot "$dir/bookworm" dpkg-query -W -f '${Version}' python3-pydbus)
[[ $version == 0.6.0-5 ]] || { echo "Debian 12 has python3-pydbus $version now, no longer 0.6.0-5"; exit 1; }
cp "$dir"/{silent.py,call.py,try} "$dir/bookworm"
seen=$(chroot "$dir/bookworm" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 dbus-run-session -- bash /try)
echo "$seen"
[[ $seen == 'gdbus: fails
pydbus: goes on
pydbus with a time limit: fails' ]]
