#!/usr/bin/env bash
# dbus-java 2.8 of Debian 12 (libdbus-java 2.8-10).
#
# An object path that a method gets can be declared as a Path or as a DBusInterface. The second one looks like the natural type of an
# object, but before the method is called, dbus-java calls Introspect on that path at whoever called, and makes a proxy of the answer.
# Where the caller has no such object, because the path only names something, or because the object is gone, the method is not called. The
# caller gets UnknownMethod, with the reason in the text, although the method is there; a caller that wants no answer learns nothing. With
# a Path the same call succeeds.
#
# Seen, for two methods that get the path /org/example/Thing, of which nobody has an object:
#   TakePath: ()
#   TakeInterface: UnknownMethod: Failed to create proxy object for /org/example/Thing
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=dbus-daemon,libglib2.0-bin,default-jdk-headless,libdbus-java bookworm "$root"
# shellcheck disable=SC2016  # the dollar is dpkg's
version=$(chroot "$root" dpkg-query -W -f '${Version}' libdbus-java)
[[ $version == 2.8-10 ]] || { echo "Debian 12 has libdbus-java $version now, no longer 2.8-10"; exit 1; }

cat >"$root/Service.java" <<'JAVA'
import org.freedesktop.dbus.DBusConnection;
import org.freedesktop.dbus.DBusInterface;
import org.freedesktop.dbus.DBusInterfaceName;
import org.freedesktop.dbus.Path;

public class Service {
    @DBusInterfaceName("org.example.Shelf")
    public interface Shelf extends DBusInterface {
        void TakePath(Path thing);

        void TakeInterface(DBusInterface thing);
    }

    public static class Real implements Shelf {
        public void TakePath(Path thing) {
        }

        public void TakeInterface(DBusInterface thing) {
        }

        public boolean isRemote() {
            return false;
        }
    }

    public static void main(String[] arguments) throws Exception {
        DBusConnection bus = DBusConnection.getConnection(DBusConnection.SESSION);
        bus.exportObject("/org/example/Shelf", new Real());
        bus.requestBusName("org.example.Shelf");
    }
}
JAVA
cat >"$root/try.bash" <<'BASH'
jars=/usr/share/java/dbus.jar:/usr/share/java/unix.jar:/usr/share/java/debug-disable.jar:/usr/share/java/hexdump.jar
javac -cp "$jars" -d /tmp /Service.java
java -Djava.library.path=/usr/lib/jni -cp "$jars:/tmp" Service &
gdbus wait --session org.example.Shelf
for method in TakePath TakeInterface; do
    said=$(gdbus call --session --dest org.example.Shelf --object-path /org/example/Shelf --method "org.example.Shelf.$method" \
        "objectpath '/org/example/Thing'" 2>&1) || true
    echo "$method: $(sed 's/.*Error\.UnknownMethod: .*\(Failed to .*\) exported by.*/UnknownMethod: \1/' <<<"$said")"
done
kill $!
BASH
# Java reads /proc. What the programs leave running ends with the namespace.
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 dbus-run-session -- bash /try.bash 2>/dev/null)
echo "$seen"
[[ $seen == 'TakePath: ()
TakeInterface: UnknownMethod: Failed to create proxy object for /org/example/Thing' ]]
