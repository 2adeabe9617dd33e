#!/usr/bin/env bash
# Qt 6.8.2 of Debian 13 (qt6-wayland 6.8.2-4, qml-qt6 6.8.2+dfsg-7), on labwc 0.8.3 (0.8.3-1), with wtype 0.4 (0.4-3) for the key.
#
# Wayland has no request with which a client could take the focus, so one expects QWindow::requestActivate() to do nothing unless the
# program was handed an activation token. That is so until the program gets its first key: until then nothing is sent, not even by a
# program that has the focus already. Afterwards Qt asks for a token by itself each time, with the serial of the last input, though that
# was long over when the call was made, and labwc grants it: the same call, made by a timer, moves the focus. A test without input sees
# only the one, a user only the other.
#
# Seen (the lines of WAYLAND_DEBUG are shortened; the timer runs for one second, from the focus and from the key):
#   first has the focus
#   second has the focus
#   timer: first.requestActivate()
#   key
#   timer: first.requestActivate()
#   get_activation_token
#   set_serial
#   done
#   activate
#   first has the focus
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=labwc,wtype,qt6-wayland,qml-qt6 \
    --include=qml6-module-qtquick,qml6-module-qtquick-window,qml6-module-qtqml-workerscript trixie "$root"
for package in qt6-wayland=6.8.2-4 qml-qt6=6.8.2+dfsg-7 labwc=0.8.3-1 wtype=0.4-3; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

cat >"$root/two.qml" <<'QML'
import QtQuick
QtObject {
    id: both
    property bool typed: false
    component Plain: Window {
        width: 200
        height: 100
        onActiveChanged: {
            if (!active) return
            console.log(title, "has the focus")
            if (both.typed) Qt.quit()
            else if (this === both.first) both.second.show()
            else both.timer.start()
        }
        Item {
            focus: true
            Keys.onPressed: { console.log("key"); both.typed = true; both.timer.start() }
        }
    }
    property Window first: Plain { title: "first"; visible: true }
    property Window second: Plain { title: "second" }
    property Timer timer: Timer {
        interval: 1000
        onTriggered: { console.log("timer: first.requestActivate()"); both.first.requestActivate() }
    }
}
QML
# A keyboard is there before the program is, and a key is pressed when the timer has run for the first time.
cat >"$root/session" <<'SESSION'
#!/bin/bash
wtype -s 90000 -k b &
typed=
WAYLAND_DEBUG=client timeout 60 /usr/lib/qt6/bin/qml /two.qml 2>&1 | while read -r line; do
    printf '%s\n' "$line"
    if [[ $line == *timer:* && ! $typed ]]; then
        typed=yes
        wtype -k a
    fi
done >/said
kill "$LABWC_PID"
SESSION
chmod +x "$root/session"
# shellcheck disable=SC2016  # the dollars are the inner shell's
unshare --mount --net --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp XDG_RUNTIME_DIR=/tmp LC_ALL=C.UTF-8 QT_QPA_PLATFORM=wayland QT_QUICK_BACKEND=software \
    QT_LOGGING_TO_CONSOLE=1 WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 \
    timeout 90 labwc -s /session >/dev/null || true

seen=$(sed -nE 's/^qml: //p; s/.*xdg_activation(_token)?_v1#[0-9]+\.(get_activation_token|set_serial|done|activate)\(.*/\2/p' "$root/said")
echo "$seen"
[[ $seen == 'first has the focus
second has the focus
timer: first.requestActivate()
key
timer: first.requestActivate()
get_activation_token
set_serial
done
activate
first has the focus' ]]
