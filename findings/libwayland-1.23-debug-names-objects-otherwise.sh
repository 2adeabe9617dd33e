#!/usr/bin/env bash
# libwayland 1.23.1 of Debian 13 (libwayland-client0 1.23.1-3), beside 1.21.0 of Debian 12 (1.21.0-1).
#
# What a client says with WAYLAND_DEBUG=1 is what most tests and tools read that want to know what a toolkit asked of a compositor. An
# object was interface@id for as long as that variable is known, and is interface#id since 1.23, with the same words around it. A
# reader that splits at '@' finds no object any more, and nothing says so.
#
# Seen, for the first request of a client, without its time:
#   Debian 12: -> wl_display@1.get_registry(new id wl_registry@2)
#   Debian 13: -> wl_display#1.get_registry(new id wl_registry#2)
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

# No compositor is needed: the request is printed when it is made, and goes into a socket that nobody reads.
request='
import ctypes, socket
wayland = ctypes.CDLL("libwayland-client.so.0")
wayland.wl_display_connect_to_fd.restype = ctypes.c_void_p
here, there = socket.socketpair()
display = ctypes.c_void_p(wayland.wl_display_connect_to_fd(here.detach()))
registry = ctypes.c_char.in_dll(wayland, "wl_registry_interface")
wayland.wl_proxy_marshal_flags(display, 1, ctypes.byref(registry), 1, 0, None)'

status=0
check() { # RELEASE VERSION EXPECTED
    local version seen
    mmdebstrap --quiet --variant=apt --include=python3-minimal,libpython3-stdlib,libwayland-client0 "$1" "$dir/$1" || exit 1
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$dir/$1" dpkg-query -W -f '${Version}' libwayland-client0)
    seen=$(chroot "$dir/$1" env WAYLAND_DEBUG=1 python3 -c "$request" 2>&1 | sed 's/^\[[^]]*\] *//; s/^{[^}]*} *//')
    echo "$1, libwayland $version: $seen"
    [[ $version == "$2"-* && $seen == "$3" ]] || status=1
}
check bookworm 1.21.0 '-> wl_display@1.get_registry(new id wl_registry@2)'
check trixie 1.23.1 '-> wl_display#1.get_registry(new id wl_registry#2)'
exit "$status"
