#!/usr/bin/env bash
# GDBusProxy of GLib 2.84.4 on Debian 13 (libglib2.0-0t64 2.84.4-3~deb13u5), through PyGObject 3.50.0 (python3-gi 3.50.0-4+b1).
#
# A proxy that is made for a well-known name sends its calls to the unique name of the owner that it knows. It learns of another owner
# only when its main context runs. So a program that makes synchronous calls one after the other, and never returns to its loop, goes on
# calling a process that has ended: each call fails with ServiceUnknown, though the service has started again and owns the name, and
# though a call of the same connection to the well-known name is answered. The main context has to run once before the proxy does.
#
# Seen, with a service that answers with its process id, the first or the second of two processes:
#   proxy: first
#   the service has started again
#   proxy: GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown
#   connection: second
#   proxy: GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown
#   the main context has run
#   proxy: second
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=dbus-daemon,python3-gi trixie "$root"
for package in libglib2.0-0t64=2.84.4-3~deb13u5 python3-gi=3.50.0-4+b1; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

cat >"$root/service.py" <<'PYTHON'
import sys

from gi.repository import Gio, GLib

DESCRIPTION = "<node><interface name='org.example.Who'><method name='Ask'><arg type='s' direction='out'/></method></interface></node>"


def asked(connection, sender, path, interface, method, arguments, invocation):
    invocation.return_value(GLib.Variant("(s)", (sys.argv[1],)))


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object("/", Gio.DBusNodeInfo.new_for_xml(DESCRIPTION).interfaces[0], asked, None, None)
Gio.bus_own_name_on_connection(
    bus, "org.example.Who", Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
PYTHON
cat >"$root/try.py" <<'PYTHON'
import subprocess

from gi.repository import Gio, GLib


def start(word):
    service = subprocess.Popen(["python3", "/service.py", word], stdout=subprocess.PIPE)
    service.stdout.readline()
    return service


def tell(who, call):
    try:
        print(f"{who}: {call().unpack()[0]}")
    except GLib.Error as error:
        print(f"{who}: {':'.join(error.message.split(':')[:2])}")


def by_proxy():
    return proxy.call_sync("Ask", None, Gio.DBusCallFlags.NONE, -1, None)


def by_connection():
    return bus.call_sync("org.example.Who", "/", "org.example.Who", "Ask", None, None, Gio.DBusCallFlags.NONE, -1, None)


service = start("first")
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
proxy = Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, None, "org.example.Who", "/", "org.example.Who", None)
tell("proxy", by_proxy)
service.kill()
service.wait()
service = start("second")
print("the service has started again")
tell("proxy", by_proxy)
tell("connection", by_connection)
tell("proxy", by_proxy)
while proxy.get_name_owner() != bus.call_sync(
        "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner", GLib.Variant("(s)", ("org.example.Who",)), None,
        Gio.DBusCallFlags.NONE, -1, None).unpack()[0]:
    GLib.MainContext.default().iteration(True)
print("the main context has run")
tell("proxy", by_proxy)
service.kill()
PYTHON
# What the programs leave running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 dbus-run-session -- python3 /try.py)
echo "$seen"
[[ $seen == 'proxy: first
the service has started again
proxy: GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown
connection: second
proxy: GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown
the main context has run
proxy: second' ]]
