# shellcheck shell=bash
# What the movie app's processes share. They all are on the session bus: DBUS_SESSION_BUS_ADDRESS says which.

# shellcheck disable=SC2034  # those who read this file use them
service=org.flowbus.Navigation1
tree=/org/flowbus/Navigation1/tree

# listen FILTER MATCH...   Prints what the jq filter makes of each of the service's signals that one of the matches
# lets through, one line each, until the bus goes. That it really listens, the bus says ("became a monitor"): busctl with
# --json does not, since systemd 257.
listen() {
    local filter=$1 matches=() match
    shift
    for match in "$@"; do
        matches+=(--match="type='signal',sender='$service',$match")
    done
    busctl --user monitor --json=short "${matches[@]}" | jq --unbuffered --raw-output "$filter"
}

# The match and the jq filter for screens that become presented. What it prints is the object path.
became_presented="interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
became_presented_path='select(.member == "PropertiesChanged")
    | select(.payload.data[0] == "org.flowbus.Navigation1.Presentable" and .payload.data[1].Presented.data == true)
    | .path'

# presented FLOW   Prints the id of each presentable below the flow's path when it becomes presented.
presented() {
    listen "$became_presented_path | ltrimstr(\"$1/\")" "$became_presented,path_namespace='$1'"
}

# emit PRESENTABLE STEP [NAME TYPE VALUE]...   Emits a step with these arguments; says so if it is not navigated.
emit() {
    local path=$1 step=$2 answer
    shift 2
    answer=$(busctl --user call -- "$service" "$path" "$service.Stepper" EmitStep 'sa{sv}' "$step" $(($# / 3)) "$@")
    [[ $answer == *'"navigated"' ]] || echo "$step on $path: $answer" >&2
}

# show PRESENTABLE   Tells that it is shown; among tabs this selects it.
show() {
    busctl --user call -- "$service" "$1" "$service.Presentable" SetVisible b true
}
