# shellcheck shell=bash
# What the scenarios share. The user executes it beside a manager of its own; see run.
set -euo pipefail
export LC_ALL=C.UTF-8
trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR
set -E
name=org.flowbus.Navigation1 root=/org/flowbus/Navigation1

call() { busctl --user call "$name" "$@"; }
objects() { busctl --user --json=short call "$name" "$root" org.freedesktop.DBus.ObjectManager GetManagedObjects; }
open_page() { call "$root/tree/main" "$name.Stepper" EmitStep 'sa{sv}' open 1 number x "$1" >/dev/null; }
serial() { call "$root" "$name.Coordinator" GetSerial | cut -d ' ' -f 2; }
show() { systemctl --user show --value --property="$1" flowbusd; }
process() { show MainPID; }

# Waits for a line of the journal with these fields, and prints it.
logged() {
    local line
    read -r -t 60 line < <(exec journalctl --namespace=flowbus --user --quiet --output=cat --follow --lines=all "$@") ||
        { echo "nothing logged: $*" >&2; return 1; }
    echo "$line"
}

# What systemd logs of a unit; sd-messages.h.
export started_id=39f53479d3a045ac8e11786248231fbf failed_id=d9b373ed55a64feb8242e02dbe79a49c

# Waits until systemd has logged that many of these messages of flowbusd.
messages() { # COUNT MESSAGE_ID...
    local journal line reader left=$1 matches=()
    for id in "${@:2}"; do matches+=("MESSAGE_ID=$id"); done
    exec {journal}< <(exec journalctl --namespace=flowbus --user --quiet --output=cat --follow --lines=all "${matches[@]}" \
        USER_UNIT=flowbusd.service)
    reader=$!
    while ((left > 0)); do
        read -r -t 60 line <&"$journal" || { echo "systemd logged too few messages: $left more were expected" >&2; return 1; }
        left=$((left - 1))
    done
    : "$line"
    kill "$reader" 2>/dev/null || true
    exec {journal}<&-
}

# Waits for the next start.
starts=1
next_start() { messages $((starts += 1)) "$started_id"; }

kill_and_wait() { # SIGNAL
    systemctl --user kill --signal="$1" flowbusd
    next_start
}

# A tree with two pages; $was is what it is.
begin() {
    systemctl --user start flowbusd
    open_page 7
    open_page 8
    remember
}
remember() { was=$(objects); }

compare() {
    if [[ $(objects) == "$was" ]]; then echo "the same tree"; else echo "another tree: $(flowbusctl tree)"; fi
}
