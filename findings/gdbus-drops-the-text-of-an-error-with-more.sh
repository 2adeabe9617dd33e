#!/usr/bin/env bash
# GDBus of GLib 2.84.4 on Debian 13 (libglib2.0-0t64 2.84.4-3~deb13u5), beside libdbus 1.16.2 (libdbus-1-3 1.16.2-2) and ruby-dbus
# 0.16.0 (0.16.0-1).
#
# An error on D-Bus may have any arguments; if the first is a string, it is the text of the error. A service can therefore add details
# after the text, as ruby-dbus adds the backtrace to each exception, and a client that does not know them is expected to show the text.
# GDBus has the text only where it is the sole argument. Otherwise the message of the GError tells the type of the arguments instead,
# though the documentation of g_dbus_message_to_gerror() promises the first string. The name of the error is kept. libdbus has the text.
#
# Seen, for what two clients say about the same errors (without what the text of ruby-dbus says about the call):
#   text alone
#   dbus-send: Error org.example.Error.Busy: not now
#   gdbus: Error: GDBus.Error:org.example.Error.Busy: not now
#   text and number
#   dbus-send: Error org.example.Error.Busy: not now
#   gdbus: Error: GDBus.Error:org.example.Error.Busy: Error return with body of type “(su)”:
#   exception in Ruby
#   dbus-send: Error org.example.Error.Busy: not now
#   gdbus: Error: GDBus.Error:org.example.Error.Busy: Error return with body of type “(sas)”:
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=dbus-daemon,dbus-bin,libglib2.0-bin,python3-gi,ruby-dbus trixie "$root"
for package in libglib2.0-0t64=2.84.4-3~deb13u5 libdbus-1-3=1.16.2-2 ruby-dbus=0.16.0-1; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

cat >"$root/service.py" <<'PYTHON'
from gi.repository import Gio, GLib

DESCRIPTION = "<node><interface name='org.example.Errors'><method name='Alone'/><method name='Number'/></interface></node>"


def fail(connection, sender, path, interface, method, arguments, invocation):
    error = Gio.DBusMessage.new_method_error_literal(invocation.get_message(), "org.example.Error.Busy", "not now")
    if method == "Number":
        error.set_body(GLib.Variant("(su)", ("not now", 5)))
    connection.send_message(error, Gio.DBusSendMessageFlags.NONE)


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object("/", Gio.DBusNodeInfo.new_for_xml(DESCRIPTION).interfaces[0], fail, None, None)
Gio.bus_own_name_on_connection(bus, "org.example.Python", Gio.BusNameOwnerFlags.NONE, None, None)
GLib.MainLoop().run()
PYTHON
cat >"$root/service.rb" <<'RUBY'
require "dbus"

class Errors < DBus::Object
  dbus_interface "org.example.Errors" do
    dbus_method(:Fail, "") { raise DBus.error("org.example.Error.Busy"), "not now" }
  end
end

bus = DBus.session_bus
bus.request_service("org.example.Ruby").export(Errors.new("/"))
main = DBus::Main.new
main << bus
main.run
RUBY
cat >"$root/try" <<'TRY'
set -euo pipefail
try() { # WHAT NAME METHOD
    echo "$1"
    gdbus wait --session --timeout 30 "$2"
    # Both fail, as they should.
    echo "dbus-send: $(dbus-send --session --print-reply --dest="$2" / "org.example.Errors.$3" 2>&1)"
    echo "gdbus: $(gdbus call --session --dest "$2" --object-path / --method "org.example.Errors.$3" 2>&1)"
}
python3 /service.py &
ruby /service.rb &
try "text alone" org.example.Python Alone
try "text and number" org.example.Python Number
try "exception in Ruby" org.example.Ruby Fail
TRY
# What the programs leave running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 dbus-run-session -- bash /try | sed 's/; caused by .*//; s/ *$//')
echo "$seen"
[[ $seen == 'text alone
dbus-send: Error org.example.Error.Busy: not now
gdbus: Error: GDBus.Error:org.example.Error.Busy: not now
text and number
dbus-send: Error org.example.Error.Busy: not now
gdbus: Error: GDBus.Error:org.example.Error.Busy: Error return with body of type “(su)”:
exception in Ruby
dbus-send: Error org.example.Error.Busy: not now
gdbus: Error: GDBus.Error:org.example.Error.Busy: Error return with body of type “(sas)”:' ]]
