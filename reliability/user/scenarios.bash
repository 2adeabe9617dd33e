# shellcheck shell=bash
# shellcheck source-path=SCRIPTDIR source=words.bash
# The scenarios of run: what each prints is compared with expected.txt.
: "${name:?}" "${root:?}" "${started_id:?}" "${failed_id:?}"

# systemctl kill without a signal is SIGTERM: an orderly end, like `systemctl stop`.
scenario_kill() {
    begin
    kill_and_wait KILL
    echo "after SIGKILL: $(compare)"
    kill_and_wait ABRT
    echo "after SIGABRT: $(compare)"
    kill_and_wait SEGV
    echo "after SIGSEGV: $(compare)"
    systemctl --user kill --signal=HUP flowbusd
    echo "after SIGHUP: $(compare)"
    local before
    before=$(process)
    systemctl --user kill flowbusd
    tail -s 0.1 --pid="$before" -f /dev/null
    # It is gone already; the job ends when systemd has seen that, too.
    systemctl --user stop flowbusd
    echo "after SIGTERM: $(show Result), $(ls "$XDG_RUNTIME_DIR/flowbus" 2>/dev/null || echo "no tree is kept")"
    flowbusctl tree | tail -n 1
}

# The result of a unit that systemd starts no more: with systemd 252 and 257 that of the last kill, with 262 that of the limit.
limit_result() { # RESULT
    local version expected=start-limit-hit
    version=$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
    ((version > 257)) || expected=signal
    if [[ $1 == "$expected" ]]; then echo "given up"; else echo "'$1' where systemd $version has '$expected'"; fi
}

# More kills than systemd starts again in 10 s: it gives up, and removes what it kept for the next start.
scenario_limit() {
    local kills=0
    begin
    while [[ $(show ActiveState) == active ]]; do
        systemctl --user kill --signal=KILL flowbusd
        kills=$((kills + 1))
        # Each kill is a failure, and what follows is another start, or the failure to start.
        logged "MESSAGE=flowbusd.service: Scheduled restart job, restart counter is at $kills." >/dev/null
        messages $((2 * kills + 1)) "$started_id" "$failed_id"
    done
    echo "after $kills kills: $(show ActiveState), $(limit_result "$(show Result)")"
    ls "$XDG_RUNTIME_DIR/flowbus" 2>/dev/null || echo "no tree is kept"
    flowbusctl status >/dev/null 2>&1 || echo "flowbusctl status: $?"
    # The bus has asked systemd once, which does not say that it gave up: a call waits, also after reset-failed, until somebody starts it.
    call "$root" "$name.Coordinator" GetSerial >answer 2>&1 &
    local caller=$!
    messages $((2 * kills + 2)) "$started_id" "$failed_id"
    systemctl --user reset-failed flowbusd
    systemctl --user start flowbusd
    wait "$caller" && echo "started again: the call that waited is answered"
    flowbusctl tree | tail -n 1
    (($(serial) > 3)) && echo "the serials go on"
}

# Definitions with errors: no start mends them, so there is one.
scenario_definitions() {
    echo 'nonsense = 1' >>~/.config/flowbus/flows.d/flows.toml
    systemctl --user start flowbusd 2>/dev/null || true
    echo "$(show ActiveState), $(show Result), status $(show ExecMainStatus), $(show NRestarts) more starts"
    sed -i '/^nonsense/d' ~/.config/flowbus/flows.d/flows.toml
    systemctl --user start flowbusd
    echo "mended: $(show ActiveState)"
}

# Stopped for a while, and for longer than the watchdog waits.
scenario_watchdog() {
    begin
    systemctl --user kill --signal=STOP flowbusd
    call "$root/tree/main" "$name.Stepper" EmitStep 'sa{sv}' open 1 number x 9 >answer &
    systemctl --user kill --signal=CONT flowbusd
    wait $!
    echo "a call while it was stopped: $(cut -d ' ' -f 3 answer)"
    remember
    systemctl --user kill --signal=STOP flowbusd
    call "$root/tree/main" "$name.Stepper" EmitStep 'sa{sv}' open 1 number x 10 >answer 2>&1 || true
    echo "a call until the watchdog: $(cut -c 1-70 answer)"
    next_start
    logged --unit=flowbusd UNIT_RESULT=watchdog
    echo "$(show NRestarts) restart: $(compare)"
}

# The bus of the user is started again: another bus, so a fresh start; the socket of the unit is the same.
scenario_bus() { bus_again; }
scenario_bus_always() { bus_again; }
bus_again() {
    local before
    begin
    before=$(process)
    systemctl --user restart dbus.service
    next_start
    [[ $(process) != "$before" ]] && echo "another process, $(show Result)"
    flowbusctl tree | tail -n 1
    (($(serial) >= 3)) && echo "the serials go on"
}

# Programs are replaced while they run, as dpkg does it, and the tree is one of another format.
scenario_upgrade() {
    local before format program=~/bin/flowbusd unit=~/.config/systemd/user/flowbusd.service.d
    begin
    before=$(process)
    cp -- "$program" "$program.dpkg-new"
    mv -- "$program.dpkg-new" "$program"
    [[ $(readlink "/proc/$before/exe") == *"(deleted)" ]] && echo "the old program goes on: $(compare)"
    systemctl --user restart flowbusd
    [[ $(process) != "$before" ]] && echo "the new one: $(compare)"
    # Before each further start the tree file becomes one of another format.
    mkdir -p "$unit"
    for format in 1 5; do
        open_page 9
        printf '[Service]\nExecStartPre=/usr/bin/python3 %s/set-format %s %%t/flowbus\n' "$HOME" "$format" >"$unit/format.conf"
        systemctl --user daemon-reload
        systemctl --user restart flowbusd
        echo "a tree of format $format: $(flowbusctl tree | tail -n 1)"
        logged SYSLOG_IDENTIFIER=flowbusd PRIORITY=3 _PID="$(process)" |
            sed 's|/run/user/[0-9]*/||g; s/tree-[0-9a-f]*/tree-GUID/g; s/db\.[0-9TZ-]*/db.TIME/'
    done
    find "$XDG_RUNTIME_DIR/flowbus" -name '*.db.*Z' -o -name '*.db.*Z-[0-9]' | wc -l | sed 's/$/ files moved aside/'
}

# Two logins of one user: what the first one leaves on the disk, with --restore always.
before_login() {
    begin
    flowbusctl tree | tail -n 1
}
scenario_login() {
    ls "$XDG_RUNTIME_DIR/flowbus" 2>/dev/null || echo "the next login: nothing in the runtime folder"
    flowbusctl tree | tail -n 1
    (($(serial) >= 3)) && echo "the serials go on"
    call "$root" "$name.History" GetHistory 'tua{sv}' 0 0 0 | grep -o '"open"' | wc -l | sed 's/$/ steps of the login before in the history/'
}

# The programs of definition files: the generator has made units of them, and service files for the bus.
scenario_programs() {
    local unit server port
    unit() { systemctl --user show --value --property="$1" "app-flowbus-$2"; }
    said() { logged _SYSTEMD_USER_UNIT="app-flowbus-$1.service" _TRANSPORT=stdout; }
    echo "the bus can start: $(busctl --user --activatable --no-legend list | sed -n 's/^\(com\.example\.[A-Z][a-z]*\) .*/\1/p' | paste -sd " ")"
    ping Demand
    said com.example.Demand
    local first
    first=$(unit MainPID com.example.Demand)
    systemctl --user kill --signal=KILL app-flowbus-com.example.Demand
    logged MESSAGE_ID="$started_id" USER_UNIT=app-flowbus-com.example.Demand.service >/dev/null
    logged "MESSAGE=app-flowbus-com.example.Demand.service: Scheduled restart job, restart counter is at 1." >/dev/null
    ping Demand
    [[ $(unit MainPID com.example.Demand) != "$first" ]] && echo "killed: another process, $(unit NRestarts com.example.Demand) restart"
    ping Silent
    logged UNIT_RESULT=watchdog USER_UNIT=app-flowbus-com.example.Silent.service | sed 's/.*: //'

    # What each restriction does, not what its unit says.
    exec {server}< <(exec python3 -c 'import signal, socket
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    signal.pause()')
    local listener=$!
    read -r port <&"$server"
    echo "$port" >port
    echo all >/tmp/of-all
    mkdir -p .config/systemd/user
    printf '[Unit]\nBindsTo=graphical-session.target\n' >.config/systemd/user/session.target
    systemctl --user daemon-reload
    systemctl --user start session.target
    for unit in none usual exec network tmp home namespaces; do said "$unit"; done
    kill "$listener"
    local pid
    pid=$(unit MainPID usual)
    # As flowbus-session does. systemd 252 ends a target that nobody needs any more, too, but not always right after its start.
    systemctl --user stop graphical-session.target
    tail -s 0.1 --pid="$pid" -f /dev/null
    systemctl --user stop app-flowbus-usual
    echo "without a session: $(unit ActiveState usual)"

    # The files change while all runs.
    systemctl --user start flowbusd
    printf '[programs."com.example.Late"]\ncommand = ["./served", "com.example.Late"]\n' >>.config/flowbus/flows.d/programs.toml
    flowbusctl reload
    ping Late
    said com.example.Late
    echo 'nonsense = 1' >.config/flowbus/flows.d/wrong.toml
    systemctl --user daemon-reload
    echo "with an error: $(find "$XDG_RUNTIME_DIR"/{systemd/generator,dbus-1/services} -name '*flowbus-*' -o -name 'com.example.*' | wc -l) files"
    grep -o 'flowbus-generator: .*' /run/manager.log
}
ping() { busctl --user call "com.example.$1" / org.freedesktop.DBus.Peer Ping >/dev/null; }
