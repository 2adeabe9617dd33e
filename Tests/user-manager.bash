#!/usr/bin/env bash
# user-manager.bash FOLDER COMMAND [ARGUMENT]...
#
# Runs COMMAND as an unprivileged user beside a real `systemd --user` of that user's own, with the bus that it starts, and
# ends with COMMAND's status. FOLDER/home becomes the user's home, FOLDER/run is to be seen at /run. Where the machine can't
# do that, it prints the reason and ends with 77. Everything is over after USER_MANAGER_BOUND seconds (120).
#
# The services of the user log to a journal of their own: `journalctl --namespace=flowbus` reads it.
#
# It needs root, not systemd: the user gets processes, mounts and control groups that no other process sees, and that end with it.
# Three of these scripts run, one in the other:
#   outer   has a folder, and ends the others at a signal, or when the time is over
#   middle  has mounts of its own, and a control group for all that is started
#   inner   process 1 of its own processes: when it ends, the kernel kills the others
# A `systemd --user` that is started by root where it finds itself would take over the control group of the whole machine.
set -euo pipefail

self=$(realpath -- "${BASH_SOURCE[0]}")
user=flow uid=4242
manager=/lib/systemd/systemd journal=/lib/systemd/systemd-journald

cannot() { # REASON
    echo "user-manager: this machine can't run a user manager: $1" >&2
    exit 77
}

# COMMAND's words without its output where it works, and nothing else is said where it does not.
needs() { # REASON COMMAND...
    local said
    said=$("${@:2}" 2>&1) || cannot "$1 (${said:-$2 failed})"
}

outer() {
    local propagation=private place
    ((EUID == 0)) || cannot "only root can make namespaces for it"
    for program in "$manager" "$journal"; do
        [[ -x $program ]] || cannot "there is no $program"
    done
    [[ -e /etc/machine-id ]] || cannot "there is no /etc/machine-id, and so no journal"
    for tool in unshare setpriv systemctl journalctl dbus-daemon timeout; do
        command -v "$tool" >/dev/null || cannot "there is no '$tool'"
    done
    # In a folder that chroot(8) made the root, "/" need be no mount, so nothing can make it private. Mounts on what nobody
    # shares stay in here nevertheless.
    if ! awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo; then
        if grep -q ' shared:' /proc/1/mountinfo; then cannot "a changed root whose mounts others would see"; fi
        propagation=unchanged
    fi
    needs "no mounts of its own" unshare --mount --propagation "$propagation" true

    place=$(mktemp -d "${TMPDIR:-/tmp}/flowbus-manager.XXXXXX")
    # The signal is for the case that timeout(1) is killed: whatever happens to it, the rest ends.
    exec timeout --kill-after=10 "${USER_MANAGER_BOUND:-120}" setpriv --pdeathsig TERM \
        unshare --mount --propagation "$propagation" "$self" --middle "$place" "$@"
}

middle() { # PLACE FOLDER COMMAND...
    local place=$1 status=0 child='' group='' left
    shift
    # shellcheck disable=SC2317  # the trap calls it
    clear_up() {
        # The kernel may need a moment to see that a group is empty, and sends no notification here.
        for _ in {1..50}; do
            [[ $group && -d $group ]] || break
            find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || sleep 0.02
        done
        umount --lazy "$place" 2>/dev/null || true
        rmdir -- "$place"
    }
    trap clear_up EXIT
    # The new process 1 is unshare's child. When it is gone the kernel has ended all others, and then unshare ends, too.
    # shellcheck disable=SC2317  # the trap calls it
    end() {
        local first
        [[ $child ]] || return 0
        first=$(cat "/proc/$child/task/$child/children" 2>/dev/null) || true
        # shellcheck disable=SC2086  # a number and a blank
        kill -KILL ${first:-"$child"} 2>/dev/null || true
    }
    trap end HUP INT TERM

    needs "no tmpfs" mount -t tmpfs -o mode=755 tmpfs "$place"
    mkdir "$place/groups"
    # A mount of its own: that of a container is often read-only.
    needs "no control groups, version 2" mount -t cgroup2 none "$place/groups"
    # Leftovers of a run that was killed.
    for left in "$place"/groups/flowbus-manager-*; do
        [[ -d $left && ! -d /proc/${left##*-} ]] || continue
        find "$left" -depth -type d -exec rmdir {} \; 2>/dev/null || true
    done
    needs "no control group of its own" mkdir "$place/groups/flowbus-manager-$$"
    group=$place/groups/flowbus-manager-$$
    needs "nothing can be moved to a control group" bash -c "echo \$\$ >'$group/cgroup.procs'"
    needs "no processes of its own" unshare --mount --pid --fork --cgroup --ipc --propagation unchanged true

    (
        echo "$BASHPID" >"$group/cgroup.procs"
        exec unshare --mount --pid --fork --kill-child --cgroup --ipc --propagation unchanged \
            "$self" --inner "$place" "$@"
    ) &
    child=$!
    wait "$child" || status=$?
    while kill -0 "$child" 2>/dev/null; do # A signal cut the wait short.
        status=0
        wait "$child" || status=$?
    done
    exit "$status"
}

inner() { # PLACE FOLDER COMMAND...
    local place=$1 folder=$2 as slice status=0 news
    shift 2
    mount -t proc proc /proc
    as=(setpriv "--reuid=$uid" "--regid=$uid" --clear-groups --inh-caps=-all --)

    # The manager looks for itself below its user's slice, and makes groups there: as pam_systemd and logind leave it.
    [[ -d /sys/fs/cgroup ]] || { mount -t tmpfs tmpfs /sys && mkdir -p /sys/fs/cgroup; }
    mount -t cgroup2 none /sys/fs/cgroup
    slice=/sys/fs/cgroup/user.slice/user-$uid.slice/user@$uid.service
    mkdir -p "$slice"
    chown "$uid:$uid" "$slice" "$slice"/cgroup.{procs,subtree_control,threads}

    # Files: of FOLDER, and what a manager needs. It refuses to start where systemd did not start the machine, which it
    # takes from /run/systemd/system.
    mkdir -p "$place"/{home/$user,run,log}
    [[ ! -d $folder/home ]] || cp -r -- "$folder/home/." "$place/home/$user"
    [[ ! -d $folder/run ]] || cp -r -- "$folder/run/." "$place/run"
    # It gives a unit the mounts that it asks for, before systemd 254 only with PrivateUsers=, and makes them where process 1 has left a
    # folder: unit-root, from 254 on mount-rootfs.
    mkdir -p "$place"/run/{systemd/system,systemd/unit-root,systemd/mount-rootfs,user/$uid,units,libraries}
    { grep -v "^$user:" /etc/passwd || true; } >"$place/passwd"
    echo "$user:x:$uid:$uid::/home/$user:/bin/sh" >>"$place/passwd"
    units "$place/run/units"
    libraries "$place/run"
    chmod -R go+rX "$place/run"
    chmod 700 "$place/run/user/$uid"
    chown -R "$uid:$uid" "$place/home/$user" "$place/run/user/$uid"
    mount --bind "$place/passwd" /etc/passwd
    mount --rbind "$place/home" /home
    mount --rbind "$place/run" /run
    journal

    # What the manager, its units and COMMAND see. A unit of that name in an earlier folder hides the machine's.
    export HOME=/home/$user USER=$user LOGNAME=$user SHELL=/bin/sh XDG_RUNTIME_DIR=/run/user/$uid LANG=C.UTF-8
    export PATH=/run/flowbus/bin:/usr/bin:/bin:/usr/sbin:/sbin
    export SYSTEMD_UNIT_PATH=/run/units:/run/flowbus/lib/systemd/user:
    export XDG_DATA_DIRS=/run/flowbus/share:/usr/local/share:/usr/share
    local names=(HOME USER LOGNAME SHELL XDG_RUNTIME_DIR LANG PATH SYSTEMD_UNIT_PATH XDG_DATA_DIRS)
    if [[ -n $(ls -A /run/libraries) ]]; then
        export LD_LIBRARY_PATH=/run/libraries
        names+=(LD_LIBRARY_PATH)
    fi
    local pairs=()
    for name in "${names[@]}"; do pairs+=("$name=${!name}"); done
    as=(env -i "${pairs[@]}" "${as[@]}")
    cd "$HOME"

    # A unit of the manager reports that all units are up, this shell that the manager is gone.
    mkfifo /run/news
    chmod 666 /run/news
    exec {news}<>/run/news
    {
        bash -c 'echo $$ >"$1/cgroup.procs"; exec "${@:2}"' - "$slice" "${as[@]}" \
            env SYSTEMD_LOG_TARGET=journal SYSTEMD_LOG_LEVEL=info "$manager" --user --unit=flowbus-test.target \
            >/run/manager.log 2>&1 || true
        echo "gone" >/run/news
    } &
    local supervisor=$! said=''
    read -r -t 30 said <&"$news" || true
    if [[ $said != up ]]; then
        cannot "systemd --user ${said:-did not come up}: $(logged 5 | tr '\n' ';')"
    fi

    # Both get a signal, because there is no session that would send it.
    as+=(env "DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus")
    "${as[@]}" "$@" || status=$?
    if ((status)); then
        echo "--- the log" >&2
        logged 60 >&2
    fi

    # In order, so that what units do at their end happens; but no later than this.
    "${as[@]}" systemctl --user --no-block exit >/dev/null 2>&1 || true
    if read -r -t 20 said <&"$news"; then wait "$supervisor"; else echo "user-manager: it did not end by itself" >&2; fi
    exit "$status"
}

# The latest log lines.
logged() { # LINES
    journalctl --namespace=flowbus --sync || true
    tail -n "$1" /run/manager.log
    journalctl --namespace=flowbus --quiet --no-hostname --lines="$1" || true
}

# A journal, which the user may read as on any machine: a file on the disk for each user. It is that of a namespace, since
# any other takes kernel messages and switches the machine's auditing; but programs find it where they look for the one.
journal() {
    local number=f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1 config=/run/systemd/journald@flowbus.conf.d
    # Its message when its sockets exist; sd-messages.h.
    local started=f77379a8490b408bbe5f6940505a777b
    echo "$number" >"$place/machine-id"
    mount --bind "$place/machine-id" /etc/machine-id
    mount --bind "$place/log" /var/log
    mkdir -p "/var/log/journal/$number.flowbus" "$config" /run/systemd/journal.flowbus
    ln -s journal.flowbus /run/systemd/journal
    printf '[Journal]\nStorage=persistent\nSystemMaxFileSize=4M\n' >"$config/test.conf"
    env -i "$journal" flowbus >/run/journal.log 2>&1 &
    read -r -t 30 _ < <(
        exec journalctl --namespace=flowbus --quiet --follow --lines=all "MESSAGE_ID=$started" 2>>/run/journal.log
    ) || cannot "no journal: $(tail -n 5 /run/journal.log | tr '\n' ';')"
}

# Units of the user: a bus, whichever the machine has, and one that reports when it is there.
units() { # FOLDER
    cat >"$1/dbus.socket" <<'UNIT'
[Socket]
ListenStream=%t/bus
ExecStartPost=-/bin/systemctl --user set-environment DBUS_SESSION_BUS_ADDRESS=unix:path=%t/bus
UNIT
    cat >"$1/dbus.service" <<'UNIT'
[Unit]
Requires=dbus.socket
[Service]
Type=notify
NotifyAccess=main
ExecStart=/usr/bin/env dbus-daemon --session --address=systemd: --nofork --nopidfile --systemd-activation
StandardError=append:%t/bus.log
Slice=session.slice
UNIT
    cat >"$1/flowbus-test.target" <<'UNIT'
[Unit]
Requires=basic.target dbus.socket flowbus-test-up.service
After=basic.target dbus.socket
UNIT
    cat >"$1/flowbus-test-up.service" <<'UNIT'
[Unit]
After=dbus.service
Requires=dbus.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo up >/run/news'
UNIT
}

# The libraries of the programs in FOLDER/flowbus/bin that are no part of the system, such as Swift's: the user may not be
# allowed to read them where they are.
libraries() { # FOLDER
    local program library
    for program in "$1"/flowbus/bin/*; do
        [[ -e $program ]] || continue
        while read -r library; do
            case $library in
                /lib/* | /lib64/* | /usr/lib/x86_64-* | /usr/lib/aarch64-*) ;;
                *) cp -n -- "$library" "$1/libraries" ;;
            esac
        done < <(ldd "$program" 2>/dev/null | awk '$2 == "=>" && $3 ~ "^/" { print $3 }')
    done
}

case ${1-} in
    --middle | --inner)
        stage=${1#--}
        shift
        "$stage" "$@"
        ;;
    '')
        echo "usage: user-manager.bash FOLDER COMMAND [ARGUMENT]..." >&2
        exit 64
        ;;
    *)
        outer "$@"
        ;;
esac
