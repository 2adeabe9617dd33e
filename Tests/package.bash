#!/usr/bin/env bash
# package.bash DEB...
#
# Looks at how programs and libraries of all packages are linked, and compares the contents of the package 'flowbus' with those of
# `make install`. Installs that one, uses it as a user under a real user manager, and purges it: in a copy of this machine's files
# that no other process sees, and that ends with it (an overlay). Prints its results, and ends with 0, or with 1 if something is
# wrong. If the machine can't do that, it prints the reason and ends with 77.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

cannot() { # REASON
    echo "package: this machine can't try the package: $1" >&2
    exit 77
}

wrong() { # WHAT
    echo "package: $1" >&2
    exit 1
}

# Whether what the dynamic linker writes to at the start is read-only afterwards: in each program and library of the packages.
hardening() { # FOLDER DEB...
    local folder=$1 file said names=()
    shift
    for deb in "$@"; do dpkg-deb --extract "$deb" "$folder"; done
    while IFS= read -r -d '' file; do
        cmp --quiet --bytes=4 -- "$file" <(printf '\177ELF') || continue
        said=$(LC_ALL=C readelf --wide --program-headers --dynamic -- "$file") || wrong "${file#"$folder"} can't be read"
        names+=("${file##*/}")
        [[ $said == *' GNU_RELRO '* ]] || wrong "${file#"$folder"} has no RELRO: link it with -z relro"
        grep -qE '\(FLAGS(_1)?\).*\b(BIND_)?NOW\b' <<<"$said" ||
            wrong "${file#"$folder"} is bound lazily: link it with -z now"
    done < <(find "$folder" -type f -print0 | sort -z)
    # These are known to be there; without them the loop above has seen nothing.
    for file in flowbusd flowbusctl flowbusctl-connect flowbus-run flowbus-stacker flowbus-cover libflowbus.so libflowbus-gtk4.so; do
        [[ " ${names[*]}" == *" $file"* ]] || wrong "no package has the program or library '$file'"
    done
    echo "RELRO and BIND_NOW: ${names[*]}"
}

# Files of the package that are none of `make install`, and the other way round.
contents() { # DEB
    local listed packed
    listed=$(make --silent -C "$here/.." list PREFIX=/usr | sort)
    # Man pages are compressed; the rest is what debhelper adds.
    packed=$(dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | sed -E 's,^\.,,; s,(/man/.*)\.gz$,\1,' |
        grep -vxE '/usr/share/(lintian/overrides/flowbus|doc/flowbus/(changelog\.gz|README\.Debian))' | sort)
    [[ $listed == "$packed" ]] || wrong "contents: $(diff <(echo "$listed") <(echo "$packed"))"
    echo "$(wc -l <<<"$packed") files, all where 'make install' puts them"
}

outer() { # DEB
    ((EUID == 0)) || cannot "only root can make namespaces for it"
    for tool in dpkg unshare chroot; do command -v "$tool" >/dev/null || cannot "there is no '$tool'"; done
    unshare --mount --propagation private true 2>/dev/null || cannot "no mounts of its own"
    exec unshare --mount --propagation private "$here/${BASH_SOURCE[0]##*/}" --inner "$(realpath -- "$1")"
}

inner() { # DEB
    local place=/mnt root=/mnt/root said status=0
    mount -t tmpfs -o mode=755 tmpfs "$place"
    mkdir "$place"/{changed,work,root}
    said=$(mount -t overlay -o "lowerdir=/,upperdir=$place/changed,workdir=$place/work" overlay "$root" 2>&1) ||
        cannot "no overlay of its files ($said)"
    for folder in proc sys dev; do mount --rbind "/$folder" "$root/$folder"; done
    mkdir -p "$root"/tmp/package/home/.config/flowbus/flows.d
    cp -- "$1" "$root/tmp/package/flowbus.deb"
    cp -- "$here/user-manager.bash" "$root/tmp/package"
    cp -- "$here"/../examples/movies/flows.d/*.toml "$root/tmp/package/home/.config/flowbus/flows.d"
    as_user >"$root/tmp/package/home/as-user"

    # A test machine may have no session bus of its own; that is all that is forced.
    chroot "$root" dpkg --force-depends -i /tmp/package/flowbus.deb >"$place/log" 2>&1 || wrong "install: $(<"$place/log")"
    # shellcheck disable=SC2016  # dpkg-query's own
    echo "installed $(chroot "$root" dpkg-query -W -f '${Version}, ${Status}' flowbus)"
    [[ ! -e $root/etc/systemd/user/graphical-session.target.wants/flowbusd.service ]] ||
        wrong "it is enabled, and nobody asked for that"
    said=$(chroot "$root" ldd /usr/bin/flowbusd /usr/bin/flowbusctl)
    [[ $said != *"not found"* ]] || wrong "libraries are missing: $said"

    chroot "$root" /tmp/package/user-manager.bash /tmp/package bash ./as-user || status=$?
    if ((status == 77)); then
        echo "not tried as a user: see above"
    elif ((status)); then
        wrong "as a user: status $status"
    fi

    # An administrator's link is removed with the package, too.
    chroot "$root" systemctl --global enable flowbusd.service >/dev/null 2>&1
    [[ -L $root/etc/systemd/user/graphical-session.target.wants/flowbusd.service ]] || wrong "it can't be enabled"
    chroot "$root" dpkg --remove --force-depends flowbus >"$place/log" 2>&1 || wrong "remove: $(<"$place/log")"
    chroot "$root" dpkg --purge --force-depends flowbus >"$place/log" 2>&1 || wrong "purge: $(<"$place/log")"
    rm -rf -- "$root/tmp/package"
    # The changes beside the machine's own files. A character device marks a deleted file.
    said=$(cd "$place/changed" && find . -iname '*flowbus*' ! -type c)
    [[ -z $said ]] || wrong "purging leaves: $said"
    # shellcheck disable=SC2016  # dpkg-query's own
    said=$(chroot "$root" dpkg-query -W -f '${Status}' flowbus 2>/dev/null) || true
    [[ -z $said || $said == "unknown ok not-installed" ]] || wrong "it is still known to dpkg: $said"
    echo "purged, and nothing is left"
}

# The actions of a user: a shell script.
as_user() {
    cat <<'SCRIPT'
set -euo pipefail
trap 'echo "package: line $LINENO of what the user does failed: $BASH_COMMAND" >&2' ERR
name=org.flowbus.Navigation1 root=/org/flowbus/Navigation1
[[ $(systemctl --user show --property=ActiveState flowbusd) == ActiveState=inactive ]]
busctl --user call $name $root $name.Coordinator GetSerial >/dev/null
[[ $(systemctl --user show --property=ActiveState,FragmentPath flowbusd | sort) == \
    $'ActiveState=active\nFragmentPath=/usr/lib/systemd/user/flowbusd.service' ]]
echo "the first call starts it"
flowbusctl show main/apiKey
flowbusctl emit main/apiKey apiKeyIsComplete >/dev/null
[[ $(flowbusctl tree --json) == *'"path":"main/wishlist"'* ]]
[[ $(flowbusctl status) == "running: flowbusd"* ]]
flowbusctl check >/dev/null
systemctl --user reload flowbusd
echo "flowbusctl finds it"
systemctl --user restart flowbusd
[[ $(flowbusctl tree --json) == *'"path":"main/wishlist"'* ]]
echo "it keeps its tree"
systemctl --user stop flowbusd
SCRIPT
}

case ${1-} in
    --inner) inner "$2" ;;
    '')
        echo "usage: package.bash DEB..." >&2
        exit 64
        ;;
    *)
        package=
        for deb in "$@"; do [[ $(dpkg-deb --field "$deb" Package) != flowbus ]] || package=$deb; done
        [[ $package ]] || wrong "none of these is the package 'flowbus': $*"
        files=$(mktemp -d)
        trap 'rm -rf -- "$files"' EXIT
        hardening "$files" "$@"
        rm -rf -- "$files"
        contents "$package"
        outer "$package"
        ;;
esac
