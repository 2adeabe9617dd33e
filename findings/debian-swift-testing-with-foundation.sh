#!/usr/bin/env bash
# Swift 6.2.3 of Debian sid (swiftlang 6.2.3-1+b1).
#
# A file that imports Foundation and Testing imports a third module by itself, _Testing_Foundation, which a toolchain declares as what
# the two have in common. Debian's packages have its interface and the declaration, and not its library. So the compiler accepts each
# such file, and the linker fails at the end, with the name of a library that no source mentions; each of the two imports alone is
# fine. Nearly every package with tests has such a file. Without that third import, which the compiler can be told to leave out, the
# same file is linked and runs.
#
# Seen, the end of each line shortened:
#   Foundation: linked
#   Testing: linked
#   both: cannot find -l_Testing_Foundation
#   both, without the import: linked
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=swiftlang,g++ --aptopt='Acquire::Check-Valid-Until "false"' sid "$root"
# shellcheck disable=SC2016  # the dollar is dpkg's
version=$(chroot "$root" dpkg-query -W -f '${Version}' swiftlang)
[[ $version == 6.2.3-1+b1 ]] || { echo "Debian sid has swiftlang $version now, no longer 6.2.3-1+b1"; exit 1; }

cat >"$root/try" <<'TRY'
build() { # NAME IMPORTS [OPTION]...
    printf '%b\nprint("hello")\n' "$2" >/main.swift
    if swiftc "${@:3}" -o /hello /main.swift >/log 2>&1 && [[ $(/hello) == hello ]]; then
        echo "$1: linked"
    else
        echo "$1: $(grep -o 'cannot find -l[A-Za-z_]*' /log | sort -u)"
    fi
}
build Foundation 'import Foundation'
build Testing 'import Testing'
build both 'import Foundation\nimport Testing'
build "both, without the import" 'import Foundation\nimport Testing' -Xfrontend -disable-cross-import-overlays
TRY
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount --pid --fork --kill-child bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - \
    "$root" env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 bash /try)
echo "$seen"
[[ $seen == 'Foundation: linked
Testing: linked
both: cannot find -l_Testing_Foundation
both, without the import: linked' ]]
