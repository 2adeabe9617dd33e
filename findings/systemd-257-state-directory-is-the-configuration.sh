#!/usr/bin/env bash
# systemd 257.13 of Debian 13 (systemd 257.13-1~deb13u1), as the manager of a user.
#
# The state of a user's services lies below ~/.local/state since systemd 254, and lay below ~/.config before. Where a service with
# StateDirectory=app finds no ~/.local/state/app, but a ~/.config/app, the manager takes the latter for the state from before, and
# makes the former a link to it. So a program with its configuration where all have it gets its state into the same folder, though
# it never ran on an old systemd. Whether that happens depends on what came first, the configuration or the service.
#
# Seen, for a service that creates the file "written" in its state directory, and a program that is configured in "settings":
#   configuration first:
#   .config/app/settings
#   .config/app/written
#   .local/state/app -> ../../.config/app
#   service first:
#   .config/app/settings
#   .local/state/app/written
set -euo pipefail
# In here, the mount of the control groups is of no concern to others.
[[ ${1-} == mounts ]] || exec unshare --mount bash "$0" mounts
dir=$(mktemp -d)
root=$dir/root home=$dir/root/home/user group=$dir/groups/finding-$$
clear_up() {
    # The kernel may need a moment to see that a group is empty.
    for _ in {1..50}; do
        [[ -d $group ]] || break
        find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || sleep 0.02
    done
    if mountpoint --quiet "$dir/groups"; then umount "$dir/groups"; fi
    rm -rf -- "$dir"
}
trap clear_up EXIT

mmdebstrap --quiet --variant=apt --include=systemd trixie "$root"
# shellcheck disable=SC2016  # the dollar is dpkg's
version=$(chroot "$root" dpkg-query -W -f '${Version}' systemd)
[[ $version == 257.13-1~deb13u1 ]] || { echo "Debian 13 has systemd $version now, no longer 257.13-1~deb13u1"; exit 1; }
echo 'user:x:4242:4242::/home/user:/bin/sh' >>"$root/etc/passwd"

mkdir "$root/units" "$dir/groups"
cat >"$root/units/app.service" <<'UNIT'
[Unit]
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
StateDirectory=app
ExecStart=sh -c 'touch "$STATE_DIRECTORY/written"'
UNIT
# A manager wants to be a user's, to have that user's control group, and to see that systemd started the machine.
cat >"$root/manager" <<'MANAGER'
set -euo pipefail
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /sys
mkdir -p /sys/fs/cgroup /run/systemd/system /run/user/4242
mount -t cgroup2 none /sys/fs/cgroup
slice=/sys/fs/cgroup/user.slice/user-4242.slice/user@4242.service
mkdir -p "$slice"
chown -R 4242:4242 "$slice" /home/user /run/user/4242
(
    echo "$BASHPID" >"$slice/cgroup.procs"
    exec env -i PATH=/usr/bin:/bin HOME=/home/user XDG_RUNTIME_DIR=/run/user/4242 SYSTEMD_UNIT_PATH=/units: \
        SYSTEMD_LOG_TARGET=console timeout 60 setpriv --reuid=4242 --regid=4242 --clear-groups --inh-caps=-all -- \
        /lib/systemd/systemd --user --unit=app.service
)
MANAGER
mount -t cgroup2 none "$dir/groups"
mkdir "$group"

configure() {
    mkdir -p "$home/.config/app"
    touch "$home/.config/app/settings"
}
service() {
    # What the manager leaves running ends with the namespace.
    # shellcheck disable=SC2016  # the dollars are the inner shell's
    bash -c 'echo $$ >"$1/cgroup.procs"
        exec unshare --net --pid --ipc --cgroup --mount --fork --kill-child chroot "$2" bash /manager' - "$group" "$root"
}
look() { (cd "$home" && find .config/app .local/state/app -type f -print -o -type l -printf '%p -> %l\n' | sort); }

mkdir -p "$home"
configure
service
seen="configuration first:"$'\n'$(look)
rm -r "$home"
mkdir -p "$home"
service
configure
service
seen+=$'\n'"service first:"$'\n'$(look)
echo "$seen"
printf '%s\n' "configuration first:" .config/app/settings .config/app/written ".local/state/app -> ../../.config/app" \
    "service first:" .config/app/settings .local/state/app/written | diff - <(echo "$seen")
